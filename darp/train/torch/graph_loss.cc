#include "darp/train/torch/graph_loss.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>

#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

GraphNetwork network_of(const PolicySpec& spec, const Examples& examples) {
  spec.check();
  const int64_t states = examples.states.cols(), actions = examples.actions.cols();
  return {spec.network(), spec.inputs(states, actions), actions};
}

/// Depends on the seed and on nothing that ran before.
at::Generator seeded_generator(at::Device device, uint64_t seed) {
  if (device.is_cpu()) return at::detail::createCPUGenerator(seed);
  // One for a GPU could only be made with CUDA's headers, and copies of generators leak.
  at::Generator shared = at::globalContext().defaultGenerator(device);
  shared.set_current_seed(seed);
  return shared;
}

}  // namespace

GraphLoss::GraphLoss(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                     at::Device device, at::ScalarType type)
    : network_(network_of(spec, examples)) {
  const at::TensorOptions options = at::TensorOptions(type).device(device);
  DARP_CHECK(examples.states.rows() == examples.actions.rows(), "{} states, {} actions",
             examples.states.rows(), examples.actions.rows());
  queries_ = to_tensor(examples.states, options);
  targets_ = to_tensor(examples.actions, options);
  if (const DarpSpec* darp = spec.darp()) {
    DARP_CHECK(examples.neighbors != nullptr, "a kind with neighbours needs their table");
    layout_.emplace(darp->input, examples.states.cols(), examples.actions.cols());
    states_ = to_tensor(memory.states, options);
    actions_ = to_tensor(memory.actions, options);
    take_neighbors(memory, *examples.neighbors);
  }
}

void GraphLoss::take_neighbors(const MemoryRows& memory, const NeighborTable& table) {
  DARP_CHECK(memory.states.rows() == memory.actions.rows() &&
                 memory.states.cols() == layout_->observation_dim &&
                 memory.actions.cols() == layout_->action_dim,
             "the memory does not fit the examples");
  DARP_CHECK(table.queries() == queries_.size(0), "a table of {} queries for {} examples",
             table.queries(), queries_.size(0));
  at::Tensor rows = at::zeros({table.queries(), table.width()}, at::kInt);
  for (int64_t query = 0; query < table.queries(); ++query) {
    const std::span<const int32_t> list = table.rows(query);
    if (list.empty())
      throw Error(fmt::format("example {}", query), "has no neighbours",
                  "add demonstrations or let retrieval.exclude leave out less");
    for (const int32_t row : list)
      DARP_CHECK(row >= 0 && row < memory.states.rows(), "row {} of {}", row, memory.states.rows());
    std::ranges::copy(list, rows.data_ptr<int32_t>() + query * table.width());
    counts_.push_back(std::ssize(list));
  }
  neighbors_ = rows.to(device());
}

at::Tensor GraphLoss::operator()(const at::Tensor& parameters, const QueryBatch& batch,
                                 bool learning) const {
  DARP_CHECK(!batch.queries.empty(), "a batch of no queries");
  for (const int64_t query : batch.queries)
    DARP_CHECK(query >= 0 && query < queries_.size(0), "query {} of {}", query, queries_.size(0));

  std::optional<at::Generator> dropout;
  if (learning && network_.has_dropout()) dropout = seeded_generator(device(), batch.seed);
  at::Generator* const generator = dropout ? &*dropout : nullptr;

  const at::Tensor rows = to_tensor(batch.queries, device());
  const at::Tensor query = query_states(batch, rows), target = targets_.index_select(0, rows);
  if (!layout_) return at::mse_loss(network_(parameters, query, generator), target);

  const auto count = [&](int64_t q) { return counts_[q]; };
  const int64_t widest = std::ranges::max(batch.queries, {}, count);
  const int64_t width = counts_[widest];
  const at::Tensor neighbors = neighbors_.index_select(0, rows).narrow(1, 0, width);
  const at::Tensor answers = network_(parameters, features(neighbors, query), generator);
  return at::mse_loss(average(answers, batch), target);
}

at::Tensor GraphLoss::query_states(const QueryBatch& batch, const at::Tensor& rows) const {
  const at::Tensor states = queries_.index_select(0, rows);
  if (batch.noise.rows() == 0) return states;
  DARP_CHECK(
      batch.noise.rows() == std::ssize(batch.queries) && batch.noise.cols() == queries_.size(1),
      "noise of {} x {} for {} queries of {} numbers", batch.noise.rows(), batch.noise.cols(),
      batch.queries.size(), queries_.size(1));
  return states + to_tensor(batch.noise, states.options());
}

/// neighbor_features.h for all neighbours of all queries: queries x neighbours x width.
at::Tensor GraphLoss::features(const at::Tensor& neighbors, const at::Tensor& query) const {
  const int64_t queries = neighbors.size(0), width = neighbors.size(1);
  const at::Tensor rows = neighbors.flatten();
  const auto gather = [&](const at::Tensor& from) {
    return from.index_select(0, rows).view({queries, width, from.size(1)});
  };
  const at::Tensor state = gather(states_);
  const at::Tensor difference = state - query.unsqueeze(1);
  std::vector<at::Tensor> parts;
  if (layout_->state >= 0) parts.push_back(state);
  if (layout_->action >= 0) parts.push_back(gather(actions_));
  if (layout_->difference >= 0) parts.push_back(difference * layout_->scale);
  if (layout_->distance >= 0)
    parts.push_back(difference.square().sum(2, /*keepdim=*/true).sqrt() * layout_->scale);
  if (layout_->query >= 0) parts.push_back(query.unsqueeze(1).expand_as(state));
  return at::cat(parts, 2);
}

/// The mean over each query's own neighbours.
at::Tensor GraphLoss::average(const at::Tensor& answers, const QueryBatch& batch) const {
  static_assert(std::variant_size_v<Aggregation> == 1, "aggregate by the spec's kind");
  std::vector<int64_t> counts;
  for (const int64_t query : batch.queries) counts.push_back(counts_[query]);
  const int64_t width = answers.size(1);
  if (std::ranges::count(counts, width) == std::ssize(counts)) return answers.mean(1);
  // In the answers' type, hence a copy: the gradient needs it after `counts` is gone.
  const at::Tensor count = to_tensor(counts, device()).to(answers.scalar_type()).unsqueeze(1);
  const at::Tensor own = at::arange(width, count.options()).unsqueeze(0) < count;
  return (answers * own.unsqueeze(2)).sum(1) / count;
}

}  // namespace darp
