#pragma once
// The set transformer (policy/set_transformer.h) laid out for acting.

#include <span>
#include <string>
#include <vector>

#include "darp/runtime/realtime_set_transformer_blocks.h"

namespace darp {

class SetTransformerMemory;

/// Immutable: threads share it. Nothing allocates after construction.
class RealtimeSetTransformer {
 public:
  /// @param parameters among others those named `prefix`...; `numbers` is laid out by them
  RealtimeSetTransformer(const AggregationSettings& settings, int64_t inputs, int64_t outputs,
                         const std::vector<Parameter>& parameters, const std::string& prefix,
                         std::span<const float> numbers);

  /// What it makes of the neighbours, a row of `features` each, at least one and at most as many as
  /// the memory is for.
  void answer(MatrixView features, SetTransformerMemory& memory,
              std::span<float> answer) const noexcept;

  /// Memory held.
  size_t bytes() const;

 private:
  friend class SetTransformerMemory;

  /// mab(x, x) of one vector, which sees itself alone: O = fc_q(x) + fc_v(x), one product.
  struct LastBlock {
    RealtimeLinear queries_and_values, out;
  };

  void take_features(MatrixView features, MutableMatrixView queries,
                     SetTransformerMemory& memory) const noexcept;
  MatrixView take_encoded(int64_t block, int64_t count, MutableMatrixView queries,
                          SetTransformerMemory& memory) const noexcept;
  void decode(MutableMatrixView x, MutableMatrixView z, std::span<float> answer) const noexcept;

  AggregationSettings settings_;
  int64_t inputs_;
  std::vector<set_transformer::PoolingBlock> pooling_;      // enc.0.mab0, enc.1.mab0, dec.0.mab
  std::vector<set_transformer::SpreadingBlock> spreading_;  // enc.0.mab1, enc.1.mab1
  std::vector<LastBlock> last_blocks_;                      // dec.1.mab, dec.2.mab
  RealtimeLinear last_;
};

/// What one thread needs to ask set transformers of one shape.
class SetTransformerMemory {
 public:
  SetTransformerMemory(const RealtimeSetTransformer& transformer, int64_t most_neighbors);

 private:
  friend class RealtimeSetTransformer;

  MutableMatrixView queries(int64_t tile) {
    const int64_t rows = middle_.rows();
    return queries_.mutable_view().rows_between(tile * rows, (tile + 1) * rows);
  }

  Matrix rows_;             // a tile's features as rows, whole_tiles wide
  Matrix inputs_, middle_;  // as columns: before and after the first block
  Matrix queries_;          // all tiles'
  Matrix summary_, single_;
  set_transformer::PoolingMemory pooling_;
  set_transformer::SpreadingMemory spreading_;
};

}  // namespace darp
