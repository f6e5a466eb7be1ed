#include "darp/retrieval/retrieval_settings.h"

#include <cmath>

namespace darp {

MetricSettings MetricSettings::in_units_of(const Normalizer& normalizer) const {
  MetricSettings scaled = *this;
  if (periods.empty()) return scaled;
  if (static_cast<int64_t>(periods.size()) != normalizer.dim())
    throw Error("metric.periods",
                fmt::format("has {} entries for {} columns", periods.size(), normalizer.dim()),
                "give one per column, 0 where a column is no angle");
  for (size_t j = 0; j < periods.size(); ++j)
    scaled.periods[j] = periods[j] / static_cast<double>(normalizer.scale()[j]);
  return scaled;
}

void RetrievalSettings::visit_fields(FieldVisitor& v) {
  v.field("k", k, "Neighbours, or candidates with scope candidates.", {.min = 1});
  v.choice("scope", scope, {{"all", Scope::kAll}, {"candidates", Scope::kCandidates}},
           "Rank every row by the history distance (the paper), or only the k nearest now (its "
           "code).");
  v.field("ratio", ratio, "Part of the candidates that is kept: floor(k x ratio).",
          {.min = 0, .max = 1});
  v.field("stride", stride,
          "Of those, the nearest and every so-many-th after it: as wide a neighbourhood for less "
          "work; 1: all.",
          {.min = 1, .max = 1e6});
  v.group("history", history, "How the recent past counts.");
  v.group("metric", metric, "How two rows are compared.");
  v.choice(
      "exclude", exclude,
      {{"nothing", Exclude::kNothing},
       {"row", Exclude::kRow},
       {"episode", Exclude::kEpisode},
       {"zero", Exclude::kZero}},
      "In a table of a dataset against itself: the query's own row or episode (its half of the "
      "only one). Everywhere: rows at distance exactly 0 (the paper's code).");
  v.choice("pick", pick, {{"nearest", Pick::kNearest}, {"random", Pick::kRandom}},
           "Nearest rows, or random ones (an ablation).");
  v.field("seed", seed, "Of random neighbours.", {.min = 0});
  v.choice("index", index,
           {{"auto", Index::kAuto}, {"exact", Index::kExact}, {"hnsw", Index::kHnsw}},
           "How candidates are found: every row, or an approximate graph; auto is exact up to "
           "2,000,000 rows.");
  v.group("hnsw", hnsw, "The approximate graph.");
}

int64_t RetrievalSettings::ranked() const {
  if (scope == Scope::kAll) return k;
  return static_cast<int64_t>(std::floor(static_cast<double>(k) * ratio));
}

}  // namespace darp
