#include "darp/study/study.h"

#include <algorithm>
#include <map>

#include "darp/core/file.h"
#include "darp/core/make_folders.h"
#include "darp/study/table/table_results.h"
#include "darp/study/words.h"
#include "darp/train/run_directory.h"

namespace darp {
namespace {

using Kind = StudySpec::Kind;
using KindFunction = std::optional<ExhibitSet> (*)(const StudySpec&, const StudyContext&);

const std::map<Kind, KindFunction> kKinds = {
    {Kind::kTable, table_study},           {Kind::kSweep, sweep_study},
    {Kind::kRuntime, runtime_study},       {Kind::kDivergence, divergence_study},
    {Kind::kForking, forking_study},       {Kind::kSpectral, spectral_study},
    {Kind::kSmoothness, smoothness_study},
};

/// Leaves the declaration in the folder, and refuses a folder that has another study's.
void claim_folder(const StudySpec& spec, const std::filesystem::path& folder) {
  make_folders(folder);
  const std::filesystem::path file = folder / "study.yaml";
  if (std::filesystem::exists(file)) {
    const MappedFile mapped(file);
    const std::string name = text_in_yaml(as_text(mapped.bytes()), file.string(), "name");
    if (name != spec.name)
      throw Error(folder.string(), fmt::format("holds the study '{}'", printable(name)),
                  "choose another --out");
  }
  write_file(file, fmt::format("name: {}\n", spec.name) + write_yaml(spec));
}

}  // namespace

void plan_study(const StudySpec& spec, const StudyContext& context) {
  DARP_CHECK(context.options.planned != nullptr, "a plan without a list");
  check_declaration(spec);
  check_optional_settings(spec, context.places);
  kKinds.at(spec.kind)(spec, context);
}

int64_t planned_runs(const StudySpec& spec, const StudyPlaces& places) {
  if (spec.kind == Kind::kTable)
    return std::ssize(table_runs(spec, places)) + table_trials(spec, places);
  const auto at_least_one = [](const auto& list) { return std::max<int64_t>(1, std::ssize(list)); };
  int64_t values = 0;  // each line of a sweep starts with the name of what varies
  for (const std::string& sweep : spec.sweeps) values += std::ssize(words_of(sweep)) - 1;
  return at_least_one(spec.tasks) * at_least_one(spec.methods) * std::max<int64_t>(1, values) *
         spec.seeds;
}

std::optional<ExhibitSet> do_study(const StudySpec& spec, const StudyContext& context) {
  check_declaration(spec);
  check_optional_settings(spec, context.places);
  claim_folder(spec, context.options.out);
  std::optional<ExhibitSet> set = kKinds.at(spec.kind)(spec, context);
  if (!set) return std::nullopt;
  set->study = spec.name;
  if (set->title.empty()) set->title = spec.title;
  for (const std::string& name : spec.tasks) {
    const TaskSpec task = find_task(name, context.places);
    set->facts.emplace_back("demonstrations of " + name,
                            demonstrations_of(task, context.places).filename().string());
  }
  set->facts.emplace_back("machine", cpu_name());
  set->facts.emplace_back("program", "darp " + context.options.version);
  return set;
}

}  // namespace darp
