#include "darp/runtime/realtime_set_transformer.h"

#include <algorithm>

#include "darp/kernels/transpose.h"

namespace darp {

namespace {

using kernels::whole_tiles;
using set_transformer::kNeighbors;

int64_t tiles_of(int64_t neighbors) {
  return (neighbors + kNeighbors - 1) / kNeighbors;
}

/// fc_q and fc_v added.
RealtimeLinear joined(const NamedParameters& numbers, const std::string& name) {
  Matrix weight = Matrix::copy_of(numbers.matrix(name + ".fc_q.weight"));
  const MatrixView other = numbers.matrix(name + ".fc_v.weight");
  const auto a = numbers.vector(name + ".fc_q.bias"), b = numbers.vector(name + ".fc_v.bias");
  std::vector<float> bias;
  for (int64_t i = 0; i < weight.rows(); ++i) {
    for (int64_t j = 0; j < weight.cols(); ++j) weight(i, j) += other(i, j);
    bias.push_back(a[i] + b[i]);
  }
  return {weight, bias};
}

}  // namespace

RealtimeSetTransformer::RealtimeSetTransformer(const AggregationSettings& settings, int64_t inputs,
                                               int64_t outputs,
                                               const std::vector<Parameter>& parameters,
                                               const std::string& prefix,
                                               std::span<const float> numbers)
    : settings_(settings), inputs_(inputs) {
  const NamedParameters named{parameters, prefix, numbers};
  const auto linear = [&](const std::string& name) {
    return RealtimeLinear(named.matrix(name + ".weight"), named.vector(name + ".bias"));
  };
  for (const std::string name : {"enc.0", "enc.1"}) {
    pooling_.emplace_back(named, name + ".mab0", name + ".I", settings.heads);
    spreading_.emplace_back(named, name + ".mab1", settings.heads);
  }
  pooling_.emplace_back(named, "dec.0.mab", "dec.0.S", settings.heads);
  for (const std::string name : {"dec.1.mab", "dec.2.mab"})
    last_blocks_.push_back({joined(named, name), linear(name + ".fc_o")});
  last_ = linear("dec.3");
  DARP_CHECK(last_.weight.outer() == outputs, "{} outputs, not {}", last_.weight.outer(), outputs);
}

/// A tile of neighbours: what the first block's points see of them, and their queries there.
void RealtimeSetTransformer::take_features(MatrixView features, MutableMatrixView queries,
                                           SetTransformerMemory& memory) const noexcept {
  const int64_t count = features.rows();
  const MutableMatrixView columns = memory.inputs_.mutable_view().cols_between(0, queries.cols());
  kernels::transpose(features, columns.cols_between(0, count));
  MatrixView rows = features;
  if (inputs_ != whole_tiles(inputs_)) {
    const MutableMatrixView wide =
        memory.rows_.mutable_view().rows_between(0, count).cols_between(0, whole_tiles(inputs_));
    copy(features, wide.cols_between(0, inputs_));
    rows = wide;
  }
  pooling_[0].take(columns, rows, memory.pooling_);
  spreading_[0].make_queries(columns, queries);
}

/// What comes out of an encoder's block for a tile, and what the points of the next see of it.
MatrixView RealtimeSetTransformer::take_encoded(int64_t block, int64_t count,
                                                MutableMatrixView queries,
                                                SetTransformerMemory& memory) const noexcept {
  const int64_t width = settings_.width;
  const MutableMatrixView columns = memory.middle_.mutable_view().cols_between(0, queries.cols());
  const MutableMatrixView rows =
      memory.rows_.mutable_view().rows_between(0, count).cols_between(0, whole_tiles(width));
  spreading_[block].spread(queries, memory.spreading_, columns);
  kernels::transpose(columns.cols_between(0, count), rows.cols_between(0, width));
  pooling_[block + 1].take(columns, rows, memory.pooling_);
  return columns;
}

void RealtimeSetTransformer::answer(MatrixView features, SetTransformerMemory& memory,
                                    std::span<float> answer) const noexcept {
  const int64_t neighbors = features.rows();
  const auto for_each_tile = [&](const auto& body) {
    for (int64_t begin = 0; begin < neighbors; begin += kNeighbors) {
      const int64_t count = std::min(kNeighbors, neighbors - begin);
      body(begin, count, memory.queries(begin / kNeighbors).cols_between(0, whole_tiles(count)));
    }
  };
  const auto summarize = [&](int64_t block) {
    pooling_[block].finish(memory.pooling_, memory.summary_.mutable_view());
    spreading_[block].look_at(memory.summary_, memory.spreading_);
  };

  pooling_[0].start(memory.pooling_);
  for_each_tile([&](int64_t begin, int64_t count, MutableMatrixView queries) {
    take_features(features.rows_between(begin, begin + count), queries, memory);
  });
  summarize(0);
  pooling_[1].start(memory.pooling_);
  for_each_tile([&](int64_t, int64_t count, MutableMatrixView queries) {
    spreading_[1].make_queries(take_encoded(0, count, queries, memory), queries);
  });
  summarize(1);
  pooling_[2].start(memory.pooling_);
  for_each_tile([&](int64_t, int64_t count, MutableMatrixView queries) {
    take_encoded(1, count, queries, memory);
  });

  const MutableMatrixView x = memory.summary_.mutable_view().rows_between(0, 1);
  pooling_[2].finish(memory.pooling_, x);
  decode(x, memory.single_.mutable_view(), answer);
}

/// The blocks that see one vector, x.
void RealtimeSetTransformer::decode(MutableMatrixView x, MutableMatrixView z,
                                    std::span<float> answer) const noexcept {
  for (const LastBlock& block : last_blocks_) {
    block.queries_and_values.apply(x, z);
    block.out.apply(z, x);
    set_transformer::add_relu(x, z);
    copy(z, x);
  }
  const auto outputs = std::ssize(answer);
  last_.apply(x, {answer.data(), 1, outputs, outputs});
}

size_t RealtimeSetTransformer::bytes() const {
  size_t sum = last_.bytes();
  for (const auto& block : pooling_) sum += block.bytes();
  for (const auto& block : spreading_) sum += block.bytes();
  for (const auto& block : last_blocks_)
    sum += block.queries_and_values.bytes() + block.out.bytes();
  return sum;
}

SetTransformerMemory::SetTransformerMemory(const RealtimeSetTransformer& transformer,
                                           int64_t most_neighbors)
    : pooling_(transformer.settings_.heads, transformer.settings_.inducing,
               transformer.settings_.width,
               std::max(transformer.inputs_, transformer.settings_.width)),
      spreading_(transformer.settings_.inducing, transformer.settings_.width) {
  const int64_t inputs = transformer.inputs_, width = transformer.settings_.width;
  rows_ = Matrix::zeros(kNeighbors, whole_tiles(std::max(inputs, width)));
  inputs_ = Matrix::zeros(inputs, kNeighbors);
  middle_ = Matrix::zeros(width, kNeighbors);
  queries_ = Matrix::zeros(tiles_of(most_neighbors) * width, kNeighbors);
  summary_ = Matrix::zeros(transformer.settings_.inducing, width);
  single_ = Matrix::zeros(1, width);
}

}  // namespace darp
