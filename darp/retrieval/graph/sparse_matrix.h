#pragma once
// A sparse matrix of doubles by rows (CSR): what a neighbour graph and its Laplacians are.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/core/thread_pool.h"
#include "darp/retrieval/graph/double_matrix.h"

namespace darp {

/// Immutable. Within a row the columns ascend and none repeats.
class SparseMatrix {
 public:
  /// `starts` has rows + 1 places: row i holds the entries [starts[i], starts[i + 1]).
  struct Contents {
    int64_t rows = 0, cols = 0;
    std::vector<int64_t> starts = {0};
    std::vector<int32_t> columns = {};
    std::vector<double> values = {};
  };
  SparseMatrix() = default;
  /// The contents must be as stated (DARP_CHECK).
  explicit SparseMatrix(Contents contents);

  int64_t rows() const { return contents_.rows; }
  int64_t cols() const { return contents_.cols; }
  /// Entries stored.
  int64_t entries() const { return static_cast<int64_t>(contents_.values.size()); }
  std::span<const int32_t> columns(int64_t row) const {
    return slice(std::span(contents_.columns), row);
  }
  std::span<const double> values(int64_t row) const {
    return slice(std::span(contents_.values), row);
  }
  /// One entry; 0 if none is stored.
  double at(int64_t row, int64_t col) const;

  SparseMatrix transposed() const;
  /// Square, and exactly equal to its transpose (so never with a NaN).
  bool symmetric() const;
  DoubleMatrix to_dense() const;

  /// y = this x, for one vector or for every column of a matrix. x and y do not overlap. Each row
  /// is summed in the order of its columns, so the bits do not depend on the threads of `pool`;
  /// without one the caller works alone.
  void multiply(std::span<const double> x, std::span<double> y, ThreadPool* pool = nullptr) const;
  void multiply(DoubleView x, MutableDoubleView y, ThreadPool* pool = nullptr) const;

 private:
  template <class T>
  std::span<const T> slice(std::span<const T> all, int64_t row) const {
    const int64_t begin = contents_.starts[row];
    return all.subspan(begin, contents_.starts[row + 1] - begin);
  }

  Contents contents_;
};

}  // namespace darp
