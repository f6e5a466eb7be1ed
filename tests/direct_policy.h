#pragma once
// The obvious version of policies, for tests: loops in double precision over the input that
// neighbor_features defines.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "darp/policy/make_retriever.h"
#include "darp/policy/neighbor_features.h"
#include "darp/policy/policy_archive.h"
#include "darp/retrieval/retrieval_session.h"
#include "darp/train/objective.h"

namespace darp {

inline std::vector<double> direct_linear(std::span<const double>& parameters,
                                         const std::vector<double>& x, int64_t units) {
  const auto weight = parameters.first(units * x.size()), bias = parameters.subspan(weight.size());
  std::vector<double> out(units);
  for (int64_t i = 0; i < units; ++i) {
    out[i] = bias[i];
    for (size_t j = 0; j < x.size(); ++j) out[i] += weight[i * x.size() + j] * x[j];
  }
  parameters = bias.subspan(units);
  return out;
}

inline void direct_layer_norm(std::span<const double>& parameters, std::vector<double>& x) {
  const auto count = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const double value : x) mean += value / count;
  for (const double value : x) variance += (value - mean) * (value - mean) / count;
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * parameters[i] + parameters[x.size() + i];
  parameters = parameters.subspan(2 * x.size());
}

/// What the network makes of one input, without dropout.
inline std::vector<double> direct_network(const MlpSettings& network, int64_t outputs,
                                          std::span<const double> parameters,
                                          std::vector<double> x) {
  for (const int64_t units : network.hidden) {
    x = direct_linear(parameters, x, units);
    if (network.norm == MlpSettings::Norm::kLayer) direct_layer_norm(parameters, x);
    for (double& value : x) value = std::max(value, 0.0);
  }
  x = direct_linear(parameters, x, outputs);
  DARP_CHECK(parameters.empty(), "{} parameters are left over", parameters.size());
  return x;
}

/// What each neighbour counts in the mean.
inline std::vector<double> direct_weights(double bandwidth, const MemoryRows& memory,
                                          std::span<const int32_t> neighbors,
                                          std::span<const float> query) {
  std::vector<double> weights, lengths;
  double mean = 0, sum = 0;
  for (const int32_t row : neighbors) {
    double square = 0;
    for (size_t j = 0; j < query.size(); ++j)
      square += std::pow(double{memory.states.row(row)[j]} - double{query[j]}, 2);
    lengths.push_back(std::sqrt(square));
    mean += lengths.back() / static_cast<double>(neighbors.size());
  }
  for (const double length : lengths) {
    weights.push_back(bandwidth > 0 ? std::exp(-length / (bandwidth * mean)) : 1);
    sum += weights.back();
  }
  for (double& w : weights) w /= sum;
  return weights;
}

/// The standardised action for a standardised query; `neighbors` are rows of the memory (none for
/// kinds without neighbours).
inline std::vector<double> direct_answer(const PolicySpec& spec, int64_t action_dim,
                                         const MemoryRows& memory,
                                         std::span<const int32_t> neighbors,
                                         std::span<const float> query,
                                         std::span<const double> parameters) {
  if (spec.darp() == nullptr)
    return direct_network(*spec.network(), action_dim, parameters, {query.begin(), query.end()});
  const FeatureLayout layout(spec.darp()->input, std::ssize(query), action_dim);
  std::vector<double> mean(action_dim);
  std::vector<float> input(layout.width);
  const std::vector<double> weights =
      direct_weights(spec.aggregation().bandwidth, memory, neighbors, query);
  for (size_t i = 0; i < neighbors.size(); ++i) {
    const int32_t row = neighbors[i];
    neighbor_features(layout, memory.states.row(row), memory.actions.row(row), query, input);
    const auto answer =
        direct_network(*spec.network(), action_dim, parameters, {input.begin(), input.end()});
    for (int64_t j = 0; j < action_dim; ++j) mean[j] += weights[i] * answer[j];
  }
  return mean;
}

/// Objective::loss.
inline double direct_loss(const PolicySpec& spec, const MemoryRows& memory,
                          const Examples& examples, std::span<const double> parameters,
                          const QueryBatch& batch) {
  const int64_t action_dim = examples.actions.cols();
  double sum = 0;
  for (int64_t i = 0; i < std::ssize(batch.queries); ++i) {
    const int64_t row = batch.queries[i];
    std::vector<float> query(examples.states.row(row).begin(), examples.states.row(row).end());
    for (int64_t j = 0; j < batch.noise.cols(); ++j) query[j] += batch.noise(i, j);
    const auto neighbors =
        examples.neighbors != nullptr ? examples.neighbors->rows(row) : std::span<const int32_t>();
    const auto answer = direct_answer(spec, action_dim, memory, neighbors, query, parameters);
    const double bound = spec.head().huber;
    for (int64_t j = 0; j < action_dim; ++j) {
      const double error = std::abs(answer[j] - static_cast<double>(examples.actions(row, j)));
      sum += bound > 0 && error > bound ? bound * (2 * error - bound) : error * error;
    }
  }
  return sum / static_cast<double>(std::ssize(batch.queries) * action_dim);
}

/// A policy in use: neighbours from a RetrievalSession, the rest by loops.
class DirectPolicy {
 public:
  explicit DirectPolicy(const PolicyArchive& archive)
      : archive_(archive),
        states_(archive.observations().apply(archive.demonstrations().observations)),
        actions_(archive.actions().apply(archive.demonstrations().actions)) {
    if (const DarpSpec* darp = archive.spec().darp())
      session_.emplace(make_retriever(darp->retrieval, archive.observations(), states_,
                                      archive.demonstrations().episode_ends));
  }
  void reset() {
    if (session_) session_->reset();
  }
  /// As act, without the trouble of an answer.
  void watch(std::span<const float> observation) { neighbors_of(standardized(observation)); }
  /// The mean of the members' actions times the gain, within the limits.
  std::vector<double> act(std::span<const float> observation) {
    const std::vector<float> query = standardized(observation);
    const std::span<const int32_t> neighbors = neighbors_of(query);
    std::vector<double> action(archive_.action_dim());
    for (const std::vector<float>& member : archive_.members()) {
      const std::vector<double> parameters(member.begin(), member.end());
      const auto answer = direct_answer(archive_.spec(), archive_.action_dim(), {states_, actions_},
                                        neighbors, query, parameters);
      for (size_t j = 0; j < action.size(); ++j)
        action[j] += (answer[j] * static_cast<double>(archive_.actions().scale()[j]) +
                      static_cast<double>(archive_.actions().offset()[j])) /
                     static_cast<double>(archive_.members().size());
    }
    for (double& x : action) x *= archive_.spec().gain;
    for (size_t j = 0; j < action.size(); ++j)
      action[j] = std::clamp(action[j], static_cast<double>(archive_.lowest_action()[j]),
                             static_cast<double>(archive_.highest_action()[j]));
    return action;
  }

 private:
  std::vector<float> standardized(std::span<const float> observation) const {
    std::vector<float> query(observation.size());
    archive_.observations().apply(observation, query);
    return query;
  }
  std::span<const int32_t> neighbors_of(std::span<const float> query) {
    return session_ ? session_->push(query).rows : std::span<const int32_t>();
  }

  const PolicyArchive& archive_;
  Matrix states_, actions_;
  std::optional<RetrievalSession> session_;
};

}  // namespace darp
