#include "darp/eval/complete_evaluation.h"

#include <algorithm>
#include <set>

#include "darp/core/seconds_since.h"
#include "darp/eval/record_file.h"

namespace darp {
namespace {

/// Seeds that are not among the records yet.
std::vector<uint64_t> seeds_left(const SeedRange& range, const std::vector<EpisodeRecord>& done) {
  std::set<uint64_t> seen;
  for (const EpisodeRecord& record : done) seen.insert(record.seed);
  std::vector<uint64_t> left;
  for (const uint64_t seed : range.seeds())
    if (!seen.contains(seed)) left.push_back(seed);
  return left;
}

}  // namespace

bool complete_evaluation(const EnvironmentFactory& make_environment,
                         const PolicyFactory& make_policy, Evaluation& evaluation,
                         const CompletionOptions& options) {
  std::unique_ptr<RecordFile> file;
  if (!options.records.empty()) {
    file = std::make_unique<RecordFile>(options.records, evaluation.subject);
    evaluation.records = file->records();
    if (options.on_resumed && !evaluation.records.empty())
      options.on_resumed(std::ssize(evaluation.records));
  }
  const std::vector<uint64_t> seeds = seeds_left(evaluation.subject.seeds, evaluation.records);

  ThreadPool pool(options.threads);
  Progress progress(evaluation.subject.environment, std::ssize(seeds), "episodes",
                    options.progress);
  EvaluatorOptions evaluator;
  evaluator.progress = &progress;
  evaluator.stop = options.stop;
  if (file) evaluator.on_episode = [&](const EpisodeRecord& record) { file->append(record); };
  const auto start = std::chrono::steady_clock::now();
  const auto fresh = evaluate(make_environment, make_policy, seeds, pool, evaluator);
  progress.finish();
  evaluation.wall_seconds = seconds_since(start);
  evaluation.threads = pool.threads();
  for (const EpisodeRecord& record : fresh) evaluation.wall_steps += record.length;
  evaluation.records.insert(evaluation.records.end(), fresh.begin(), fresh.end());
  std::sort(evaluation.records.begin(), evaluation.records.end(),
            [](const auto& a, const auto& b) { return a.seed < b.seed; });
  const bool complete = fresh.size() == seeds.size();
  if (file && complete) file->finish();
  return complete;
}

}  // namespace darp
