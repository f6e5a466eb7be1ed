#include "darp/train/fused_step.h"

#include <algorithm>
#include <cmath>

#include "darp/kernels/row_sums.h"
#include "darp/policy/neighbor_weights.h"

namespace darp {
namespace {

using kernels::PackedFloat;

/// The rows' states and actions side by side.
Matrix joined_rows(const MemoryRows& memory) {
  const int64_t states = memory.states.cols(), actions = memory.actions.cols();
  Matrix rows = Matrix::zeros(memory.states.rows(), states + actions);
  for (int64_t i = 0; i < rows.rows(); ++i) {
    std::copy_n(memory.states.row(i).data(), states, rows.row(i).data());
    std::copy_n(memory.actions.row(i).data(), actions, rows.row(i).data() + states);
  }
  return rows;
}

float distance(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(sum);
}

}  // namespace

void grow(Matrix& matrix, int64_t rows, int64_t cols) {
  if (matrix.rows() < rows || matrix.cols() != cols) matrix = Matrix::zeros(rows, cols);
}

template <class Products>
FusedStep<Products>::FusedStep(const PolicySpec& spec, const MemoryRows& memory,
                               const Examples& examples, ThreadPool& pool)
    : examples_(examples),
      states_(memory.states),
      pool_(pool),
      layout_(spec.network_input(), examples.states.cols(), memory.actions.cols()),
      head_(spec.head()),
      bandwidth_(spec.aggregation().weighs() ? spec.aggregation().bandwidth : 0),
      batch_(memory.states.rows()),
      compared_(memory.states.rows()) {
  DARP_CHECK(!spec.retrieval() || examples.neighbors, "neighbours are missing");
  const auto parameters =
      network_parameters(*spec.network(), layout_.width, head_.outputs(examples.actions.cols()));
  parameters_ = layer_parameters(parameters);
  count_ = darp::parameter_count(parameters);
  if (examples.neighbors) rows_ = joined_rows(memory);
  for (const int64_t units : spec.network()->hidden) layers_.emplace_back().units = units;
}

template <class Products>
void FusedStep<Products>::prepare(std::span<const float> parameters, const QueryBatch& batch) {
  DARP_CHECK(!batch.queries.empty(), "an empty batch");
  DARP_CHECK(std::ssize(parameters) == count_, "{} parameters", parameters.size());
  current_ = parameters;
  batch_queries_ = std::ssize(batch.queries);
  batch_.set(examples_, batch);
  if (const Smoothness* smooth = smoothness()) {
    compared_.set({.states = {}, .actions = {}, .neighbors = smooth->neighbors}, {batch.queries});
    batch_.set_alone(batch_queries_ + std::ssize(compared_.rows()));
  }
  set_queries(batch);
  pack_weights();
  evaluate_first_layer();
  if (layout_.distance >= 0 || weighs()) measure_distances();
  if (weighs()) weigh_pairs();
}

template <class Products>
void FusedStep<Products>::set_queries(const QueryBatch& batch) {
  grow(queries_, queries(), examples_.states.cols());
  grow(targets_, batch_queries_, actions());
  query_ends_.resize(queries());
  for (int64_t q = 0; q < queries(); ++q) query_ends_[q] = batch_.pairs_end(q);
  for (int64_t q = 0; q < batch_queries_; ++q) {
    const int64_t example = batch.queries[q];
    std::copy_n(examples_.states.row(example).data(), queries_.cols(), queries_.row(q).data());
    std::copy_n(examples_.actions.row(example).data(), actions(), targets_.row(q).data());
    if (batch.noise.rows() > 0) kernels::add(batch.noise.row(q), queries_.row(q).data());
  }
  for (int64_t q = batch_queries_; q < queries(); ++q)
    std::copy_n(states_.row(compared_.rows()[q - batch_queries_]).data(), queries_.cols(),
                queries_.row(q).data());
}

template <class Products>
void FusedStep<Products>::pack_weights() {
  const size_t last = layers_.size();
  const auto weight = [&](size_t l) { return parameters_[l].weight_in(current_.data()); };
  split_ = split_first_layer(layout_, weight(0));
  constexpr auto kForward = PackedFloat::Factor::kTransposedWeight;
  pool_.parallel_for(static_cast<int64_t>(2 * last + 2), 1, [&](int64_t job, int64_t) {
    const size_t l = static_cast<size_t>(job / 2);
    const bool forward = job % 2 == 0;
    if (l == 0)
      forward ? per_row_.pack(split_.per_row, kForward)
              : per_query_.pack(split_.per_query, kForward);
    else if (l == last)
      forward ? output_.pack(weight(last), kForward)
              : output_back_.pack(weight(last), PackedFloat::Factor::kWeight);
    else
      Products::pack(forward ? layers_[l].forward : layers_[l].backward, weight(l), forward);
  });
  for (size_t l = 0; l < last; ++l) {
    layers_[l].bias = numbers(parameters_[l].bias);
    if (parameters_[l].scale.size > 0)
      layers_[l].norm = {numbers(parameters_[l].scale).data(),
                         numbers(parameters_[l].shift).data()};
  }
}

template <class Products>
void FusedStep<Products>::evaluate_first_layer() {
  constexpr int64_t kChunk = 192;  // rows
  grow(query_part_, queries(), first_units());
  kernels::multiply(query_states(), per_query_, layers_[0].bias,
                    query_part_.mutable_view().rows_between(0, queries()));
  if (!examples_.neighbors) return;
  const std::span<const int32_t> met = batch_.rows();
  grow(row_part_, std::ssize(met), first_units());
  pool_.parallel_for(std::ssize(met), kChunk, [&](int64_t begin, int64_t end) {
    Matrix shown = Matrix::uninitialized(end - begin, rows_.cols());
    for (int64_t s = begin; s < end; ++s)
      std::copy_n(rows_.row(met[s]).data(), rows_.cols(), shown.row(s - begin).data());
    kernels::multiply(shown, per_row_, {}, row_part_.mutable_view().rows_between(begin, end));
  });
}

template <class Products>
void FusedStep<Products>::measure_distances() {
  distances_.resize(pairs());
  const size_t width = examples_.states.cols();
  pool_.parallel_for(queries(), 1, [&](int64_t q, int64_t) {
    for (int64_t p = pairs_begin(q); p < pairs_end(q); ++p) {
      const std::span<const float> row = std::as_const(rows_).row(batch_.rows()[batch_.slots()[p]]);
      distances_[p] = distance(row.first(width), queries_.row(q));
    }
  });
}

template <class Products>
void FusedStep<Products>::weigh_pairs() {
  weights_.resize(pairs());
  for (int64_t q = 0; q < queries(); ++q) {
    const int64_t begin = pairs_begin(q), count = pairs_end(q) - begin;
    neighbor_weights(bandwidth_, {&distances_[begin], static_cast<size_t>(count)},
                     {&weights_[begin], static_cast<size_t>(count)});
  }
}

template <class Products>
void FusedStep<Products>::copy_rows(const BlockPairs& block, MutableMatrixView out) const {
  for (int64_t i = 0; i < out.rows(); ++i)
    std::copy_n(rows_.row(batch_.rows()[batch_.slots()[block.begin + i]]).data(), out.cols(),
                out.row(i).data());
}

template <class Products>
BlockPairs FusedStep<Products>::block_from(int64_t query, int64_t end) const {
  BlockPairs block;
  block.first_query = query;
  block.begin = pairs_begin(query);
  block.last_query = query + 1;
  while (block.last_query < end && pairs_end(block.last_query) - block.begin <= kBlockPairs)
    ++block.last_query;
  block.end = pairs_end(block.last_query - 1);
  block.query_ends = query_ends_;
  block.weights = weights_;
  return block;
}

template <class Products>
FirstLayerInput FusedStep<Products>::first_layer() const {
  FirstLayerInput input;
  input.queries = query_part_;
  if (examples_.neighbors) {
    input.rows = row_part_;
    input.slots = batch_.slots().data();
  }
  if (layout_.distance >= 0) {
    input.distances = distances_.data();
    input.per_distance = split_.per_distance.data();
  }
  return input;
}

template class FusedStep<FloatProducts>;
template class FusedStep<BfloatProducts>;

}  // namespace darp
