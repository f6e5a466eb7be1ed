#pragma once
// Searching for settings: `darp tune` and the `searched` and `validation` protocols of studies. A
// trial is a choice of settings from a declared space; its score is the mean return on search
// seeds, or minus the validation loss, never anything on report seeds. Trials start with short
// trainings and the better ones get longer ones (successive halving, halving.h); from those so far
// the next settings are proposed (tpe.h). The folder of a search:
//   journal.jsonl             what began and what came out, a line each (trial_journal.h)
//   runs/trial-<n>/rung-<r>   the trainings, as study_run.h has them, without checkpoints

#include "darp/study/study_run.h"
#include "darp/study/tune/search_space.h"
#include "darp/study/tune/tune_settings.h"

namespace darp {

/// One training of a trial that ended.
struct TrialResult {
  int64_t trial = 0, rung = 0;
  std::vector<std::string> set;  // the trial's settings: "policy.retrieval.k=60"
  SearchPoint values;            // the same as numbers
  double score = 0;              // larger is better; -infinity if it failed
  std::filesystem::path policy;  // of the run
  std::string problem = {};      // why it failed; else empty
  bool failed() const { return !problem.empty(); }
};

struct TuneResult {
  std::vector<TrialResult> trials;  // as they ended; not all failed
  /// The best of the last rung that any trial reached.
  const TrialResult& best() const;
};

/// Searches until all trials are done; what the journal in options.out has is not done again.
/// Several processes may search in one folder, and options.jobs trainings go on at once in each;
/// with one at a time the search is the same each time, interrupted or not. `config` (with data and
/// seed) is what the space's settings change, on `environment`; its starting_point is the first
/// trial. Nothing if stopped. A trial that
/// fails is one without a score. Throws Error for a folder with another search in it (more trials
/// are no other search), for a space that does not fit the config, and when every trial failed.
std::optional<TuneResult> tune(const TrainConfig& config, const std::string& environment,
                               const SearchSpace& space, const TuneSettings& settings,
                               const StudyOptions& options,
                               const EnvironmentSettings& environment_settings = {});

/// Trains a trial again whose network was not kept, to the same one: a search's journal is all that
/// it needs. False if stopped.
bool train_again(const TrainConfig& config, const TuneSettings& settings, const TrialResult& trial,
                 const StudyOptions& options);

/// Throws Error for a setting that the config does not have and for an end of a range, or a choice,
/// that it does not take.
void check_search_space(const TrainConfig& config, const SearchSpace& space);

/// The space without what the objective cannot see: a validation loss says nothing of settings that
/// matter in use alone (policy.gain, acting, limits), and with another policy.head it is another
/// loss. Throws Error if nothing is left.
SearchSpace seen_by(TuneSettings::Objective objective, SearchSpace space);

/// The config with what the demonstrations decide: how many epochs, where it says 0.
TrainConfig search_base(const TrainConfig& config);

/// The config as a point of the space, where a search begins: numbers outside become the range's
/// nearer end. Nothing where it has another choice than the space, or no number.
std::optional<SearchPoint> starting_point(const TrainConfig& config, const SearchSpace& space);

/// A trial's config at a rung, with a part of its epochs, and its search seeds there. The first
/// throws Error for settings that contradict each other.
TrainConfig trial_config(const TrainConfig& config, const std::vector<std::string>& set,
                         const TuneSettings& settings, int64_t rung);
SeedRange trial_seeds(const TuneSettings& settings, int64_t rung);

}  // namespace darp
