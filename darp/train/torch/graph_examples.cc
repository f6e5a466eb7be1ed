#include "darp/train/torch/graph_examples.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>

#include "darp/retrieval/neighbor_sample.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {

at::Generator seeded_generator(at::Device device, uint64_t seed) {
  if (device.is_cpu()) return at::detail::createCPUGenerator(seed);
  // One for a GPU could only be made with CUDA's headers, and copies of generators leak.
  at::Generator shared = at::globalContext().defaultGenerator(device);
  shared.set_current_seed(seed);
  return shared;
}

GraphExamples::GraphExamples(const MemoryRows& memory, const Examples& examples,
                             at::TensorOptions options) {
  DARP_CHECK(examples.states.rows() == examples.actions.rows(), "{} states, {} actions",
             examples.states.rows(), examples.actions.rows());
  queries_ = to_tensor(examples.states, options);
  targets_ = to_tensor(examples.actions, options);
  states_ = to_tensor(memory.states, options);
  actions_ = to_tensor(memory.actions, options);
  if (examples.neighbors == nullptr) return;
  DARP_CHECK(memory.states.rows() == memory.actions.rows() &&
                 memory.states.cols() == examples.states.cols(),
             "the memory does not fit the examples");
  const NeighborTable& table = *examples.neighbors;
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

at::Tensor GraphExamples::rows(const QueryBatch& batch) const {
  DARP_CHECK(!batch.queries.empty(), "a batch of no queries");
  for (const int64_t query : batch.queries)
    DARP_CHECK(query >= 0 && query < queries_.size(0), "query {} of {}", query, queries_.size(0));
  return to_tensor(batch.queries, device());
}

at::Tensor GraphExamples::queries(const QueryBatch& batch, const at::Tensor& rows) const {
  const at::Tensor states = queries_.index_select(0, rows);
  if (batch.noise.rows() == 0) return states;
  DARP_CHECK(
      batch.noise.rows() == std::ssize(batch.queries) && batch.noise.cols() == queries_.size(1),
      "noise of {} x {} for {} queries of {} numbers", batch.noise.rows(), batch.noise.cols(),
      batch.queries.size(), queries_.size(1));
  return states + to_tensor(batch.noise, states.options());
}

int64_t GraphExamples::widest(const QueryBatch& batch) const {
  int64_t most = 0;
  for (const int64_t query : batch.queries) most = std::max(most, counts_[query]);
  return batch.neighbor_sample > 0 ? std::min(most, batch.neighbor_sample) : most;
}

at::Tensor GraphExamples::neighbors(const QueryBatch& batch, const at::Tensor& rows) const {
  const at::Tensor all = neighbors_.index_select(0, rows);
  if (batch.neighbor_sample == 0) return all.narrow(1, 0, widest(batch));
  at::Tensor places = at::zeros({std::ssize(batch.queries), widest(batch)}, at::kLong);
  for (int64_t q = 0; q < std::ssize(batch.queries); ++q)
    std::ranges::copy(
        sampled_places(batch.seed, q, counts_[batch.queries[q]], batch.neighbor_sample),
        places.data_ptr<int64_t>() + q * places.size(1));
  return all.gather(1, places.to(device()));
}

NeighborMask GraphExamples::mask(const QueryBatch& batch) const {
  const int64_t width = widest(batch);
  std::vector<int64_t> counts;
  for (const int64_t query : batch.queries) counts.push_back(std::min(counts_[query], width));
  if (std::ranges::count(counts, width) == std::ssize(counts)) return {};
  // In the answers' type, hence a copy: the gradient needs it after `counts` is gone.
  const at::Tensor count = to_tensor(counts, device()).to(queries_.scalar_type()).unsqueeze(1);
  return {at::arange(width, count.options()).unsqueeze(0) < count, count};
}

at::Tensor gather_rows(const at::Tensor& from, const at::Tensor& neighbors) {
  return from.index_select(0, neighbors.flatten())
      .view({neighbors.size(0), neighbors.size(1), from.size(1)});
}

at::Tensor graph_features(const FeatureLayout& layout, const at::Tensor& states,
                          const at::Tensor& actions, const at::Tensor& query,
                          const at::Tensor& unit) {
  at::Tensor difference = states - query.unsqueeze(1);
  if (unit.defined()) difference = difference / unit;
  std::vector<at::Tensor> parts;
  if (layout.state >= 0) parts.push_back(states);
  if (layout.action >= 0) parts.push_back(actions);
  if (layout.difference >= 0) parts.push_back(difference * layout.scale);
  if (layout.distance >= 0)
    parts.push_back(difference.square().sum(2, /*keepdim=*/true).sqrt() * layout.scale);
  if (layout.query >= 0) parts.push_back(query.unsqueeze(1).expand_as(states));
  return at::cat(parts, 2);
}

}  // namespace darp
