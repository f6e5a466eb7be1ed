#include "darp/study/analysis/rollout_choice.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "darp/core/error.h"

namespace darp {
namespace {

std::vector<RolloutPair> all_pairs(std::span<const Evaluation> first,
                                   std::span<const Evaluation> second) {
  double best = -std::numeric_limits<double>::infinity();
  for (const auto& evaluations : {first, second})
    for (const Evaluation& one : evaluations)
      for (const EpisodeRecord& record : one.records) best = std::max(best, record.episode_return);
  std::vector<RolloutPair> pairs;
  for (size_t i = 0; i < first.size(); ++i) {
    check_same_conditions(first[i].subject, second[i].subject);
    for (size_t e = 0; e < first[i].records.size(); ++e)
      pairs.push_back({static_cast<int64_t>(i), first[i].records[e].seed,
                       attainment(first[i].records[e], first[i], best),
                       attainment(second[i].records[e], second[i], best)});
  }
  return pairs;
}

/// The first of each training, then the second of each, and so on.
std::vector<RolloutPair> in_turns(const std::vector<RolloutPair>& pairs, size_t trainings,
                                  size_t count) {
  std::vector<std::vector<RolloutPair>> of(trainings);
  for (const RolloutPair& pair : pairs) of[static_cast<size_t>(pair.training)].push_back(pair);
  std::vector<RolloutPair> taken;
  for (size_t turn = 0; turn < pairs.size(); ++turn)
    for (const auto& one : of)
      if (turn < one.size() && taken.size() < count) taken.push_back(one[turn]);
  return taken;
}

}  // namespace

double attainment(const EpisodeRecord& record, const Evaluation& evaluation, double best) {
  if (evaluation.has_success) return record.success ? 1 : 0;
  if (evaluation.scale) return normalized_score(record.episode_return, *evaluation.scale) / 100;
  return best > 0 ? record.episode_return / best : 0;
}

RolloutChoice choose_rollouts(std::span<const Evaluation> first, std::span<const Evaluation> second,
                              const RolloutSettings& settings) {
  DARP_CHECK(first.size() == second.size(), "{} and {} trainings", first.size(), second.size());
  const auto count = static_cast<size_t>(settings.count);
  std::vector<RolloutPair> pairs = all_pairs(first, second);
  RolloutChoice choice;
  choice.all = std::ssize(pairs);
  std::vector<RolloutPair> wanted;
  for (const RolloutPair& pair : pairs)
    if (pair.first < settings.fails_below && pair.second >= settings.succeeds_from)
      wanted.push_back(pair);
  choice.wanted = std::ssize(wanted);
  choice.as_wanted = !wanted.empty();
  if (choice.as_wanted) {
    choice.pairs = in_turns(wanted, first.size(), count);
  } else {
    std::ranges::stable_sort(pairs, [](const auto& a, const auto& b) {
      return a.second - a.first > b.second - b.first;
    });
    pairs.resize(std::min(pairs.size(), count));
    choice.pairs = std::move(pairs);
  }
  std::ranges::sort(choice.pairs, {},
                    [](const RolloutPair& one) { return std::tuple(one.training, one.seed); });
  return choice;
}

}  // namespace darp
