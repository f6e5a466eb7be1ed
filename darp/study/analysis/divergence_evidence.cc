#include "darp/study/analysis/divergence_evidence.h"

#include <algorithm>

#include "darp/study/analysis/demonstration_support.h"
#include "darp/study/analysis/kept_json.h"
#include "darp/study/analysis/rollout_trace.h"

namespace darp {
namespace {

using Fit = DivergenceEvidence::Fit;

size_t least_bic(const std::vector<Fit>& fits) {
  return static_cast<size_t>(std::ranges::min_element(fits, {}, &Fit::bic) - fits.begin());
}

struct FittedSets {
  std::vector<Fit> fits;
  std::vector<GaussianMixture> mixtures;
  double held_out = 0;
};

FittedSets fit_all(const VectorSets& sets, const RolloutSettings& settings, ThreadPool& pool) {
  FittedSets fitted;
  for (const int64_t components : settings.components) {
    LikelihoodModel model = fit_likelihood(sets, components, settings.differences, pool);
    fitted.fits.push_back({model.threshold, model.mixture.bic()});
    fitted.mixtures.push_back(std::move(model.mixture));
  }
  fitted.held_out = held_out_share_below(sets, settings.components[least_bic(fitted.fits)],
                                         settings.differences, pool);
  return fitted;
}

std::vector<std::vector<double>> likelihoods_of(const FittedSets& fitted, const VectorSets& sets,
                                                ThreadPool& pool) {
  std::vector<std::vector<double>> all;
  for (const GaussianMixture& mixture : fitted.mixtures)
    all.push_back(mean_log_likelihoods(mixture, sets, pool));
  return all;
}

nlohmann::ordered_json json_of(const std::vector<Fit>& fits) {
  auto list = nlohmann::ordered_json::array();
  for (const Fit& fit : fits) list.push_back({{"threshold", fit.threshold}, {"bic", fit.bic}});
  return list;
}
std::vector<Fit> fits_of(const JsonPlace& list) {
  std::vector<Fit> fits;
  for (size_t i = 0; i < list.size(); ++i)
    fits.push_back(
        {list.item(i).member("threshold").number(), list.item(i).member("bic").number()});
  return fits;
}

nlohmann::ordered_json json_of(const std::vector<RolloutEvidence>& rollouts) {
  auto list = nlohmann::ordered_json::array();
  for (const RolloutEvidence& one : rollouts)
    list.push_back({{"return", one.episode_return},
                    {"rewards", one.rewards},
                    {"states", one.states},
                    {"differences", one.differences}});
  return list;
}
/// As many lists as sizes of mixtures, each as long as the rollout.
std::vector<std::vector<double>> series_of(const JsonPlace& lists, size_t sizes, size_t steps) {
  std::vector<std::vector<double>> all;
  for (size_t i = 0; i < lists.size(); ++i) {
    all.push_back(numbers_of(lists.item(i)));
    if (all.back().size() != steps) lists.item(i).fail("is not as long as the rollout", "");
  }
  if (all.size() != sizes) lists.fail("has another number of lists than of mixtures", "");
  return all;
}
std::vector<RolloutEvidence> rollouts_of(const JsonPlace& list, size_t sizes, size_t count) {
  if (list.size() != count) list.fail("has another number of rollouts than of seeds", "");
  std::vector<RolloutEvidence> rollouts;
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonPlace place = list.item(i);
    RolloutEvidence one{
        place.member("return").number(), numbers_of(place.member("rewards")), {}, {}};
    one.states = series_of(place.member("states"), sizes, one.rewards.size());
    one.differences = series_of(place.member("differences"), sizes, one.rewards.size());
    rollouts.push_back(std::move(one));
  }
  return rollouts;
}

nlohmann::ordered_json json_of(const DivergenceEvidence& evidence) {
  return {{"components", evidence.components},
          {"state_mixtures", json_of(evidence.states)},
          {"difference_mixtures", json_of(evidence.differences)},
          {"states_held_out", evidence.states_held_out},
          {"differences_held_out", evidence.differences_held_out},
          {"first", json_of(evidence.first)},
          {"second", json_of(evidence.second)}};
}
DivergenceEvidence evidence_of(const JsonPlace& place, const RolloutSettings& settings,
                               size_t seeds) {
  DivergenceEvidence evidence;
  evidence.components = settings.components;
  evidence.states = fits_of(place.member("state_mixtures"));
  evidence.differences = fits_of(place.member("difference_mixtures"));
  const size_t sizes = settings.components.size();
  if (evidence.states.size() != sizes || evidence.differences.size() != sizes)
    place.fail("has another number of mixtures than wanted", "");
  evidence.states_held_out = place.member("states_held_out").number();
  evidence.differences_held_out = place.member("differences_held_out").number();
  evidence.first = rollouts_of(place.member("first"), sizes, seeds);
  evidence.second = rollouts_of(place.member("second"), sizes, seeds);
  return evidence;
}

}  // namespace

size_t DivergenceEvidence::best_states() const {
  return least_bic(states);
}
size_t DivergenceEvidence::best_differences() const {
  return least_bic(differences);
}

DivergenceEvidence find_evidence(const DivergenceQuestion& question,
                                 const RolloutSettings& settings, ThreadPool& pool) {
  const DemonstrationSupport support(question.retrieval, pool);
  const FittedSets states = fit_all(support.states(), settings, pool);
  const FittedSets differences = fit_all(support.differences(), settings, pool);
  DivergenceEvidence evidence{settings.components,
                              states.fits,
                              differences.fits,
                              states.held_out,
                              differences.held_out,
                              {},
                              {}};
  const size_t count = question.seeds.size();
  std::vector<RolloutEvidence> rollouts(2 * count);
  pool.parallel_for(std::ssize(rollouts), 1, [&](int64_t i, int64_t) {
    const auto at = static_cast<size_t>(i);
    const auto environment = question.environment();
    const auto policy = at < count ? question.first() : question.second();
    const RolloutTrace trace = trace_episode(*environment, *policy, question.seeds[at % count]);
    rollouts[at] = {trace.record.episode_return, trace.rewards,
                    likelihoods_of(states, support.states_of(trace.observations), pool),
                    likelihoods_of(differences, support.differences_of(trace.observations), pool)};
  });
  const auto middle = rollouts.begin() + static_cast<int64_t>(count);
  evidence.first.assign(std::make_move_iterator(rollouts.begin()), std::make_move_iterator(middle));
  evidence.second.assign(std::make_move_iterator(middle), std::make_move_iterator(rollouts.end()));
  return evidence;
}

DivergenceEvidence kept_evidence(const std::filesystem::path& file, const std::string& key,
                                 const DivergenceQuestion& question,
                                 const RolloutSettings& settings, ThreadPool& pool) {
  return kept(
      file, key, [&] { return find_evidence(question, settings, pool); },
      [](const DivergenceEvidence& evidence) { return json_of(evidence); },
      [&](const JsonPlace& place) { return evidence_of(place, settings, question.seeds.size()); });
}

}  // namespace darp
