#include "darp/study/analysis/demonstration_support.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "darp/core/error.h"
#include "darp/core/quantile.h"
#include "darp/core/rng.h"
#include "darp/policy/make_retriever.h"
#include "darp/policy/neighbor_features.h"
#include "darp/retrieval/neighbor_table.h"
#include "darp/retrieval/retrieval_session.h"

namespace darp {
namespace {

constexpr int kHeldOutParts = 5;

/// Vectors that are packed, `dim` each.
Matrix matrix_of(const std::vector<float>& packed, int64_t dim) {
  return Matrix::copy_of({packed.data(), std::ssize(packed) / dim, dim, dim});
}

VectorSets singles(Matrix rows) {
  VectorSets sets{std::move(rows), {}};
  sets.ends.resize(static_cast<size_t>(sets.vectors.rows()));
  std::iota(sets.ends.begin(), sets.ends.end(), 1);
  return sets;
}

/// Some of the rows, the same each time.
Matrix drawn_rows(MatrixView rows, int64_t most) {
  if (rows.rows() <= most) return Matrix::copy_of(rows);
  std::vector<int64_t> order(static_cast<size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), 0);
  Rng(0).shuffle(std::span(order));
  Matrix drawn = Matrix::uninitialized(most, rows.cols());
  for (int64_t i = 0; i < most; ++i)
    std::ranges::copy(rows.row(order[static_cast<size_t>(i)]), drawn.row(i).begin());
  return drawn;
}

/// Sets [begin, end), or all others.
VectorSets part_of(const VectorSets& sets, int64_t begin, int64_t end, bool inside) {
  const int64_t dim = sets.vectors.cols();
  std::vector<float> packed;
  VectorSets part;
  for (int64_t i = 0; i < std::ssize(sets.ends); ++i) {
    if ((begin <= i && i < end) != inside) continue;
    const auto at = static_cast<size_t>(i);
    for (int64_t row = i == 0 ? 0 : sets.ends[at - 1]; row < sets.ends[at]; ++row) {
      const auto vector = sets.vectors.row(row);
      packed.insert(packed.end(), vector.begin(), vector.end());
    }
    part.ends.push_back(std::ssize(packed) / dim);
  }
  part.vectors = matrix_of(packed, dim);
  return part;
}

/// Training may have let a row find itself; its difference would be nothing at all.
RetrievalSettings without_own_row(RetrievalSettings settings) {
  if (settings.exclude == RetrievalSettings::Exclude::kNothing)
    settings.exclude = RetrievalSettings::Exclude::kRow;
  return settings;
}

const RetrievalSettings& retrieval_of(const PolicyArchive& policy) {
  const RetrievalSettings* retrieval = policy.spec().retrieval();
  if (retrieval == nullptr)
    throw Error("policy", fmt::format("{} has no neighbours", policy.spec().kind_name()),
                "name a method with retrieval second, such as darp");
  return *retrieval;
}

}  // namespace

std::vector<double> mean_log_likelihoods(const GaussianMixture& mixture, const VectorSets& sets,
                                         ThreadPool& pool) {
  const std::vector<double> each = mixture.log_likelihoods(sets.vectors, pool);
  std::vector<double> means;
  int64_t begin = 0;
  for (const int64_t end : sets.ends) {
    const double sum = std::accumulate(each.begin() + begin, each.begin() + end, 0.0);
    means.push_back(begin == end ? std::numeric_limits<double>::quiet_NaN()
                                 : sum / static_cast<double>(end - begin));
    begin = end;
  }
  return means;
}

LikelihoodModel fit_likelihood(const VectorSets& sets, int64_t components, int64_t most,
                               ThreadPool& pool) {
  LikelihoodModel model{
      GaussianMixture::fit(drawn_rows(sets.vectors, most), {.components = components}, pool)};
  std::vector<double> seen = mean_log_likelihoods(model.mixture, sets, pool);
  std::ranges::sort(seen);
  model.threshold = quantile(seen, 0.01);
  return model;
}

double held_out_share_below(const VectorSets& sets, int64_t components, int64_t most,
                            ThreadPool& pool) {
  const int64_t count = std::ssize(sets.ends);
  DARP_CHECK(count >= kHeldOutParts, "{} sets in {} parts", count, kHeldOutParts);
  int64_t below = 0;
  for (int64_t part = 0; part < kHeldOutParts; ++part) {
    const int64_t begin = part * count / kHeldOutParts, end = (part + 1) * count / kHeldOutParts;
    const LikelihoodModel model =
        fit_likelihood(part_of(sets, begin, end, false), components, most, pool);
    for (const double likelihood :
         mean_log_likelihoods(model.mixture, part_of(sets, begin, end, true), pool))
      below += likelihood < model.threshold;
  }
  return static_cast<double>(below) / static_cast<double>(count);
}

DemonstrationSupport::DemonstrationSupport(const PolicyArchive& policy, ThreadPool& pool)
    : normalizer_(policy.observations()),
      input_{.state = false,
             .action = false,
             .difference_scale = policy.spec().network_input().difference_scale},
      rows_(normalizer_.apply(policy.demonstrations().observations)) {
  const std::vector<int64_t>& ends = policy.demonstrations().episode_ends;
  retriever_ = make_retriever(without_own_row(retrieval_of(policy)), normalizer_, rows_, ends);
  states_ = singles(Matrix::copy_of(rows_));
  const NeighborTable table = build_neighbor_table(retriever_, pool);
  const int64_t queries =
      std::min({rows_.rows(), kMostQueries, std::max<int64_t>(200, kMostVectors / table.width())});
  std::vector<float> packed;
  for (int64_t i = 0; i < queries; ++i) {
    const int64_t row = i * rows_.rows() / queries;
    if (table.count(row) == 0) continue;
    add_differences(rows_.row(row), table.rows(row), packed);
    differences_.ends.push_back(std::ssize(packed) / rows_.cols());
  }
  differences_.vectors = matrix_of(packed, rows_.cols());
}

void DemonstrationSupport::add_differences(std::span<const float> query,
                                           std::span<const int32_t> neighbors,
                                           std::vector<float>& vectors) const {
  const FeatureLayout layout(input_, rows_.cols(), 0);
  for (const int32_t neighbor : neighbors) {
    vectors.resize(vectors.size() + query.size());
    neighbor_features(layout, rows_.row(neighbor), {}, query,
                      std::span(vectors).last(query.size()));
  }
}

VectorSets DemonstrationSupport::states_of(
    const std::vector<std::vector<float>>& observations) const {
  Matrix states = Matrix::uninitialized(std::ssize(observations), rows_.cols());
  for (int64_t t = 0; t < states.rows(); ++t)
    normalizer_.apply(observations[static_cast<size_t>(t)], states.row(t));
  return singles(std::move(states));
}

VectorSets DemonstrationSupport::differences_of(
    const std::vector<std::vector<float>>& observations) const {
  const VectorSets states = states_of(observations);
  RetrievalSession session(retriever_);
  session.reset();
  VectorSets sets;
  std::vector<float> packed;
  for (int64_t t = 0; t < states.vectors.rows(); ++t) {
    const std::span<const float> query = states.vectors.row(t);
    if (session.try_push(query) == QueryStatus::kOk)
      add_differences(query, session.neighbors().rows, packed);
    sets.ends.push_back(std::ssize(packed) / rows_.cols());
  }
  sets.vectors = matrix_of(packed, rows_.cols());
  return sets;
}

}  // namespace darp
