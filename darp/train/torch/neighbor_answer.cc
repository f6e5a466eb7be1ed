#include <algorithm>
#include <optional>

#include "darp/policy/make_retriever.h"
#include "darp/policy/neighbor_features.h"
#include "darp/retrieval/retrieval_session.h"
#include "darp/train/torch/graph_aggregation.h"
#include "darp/train/torch/graph_network.h"
#include "darp/train/torch/torch_answer.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

/// What a policy with neighbours has beside its networks.
class NeighborInputs {
 public:
  explicit NeighborInputs(const PolicyArchive& archive)
      : layout_(archive.spec().network_input(), archive.observation_dim(), archive.action_dim()),
        states_(archive.observations().apply(archive.demonstrations().observations)),
        actions_(archive.actions().apply(archive.demonstrations().actions)),
        session_(make_retriever(*archive.spec().retrieval(), archive.observations(), states_,
                                archive.demonstrations().episode_ends)) {}

  void reset(uint64_t seed) { session_.reset(seed); }
  /// One row for each neighbour of the next query.
  at::Tensor next(std::span<const float> query) {
    const std::span<const int32_t> rows = session_.push(query).rows;
    at::Tensor inputs = at::empty({std::ssize(rows), layout_.width}, at::kFloat);
    std::span<float> out(inputs.data_ptr<float>(), static_cast<size_t>(inputs.numel()));
    at::Tensor near = at::empty({1, std::ssize(rows), std::ssize(query)}, at::kFloat);
    float* state = near.data_ptr<float>();
    for (const int32_t row : rows) {
      state = std::ranges::copy(states_.row(row), state).out;
      neighbor_features(layout_, states_.row(row), actions_.row(row), query,
                        out.first(layout_.width));
      out = out.subspan(layout_.width);
    }
    lengths_ = (near - to_tensor(query, at::kCPU)).norm(2, {2});
    return inputs;
  }
  /// Of those neighbours' differences to the query, 1 x neighbours.
  const at::Tensor& lengths() const { return lengths_; }

 private:
  FeatureLayout layout_;
  Matrix states_, actions_;  // standardised
  RetrievalSession session_;
  at::Tensor lengths_;
};

class NeighborAnswer final : public TorchAnswer {
 public:
  explicit NeighborAnswer(std::shared_ptr<const PolicyArchive> archive)
      : archive_(std::move(archive)), layout_(archive_->parameters()) {
    if (archive_->spec().retrieval() != nullptr) neighbors_.emplace(*archive_);
  }

  void reset(uint64_t seed) override {
    if (neighbors_) neighbors_->reset(seed);
  }
  void see(std::span<const float> query) override {
    inputs_ =
        neighbors_ ? neighbors_->next(query) : to_tensor(query, at::kCPU).unsqueeze(0).clone();
  }
  at::Tensor answer(int64_t member, Rng) override {
    const PolicySpec& spec = archive_->spec();
    const NamedTensors parameters(layout_, to_tensor(archive_->members()[member], at::kCPU));
    const at::Tensor each = graph_network(*spec.network(), parameters, "", inputs_);
    if (!neighbors_) return each.squeeze(0);
    NeighborMask mask;
    if (spec.aggregation().weighs())
      mask.weights =
          graph_neighbor_weights(spec.aggregation().bandwidth, neighbors_->lengths(), mask);
    return graph_aggregation(spec.aggregation(), parameters, each.unsqueeze(0), mask,
                             spec.retrieval()->kept())
        .squeeze(0);
  }

 private:
  std::shared_ptr<const PolicyArchive> archive_;
  ParameterLayout layout_;
  std::optional<NeighborInputs> neighbors_;  // none for kinds without
  at::Tensor inputs_;                        // of the last step, a row for each neighbour
};

}  // namespace

std::unique_ptr<TorchAnswer> make_neighbor_answer(std::shared_ptr<const PolicyArchive> archive) {
  return std::make_unique<NeighborAnswer>(std::move(archive));
}

}  // namespace darp
