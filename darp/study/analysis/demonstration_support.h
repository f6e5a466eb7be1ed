#pragma once
// What a retrieval policy was shown, as distributions: of its demonstrated states, and of the
// differences between them and their neighbours. A rollout's steps are then likely or not.

#include <memory>
#include <span>
#include <vector>

#include "darp/policy/policy_archive.h"
#include "darp/retrieval/retriever.h"
#include "darp/study/analysis/gaussian_mixture.h"

namespace darp {

/// Sets of vectors; a state is a set of one, the differences to a query's neighbours are one set.
struct VectorSets {
  Matrix vectors;
  std::vector<int64_t> ends;  // set i has the vectors from ends[i - 1] to below ends[i]
};

/// A set's likelihood is the mean of log p over its vectors; the threshold is the first percentile
/// of that among the sets of the fit.
struct LikelihoodModel {
  GaussianMixture mixture;
  double threshold = 0;
};
/// `most`: vectors that the mixture sees, drawn at random from all.
LikelihoodModel fit_likelihood(const VectorSets& sets, int64_t components, int64_t most,
                               ThreadPool& pool);
std::vector<double> mean_log_likelihoods(const GaussianMixture& mixture, const VectorSets& sets,
                                         ThreadPool& pool);
/// Cut into five parts, each judged by a model of the other four: the part of sets that lie below
/// the threshold. 0.01 where the model describes what it has not seen as well as what it has.
double held_out_share_below(const VectorSets& sets, int64_t components, int64_t most,
                            ThreadPool& pool);

/// Immutable. Everything is standardised as the policy does it; differences are those that its
/// network sees (policy/neighbor_features.h), whatever part of them it is given.
class DemonstrationSupport {
 public:
  /// Throws Error for policies that retrieve nothing.
  DemonstrationSupport(const PolicyArchive& policy, ThreadPool& pool);

  /// Of the demonstrations. Differences are to the neighbours that training used, a row's own never
  /// among them; for at most kMostQueries rows, evenly spaced.
  const VectorSets& states() const { return states_; }
  const VectorSets& differences() const { return differences_; }

  /// The same of a rollout, one set per observation; neighbours as the policy would have found them
  /// after these observations. A set is empty where an observation cannot be compared.
  VectorSets states_of(const std::vector<std::vector<float>>& observations) const;
  VectorSets differences_of(const std::vector<std::vector<float>>& observations) const;

  static constexpr int64_t kMostQueries = 2000, kMostVectors = 400'000;

 private:
  void add_differences(std::span<const float> query, std::span<const int32_t> neighbors,
                       std::vector<float>& vectors) const;

  Normalizer normalizer_;
  NeighborInput input_;
  Matrix rows_;  // standardised demonstrations
  std::shared_ptr<const Retriever> retriever_;
  VectorSets states_, differences_;
};

}  // namespace darp
