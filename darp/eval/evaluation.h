#pragma once
// One policy's episodes in one environment, and what they amount to. Two questions are kept apart,
// because one is much easier than the other:
//   What would this network do from other starts?   summarize(): episodes are the sample. Its
//       intervals shrink with episodes, and say nothing about training once more.
//   What would the method do, trained once more?    summarize_policies(): networks are the sample,
//       each with its mean. More episodes do not help; only more trainings do.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darp/eval/episode_record.h"
#include "darp/eval/seeds.h"
#include "darp/eval/statistics/estimates.h"

namespace darp {

/// What was evaluated; two runs with the same of these give the same records.
struct EvaluationSubject {
  std::string environment;           // name
  std::string environment_settings;  // those that are not the usual ones: "time_limit=300 ..."
  std::string policy;                // its file, for people
  std::string policy_hash;           // of the file's bytes
  std::string executor;              // "runtime fp32"
  SeedPurpose purpose = SeedPurpose::kReport;
  SeedRange seeds;

  bool operator==(const EvaluationSubject&) const = default;
};

/// Throws Error unless both were in the same environment with the same settings.
void check_same_environment(const EvaluationSubject& a, const EvaluationSubject& b);
/// The same, and on the same seeds.
void check_same_conditions(const EvaluationSubject& a, const EvaluationSubject& b);

/// Complete: a record for each of the subject's seeds.
struct Evaluation {
  EvaluationSubject subject;
  bool has_success = false;            // whether the environment has successes
  std::optional<ScoreScale> scale;     // D4RL's
  std::vector<EpisodeRecord> records;  // by seed, ascending
  double wall_seconds = 0;             // for the episodes that this run rolled out
  int64_t wall_steps = 0;
  int threads = 0;
};

/// Returns and what they are scaled by stay below it, so that no sum of theirs is infinite.
inline constexpr double kLargestReturn = 1e30;

/// Throws Error, with `where`, for what no rollout gives: no records, others than the subject's
/// seeds, episodes that still run, numbers that are not finite, too large or below 0, successes
/// where there are none, an expert as good as chance. Files are written and read through it.
void check_evaluation(const Evaluation& evaluation, std::string_view where);

/// Of a sample of returns: episodes of one policy, or means of several. Intervals are for 95 %.
struct ReturnSummary {
  int64_t count = 0;
  double mean = 0, median = 0, interquartile_mean = 0, standard_deviation = 0, lowest = 0,
         highest = 0;
  Interval mean_normal;                              // what papers print
  Interval mean_bootstrap, interquartile_bootstrap;  // BCa: what to believe
  std::optional<double> normalized;                  // of the mean; D4RL: 100 is the expert
};
/// `returns` is not empty.
ReturnSummary summarize_returns(std::span<const double> returns,
                                const std::optional<ScoreScale>& scale);

struct SuccessSummary {
  int64_t successes = 0, trials = 0;
  double rate = 0;
  Interval wilson;
};

/// About this network from other starts.
struct EvaluationSummary {
  ReturnSummary returns;
  std::optional<SuccessSummary> success;  // where the environment has it
  double mean_length = 0;
  float worst_novelty = -1;                  // -1 where no episode has one
  std::array<int64_t, kEpisodeEnds> ends{};  // episodes by how they ended
  int64_t mishaps = 0;
};
/// Mishaps count with the return that they had. `evaluation` has records.
EvaluationSummary summarize(const Evaluation& evaluation);

/// Over several trained policies of one method: the means of each are the sample. Throws Error
/// unless all are of the same environment, settings and seeds. `evaluations` is not empty. Few
/// trainings tell little: where means are normal, the BCa interval of 3 covers the truth in 72 % of
/// cases, of 5 in 84 %, of 10 in 90 % (the normal one: 82, 88, 92 %).
ReturnSummary summarize_policies(std::span<const Evaluation> evaluations);

double normalized_score(double episode_return, const ScoreScale& scale);

/// In the order of the records.
std::vector<double> returns_of(const Evaluation& evaluation);
/// The mean return of each.
std::vector<double> mean_returns_of(std::span<const Evaluation> evaluations);

/// Over the time that was spent on episodes; nothing where none was measured.
std::optional<double> steps_per_second(const Evaluation& evaluation);

}  // namespace darp
