#pragma once
// The hidden layers, forward and backward, over a block of (query, neighbour) pairs that stays in
// the cache of one core:
//
//   z_0 = rows(slot) + queries(query) + distance x per_distance     (first layer, see
//   h_l = ReLU(LayerNorm(z_l))                                       policy/neighbor_features.h)
//   z_l = W_l h_(l-1) + b_l
//   mean over each query's pairs of h_last, weighted where pairs have weights
//
// The last linear layer commutes with the mean, so it comes after it and costs nothing here; and
// the gradient that comes back is one vector per query.

#include <span>
#include <vector>

#include "darp/kernels/layer_norm.h"
#include "darp/train/products.h"

namespace darp {

/// One hidden layer's numbers for one step. The first layer has no products of its own.
template <class Products>
struct FusedLayer {
  int64_t units = 0;
  typename Products::Weights forward, backward;  // W^T and W
  std::span<const float> bias;
  kernels::LayerNormWeights norm;
};

/// Where the gradients of one hidden layer are added up.
struct FusedLayerGradient {
  MutableMatrixView weight;  // empty for the first layer
  kernels::LayerNormGradient sums;
};

/// The pairs [begin, end) of consecutive queries [first_query, last_query) of a batch.
struct BlockPairs {
  int64_t first_query = 0, last_query = 0, begin = 0, end = 0;
  std::span<const int64_t> query_ends;  // pairs before which each query of the batch ends
  std::span<const float> weights = {};  // of all pairs of the batch, 1 per query; none: all alike
};

/// What the first layer is made of. Without neighbours `slots` is null; `distances` is where the
/// network does not see them.
struct FirstLayerInput {
  MatrixView rows;                   // one per slot; empty without neighbours
  const int32_t* slots = nullptr;    // slot of each pair
  MatrixView queries;                // one per query of the batch, bias included
  const float* distances = nullptr;  // of each pair; null: not used
  const float* per_distance = nullptr;
};

/// One thread's memory. Nothing is carried from block to block.
template <class Products>
class FusedBlock {
 public:
  /// Most pairs that a block may have.
  void reserve(int64_t pairs, const std::vector<FusedLayer<Products>>& layers);

  /// Writes each query's mean of the last hidden layer to its row of `means`.
  void forward(const std::vector<FusedLayer<Products>>& layers, const FirstLayerInput& input,
               const BlockPairs& pairs, MutableMatrixView means);

  /// From the gradients by the means (a row per query of the batch) to those of the layers, which
  /// are added to; `mode` says whether those of the weights start here. Returns the gradient by z_0
  /// of each pair of the block, valid until the next call. After forward() with the same arguments.
  MatrixView backward(const std::vector<FusedLayer<Products>>& layers, const BlockPairs& pairs,
                      MatrixView mean_gradients, std::vector<FusedLayerGradient>& gradients,
                      kernels::Sum mode);

 private:
  struct LayerMemory {
    BlockMatrix normalized;            // x of every pair
    std::vector<float> inverse;        // 1 / sqrt(var + epsilon)
    typename Products::Rows hidden;    // h, except of the last layer
    typename Products::Rows gradient;  // dz, except of the first layer
  };

  void first_layer(const FirstLayerInput& input, const BlockPairs& pairs, int64_t begin,
                   MutableMatrixView z);

  std::vector<LayerMemory> memory_;
  BlockMatrix tile_;            // gradients by h, one tile
  BlockMatrix first_gradient_;  // by z_0
};

}  // namespace darp
