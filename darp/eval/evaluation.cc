#include "darp/eval/evaluation.h"

#include <algorithm>
#include <cmath>

#include "darp/core/error.h"

namespace darp {
namespace {

constexpr std::string_view kEvaluateAgain = "evaluate again";
/// Experts must be better than chance by more than rounding.
constexpr double kSmallestScale = 1e-9;

bool lies_within(double value, double low, double high) {
  return low <= value && value <= high;
}

/// What is wrong with a record, or nothing.
std::string_view record_flaw(const EpisodeRecord& record, bool has_success) {
  constexpr double kLargestSeconds = 1e12;
  if (!lies_within(record.episode_return, -kLargestReturn, kLargestReturn))
    return "has a return that is not finite or beyond 1e30";
  if (record.length < 0) return "has a length below 0";
  if (record.success && !has_success) return "is a success where the environment has none";
  if (record.end == EpisodeEnd::kRunning) return "is still running";
  if (record.worst_novelty != -1 &&
      !(record.worst_novelty >= 0 && std::isfinite(record.worst_novelty)))
    return "has a novelty that is not finite or below 0";
  if (record.seconds != -1 && !lies_within(record.seconds, 0, kLargestSeconds))
    return "has seconds that are not finite, below 0 or beyond 1e12";
  return {};
}

void check_scale(const ScoreScale& scale, std::string_view where) {
  if (!lies_within(scale.random, -kLargestReturn, kLargestReturn) ||
      !lies_within(scale.expert, -kLargestReturn, kLargestReturn) ||
      std::abs(scale.expert - scale.random) < kSmallestScale)
    throw Error(
        where,
        fmt::format("has scores from {} (random) to {} (expert)", scale.random, scale.expert),
        "they must be finite, at most 1e30 and different");
}

}  // namespace

void check_same_environment(const EvaluationSubject& a, const EvaluationSubject& b) {
  if (a.environment != b.environment)
    throw Error(
        b.policy,
        fmt::format("was evaluated in {}, {} in {}", b.environment, a.policy, a.environment),
        "evaluate both in one environment");
  if (a.environment_settings != b.environment_settings)
    throw Error(
        b.policy,
        fmt::format("was evaluated with other settings of {} than {}", b.environment, a.policy),
        "evaluate both with the same settings");
}

void check_same_conditions(const EvaluationSubject& a, const EvaluationSubject& b) {
  check_same_environment(a, b);
  if (a.seeds != b.seeds)
    throw Error(b.policy,
                fmt::format("was evaluated on seeds {}, {} on {}", b.seeds.text(), a.policy,
                            a.seeds.text()),
                "evaluate both on the same seeds");
}

void check_evaluation(const Evaluation& evaluation, std::string_view where) {
  const SeedRange& seeds = evaluation.subject.seeds;
  const auto& records = evaluation.records;
  // Differences before counts: a range from hostile numbers may not even be countable.
  if (seeds.last < seeds.first || seeds.last - seeds.first >= uint64_t{kMostSeeds})
    throw Error(where, fmt::format("has seeds {}", seeds.text()),
                fmt::format("they must ascend and be at most {}", kMostSeeds));
  if (static_cast<int64_t>(records.size()) != seeds.count())
    throw Error(where, fmt::format("has {} episodes for seeds {}", records.size(), seeds.text()),
                kEvaluateAgain);
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].seed != seeds.first + i)
      throw Error(where,
                  fmt::format("has seed {} where {} is next", records[i].seed, seeds.first + i),
                  "seeds must ascend one by one, each once: evaluate again");
    if (const std::string_view found = record_flaw(records[i], evaluation.has_success);
        !found.empty())
      throw Error(where, fmt::format("episode of seed {} {}", records[i].seed, found),
                  kEvaluateAgain);
  }
  if (!(evaluation.wall_seconds >= 0 && std::isfinite(evaluation.wall_seconds)) ||
      evaluation.wall_steps < 0 || evaluation.threads < 0)
    throw Error(where,
                fmt::format("took {} seconds for {} steps on {} threads", evaluation.wall_seconds,
                            evaluation.wall_steps, evaluation.threads),
                "they must be finite and not below 0");
  if (evaluation.scale) check_scale(*evaluation.scale, where);
}

double normalized_score(double episode_return, const ScoreScale& scale) {
  return 100 * (episode_return - scale.random) / (scale.expert - scale.random);
}

std::vector<double> returns_of(const Evaluation& evaluation) {
  std::vector<double> returns;
  for (const EpisodeRecord& record : evaluation.records) returns.push_back(record.episode_return);
  return returns;
}

std::vector<double> mean_returns_of(std::span<const Evaluation> evaluations) {
  std::vector<double> means;
  for (const Evaluation& evaluation : evaluations) means.push_back(mean(returns_of(evaluation)));
  return means;
}

std::optional<double> steps_per_second(const Evaluation& evaluation) {
  const double rate = static_cast<double>(evaluation.wall_steps) / evaluation.wall_seconds;
  return std::isfinite(rate) ? std::optional(rate) : std::nullopt;
}

ReturnSummary summarize_returns(std::span<const double> returns,
                                const std::optional<ScoreScale>& scale) {
  DARP_CHECK(!returns.empty(), "no returns to summarize");
  ReturnSummary summary;
  summary.count = static_cast<int64_t>(returns.size());
  summary.mean = mean(returns);
  summary.median = median(returns);
  summary.interquartile_mean = interquartile_mean(returns);
  summary.standard_deviation = standard_deviation(returns);
  summary.lowest = std::ranges::min(returns);
  summary.highest = std::ranges::max(returns);
  summary.mean_normal = normal_interval(returns);
  summary.mean_bootstrap = bootstrap_interval(returns, mean);
  summary.interquartile_bootstrap = bootstrap_interval(returns, interquartile_mean);
  if (scale) summary.normalized = normalized_score(summary.mean, *scale);
  return summary;
}

EvaluationSummary summarize(const Evaluation& evaluation) {
  EvaluationSummary summary;
  summary.returns = summarize_returns(returns_of(evaluation), evaluation.scale);
  SuccessSummary success;
  success.trials = summary.returns.count;
  for (const EpisodeRecord& record : evaluation.records) {
    success.successes += record.success ? 1 : 0;
    summary.mean_length += static_cast<double>(record.length);
    summary.worst_novelty = std::max(summary.worst_novelty, record.worst_novelty);
    ++summary.ends[static_cast<size_t>(record.end)];
    summary.mishaps += is_mishap(record.end) ? 1 : 0;
  }
  summary.mean_length /= static_cast<double>(summary.returns.count);
  if (evaluation.has_success) {
    success.rate = static_cast<double>(success.successes) / static_cast<double>(success.trials);
    success.wilson = wilson_interval(success.successes, success.trials);
    summary.success = success;
  }
  return summary;
}

ReturnSummary summarize_policies(std::span<const Evaluation> evaluations) {
  DARP_CHECK(!evaluations.empty(), "no policies to summarize");
  for (const Evaluation& evaluation : evaluations)
    check_same_conditions(evaluations[0].subject, evaluation.subject);
  return summarize_returns(mean_returns_of(evaluations), evaluations[0].scale);
}

}  // namespace darp
