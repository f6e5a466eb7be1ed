#pragma once
// The two kinds of attention blocks in a set transformer (policy/set_transformer.h), for acting.
// Neighbours are worked on in tiles, which are the columns of a matrix: every step is then a
// product of whole vectors, or goes down the columns. What scores are divided by, and
// log2(e), are part of the weights.

#include <span>
#include <string>
#include <vector>

#include "darp/kernels/column_products.h"
#include "darp/policy/set_transformer.h"
#include "darp/runtime/realtime_linear.h"

namespace darp::set_transformer {

/// Most neighbours of a tile: it stays in cache, and weights are loaded for many at once.
inline constexpr int64_t kNeighbors = 3 * kernels::kTileColumns;

/// x <- x + ReLU(z).
void add_relu(MatrixView z, MutableMatrixView x) noexcept;

struct PoolingMemory {
  PoolingMemory(int64_t heads, int64_t points, int64_t width, int64_t widest);

  Matrix scores;   // (heads x points) x kNeighbors; then powers of two
  Matrix weights;  // these the other way round
  Matrix totals;   // of these, in parts
  Matrix sums;     // of neighbours with these weights
  Matrix hidden;   // points x width
  std::vector<float> shifts, factors;
};

/// mab(points, X): a few fixed points look at all neighbours, whose softmax goes on from tile to
/// tile. The points' queries are constant, hence
///   scores of X: X times one matrix (biases of keys shift all of a point's scores: no difference)
///   values:      those of the weighted mean of X, instead of the mean of values
class PoolingBlock {
 public:
  PoolingBlock(const NamedParameters& numbers, const std::string& name, const std::string& points,
               int64_t heads);

  void start(PoolingMemory& memory) const noexcept;
  /// @param columns seen x whole_tiles of neighbours
  /// @param rows    the same as neighbours x at least seen, whole_tiles wide
  void take(MatrixView columns, MatrixView rows, PoolingMemory& memory) const noexcept;
  /// @param summary points x width
  void finish(PoolingMemory& memory, MutableMatrixView summary) const noexcept;

  size_t bytes() const;

 private:
  int64_t heads_, points_;
  Matrix scores_;  // seen x (heads x points)
  Matrix query_;   // with the values' bias
  std::vector<kernels::PackedFloat> value_;
  RealtimeLinear out_;
};

struct SpreadingMemory {
  SpreadingMemory(int64_t points, int64_t width);

  Matrix keys;     // points x width
  Matrix columns;  // the same the other way round
  Matrix values;   // points x width
  Matrix scores;   // points x kNeighbors
};

/// mab(X, points): all neighbours look at a few points.
class SpreadingBlock {
 public:
  SpreadingBlock(const NamedParameters& numbers, const std::string& name, int64_t heads);

  /// @param points points x width
  void look_at(MatrixView points, SpreadingMemory& memory) const noexcept;
  /// @param columns seen x whole_tiles of neighbours
  void make_queries(MatrixView columns, MutableMatrixView queries) const noexcept;
  /// @param queries width x neighbours; overwritten
  void spread(MutableMatrixView queries, SpreadingMemory& memory,
              MutableMatrixView out) const noexcept;

  size_t bytes() const { return query_.bytes() + key_.bytes() + value_.bytes() + out_.bytes(); }

 private:
  int64_t heads_;
  Matrix query_, out_;  // transposed weights
  std::vector<float> query_bias_, out_bias_;
  RealtimeLinear key_, value_;
};

}  // namespace darp::set_transformer
