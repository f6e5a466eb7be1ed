#include "darp/study/tune/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "darp/core/has_field.h"
#include "darp/core/numbers.h"
#include "darp/core/silent_progress.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/env/registry.h"
#include "darp/eval/return_text.h"
#include "darp/study/tune/search.h"
#include "darp/train/run_directory.h"

namespace darp {
namespace {

namespace fs = std::filesystem;
using Objective = TuneSettings::Objective;

constexpr std::string_view kTrialEvaluation = "search";

std::string trial_id(int64_t trial, int64_t rung) {
  return fmt::format("trial-{}/rung-{}", trial, rung);
}

/// What would make every trial fail is said at once; else the demonstrations' hash.
std::string check_search(const TrainConfig& config, const std::string& environment,
                         const SearchSpace& space, const TuneSettings& settings) {
  settings.check();
  if (config.data.empty())
    throw Error("search", "has no demonstrations", "give them with --data FILE");
  check_search_space(config, space);
  const Dataset dataset = read_dataset(config.data, config.reading).dataset;
  if (settings.objective == Objective::kValidation) {
    if (!config.train.validation.wanted())
      throw Error("search", "goes by the validation loss, and no episodes are kept for validation",
                  "set train.validation.fraction, for example to 0.2, or train.validation.filter");
    return dataset.content_hash();
  }
  const EnvironmentInfo info = make_environment(environment, {})->info();
  const auto observations = static_cast<int64_t>(info.observations.names.size()),
             actions = static_cast<int64_t>(info.actions.names.size());
  if (dataset.observation_dim() != observations || dataset.action_dim() != actions)
    throw Error(config.data,
                fmt::format("has {} observation and {} action dimensions, {} has {} and {}",
                            dataset.observation_dim(), dataset.action_dim(), environment,
                            observations, actions),
                "check --env, and reading.observation_keys of the config");
  return dataset.content_hash();
}

/// Without the number of trials, since a search may be made longer, and without the place of the
/// demonstrations, which may be moved.
SearchSubject subject_of(TrainConfig config, const std::string& data_hash,
                         const std::string& environment, const SearchSpace& space,
                         TuneSettings settings, const EnvironmentSettings& environment_settings) {
  config.data.clear();
  settings.trials = TuneSettings{}.trials;
  SearchSubject subject{environment, data_hash, changed_settings(config),
                        changed_settings(settings), space};
  for (const std::string& change : changed_settings(environment_settings))
    subject.search.push_back("env." + change);
  return subject;
}

class TrialTraining {
 public:
  TrialTraining(const TrainConfig& config, const std::string& environment,
                const EnvironmentSettings& environment_settings, const SearchSpace& space,
                const TuneSettings& settings, const StudyOptions& options)
      : config_(config),
        environment_(environment),
        environment_settings_(environment_settings),
        space_(space),
        settings_(settings),
        options_(options) {
    options_.jobs = 1;
    options_.progress = silent_progress();
  }

  /// Its score; nothing if stopped.
  std::optional<double> operator()(const TrialRun& trial) const {
    StudyRun run;
    run.id = trial_id(trial.trial, trial.rung);
    run.config = trial_config(config_, settings_at(space_, trial.point), settings_, trial.rung);
    if (settings_.objective == Objective::kReturn) {
      StudyEvaluation evaluation;
      evaluation.name = kTrialEvaluation;
      evaluation.environment = environment_;
      evaluation.settings = environment_settings_;
      evaluation.purpose = SeedPurpose::kSearch;
      evaluation.seeds = trial_seeds(settings_, trial.rung);
      run.evaluations.push_back(std::move(evaluation));
    }
    const auto results = do_runs({run}, options_);
    if (!results) return std::nullopt;
    return score_of(results->front());
  }

 private:
  double score_of(const StudyRunResult& result) const {
    if (settings_.objective == Objective::kReturn)
      return mean_returns_of(std::span(&result.evaluations.at(std::string(kTrialEvaluation)), 1))
          .front();
    if (!result.validation_loss)
      throw Error(result.id, "has no validation loss: nothing is learned",
                  "search by return (--objective return)");
    return -*result.validation_loss;
  }

