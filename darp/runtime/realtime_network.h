#pragma once
// One network of a policy, laid out for acting. What depends on the demonstrated rows alone is
// computed when it is made (policy/neighbor_features.h); LayerNorm's means are taken out of the
// weights; the last layer comes after the mean over the neighbours, which costs one product instead
// of one for each.

#include <optional>
#include <span>
#include <vector>

#include "darp/kernels/bfloat_products.h"
#include "darp/kernels/float_products.h"
#include "darp/kernels/layer_norm.h"
#include "darp/policy/neighbor_features.h"
#include "darp/policy/network_parameters.h"

namespace darp {

/// What a network is asked, standardised.
struct NetworkQuery {
  std::span<const float> state;
  std::span<const int32_t> rows = {};     // the neighbours; none for kinds without
  std::span<const float> distances = {};  // between states; only where the network sees them
  std::span<const float> weights = {};    // of the neighbours in the mean; none: all alike
};

class NetworkMemory;

/// Immutable: threads share it. Nothing allocates after construction.
class RealtimeNetwork {
 public:
  /// @param numbers what `layers` point into
  /// @param rows    standardised states and actions of the demonstrations side by side; none for
  ///                kinds without neighbours
  RealtimeNetwork(std::span<const float> numbers, const std::vector<LayerParameters>& layers,
                  const FeatureLayout& layout, MatrixView rows, bool bfloat16);

  /// The mean of the neighbours' answers.
  void mean_answer(const NetworkQuery& query, NetworkMemory& memory,
                   std::span<float> answer) const noexcept;
  /// The answers of the first neighbours, one to each row of `answers`.
  void each_answer(const NetworkQuery& query, NetworkMemory& memory,
                   MutableMatrixView answers) const noexcept;

  /// Memory held.
  size_t bytes() const;

 private:
  friend class NetworkMemory;

  struct Layer {
    kernels::PackedFloat weight;                  // of layers after the first, in fp32
    std::optional<kernels::PackedBfloat> bfloat;  // or in bf16
    std::vector<float> bias, scale, shift;        // the latter two empty without LayerNorm

    int64_t units() const { return static_cast<int64_t>(bias.size()); }
    kernels::LayerNormWeights norm() const {
      return scale.empty() ? kernels::LayerNormWeights{}
                           : kernels::LayerNormWeights{scale.data(), shift.data()};
    }
  };

  void set_first_layer(const FeatureLayout& layout, MatrixView weight, MatrixView rows);
  void evaluate_query(const NetworkQuery& query, NetworkMemory& memory) const noexcept;
  void prefetch(const NetworkQuery& query, int64_t begin, int64_t count) const noexcept;
  MutableMatrixView write_first_layer(const NetworkQuery& query, int64_t begin, int64_t count,
                                      NetworkMemory& memory) const noexcept;
  template <class Rows>
  MatrixView next_layer(size_t l, const Rows& z, int64_t count,
                        NetworkMemory& memory) const noexcept;
  template <class Take>
  void with_last_hidden(const NetworkQuery& query, int64_t begin, int64_t count,
                        NetworkMemory& memory, const Take& take) const noexcept;

  bool bfloat16_;
  int64_t tile_rows_;
  std::vector<Layer> layers_;       // the output layer last; the first may be the last
  kernels::PackedFloat per_query_;  // the first layer's parts
  std::vector<float> per_distance_;
  Matrix row_part_;
};

/// What one thread needs to ask networks of one shape.
class NetworkMemory {
 public:
  explicit NetworkMemory(const RealtimeNetwork& network);

 private:
  friend class RealtimeNetwork;

  MutableMatrixView z(int64_t rows, int64_t units) {
    return z_.mutable_view().rows_between(0, rows).cols_between(0, units);
  }
  MutableMatrixView hidden(int64_t rows, int64_t units) {
    return hidden_.mutable_view().rows_between(0, rows).cols_between(0, units);
  }

  Matrix z_, hidden_;                           // one tile, before and after LayerNorm and ReLU
  std::optional<kernels::BfloatRows> rounded_;  // the latter for products in bf16
  std::vector<float> query_part_, sum_;
};

}  // namespace darp
