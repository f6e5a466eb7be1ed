#include "darp/train/torch_policy.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "darp/policy/make_retriever.h"
#include "darp/policy/neighbor_features.h"
#include "darp/retrieval/retrieval_session.h"
#include "darp/train/torch/entry.h"
#include "darp/train/torch/graph_network.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

/// What a policy with neighbours has beside its networks.
class NeighborInputs {
 public:
  NeighborInputs(const PolicyArchive& archive, const DarpSpec& darp)
      : layout_(darp.input, archive.observation_dim(), archive.action_dim()),
        states_(archive.observations().apply(archive.demonstrations().observations)),
        actions_(archive.actions().apply(archive.demonstrations().actions)),
        session_(make_retriever(darp, archive.observations(), states_,
                                archive.demonstrations().episode_ends)) {}

  void reset() { session_.reset(); }
  /// One row for each neighbour of the next query.
  at::Tensor next(std::span<const float> query) {
    const std::span<const int32_t> rows = session_.push(query).rows;
    at::Tensor inputs = at::empty({std::ssize(rows), layout_.width}, at::kFloat);
    std::span<float> out(inputs.data_ptr<float>(), static_cast<size_t>(inputs.numel()));
    for (const int32_t row : rows) {
      neighbor_features(layout_, states_.row(row), actions_.row(row), query,
                        out.first(layout_.width));
      out = out.subspan(layout_.width);
    }
    return inputs;
  }

 private:
  FeatureLayout layout_;
  Matrix states_, actions_;  // standardised
  RetrievalSession session_;
};

class TorchPolicy final : public Policy {
 public:
  explicit TorchPolicy(std::shared_ptr<const PolicyArchive> archive)
      : archive_(std::move(archive)),
        network_(archive_->spec().network(),
                 archive_->spec().inputs(archive_->observation_dim(), archive_->action_dim()),
                 archive_->action_dim()),
        query_(archive_->observation_dim()),
        answer_(archive_->action_dim()),
        sum_(archive_->action_dim()) {
    if (const DarpSpec* darp = archive_->spec().darp()) neighbors_.emplace(*archive_, *darp);
  }

  int64_t observation_dim() const override { return archive_->observation_dim(); }
  int64_t action_dim() const override { return archive_->action_dim(); }
  void reset() override {
    if (neighbors_) neighbors_->reset();
  }
  void act(std::span<const float> observation, std::span<float> action) override {
    DARP_CHECK(std::ssize(action) == action_dim(), "an action of {} numbers, not {}", action.size(),
               action_dim());
    check(observation);
    archive_->observations().apply(observation, query_);
    at_torch_edge([&] { answer(); });
    for (size_t j = 0; j < sum_.size(); ++j) {
      action[j] = static_cast<float>(sum_[j] / static_cast<double>(archive_->members().size()));
      if (!std::isfinite(action[j]))
        throw Error(fmt::format("action entry {}", j), "is not finite",
                    "the observation is far from all that was demonstrated, or the policy is bad");
      action[j] =
          std::clamp(action[j], archive_->lowest_action()[j], archive_->highest_action()[j]);
    }
  }

 private:
  void check(std::span<const float> observation) const {
    if (std::ssize(observation) != observation_dim())
      throw Error(
          "observation",
          fmt::format("has {} numbers, the policy takes {}", observation.size(), observation_dim()),
          "use the environment and observation parts that the policy was trained for");
    for (size_t j = 0; j < observation.size(); ++j)
      if (!std::isfinite(observation[j]))
        throw Error(fmt::format("observation entry {}", j), "is not finite",
                    "check the sensor or simulator that gave it");
  }
  /// The members' actions for query_, into sum_.
  void answer() {
    const at::NoGradGuard no_gradient;
    const at::Tensor inputs =
        neighbors_ ? neighbors_->next(query_) : to_tensor(query_, at::kCPU).unsqueeze(0);
    std::ranges::fill(sum_, 0.0);
    for (const std::vector<float>& member : archive_->members()) {
      const at::Tensor mean = network_(to_tensor(member, at::kCPU), inputs).mean(0);
      const auto standardized = std::span(mean.data_ptr<float>(), answer_.size());
      archive_->actions().invert(standardized, answer_);
      for (size_t j = 0; j < sum_.size(); ++j) sum_[j] += static_cast<double>(answer_[j]);
    }
  }

  std::shared_ptr<const PolicyArchive> archive_;
  GraphNetwork network_;
  std::optional<NeighborInputs> neighbors_;  // none for kinds without
  std::vector<float> query_, answer_;
  std::vector<double> sum_;
};

}  // namespace

namespace with_torch {

std::unique_ptr<Policy> make_torch_policy(std::shared_ptr<const PolicyArchive> archive) {
  return std::make_unique<TorchPolicy>(std::move(archive));
}

}  // namespace with_torch
}  // namespace darp
