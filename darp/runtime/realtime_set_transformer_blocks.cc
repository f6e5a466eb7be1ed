#include "darp/runtime/realtime_set_transformer_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "darp/kernels/exponential.h"
#include "darp/kernels/transpose.h"

namespace darp::set_transformer {
namespace {

using kernels::PackedFloat;

/// Of products, for exponents of two.
double score_scale(int64_t width) {
  return kernels::kLog2E / std::sqrt(static_cast<double>(width));
}

Matrix transposed(MatrixView weight) {
  Matrix out = Matrix::zeros(weight.cols(), weight.rows());
  kernels::transpose(weight, out.mutable_view());
  return out;
}

std::vector<float> vector_of(std::span<const float> numbers) {
  return {numbers.begin(), numbers.end()};
}

/// What fc_q makes of the points.
std::vector<std::vector<double>> constant_queries(MatrixView points, MatrixView weight,
                                                  std::span<const float> bias) {
  std::vector<std::vector<double>> queries;
  for (int64_t p = 0; p < points.rows(); ++p) {
    auto& query = queries.emplace_back(bias.begin(), bias.end());
    for (int64_t i = 0; i < weight.rows(); ++i)
      for (int64_t j = 0; j < weight.cols(); ++j)
        query[i] += double{weight(i, j)} * double{points(p, j)};
  }
  return queries;
}

}  // namespace

void add_relu(MatrixView z, MutableMatrixView x) noexcept {
  for (int64_t i = 0; i < x.rows(); ++i) {
    const float* from = z.data() + i * z.stride();
    float* to = x.data() + i * x.stride();
    for (int64_t j = 0; j < x.cols(); ++j) to[j] += std::max(from[j], 0.0f);
  }
}

PoolingMemory::PoolingMemory(int64_t heads, int64_t points, int64_t width, int64_t widest)
    : scores(Matrix::zeros(heads * points, kNeighbors)),
      weights(Matrix::zeros(kNeighbors, heads * points)),
      totals(Matrix::zeros(heads * points, kernels::kTileColumns)),
      sums(Matrix::zeros(heads * points, kernels::whole_tiles(widest))),
      hidden(Matrix::zeros(points, width)),
      shifts(heads * points),
      factors(heads * points) {}

PoolingBlock::PoolingBlock(const NamedParameters& numbers, const std::string& name,
                           const std::string& points, int64_t heads)
    : heads_(heads),
      out_(numbers.matrix(name + ".fc_o.weight"), numbers.vector(name + ".fc_o.bias")) {
  const MatrixView key = numbers.matrix(name + ".fc_k.weight");
  const MatrixView value = numbers.matrix(name + ".fc_v.weight");
  const auto value_bias = numbers.vector(name + ".fc_v.bias");
  const auto queries =
      constant_queries(numbers.matrix(points), numbers.matrix(name + ".fc_q.weight"),
                       numbers.vector(name + ".fc_q.bias"));
  points_ = std::ssize(queries);
  const int64_t width = key.rows(), head_width = width / heads;
  scores_ = Matrix::zeros(key.cols(), heads * points_);
  query_ = Matrix::zeros(points_, width);
  for (int64_t h = 0; h < heads; ++h) {
    const int64_t begin = h * head_width, end = begin + head_width;
    value_.emplace_back().pack(value.rows_between(begin, end),
                               PackedFloat::Factor::kTransposedWeight);
    for (int64_t p = 0; p < points_; ++p) {
      for (int64_t i = begin; i < end; ++i)
        query_(p, i) = static_cast<float>(queries[p][i] + double{value_bias[i]});
      for (int64_t j = 0; j < key.cols(); ++j) {
        double sum = 0;
        for (int64_t i = begin; i < end; ++i) sum += queries[p][i] * double{key(i, j)};
        scores_(j, h * points_ + p) = static_cast<float>(sum * score_scale(width));
      }
    }
  }
}

size_t PoolingBlock::bytes() const {
  const auto values = static_cast<size_t>(scores_.rows() * query_.cols()) * sizeof(float);
  return scores_.bytes() + query_.bytes() + values + out_.bytes();
}

void PoolingBlock::start(PoolingMemory& memory) const noexcept {
  const int64_t rows = heads_ * points_;
  for (int64_t i = 0; i < rows; ++i) {
    std::ranges::fill(memory.sums.row(i), 0.0f);
    std::ranges::fill(memory.totals.row(i), 0.0f);
  }
  std::ranges::fill(memory.shifts, -std::numeric_limits<float>::infinity());
}

void PoolingBlock::take(MatrixView columns, MatrixView rows, PoolingMemory& memory) const noexcept {
  const int64_t count = rows.rows(), all = heads_ * points_;
  const MutableMatrixView scores =
      memory.scores.mutable_view().rows_between(0, all).cols_between(0, columns.cols());
  const auto first = [&](std::vector<float>& v) { return std::span(v).first(all); };
  kernels::multiply_columns(scores_, columns, scores);
  // Columns without a neighbour count for nothing.
  for (int64_t i = 0; count < scores.cols() && i < all; ++i)
    std::ranges::fill(scores.row(i).subspan(count), -std::numeric_limits<float>::infinity());
  kernels::softmax_rows_piece(scores, first(memory.shifts), first(memory.factors),
                              memory.totals.mutable_view().rows_between(0, all));

  const MutableMatrixView sums =
      memory.sums.mutable_view().rows_between(0, all).cols_between(0, rows.cols());
  for (int64_t i = 0; i < all; ++i)
    if (const float factor = memory.factors[i]; factor != 1)
      for (float& sum : sums.row(i)) sum *= factor;
  const MutableMatrixView weights =
      memory.weights.mutable_view().rows_between(0, count).cols_between(0, all);
  kernels::transpose(scores.cols_between(0, count), weights);
  kernels::add_columns(weights, rows, sums);
}

void PoolingBlock::finish(PoolingMemory& memory, MutableMatrixView summary) const noexcept {
  const MutableMatrixView sums = memory.sums.mutable_view().cols_between(0, scores_.rows());
  const int64_t head_width = query_.cols() / heads_;
  for (int64_t h = 0; h < heads_; ++h) {
    const MutableMatrixView means = sums.rows_between(h * points_, (h + 1) * points_);
    for (int64_t p = 0; p < points_; ++p) {
      const auto totals = memory.totals.row(h * points_ + p);
      const float total = std::accumulate(totals.begin(), totals.end(), 0.0f);
      for (float& sum : means.row(p)) sum /= total;
    }
    kernels::multiply(means, value_[h], {},
                      summary.cols_between(h * head_width, (h + 1) * head_width));
  }
  for (int64_t p = 0; p < points_; ++p)
    for (int64_t j = 0; j < summary.cols(); ++j) summary(p, j) += query_(p, j);
  const MutableMatrixView hidden = memory.hidden.mutable_view().rows_between(0, points_);
  out_.apply(summary, hidden);
  add_relu(hidden, summary);
}

SpreadingMemory::SpreadingMemory(int64_t points, int64_t width)
    : keys(Matrix::zeros(points, width)),
      columns(Matrix::zeros(width, points)),
      values(Matrix::zeros(points, width)),
      scores(Matrix::zeros(points, kNeighbors)) {}

SpreadingBlock::SpreadingBlock(const NamedParameters& numbers, const std::string& name,
                               int64_t heads)
    : heads_(heads),
      query_(transposed(numbers.matrix(name + ".fc_q.weight"))),
      out_(transposed(numbers.matrix(name + ".fc_o.weight"))),
      query_bias_(vector_of(numbers.vector(name + ".fc_q.bias"))),
      out_bias_(vector_of(numbers.vector(name + ".fc_o.bias"))),
      value_(numbers.matrix(name + ".fc_v.weight"), numbers.vector(name + ".fc_v.bias")) {
  // A bias of keys shifts all scores of a neighbour: softmax does not see it.
  Matrix key = Matrix::copy_of(numbers.matrix(name + ".fc_k.weight"));
  for (int64_t i = 0; i < key.rows(); ++i)
    for (float& x : key.row(i)) x = static_cast<float>(x * score_scale(key.rows()));
  key_ = RealtimeLinear(key, std::vector<float>(key.rows()));
}

void SpreadingBlock::look_at(MatrixView points, SpreadingMemory& memory) const noexcept {
  key_.apply(points, memory.keys.mutable_view());
  kernels::transpose(memory.keys, memory.columns.mutable_view());
  value_.apply(points, memory.values.mutable_view());
}

void SpreadingBlock::make_queries(MatrixView columns, MutableMatrixView queries) const noexcept {
  kernels::multiply_columns(query_, columns, queries, {.bias = query_bias_});
}

void SpreadingBlock::spread(MutableMatrixView queries, SpreadingMemory& memory,
                            MutableMatrixView out) const noexcept {
  const int64_t width = out.rows(), head_width = width / heads_;
  const MutableMatrixView scores = memory.scores.mutable_view().cols_between(0, out.cols());
  for (int64_t begin = 0; begin < width; begin += head_width) {
    const int64_t end = begin + head_width;
    const MutableMatrixView head = queries.rows_between(begin, end);
    kernels::multiply_columns(memory.columns.view().rows_between(begin, end), head, scores);
    kernels::softmax_columns(scores);
    kernels::add_columns(memory.values.view().cols_between(begin, end), scores, head);
  }
  kernels::multiply_columns(out_, queries, out, {.bias = out_bias_, .relu_onto = queries});
}

}  // namespace darp::set_transformer
