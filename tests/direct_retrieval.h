#pragma once
// The obvious version of retrieval, for tests: the formula evaluated for every row, then a full
// sort.

#include <algorithm>
#include <cmath>
#include <vector>

#include "darp/core/rng.h"
#include "darp/retrieval/retrieval_session.h"

namespace darp {

struct DirectNeighbor {
  float distance;
  int32_t row;
  bool operator<(const DirectNeighbor& other) const {
    return distance != other.distance ? distance < other.distance : row < other.row;
  }
};

/// Rows in episodes of random length, some of them equal to others.
struct RandomRows {
  Matrix rows;
  std::vector<int64_t> ends;

  RandomRows(Rng& rng, int64_t episodes, int64_t longest, int64_t cols) {
    int64_t count = 0;
    for (int64_t e = 0; e < episodes; ++e)
      ends.push_back(count += 1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(longest))));
    rows = Matrix::zeros(count, cols);
    for (int64_t i = 0; i < count; ++i) {
      const bool copy = i > 0 && rng.uniform() < 0.1;
      const auto from =
          static_cast<int64_t>(rng.below(static_cast<uint64_t>(std::max<int64_t>(i, 1))));
      for (int64_t j = 0; j < cols; ++j)
        rows(i, j) = copy ? rows(from, j) : static_cast<float>(rng.normal());
    }
  }
  int64_t begin_of(int64_t row) const {
    int64_t begin = 0;
    for (const int64_t end : ends)
      if (end <= row) begin = end;
    return begin;
  }
};

class DirectRetrieval {
 public:
  DirectRetrieval(const RandomRows& data, const Retriever& retriever)
      : data_(data), retriever_(retriever), blocks_(retriever.space().prepare(data.rows)) {}

  /// History distance of a row to the last of the queries, and of the present alone.
  float distance(const std::vector<std::vector<float>>& queries, int64_t row) const {
    const HistoryMetric& history = retriever_.history();
    const int64_t terms = std::min(
        {history.lookback(), static_cast<int64_t>(queries.size()), row - data_.begin_of(row) + 1});
    std::vector<float> steps;
    for (int64_t n = 0; n < terms; ++n)
      steps.push_back(at(queries[queries.size() - 1 - n], row - n));
    if (!recursive()) return history.distance(steps);
    double sum = 0, used = 0;
    for (int64_t n = 0; n < terms; ++n) {
      const double weight = std::exp(-history.settings().rate * static_cast<double>(n));
      sum += weight * static_cast<double>(steps[n]);
      used += weight;
    }
    return static_cast<float>(history.settings().renormalize ? sum / used : sum);
  }
  /// The published order of things: candidates, history, kept part; or all rows by history.
  std::vector<DirectNeighbor> neighbors(const std::vector<std::vector<float>>& queries,
                                        RowRange excluded) const {
    const RetrievalSettings& s = retriever_.settings();
    std::vector<DirectNeighbor> list;
    for (int64_t row = 0; row < data_.rows.rows(); ++row) {
      if (row >= excluded.begin && row < excluded.end) continue;
      const float now = at(queries.back(), row);
      if (s.exclude == RetrievalSettings::Exclude::kZero && now == 0) continue;
      const bool all = s.scope == RetrievalSettings::Scope::kAll;
      list.push_back({all ? distance(queries, row) : now, static_cast<int32_t>(row)});
    }
    std::sort(list.begin(), list.end());
    list.resize(std::min<size_t>(list.size(), s.k));
    if (s.scope == RetrievalSettings::Scope::kCandidates) {
      for (DirectNeighbor& n : list) n.distance = distance(queries, n.row);
      std::sort(list.begin(), list.end());
      list.resize(std::min<size_t>(list.size(), retriever_.ranked()));
    }
    std::vector<DirectNeighbor> kept;
    for (size_t i = 0; i < list.size(); i += static_cast<size_t>(s.stride)) kept.push_back(list[i]);
    return kept;
  }
  /// Sums that a session computes recursively are rounded from double: the last bit may differ.
  bool recursive() const {
    return retriever_.settings().scope == RetrievalSettings::Scope::kAll &&
           retriever_.history().lookback() > 1 &&
           retriever_.history().settings().decay == HistorySettings::Decay::kExponential;
  }

 private:
  float at(const std::vector<float>& query, int64_t row) const {
    std::vector<float> prepared(retriever_.space().dim());
    retriever_.space().prepare(query, prepared.data());
    kernels::RowBlocks one(1, retriever_.space().dim());
    std::vector<float> coordinates(retriever_.space().dim());
    blocks_.copy_row(row, coordinates);
    one.set_row(0, coordinates);
    float out = 0;
    kernels::scalar::distances(one, retriever_.space().comparison(), prepared.data(), &out);
    return out;
  }

  const RandomRows& data_;
  const Retriever& retriever_;
  kernels::RowBlocks blocks_;
};

/// Settings of every kind that fit the rows.
inline RetrievalSettings random_settings(Rng& rng, int64_t rows, int64_t cols) {
  RetrievalSettings s;
  const auto coin = [&](double p) { return rng.uniform() < p; };
  s.scope = coin(0.5) ? RetrievalSettings::Scope::kAll : RetrievalSettings::Scope::kCandidates;
  s.exclude = static_cast<RetrievalSettings::Exclude>(rng.below(4));
  // Leave enough for any exclusion but that of a long episode.
  s.k = 1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(std::max<int64_t>(1, rows / 2))));
  s.k = std::max<int64_t>(1, std::min(s.k, rows - 1));
  if (s.scope == RetrievalSettings::Scope::kCandidates)
    s.ratio = std::max(rng.uniform(), 1.0 / static_cast<double>(s.k));
  if (coin(0.3)) s.stride = 1 + static_cast<int64_t>(rng.below(6));
  s.history.lookback = 1 + static_cast<int64_t>(rng.below(20));
  const bool exponential = coin(0.5);
  s.history.decay =
      exponential ? HistorySettings::Decay::kExponential : HistorySettings::Decay::kPower;
  s.history.rate = exponential ? rng.uniform(0, 1) : -rng.uniform(0, 3);
  s.history.renormalize = coin(0.3);
  if (coin(0.2)) s.metric.kind = MetricSettings::Kind::kCosine;
  for (int64_t j = 0; coin(0.9) && j < cols && coin(0.95); ++j)
    s.metric.weights.push_back(rng.uniform(0.1, 2));
  if (static_cast<int64_t>(s.metric.weights.size()) != cols) s.metric.weights.clear();
  if (s.metric.kind == MetricSettings::Kind::kEuclidean && coin(0.3))
    for (int64_t j = 0; j < cols; ++j)
      s.metric.periods.push_back(coin(0.5) ? 0 : rng.uniform(0.5, 4));
  return s;
}

}  // namespace darp
