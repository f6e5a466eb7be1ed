#pragma once
// REGENT's transformer (policy/regent_network.h) laid out for acting.
//
// Everything that the residual stream is made of has its mean taken out of the weights, so that
// LayerNorm only divides; its scale and shift are part of the layer behind it. Repeating a state or
// an action to a token's width is part of the embedding. Of the last block and the head, only the
// query's place is computed.

#include <span>
#include <vector>

#include "darp/policy/policy_archive.h"
#include "darp/runtime/realtime_linear.h"

namespace darp {

class RegentMemory;

/// Immutable: threads share it. Nothing allocates after construction.
class RealtimeRegent {
 public:
  RealtimeRegent(const PolicyArchive& archive, int64_t member);

  struct Query {
    std::span<const float> state;
    MatrixView states, actions;     // the demonstrations, standardised
    std::span<const int32_t> rows;  // the neighbours, nearest first: at least one
  };

  /// The action, standardised.
  void answer(const Query& query, RegentMemory& memory, std::span<float> answer) const noexcept;

  /// Memory held.
  size_t bytes() const;

 private:
  friend class RegentMemory;

  struct Block {
    RealtimeLinear queries_keys_values, out, wide, narrow;
  };

  int64_t places() const { return 2 * retrieved_ + 1; }
  void embed(const Query& query, RegentMemory& memory) const noexcept;
  void run(const Block& block, int64_t first, RegentMemory& memory) const noexcept;

  RegentSpec spec_;
  int64_t retrieved_, width_;
  float decay_;                    // of the nearest neighbour's weight, by distance
  RealtimeLinear state_, action_;  // embeddings
  Matrix positions_;
  std::vector<Block> blocks_;
  RealtimeLinear head_;
};

/// What one thread needs to ask transformers of one shape.
class RegentMemory {
 public:
  explicit RegentMemory(const RealtimeRegent& regent);

 private:
  friend class RealtimeRegent;

  Matrix tokens_;                // states, then actions, before they are embedded
  Matrix stream_, normed_;       // places x width
  Matrix queries_keys_values_;   // places x 3 width
  Matrix key_columns_, scores_;  // width x places; places x places, of one head
  Matrix seen_, added_;          // places x width
  Matrix wide_, tanh_;           // places x 4 width
  std::vector<float> answer_;
};

}  // namespace darp
