#include <optional>

#include "darp/policy/policy_parameters.h"
#include "darp/train/torch/graph_examples.h"
#include "darp/train/torch/graph_head.h"
#include "darp/train/torch/graph_loss.h"
#include "darp/train/torch/graph_network.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

class NeighborLoss final : public GraphLoss {
 public:
  NeighborLoss(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
               at::TensorOptions options)
      : spec_(spec),
        layout_(policy_parameters(spec, examples.states.cols(), memory.actions.cols())),
        features_(spec.network_input(), examples.states.cols(), memory.actions.cols()),
        examples_(memory, examples, options) {
    DARP_CHECK(spec.retrieval() == nullptr || examples.neighbors != nullptr,
               "a kind with neighbours needs their table");
    if (examples.smoothness != nullptr) take_smoothness(*examples.smoothness);
  }

  at::Device device() const override { return examples_.device(); }
  int64_t parameter_count() const override { return layout_.count(); }

  at::Tensor operator()(const at::Tensor& flat, const QueryBatch& batch,
                        bool learning) const override {
    const at::Tensor rows = examples_.rows(batch);
    std::optional<at::Generator> dropout;
    if (learning && has_dropout()) dropout = seeded_generator(device(), batch.seed);
    at::Generator* const generator = dropout ? &*dropout : nullptr;

    const NamedTensors parameters(layout_, flat);
    const at::Tensor query = examples_.queries(batch, rows);
    const at::Tensor answers = answer(parameters, batch, rows, query, generator);
    at::Tensor loss = graph_head_loss(spec_.head(), answers, examples_.targets(rows));
    if (smooth_weight_ > 0)
      loss = loss + smooth_weight_ * roughness(parameters, rows, answers, generator);
    return loss;
  }

 private:
  bool has_dropout() const {
    return spec_.network()->dropout > 0 || spec_.aggregation().after.dropout > 0;
  }

  at::Tensor answer(const NamedTensors& parameters, const QueryBatch& batch, const at::Tensor& rows,
                    const at::Tensor& query, at::Generator* dropout) const {
    if (spec_.retrieval() == nullptr)
      return graph_network(*spec_.network(), parameters, "", query, dropout);
    const at::Tensor neighbors = examples_.neighbors(batch, rows);
    const at::Tensor states = gather_rows(examples_.states(), neighbors);
    const at::Tensor input =
        graph_features(features_, states, gather_rows(examples_.actions(), neighbors), query);
    const at::Tensor answers = graph_network(*spec_.network(), parameters, "", input, dropout);
    NeighborMask mask = examples_.mask(batch);
    if (spec_.aggregation().weighs())
      mask.weights = graph_neighbor_weights(spec_.aggregation().bandwidth,
                                            (states - query.unsqueeze(1)).norm(2, {2}), mask);
    return graph_aggregation(spec_.aggregation(), parameters, answers, mask,
                             spec_.retrieval()->kept(), dropout);
  }

  void take_smoothness(const Smoothness& smoothness) {
    smooth_weight_ = smoothness.weight;
    const NeighborTable& table = *smoothness.neighbors;
    at::Tensor rows = at::zeros({table.queries(), table.width()}, at::kInt);
    for (int64_t q = 0; q < table.queries(); ++q)
      std::ranges::copy(table.rows(q), rows.data_ptr<int32_t>() + q * table.width());
    smooth_rows_ = rows.to(device());
    smooth_weights_ = to_tensor(
        MatrixView(smoothness.weights.data(), table.queries(), table.width(), table.width()),
        examples_.options());
  }

  /// How much answers differ from those for their neighbours.
  at::Tensor roughness(const NamedTensors& parameters, const at::Tensor& rows,
                       const at::Tensor& answers, at::Generator* dropout) const {
    const at::Tensor near = gather_rows(examples_.states(), smooth_rows_.index_select(0, rows));
    const at::Tensor theirs = graph_network(*spec_.network(), parameters, "", near, dropout);
    const at::Tensor apart = (answers.unsqueeze(1) - theirs).square().mean(2);
    return (smooth_weights_.index_select(0, rows) * apart).sum(1).mean();
  }

  PolicySpec spec_;
  ParameterLayout layout_;
  FeatureLayout features_;
  GraphExamples examples_;
  double smooth_weight_ = 0;
  at::Tensor smooth_rows_, smooth_weights_;  // queries x neighbours; the latter 0 where none is
};

}  // namespace

std::unique_ptr<GraphLoss> make_neighbor_loss(const PolicySpec& spec, const MemoryRows& memory,
                                              const Examples& examples, at::TensorOptions options) {
  return std::make_unique<NeighborLoss>(spec, memory, examples, options);
}

}  // namespace darp
