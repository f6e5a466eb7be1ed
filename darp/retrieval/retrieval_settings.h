#pragma once
// What decides which demonstrated rows are neighbours of a query. Plain data: comparable, and
// serialisable through visit_fields (core/fields.h).

#include <cstdint>
#include <vector>

#include "darp/core/fields.h"
#include "darp/data/normalizer.h"

namespace darp {

/// How two rows are compared at one instant.
struct MetricSettings {
  enum class Kind { kEuclidean, kCosine };
  Kind kind = Kind::kEuclidean;
  std::vector<double> weights;
  std::vector<double> periods;

  void visit_fields(FieldVisitor& v) {
    v.choice("kind", kind, {{"euclidean", Kind::kEuclidean}, {"cosine", Kind::kCosine}},
             "Distance between two rows: root of the squared differences, or 1 - cosine.");
    v.field("weights", weights, "Factor on each column's squared difference; empty: all 1.",
            {.min = 0});
    v.field("periods", periods,
            "Length of each column's circle (6.283185307179586 for radians), 0 for a line; empty: "
            "all lines.",
            {.min = 0});
  }
  bool operator==(const MetricSettings&) const = default;

  /// Periods given in the units of raw observations, for rows that `normalizer` maps.
  MetricSettings in_units_of(const Normalizer& normalizer) const;
};

/// How the recent past counts: sum over n < lookback of weight(n) x distance n steps ago.
struct HistorySettings {
  enum class Decay { kExponential, kPower };
  int64_t lookback = 10;
  Decay decay = Decay::kExponential;
  double rate = 0.1;
  bool renormalize = true;

  void visit_fields(FieldVisitor& v) {
    v.field("lookback", lookback, "Steps compared: now and lookback - 1 before.",
            {.min = 1, .max = 10'000});
    v.choice("decay", decay, {{"exponential", Decay::kExponential}, {"power", Decay::kPower}},
             "Weight of the step n ago: e^(-rate n) (the paper) or (n + 1)^rate (its code).");
    v.field("rate", rate, "At least 0 for exponential, at most 0 for power.");
    v.field("renormalize", renormalize,
            "Divide by the weights used; without it (the paper's code) rows near an episode's "
            "start, which have fewer terms, come first.");
  }
  bool operator==(const HistorySettings&) const = default;
};

/// The approximate index for large sets.
struct HnswSettings {
  int64_t links = 16;
  int64_t build_effort = 100;
  int64_t search_effort = 0;
  int64_t seed = 100;

  void visit_fields(FieldVisitor& v) {
    v.field("links", links, "Links of each row in the graph.", {.min = 2, .max = 256});
    v.field("build_effort", build_effort, "Candidates looked at when a row is linked in.",
            {.min = 8, .max = 100'000});
    v.field(
        "search_effort", search_effort,
        "Candidates kept during a search (at least k); 0: from 1.5 k on, the least that reaches "
        "recall 0.99 on a sample.",
        {.min = 0, .max = 10'000'000});
    v.field("seed", seed, "Decides the layers of the graph.", {.min = 0});
  }
  bool operator==(const HnswSettings&) const = default;
};

struct RetrievalSettings {
  enum class Scope { kAll, kCandidates };
  enum class Exclude { kNothing, kRow, kEpisode, kZero };
  enum class Pick { kNearest, kRandom };
  enum class Index { kAuto, kExact, kHnsw };

  /// `auto` becomes approximate above this many rows.
  static constexpr int64_t kLargestExact = 2'000'000;

  int64_t k = 100;
  Scope scope = Scope::kAll;
  double ratio = 1;
  int64_t stride = 1;
  HistorySettings history;
  MetricSettings metric;
  Exclude exclude = Exclude::kRow;
  Pick pick = Pick::kNearest;
  int64_t seed = 0;
  Index index = Index::kAuto;
  HnswSettings hnsw;

  void visit_fields(FieldVisitor& v);
  bool operator==(const RetrievalSettings&) const = default;

  /// Rows that are ranked for a query when enough are usable: k, or floor(k x ratio) with scope
  /// `candidates`.
  int64_t ranked() const;
  /// Neighbours that it gets of them: the first and every stride-th after it.
  int64_t kept() const { return (ranked() + stride - 1) / stride; }
};

}  // namespace darp
