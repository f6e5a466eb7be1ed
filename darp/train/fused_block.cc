#include "darp/train/fused_block.h"

#include <algorithm>

#include "darp/kernels/row_sums.h"

namespace darp {
namespace {

/// Calls body(query, first pair, count) with pairs counted from the block's begin.
template <class Body>
void for_each_query(const BlockPairs& pairs, const Body& body) {
  int64_t begin = pairs.begin;
  for (int64_t q = pairs.first_query; q < pairs.last_query; ++q) {
    const int64_t end = pairs.query_ends[q];
    body(q, begin - pairs.begin, end - begin);
    begin = end;
  }
}

}  // namespace

template <class Products>
void FusedBlock<Products>::reserve(int64_t pairs, const std::vector<FusedLayer<Products>>& layers) {
  memory_.resize(layers.size());
  int64_t widest = 0;
  for (size_t l = 0; l < layers.size(); ++l) {
    const int64_t units = layers[l].units;
    memory_[l].normalized.reserve(pairs, units);
    memory_[l].inverse.resize(pairs);
    if (l + 1 < layers.size()) memory_[l].hidden.reserve(pairs, units);
    if (l > 0) memory_[l].gradient.reserve(pairs, units);
    widest = std::max(widest, units);
  }
  tile_.reserve(Products::tile_rows(), widest);
  first_gradient_.reserve(pairs, layers[0].units);
}

template <class Products>
void FusedBlock<Products>::first_layer(const FirstLayerInput& input, const BlockPairs& pairs,
                                       int64_t begin, MutableMatrixView z) {
  const int64_t units = z.cols();
  // The query of the tile's first pair.
  int64_t pair = pairs.begin + begin;
  int64_t q = std::upper_bound(pairs.query_ends.begin() + pairs.first_query,
                               pairs.query_ends.begin() + pairs.last_query, pair) -
              pairs.query_ends.begin();
  for (int64_t i = 0; i < z.rows(); ++i, ++pair) {
    while (pair >= pairs.query_ends[q]) ++q;
    const float* query = input.queries.data() + q * input.queries.stride();
    float* out = z.data() + i * z.stride();
    if (input.slots) {
      const float* row = input.rows.data() + input.slots[pair] * input.rows.stride();
      if (pair + 1 < pairs.end)
        kernels::prefetch(input.rows.data() + input.slots[pair + 1] * input.rows.stride(), units);
      kernels::sum(row, query, units, out);
    } else {
      std::copy_n(query, units, out);
    }
    if (input.distances)
      for (int64_t j = 0; j < units; ++j) out[j] += input.distances[pair] * input.per_distance[j];
  }
}

template <class Products>
void FusedBlock<Products>::forward(const std::vector<FusedLayer<Products>>& layers,
                                   const FirstLayerInput& input, const BlockPairs& pairs,
                                   MutableMatrixView means) {
  const int64_t count = pairs.end - pairs.begin;
  const size_t last = layers.size() - 1;
  for (size_t l = 0; l < last; ++l) memory_[l].hidden.start(count);

  // A layer's tile is normalised as soon as it is computed, while it is in the first cache.
  for (size_t l = 0; l <= last; ++l) {
    LayerMemory& m = memory_[l];
    Products::for_each_tile(count, [&](int64_t begin, int64_t rows) {
      const MutableMatrixView z = m.normalized.rows(begin, rows);
      if (l == 0)
        first_layer(input, pairs, begin, z);
      else
        Products::multiply(memory_[l - 1].hidden, begin, rows, layers[l].forward, layers[l].bias,
                           z);
      if (l == last) return;
      kernels::normalize_relu(z, layers[l].norm, &m.inverse[begin], m.hidden.tile(begin, rows));
      m.hidden.keep(begin, rows);
    });
  }
  for_each_query(pairs, [&](int64_t q, int64_t begin, int64_t rows) {
    LayerMemory& m = memory_[last];
    const std::span<float> mean = means.row(q);
    std::fill(mean.begin(), mean.end(), 0.0f);
    if (rows == 0) return;
    kernels::normalize_relu_sum(
        m.normalized.rows(begin, rows), layers[last].norm, &m.inverse[begin],
        pairs.weights.empty() ? nullptr : &pairs.weights[pairs.begin + begin], mean.data());
    if (pairs.weights.empty())
      for (float& x : mean) x /= static_cast<float>(rows);
  });
}

template <class Products>
MatrixView FusedBlock<Products>::backward(const std::vector<FusedLayer<Products>>& layers,
                                          const BlockPairs& pairs, MatrixView mean_gradients,
                                          std::vector<FusedLayerGradient>& gradients,
                                          kernels::Sum mode) {
  const int64_t count = pairs.end - pairs.begin;
  const size_t last = layers.size() - 1;
  for (size_t l = 1; l <= last; ++l) memory_[l].gradient.start(count);

  // Into dz of layer l, for rows [begin, begin + rows) of the block.
  const auto through_norm = [&](size_t l, MatrixView dh, int64_t begin, int64_t rows) {
    LayerMemory& m = memory_[l];
    const MutableMatrixView dz =
        l == 0 ? first_gradient_.rows(begin, rows) : m.gradient.tile(begin, rows);
    kernels::normalize_relu_backward(dh, m.normalized.rows(begin, rows), layers[l].norm,
                                     &m.inverse[begin], dz, gradients[l].sums);
    if (l > 0) m.gradient.keep(begin, rows);
  };

  // One gradient for all pairs of a query, times their weights where they have some.
  for_each_query(pairs, [&](int64_t q, int64_t query_begin, int64_t query_rows) {
    const MatrixView all(mean_gradients.data() + q * mean_gradients.stride(), query_rows,
                         layers[last].units, 0);
    Products::for_each_tile(query_rows, [&](int64_t begin, int64_t rows) {
      MatrixView dh = all.rows_between(begin, begin + rows);
      if (!pairs.weights.empty()) {
        const MutableMatrixView weighted = tile_.rows(0, rows).cols_between(0, all.cols());
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < all.cols(); ++j)
            weighted(i, j) = all(0, j) * pairs.weights[pairs.begin + query_begin + begin + i];
        dh = weighted;
      }
      through_norm(last, dh, query_begin + begin, rows);
    });
  });
  for (size_t l = last; l > 0; --l) {
    Products::add_products(memory_[l].gradient, memory_[l - 1].hidden, gradients[l].weight, mode);
    Products::for_each_tile(count, [&](int64_t begin, int64_t rows) {
      const MutableMatrixView dh = tile_.rows(0, rows).cols_between(0, layers[l - 1].units);
      Products::multiply(memory_[l].gradient, begin, rows, layers[l].backward, {}, dh);
      through_norm(l - 1, dh, begin, rows);
    });
  }
  return first_gradient_.rows(0, count);
}

template class FusedBlock<FloatProducts>;
template class FusedBlock<BfloatProducts>;

}  // namespace darp
