#include "darp/study/tune/tune_exhibits.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "darp/core/numbers.h"
#include "darp/eval/return_text.h"
#include "darp/study/tune/halving.h"
#include "darp/study/tune/importance.h"

namespace darp {
namespace {

constexpr size_t kMostRanked = 10;  // rows of the table of trials

/// One per trial: its longest training; better ones first, by rung and score, failures last.
std::vector<const TrialResult*> trials_best_first(const TuneResult& result) {
  std::vector<TrialRun> runs;
  for (const TrialResult& t : result.trials)
    runs.push_back({t.trial, t.rung, t.values, true, t.score, t.problem});
  std::vector<const TrialResult*> ranking;
  for (const size_t place : ranked_trials(runs)) ranking.push_back(&result.trials[place]);
  return ranking;
}

std::string score_title(const TuneSettings& settings) {
  return settings.objective == TuneSettings::Objective::kReturn ? "mean return"
                                                                : "minus the validation loss";
}

/// Scores of one search have the same number of decimals.
std::string score_text(const TuneSettings& settings, double score) {
  return settings.objective == TuneSettings::Objective::kReturn ? ReturnText(score)(score)
                                                                : fmt::format("{:.6g}", score);
}

ExhibitTable best_settings(const SearchSpace& space, const TrialResult& best) {
  ExhibitTable table;
  table.name = "best-settings";
  table.title = "The best settings";
  table.note = fmt::format("Of trial {}, among those with the longest training.", best.trial);
  table.columns = {{"setting", false}, {"value", true}, {"searched", false}};
  for (size_t d = 0; d < space.dimensions.size(); ++d) {
    const SearchDimension& dimension = space.dimensions[d];
    ExhibitCell value{dimension.value_text(best.values[d])};
    if (dimension.choices.empty()) value.value = best.values[d];
    table.rows.push_back({{dimension.path}, value, {dimension.text()}});
  }
  return table;
}

ExhibitTable best_trials(const TuneSettings& settings,
                         const std::vector<const TrialResult*>& ranking) {
  ExhibitTable table;
  table.name = "trials";
  table.title = "The best trials";
  table.note = "By the length of their longest training, then by its score.";
  table.columns = {{"trial"}, {"rung"}, {score_title(settings)}, {"settings", false}};
  for (size_t i = 0; i < std::min(kMostRanked, ranking.size()); ++i) {
    const TrialResult& trial = *ranking[i];
    if (trial.failed()) break;
    table.rows.push_back({{fmt::format("{}", trial.trial), static_cast<double>(trial.trial)},
                          {fmt::format("{}", trial.rung), static_cast<double>(trial.rung)},
                          {score_text(settings, trial.score), trial.score, {}, i == 0},
                          {fmt::format("{}", fmt::join(trial.set, " "))}});
  }
  return table;
}

/// Scores of different rungs are not alike, so each rung has its points.
ExhibitCurves history(const TuneSettings& settings, const TuneResult& result) {
  ExhibitCurves curves;
  curves.name = "history";
  curves.title = "How the search went";
  curves.note =
      "Each point is a training, in the order of their ends. A higher rung trains longer and is "
      "reached by the better trials; the line is the best of the highest rung so far.";
  curves.x.title = "trainings";
  curves.y.title = score_title(settings);
  ExhibitCurves::Series best{"best so far", {}, {}};
  const int64_t last = result.best().rung;
  std::vector<ExhibitCurves::Series> rungs(static_cast<size_t>(last + 1));
  for (size_t r = 0; r < rungs.size(); ++r) {
    rungs[r].name = fmt::format("rung {}", r);
    rungs[r].points = true;
  }
  for (size_t i = 0; i < result.trials.size(); ++i) {
    const TrialResult& trial = result.trials[i];
    if (trial.failed()) continue;
    const double x = static_cast<double>(i + 1);
    ExhibitCurves::Series& series = rungs[static_cast<size_t>(trial.rung)];
    series.x.push_back(x);
    series.y.push_back(trial.score);
    if (trial.rung != last) continue;
    best.x.push_back(x);
    best.y.push_back(best.y.empty() ? trial.score : std::max(best.y.back(), trial.score));
  }
  // To the end of the picture.
  best.x.push_back(static_cast<double>(result.trials.size()));
  best.y.push_back(best.y.back());
  curves.series = std::move(rungs);
  curves.series.push_back(std::move(best));
  return curves;
}

/// "60 to 143", or the choices that are there with how often.
std::string where_they_lie(const SearchDimension& dimension, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  if (dimension.choices.empty())
    return fmt::format("{} to {}", dimension.value_text(values.front()),
                       dimension.value_text(values.back()));
  std::vector<std::string> parts;
  for (size_t c = 0; c < dimension.choices.size(); ++c)
    if (const auto count = std::count(values.begin(), values.end(), static_cast<double>(c)))
      parts.push_back(fmt::format("{} x {}", count, dimension.choices[c]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// By the shortest training, which every trial had; failures count as the worst that did not fail.
std::vector<double> shares_of_settings(const SearchSpace& space, const TuneResult& result) {
  std::vector<SearchPoint> points;
  std::vector<double> scores;
  double worst = std::numeric_limits<double>::infinity();
  for (const TrialResult& trial : result.trials)
    if (trial.rung == 0 && !trial.failed()) worst = std::min(worst, trial.score);
  for (const TrialResult& trial : result.trials)
    if (trial.rung == 0) {
      points.push_back(trial.values);
      scores.push_back(trial.failed() ? worst : trial.score);
    }
  return importances(space, points, scores);
}

ExhibitTable importance_table(const SearchSpace& space, const TuneResult& result,
                              const std::vector<const TrialResult*>& ranking) {
  const std::vector<double> shares = shares_of_settings(space, result);
  ExhibitTable table;
  table.name = "importances";
  table.title = "Which settings mattered";
  table.note =
      "fANOVA: the part of the score's variance over the whole space that a setting explains by "
      "itself, by a random forest on the shortest trainings; the rest is interplay. Few trials "
      "tell "
      "little.";
  table.columns = {{"setting", false}, {"importance"}, {"the best quarter has", false}};
  std::vector<size_t> order(shares.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return shares[a] > shares[b]; });
  for (const size_t d : order) {
    std::vector<double> values;
    for (size_t i = 0; i < (ranking.size() + 3) / 4; ++i) values.push_back(ranking[i]->values[d]);
    table.rows.push_back({{space.dimensions[d].path},
                          {fmt::format("{:.0f} %", 100 * shares[d]), shares[d]},
                          {where_they_lie(space.dimensions[d], values)}});
  }
  return table;
}

/// The last word of a setting's path, where no other of the space ends so: axes stand close
/// together.
std::string axis_name(const SearchSpace& space, const std::string& path) {
  const auto last_word = [](const std::string& whole) {
    return whole.substr(whole.rfind('.') + 1);
  };
  const auto alike = std::ranges::count_if(space.dimensions, [&](const auto& other) {
    return last_word(other.path) == last_word(path);
  });
  return alike == 1 ? last_word(path) : path;
}

ExhibitParallel parallel_axes(const SearchSpace& space, const TuneSettings& settings,
                              const std::vector<const TrialResult*>& ranking) {
  ExhibitParallel parallel;
  parallel.name = "parallel";
  parallel.title = "All trials";
  parallel.note = "A line is a trial, with the score of its longest training; without failures.";
  parallel.score_title = score_title(settings);
  for (const SearchDimension& dimension : space.dimensions)
    parallel.axes.push_back(
        {axis_name(space, dimension.path), dimension.logarithmic, dimension.choices});
  for (const TrialResult* trial : ranking)
    if (!trial->failed()) parallel.lines.push_back({trial->values, trial->score});
  return parallel;
}

}  // namespace

ExhibitSet tune_exhibits(const SearchSpace& space, const TuneSettings& settings,
                         const TuneResult& result, const std::string& name,
                         const std::string& environment) {
  const std::vector<const TrialResult*> ranking = trials_best_first(result);
  const TrialResult& best = result.best();
  const auto failed =
      std::count_if(ranking.begin(), ranking.end(), [](const auto* t) { return t->failed(); });
  ExhibitSet set;
  set.study = "tune";
  set.title = environment.empty() ? fmt::format("Settings for {}", name)
                                  : fmt::format("Settings for {} on {}", name, environment);
  set.summary = fmt::format(
      "{} and {} ended, {} of the trials failed. The best has {} {} {}. It was chosen among many "
      "by "
      "this number, so expect less of it elsewhere: evaluate it on report seeds.",
      counted(static_cast<int64_t>(ranking.size()), "trial"),
      counted(static_cast<int64_t>(result.trials.size()), "training"), failed,
      settings.objective == TuneSettings::Objective::kReturn ? "the mean return"
                                                             : "the validation loss",
      settings.objective == TuneSettings::Objective::kReturn ? score_text(settings, best.score)
                                                             : score_text(settings, -best.score),
      settings.objective == TuneSettings::Objective::kReturn
          ? fmt::format("on search seeds {}", trial_seeds(settings, best.rung).text())
          : "on the episodes that were kept from training");
  set.exhibits = {best_settings(space, best), history(settings, result),
                  importance_table(space, result, ranking), parallel_axes(space, settings, ranking),
                  best_trials(settings, ranking)};
  return set;
}

}  // namespace darp
