// What a policy's parts must be to fit together. Its file: policy_archive_file.cc.

#include "darp/policy/policy_archive.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "darp/core/finite.h"
#include "darp/policy/novelty.h"
#include "darp/retrieval/history_metric.h"
#include "darp/retrieval/metric_space.h"
#include "darp/retrieval/retriever.h"

namespace darp {
namespace {

constexpr std::string_view kAgain = "train or import the policy again";

void check_members(const PolicyContents& c, const std::vector<Parameter>& parameters) {
  if (std::ssize(c.members) != c.spec.members)
    throw Error("members",
                fmt::format("there are {}, the settings say {}", c.members.size(), c.spec.members),
                kAgain);
  for (size_t m = 0; m < c.members.size(); ++m) {
    if (std::ssize(c.members[m]) != parameter_count(parameters))
      throw Error(fmt::format("member {}", m),
                  fmt::format("has {} numbers, its network has {}", c.members[m].size(),
                              parameter_count(parameters)),
                  kAgain);
    for (const Parameter& p : parameters)
      if (!all_finite(std::span(c.members[m]).subspan(p.offset, p.size)))
        throw Error(fmt::format("member {}, {}", m, p.name), "holds NaN or infinity",
                    "use weights from before training diverged");
  }
}

void check_rows(std::string_view name, MatrixView rows, int64_t count, int64_t dim) {
  const std::string where = fmt::format("demonstrations.{}", name);
  if (rows.cols() != dim)
    throw Error(where,
                fmt::format("has rows of {} numbers, the normalizer has {}", rows.cols(), dim),
                kAgain);
  if (rows.rows() != count)
    throw Error(where, fmt::format("has {} rows, the episodes end at {}", rows.rows(), count),
                kAgain);
  for (int64_t i = 0; i < rows.rows(); ++i)
    if (!all_finite(rows.row(i)))
      throw Error(where, fmt::format("row {} holds NaN or infinity", i),
                  "mend or leave out the demonstration");
}

void check_demonstrations(const PolicyContents& c) {
  const DemonstrationRows& rows = c.demonstrations;
  if (rows.episode_ends.empty())
    throw Error("demonstrations", "there are none, and this kind of policy retrieves from them",
                kAgain);
  int64_t begin = 0;
  for (const int64_t end : rows.episode_ends) {
    if (end <= begin)
      throw Error("demonstrations.episode_ends",
                  fmt::format("has {} after {}: ends must ascend from above 0", end, begin),
                  kAgain);
    begin = end;
  }
  check_rows("observations", rows.observations, begin, c.observations.dim());
  check_rows("actions", rows.actions, begin, c.actions.dim());
}

void check_distance_quantiles(std::span<const float> quantiles) {
  const std::string where = "demonstrations.distance_quantiles";
  if (std::ssize(quantiles) != kDistanceQuantiles)
    throw Error(where,
                fmt::format("has {} numbers, expected {}", quantiles.size(), kDistanceQuantiles),
                kAgain);
  float before = 0;
  for (const float quantile : quantiles) {
    if (!std::isfinite(quantile) || quantile < before)
      throw Error(
          where,
          fmt::format("has {} after {}: distances ascend from 0 and are finite", quantile, before),
          kAgain);
    before = quantile;
  }
}

void check_calibration(const PolicyContents& c) {
  const int64_t count = c.spec.calibration_count(c.observations.dim());
  if (std::ssize(c.calibration) != count)
    throw Error("calibration",
                fmt::format("has {} numbers, a {} policy has {}", c.calibration.size(),
                            c.spec.kind_name(), count),
                kAgain);
  for (const float x : c.calibration)
    if (!(std::isnormal(x) && x > 0))
      throw Error("calibration", fmt::format("has {}: distances are finite and above 0", x),
                  kAgain);
}

/// Its inverse gives `gain` times as much.
Normalizer multiplied(const Normalizer& actions, double gain) {
  const auto times = [&](std::span<const float> numbers) {
    std::vector<float> result;
    for (const float x : numbers) result.push_back(static_cast<float>(gain * double{x}));
    return result;
  };
  return {times(actions.offset()), times(actions.scale())};
}

/// One limit for each action dimension.
std::vector<float> spread(const std::vector<double>& limits, int64_t dim, float none) {
  if (limits.empty()) return std::vector<float>(dim, none);
  if (limits.size() == 1) return std::vector<float>(dim, static_cast<float>(limits[0]));
  return {limits.begin(), limits.end()};
}

void check_retrieval(const PolicyContents& c) {
  const RetrievalSettings& settings = *c.spec.retrieval();
  // Those who use the settings know what they can work with.
  MetricSpace(settings.metric.in_units_of(c.observations), c.observations.dim());
  HistoryMetric{settings.history};
  Retriever::check(settings, c.demonstrations.episode_ends);
}

}  // namespace

PolicyArchive::PolicyArchive(PolicyContents contents)
    : contents_(std::move(contents)), actions_in_use_(contents_.actions) {
  const PolicyContents& c = contents_;
  c.spec.check();
  actions_in_use_ = multiplied(c.actions, c.spec.gain);
  if (observation_dim() < 1 || action_dim() < 1)
    throw Error("normalizers",
                fmt::format("have {} observation and {} action dimensions", observation_dim(),
                            action_dim()),
                "a policy needs at least one of each");
  parameters_ = policy_parameters(c.spec, observation_dim(), action_dim());
  check_members(c, parameters_);
  c.spec.limits.check(action_dim());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  lowest_action_ = spread(c.spec.limits.low, action_dim(), -kInfinity);
  highest_action_ = spread(c.spec.limits.high, action_dim(), kInfinity);
  check_calibration(c);
  if (c.spec.retrieval() != nullptr) {
    check_demonstrations(c);
    check_retrieval(c);
    check_distance_quantiles(c.distance_quantiles);
  } else if (c.demonstrations.observations.rows() > 0 || c.demonstrations.actions.rows() > 0 ||
             !c.demonstrations.episode_ends.empty() || !c.distance_quantiles.empty()) {
    throw Error(
        "demonstrations",
        fmt::format("a {} policy retrieves from none, yet some are given", c.spec.kind_name()),
        "leave them out");
  }
}

PolicyArchive PolicyArchive::acting(Acting acting) && {
  contents_.spec.acting = acting;
  return std::move(*this);
}

PolicyArchive PolicyArchive::with_gain(double gain) && {
  contents_.spec.gain = gain;
  return PolicyArchive(std::move(contents_));
}

void check_fits(const PolicyArchive& policy, const Dataset& demonstrations) {
  if (policy.observation_dim() == demonstrations.observation_dim() &&
      policy.action_dim() == demonstrations.action_dim())
    return;
  throw Error(demonstrations.source(),
              fmt::format("has {} observation and {} action dimensions, the policy has {} and {}",
                          demonstrations.observation_dim(), demonstrations.action_dim(),
                          policy.observation_dim(), policy.action_dim()),
              "give demonstrations of the policy's task, with the same observation keys");
}

}  // namespace darp
