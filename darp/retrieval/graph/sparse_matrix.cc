#include "darp/retrieval/graph/sparse_matrix.h"

#include <algorithm>

namespace darp {

SparseMatrix::SparseMatrix(Contents contents) : contents_(std::move(contents)) {
  const Contents& c = contents_;
  DARP_CHECK(c.rows >= 0 && c.cols >= 0, "a {}x{} matrix", c.rows, c.cols);
  DARP_CHECK(static_cast<int64_t>(c.starts.size()) == c.rows + 1, "{} starts of {} rows",
             c.starts.size(), c.rows);
  DARP_CHECK(c.starts.front() == 0 && c.starts.back() == entries() &&
                 std::is_sorted(c.starts.begin(), c.starts.end()),
             "row starts that do not cut up the {} entries", entries());
  DARP_CHECK(c.columns.size() == c.values.size(), "{} columns of {} values", c.columns.size(),
             c.values.size());
  for (int64_t i = 0; i < c.rows; ++i) {
    const auto own = columns(i);
    for (size_t e = 0; e < own.size(); ++e) {
      DARP_CHECK(own[e] >= 0 && own[e] < c.cols, "column {} of {}", own[e], c.cols);
      DARP_CHECK(e == 0 || own[e - 1] < own[e], "columns of row {} do not ascend", i);
    }
  }
}

double SparseMatrix::at(int64_t row, int64_t col) const {
  DARP_CHECK(row >= 0 && row < rows() && col >= 0 && col < cols(), "entry {}, {} of {}x{}", row,
             col, rows(), cols());
  const auto own = columns(row);
  const auto found = std::lower_bound(own.begin(), own.end(), col);
  return found != own.end() && *found == col ? values(row)[found - own.begin()] : 0.0;
}

SparseMatrix SparseMatrix::transposed() const {
  Contents out{.rows = cols(), .cols = rows()};
  out.starts.resize(cols() + 1);
  for (const int32_t column : contents_.columns) ++out.starts[column + 1];
  for (int64_t i = 0; i < cols(); ++i) out.starts[i + 1] += out.starts[i];
  // Rows are visited in order, so the columns of the transpose ascend by themselves.
  std::vector<int64_t> next(out.starts.begin(), out.starts.end() - 1);
  out.columns.resize(contents_.columns.size());
  out.values.resize(contents_.values.size());
  for (int64_t i = 0; i < rows(); ++i)
    for (int64_t e = contents_.starts[i]; e < contents_.starts[i + 1]; ++e) {
      const int64_t place = next[contents_.columns[e]]++;
      out.columns[place] = static_cast<int32_t>(i);
      out.values[place] = contents_.values[e];
    }
  return SparseMatrix(std::move(out));
}

bool SparseMatrix::symmetric() const {
  if (rows() != cols()) return false;
  for (int64_t i = 0; i < rows(); ++i)
    for (size_t e = 0; e < columns(i).size(); ++e)
      if (!(at(columns(i)[e], i) == values(i)[e])) return false;
  return true;
}

DoubleMatrix SparseMatrix::to_dense() const {
  DoubleMatrix dense(rows(), cols());
  for (int64_t i = 0; i < rows(); ++i)
    for (size_t e = 0; e < columns(i).size(); ++e) dense(i, columns(i)[e]) = values(i)[e];
  return dense;
}

void SparseMatrix::multiply(std::span<const double> x, std::span<double> y,
                            ThreadPool* pool) const {
  multiply(DoubleView(x.data(), static_cast<int64_t>(x.size()), 1, 1),
           MutableDoubleView(y.data(), static_cast<int64_t>(y.size()), 1, 1), pool);
}

void SparseMatrix::multiply(DoubleView x, MutableDoubleView y, ThreadPool* pool) const {
  DARP_CHECK(x.rows() == cols() && y.rows() == rows() && x.cols() == y.cols(),
             "{}x{} times {}x{} into {}x{}", rows(), cols(), x.rows(), x.cols(), y.rows(),
             y.cols());
  const auto multiply_rows = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto out = y.row(i);
      std::fill(out.begin(), out.end(), 0.0);
      for (int64_t e = contents_.starts[i]; e < contents_.starts[i + 1]; ++e) {
        const double value = contents_.values[e];
        const double* from = x.row(contents_.columns[e]).data();
        for (size_t c = 0; c < out.size(); ++c) out[c] += value * from[c];
      }
    }
  };
  constexpr int64_t kGrain = 1024;  // rows worth waking a thread for
  if (pool)
    pool->parallel_for(rows(), kGrain, multiply_rows);
  else
    multiply_rows(0, rows());
}

}  // namespace darp