  TrainConfig config_;
  std::string environment_;
  EnvironmentSettings environment_settings_;
  const SearchSpace& space_;
  const TuneSettings& settings_;
  StudyOptions options_;
};

/// "trial 12 of 32, best so far 3123.4 (trial 7, rung 2)".
void show_progress(const TrialJournal::View& view, Progress& progress) {
  const TrialRun* best = nullptr;
  for (const TrialRun& run : view.runs())
    if (run.succeeded() &&
        (best == nullptr || std::tuple(run.rung, run.score) > std::tuple(best->rung, best->score)))
      best = &run;
  if (best != nullptr)
    progress.status(fmt::format("best {} (trial {}, rung {})", ReturnText(best->score)(best->score),
                                best->trial, best->rung));
  if (view.runs()[view.ended().back()].rung == 0) progress.advance();
}

TuneResult result_of(const std::vector<TrialRun>& runs, const SearchSpace& space,
                     const StudyOptions& options) {
  TuneResult result;
  for (const TrialRun& run : runs) {
    const RunLayout layout{options.out / "runs" / trial_id(run.trial, run.rung)};
    result.trials.push_back({run.trial, run.rung, settings_at(space, run.point), run.point,
                             run.score, layout.policy(), run.problem});
  }
  if (std::none_of(runs.begin(), runs.end(), [](const auto& run) { return run.succeeded(); }))
    throw Error(options.out.string(),
                fmt::format("every trial failed, the first so: {}", runs.front().problem),
                "mend that and search in another folder, or delete this one");
  return result;
}

}  // namespace

void check_search_space(const TrainConfig& config, const SearchSpace& space) {
  SearchPoint lowest;
  for (const SearchDimension& dimension : space.dimensions) lowest.push_back(dimension.value_at(0));
  for (size_t d = 0; d < space.dimensions.size(); ++d) {
    const size_t values = std::max<size_t>(space.dimensions[d].choices.size(), 2);
    for (size_t i = 0; i < values; ++i) {
      SearchPoint point = lowest;
      const double unit = space.dimensions[d].choices.empty()
                              ? static_cast<double>(i)
                              : space.dimensions[d].unit_of(static_cast<double>(i));
      point[d] = space.dimensions[d].value_at(unit);
      TrainConfig changed = config;
      for (const std::string& setting : settings_at(space, point))
        apply_override(setting, changed, "search space");
    }
  }
}

SearchSpace seen_by(TuneSettings::Objective objective, SearchSpace space) {
  if (objective != TuneSettings::Objective::kValidation) return space;
  std::erase_if(space.dimensions, [](const SearchDimension& dimension) {
    return dimension.path == "policy.gain" || dimension.path == "policy.acting" ||
           dimension.path.starts_with("policy.limits.") ||
           dimension.path.starts_with("policy.head.");
  });
  if (space.dimensions.empty())
    throw Error("search space", "has nothing that a validation loss can choose",
                "search by return (--objective return)");
  return space;
}

TrainConfig search_base(const TrainConfig& config) {
  if (config.train.epochs > 0 || config.data.empty()) return config;
  TrainConfig base = config;
  base.train.epochs =
      config.train.epochs_for(read_dataset(config.data, config.reading).dataset.steps());
  return base;
}

std::optional<SearchPoint> starting_point(const TrainConfig& config, const SearchSpace& space) {
  SearchPoint point;
  for (const SearchDimension& dimension : space.dimensions) {
    std::optional<double> place;
    if (dimension.choices.empty()) {
      const std::string text = field_text(config, dimension.path).value_or("");
      double value = 0;
      const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
      if (parsed.ec == std::errc()) place = std::clamp(value, dimension.low, dimension.high);
    }
    for (size_t i = 0; i < dimension.choices.size() && !place; ++i) {
      TrainConfig same = config;
      apply_override(dimension.path + "=" + dimension.choices[i], same, "search space");
      if (write_yaml(same) == write_yaml(config)) place = static_cast<double>(i);
    }
    if (!place) return std::nullopt;
    point.push_back(*place);
  }
  return point;
}

TrainConfig trial_config(const TrainConfig& config, const std::vector<std::string>& set,
                         const TuneSettings& settings, int64_t rung) {
  TrainConfig changed = config;
  for (const std::string& setting : set) apply_override(setting, changed, "search space");
  changed.train.epochs = settings.scaled(changed.train.epochs, rung);
  changed.policy.check();
  changed.train.check(changed.policy);
  return changed;
}

SeedRange trial_seeds(const TuneSettings& settings, int64_t rung) {
  return default_seeds(SeedPurpose::kSearch, settings.scaled(settings.episodes, rung));
}

const TrialResult& TuneResult::best() const {
  const TrialResult* best = nullptr;
  for (const TrialResult& trial : trials)
    if (!trial.failed() &&
        (best == nullptr || std::tuple(trial.rung, trial.score, -trial.trial) >
                                std::tuple(best->rung, best->score, -best->trial)))
      best = &trial;
  DARP_CHECK(best != nullptr, "a search without a trial that succeeded");
  return *best;
}

std::optional<TuneResult> tune(const TrainConfig& config, const std::string& environment,
                               const SearchSpace& space, const TuneSettings& settings,
                               const StudyOptions& options,
                               const EnvironmentSettings& environment_settings) {
  const std::string data_hash = check_search(config, environment, space, settings);
  const TrainConfig base = search_base(config);
  TrialJournal journal(options.out, subject_of(config, data_hash, environment, space, settings,
                                               environment_settings));
  int64_t begun = 0, ended = 0;
  journal.with([&](const TrialJournal::View& view) {
    for (const TrialRun& run : view.runs())
      if (run.rung == 0) ++begun, ended += run.ended ? 1 : 0;
  });
  if (begun > settings.trials)
    throw Error(options.out.string(), fmt::format("has {} already", counted(begun, "trial")),
                fmt::format("ask for {} or more, or choose another folder (--out)", begun));

  Progress progress("tune", settings.trials, "trials", options.progress);
  if (ended > 0) progress.advance(ended);
  SearchOptions how{options.jobs, options.stop, starting_point(base, space),
                    [&](const TrialJournal::View& view) { show_progress(view, progress); }};
  const TrialTraining training(base, environment, environment_settings, space, settings, options);
  const auto runs = search(journal, space, settings, training, how);
  progress.finish();
  if (!runs) return std::nullopt;
  return result_of(*runs, space, options);
}

bool train_again(const TrainConfig& config, const TuneSettings& settings, const TrialResult& trial,
                 const StudyOptions& options) {
  StudyRun run;
  run.id = trial_id(trial.trial, trial.rung);
  run.config = trial_config(search_base(config), trial.set, settings, trial.rung);
  // Done, but without the network: a run begun anew. One that is not done goes on.
  const fs::path folder = options.out / "runs" / run.id;
  if (fs::exists(folder / "record.json")) fs::remove_all(folder);
  return do_runs({run}, options).has_value();
}

}  // namespace darp
