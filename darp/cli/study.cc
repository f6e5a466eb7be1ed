#include "darp/study/study.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "darp/cli/commands.h"
#include "darp/cli/device_option.h"
#include "darp/cli/interrupt.h"
#include "darp/core/numbers.h"
#include "darp/core/seconds_since.h"
#include "darp/exhibit/exhibit_file.h"
#include "darp/report/report_sections.h"
#include "darp/report/study_report.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

struct StudyCommandOptions {
  std::string name, out, demos, root = ".", device = "cpu";
  std::vector<std::string> overrides;
  bool quick = false, report_only = false, dry_run = false;
  int jobs = 0;
};

StudyPlaces places_of(const StudyCommandOptions& options) {
  StudyPlaces places;
  places.root = options.root;
  places.studies = places.root / "studies";
  places.demos = options.demos;
  return places;
}

StudySpec declared_study(const StudyCommandOptions& options, const StudyPlaces& places) {
  StudySpec spec = find_study(options.name, places);
  if (options.quick) spec = quick_version(std::move(spec));
  for (const std::string& assignment : options.overrides) apply_override(assignment, spec);
  return spec;
}

fs::path study_folder(const StudyCommandOptions& options, const StudySpec& spec) {
  if (!options.out.empty()) return options.out;
  return fs::path("runs") / fmt::format("study-{}{}", spec.name, options.quick ? "-quick" : "");
}

/// The command as it was given, for the report to tell.
std::string study_command_line(const StudyCommandOptions& options) {
  std::string line = "darp study " + shell_word(options.name);
  if (options.quick) line += " --quick";
  if (!options.demos.empty()) line += " --demos " + shell_word(options.demos);
  for (const std::string& assignment : options.overrides)
    line += " --set " + shell_word(assignment);
  if (options.device != "cpu") line += " --device " + shell_word(options.device);
  return line;
}

void list_command(const StudyPlaces& places) {
  const std::vector<StudySpec> specs = list_studies(places);
  size_t width = 0;
  for (const StudySpec& spec : specs) width = std::max(width, spec.name.size());
  fmt::print("{:<{}}  {:>8}  {:>8}  what it shows\n", "study", width, "runs", "--quick");
  for (const StudySpec& spec : specs)
    fmt::print("{:<{}}  {:>8}  {:>8}  {}\n", spec.name, width, grouped(planned_runs(spec, places)),
               grouped(planned_runs(quick_version(spec), places)), printable(spec.title));
}

/// The answer first: tables up to the first figure, or the first one there is.
void print_tables(const ExhibitSet& set) {
  bool shown = false;
  for (const Exhibit& exhibit : set.exhibits) {
    const auto* table = std::get_if<ExhibitTable>(&exhibit);
    if (table == nullptr && shown) return;
    if (table == nullptr) continue;
    fmt::print("{}\n", exhibit_text(*table));
    shown = true;
  }
}

void print_plan(const StudySpec& spec, StudyContext context) {
  std::vector<std::string> planned;
  StudyOptions options = context.options;
  options.planned = &planned;
  plan_study(spec, {context.places, options});
  for (const std::string& line : planned) fmt::print("{}\n", line);
  fmt::print("{}\n", counted(std::ssize(planned), "run"));
}

void finish_study(const ExhibitSet& set, const fs::path& out) {
  write_study_report(out, set);
  print_tables(set);
  fmt::print("{}\n\nreport: {}\n", set.summary, (out / "report.html").string());
}

void study_command(const StudyCommandOptions& options) {
  const StudyPlaces places = places_of(options);
  if (options.name == "list") return list_command(places);
  const StudySpec spec = declared_study(options, places);
  StudyOptions study;
  study.out = study_folder(options, spec);
  study.jobs = options.jobs;
  study.device = device_named(options.device);
  study.stop = &stop_on_interrupt();
  study.version = DARP_VERSION;
  if (options.report_only) {
    const ExhibitSet kept = read_exhibits(study.out);
    if (kept.study != spec.name)
      throw Error(study.out.string(), fmt::format("holds the study '{}'", printable(kept.study)),
                  "name that study, or choose another --out");
    return finish_study(kept, study.out);
  }
  if (options.dry_run) return print_plan(spec, {places, study});
  fmt::print("{}: {}\ninto {}\n", spec.name, printable(spec.title), study.out.string());
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  std::optional<ExhibitSet> set = do_study(spec, {places, study});
  if (!set) {
    fmt::print("stopped; the same command goes on where it was\n");
    throw Interrupted();
  }
  set->facts.insert(set->facts.begin(), {"command", study_command_line(options)});
  fmt::print("done in {}\n\n",
             duration_text(std::chrono::seconds(static_cast<int64_t>(seconds_since(start)))));
  finish_study(*set, study.out);
}

}  // namespace

void add_study_command(CLI::App& app) {
  auto options = std::make_shared<StudyCommandOptions>();
  CLI::App* command =
      app.add_subcommand("study", "Make a table or figure of the paper from the ground up");
  command
      ->add_option("NAME", options->name,
                   "A study of studies/, a YAML file, or `list` for all there are")
      ->required();
  command->add_option("--out", options->out,
                      "Folder of runs and report; without it runs/study-NAME");
  command->add_option("--demos", options->demos,
                      "Folder with the paper's demonstrations; without it those of demos/");
  command->add_flag("--quick", options->quick, "A small version, to see it work: seconds");
  command->add_option("--jobs", options->jobs, "Runs at once, with a thread each; 0: one per core")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command->add_option("--device", options->device, "cpu, or cuda where LibTorch has it")
      ->capture_default_str();
  command
      ->add_option("--set", options->overrides,
                   "Change the declaration, e.g. --set seeds=10 --set tasks=[hopper]")
      ->expected(1)
      ->take_all();
  command->add_flag("--report-only", options->report_only,
                    "Draw the report again from the folder's exhibits.json; nothing is run");
  command->add_flag("--dry-run", options->dry_run, "List the runs and stop");
  command->add_option("--root", options->root, "Folder with studies/, configs/ and demos/")
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  darp study list\n"
      "  darp study mujoco-table --quick\n"
      "  darp study mujoco-table --demos reference/demos --jobs 8\n"
      "  darp study ablations --set tasks=[hopper] --set seeds=3 --out runs/few\n\n"
      "Ctrl-C stops in good order; the same command goes on, also after a crash, and several of "
      "them share one\nfolder. docs/studies.md is the guide.\n\n"
      "Fields of a declaration (--set):\n" +
      help_table(StudySpec{}));
  command->callback([options] { study_command(*options); });
}

}  // namespace darp
