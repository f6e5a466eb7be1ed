#include "darp/study/policy_evaluation.h"

#include <fmt/ranges.h>

#include "darp/core/file.h"
#include "darp/core/hash.h"
#include "darp/core/silent_progress.h"
#include "darp/env/registry.h"
#include "darp/eval/complete_evaluation.h"
#include "darp/eval/evaluation_file.h"
#include "darp/eval/record_file.h"
#include "darp/study/policy_executor.h"

namespace darp {

namespace fs = std::filesystem;

Evaluation read_evaluation(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / (name + ".json");
  std::vector<Evaluation> all = read_evaluations(file);
  if (all.size() != 1)
    throw FileError(file.string(), "has more than one evaluation",
                    "remove the run and do it again");
  return std::move(all.front());
}

std::optional<Evaluation> evaluate_policy(const fs::path& policy, const std::string& label,
                                          const StudyEvaluation& wanted, const fs::path& folder,
                                          int threads, const StudyOptions& options) {
  const fs::path file = folder / (wanted.name + ".json");
  const EnvironmentFactory make_env = [&] {
    return make_environment(wanted.environment, wanted.settings);
  };
  const EnvironmentInfo info = make_env()->info();
  Evaluation evaluation;
  evaluation.subject.environment = info.name;
  evaluation.subject.environment_settings =
      fmt::format("{}", fmt::join(changed_settings(wanted.settings), " "));
  evaluation.subject.policy = label;
  evaluation.subject.purpose = wanted.purpose;
  evaluation.subject.seeds = wanted.seeds;
  const auto found_if_same = [&](Evaluation found) {
    if (found.subject != evaluation.subject)
      throw FileError(file.string(), "is of another policy, environment or other seeds",
                      "choose another folder for this study, or remove the file");
    return found;
  };
  if (fs::exists(file)) {
    // Results are kept without their networks, and count whichever executor they are of.
    Evaluation found = read_evaluation(folder, wanted.name);
    evaluation.subject.policy_hash = fs::exists(policy)
                                         ? Hasher().add(MappedFile(policy).bytes()).hex()
                                         : found.subject.policy_hash;
    evaluation.subject.executor = found.subject.executor;
    return found_if_same(std::move(found));
  }
  // What only chooses among trainings may be rounded: ensembles answer several times faster.
  const std::string precision = wanted.purpose == SeedPurpose::kSearch ? "bf16" : "fp32";
  const PolicyExecutor executor = load_policy(
      policy.string(), {.executor = "auto", .precision = precision, .acting = wanted.acting});
  evaluation.subject.policy_hash = executor.hash;
  evaluation.subject.executor = executor.name;
  evaluation.has_success = info.has_success;
  evaluation.scale = info.scale;
  CompletionOptions completion;
  completion.records = folder / (wanted.name + ".records.jsonl");
  // Episodes of a network that was trained anew, or of another executor: begun again.
  if (!RecordFile::belongs_to(evaluation.subject, completion.records))
    fs::remove(completion.records);
  completion.threads = threads;
  completion.stop = options.stop;
  completion.progress = silent_progress();
  if (!complete_evaluation(make_env, executor.make, evaluation, completion)) return std::nullopt;
  write_evaluations(file, {&evaluation, 1});
  return evaluation;
}

}  // namespace darp
