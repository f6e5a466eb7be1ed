#pragma once
// Approximate nearest rows of large sets: a graph of near rows in layers (HNSW, Malkov and Yashunin
// 2016), built by hnswlib and then packed into flat arrays that searches walk without allocating.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/core/progress.h"
#include "darp/kernels/distances.h"
#include "darp/retrieval/retrieval_settings.h"

namespace darp {

/// One layer of the graph: nodes 0, 1, ... and their links within the layer.
struct HnswLayer {
  std::vector<int64_t> starts;  ///< node i's links are links[starts[i]] up to links[starts[i + 1]]
  std::vector<int32_t> links;   ///< nodes, ascending
  /// Each node's row and its node in the layer below. Empty in the lowest: there node i is row i.
  std::vector<int32_t> rows, below;

  int64_t nodes() const { return static_cast<int64_t>(starts.size()) - 1; }
  std::span<const int32_t> links_of(int32_t node) const {
    return {links.data() + starts[node], links.data() + starts[node + 1]};
  }
  bool operator==(const HnswLayer&) const = default;
};

/// Owns a copy of the rows and the graph over them. Immutable: threads share it freely. The same
/// rows and settings give the same graph (on CPUs of the same SIMD level).
class HnswIndex {
 public:
  /// Builds with one thread. `rows` are prepared coordinates, finite; `progress` counts them. Of
  /// `comparison` only the periods matter: the rest does not change which rows are nearest.
  /// Throws Error if the rows are too many or memory runs out.
  HnswIndex(MatrixView rows, const kernels::Comparison& comparison, const HnswSettings& settings,
            Progress* progress = nullptr);

  int64_t rows() const { return rows_.rows(); }
  int64_t cols() const { return cols_; }
  /// Row `i` as it was given.
  std::span<const float> row(int64_t i) const { return rows_.row(i).first(cols_); }
  /// Memory held.
  size_t bytes() const;
  /// The graph from the lowest layer, which has all rows, up.
  std::span<const HnswLayer> layers() const { return layers_; }

 private:
  friend class HnswSearch;

  int64_t cols_;
  Matrix rows_;                    // as given, widened with zeros to whole vectors
  std::vector<float> periods_;     // of the last columns of rows_
  std::vector<int32_t> twins_;     // the next row with the same bits, or -1; empty if all differ
  std::vector<HnswLayer> layers_;  // only the first of a set of twins has links
  int64_t most_links_ = 0;         // of a node
};

}  // namespace darp
