#include "darp/study/tune/halving.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace darp {
namespace {

/// Successes of a rung, best first; of equal scores the earlier trial.
std::vector<const TrialRun*> ranking_of(std::span<const TrialRun> runs, int64_t rung) {
  std::vector<const TrialRun*> ranking;
  for (const TrialRun& run : runs)
    if (run.rung == rung && run.succeeded()) ranking.push_back(&run);
  std::sort(ranking.begin(), ranking.end(), [](const TrialRun* a, const TrialRun* b) {
    return std::tuple(-a->score, a->trial) < std::tuple(-b->score, b->trial);
  });
  return ranking;
}

std::set<int64_t> begun_at(std::span<const TrialRun> runs, int64_t rung) {
  std::set<int64_t> trials;
  for (const TrialRun& run : runs)
    if (run.rung == rung) trials.insert(run.trial);
  return trials;
}

/// The first of the `most` best of a rung that has not gone on.
std::optional<NextTrial> promotion(std::span<const TrialRun> runs, int64_t rung, size_t most) {
  const std::vector<const TrialRun*> ranking = ranking_of(runs, rung);
  const std::set<int64_t> gone_on = begun_at(runs, rung + 1);
  for (size_t i = 0; i < std::min(most, ranking.size()); ++i)
    if (!gone_on.contains(ranking[i]->trial)) return NextTrial{ranking[i]->trial, rung + 1};
  return std::nullopt;
}

std::optional<NextTrial> promotion_of_first(std::span<const TrialRun> runs, int64_t rung) {
  const bool due = std::any_of(runs.begin(), runs.end(), [&](const TrialRun& run) {
    return run.trial == 0 && run.rung == rung && run.succeeded();
  });
  if (!due || begun_at(runs, rung + 1).contains(0)) return std::nullopt;
  return NextTrial{0, rung + 1};
}

/// Failures count too: those who are better than more are better.
size_t ended_at(std::span<const TrialRun> runs, int64_t rung) {
  return static_cast<size_t>(std::count_if(
      runs.begin(), runs.end(), [&](const TrialRun& r) { return r.rung == rung && r.ended; }));
}

}  // namespace

std::optional<NextTrial> next_trial(std::span<const TrialRun> runs, const TuneSettings& settings,
                                    bool first_goes_on) {
  const auto reduction = static_cast<size_t>(settings.reduction);
  for (int64_t rung = settings.rungs - 2; rung >= 0; --rung) {
    if (first_goes_on)
      if (const auto next = promotion_of_first(runs, rung)) return next;
    if (const auto next = promotion(runs, rung, ended_at(runs, rung) / reduction)) return next;
  }

  const auto trials = static_cast<int64_t>(begun_at(runs, 0).size());
  if (trials < settings.trials) return NextTrial{trials, 0};

  const bool all_ended =
      std::all_of(runs.begin(), runs.end(), [](const TrialRun& run) { return run.ended; });
  if (!all_ended || !ranking_of(runs, settings.rungs - 1).empty()) return std::nullopt;
  for (int64_t rung = settings.rungs - 2; rung >= 0; --rung)
    if (const auto next = promotion(runs, rung, SIZE_MAX)) return next;
  return std::nullopt;
}

std::vector<size_t> ranked_trials(std::span<const TrialRun> runs) {
  std::map<int64_t, size_t> kept;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].ended) continue;
    const auto [at, first] = kept.emplace(runs[i].trial, i);
    const TrialRun& so_far = runs[at->second];
    if (!first && so_far.succeeded() && (!runs[i].succeeded() || runs[i].rung > so_far.rung))
      at->second = i;
  }
  std::vector<size_t> ranking;
  for (const auto& [trial, place] : kept) ranking.push_back(place);
  const auto key = [&](size_t place) {
    const TrialRun& run = runs[place];
    return run.succeeded() ? std::tuple(0, -run.rung, -run.score, run.trial)
                           : std::tuple(1, int64_t{0}, 0.0, run.trial);
  };
  std::sort(ranking.begin(), ranking.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  return ranking;
}

}  // namespace darp
