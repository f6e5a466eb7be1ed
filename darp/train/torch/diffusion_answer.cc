#include <algorithm>
#include <optional>

#include "darp/policy/action_chunks.h"
#include "darp/policy/make_retriever.h"
#include "darp/policy/noise_schedule.h"
#include "darp/retrieval/retrieval_session.h"
#include "darp/train/torch/graph_examples.h"
#include "darp/train/torch/graph_unet.h"
#include "darp/train/torch/torch_answer.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

/// The last observations side by side, newest last; before the first it is repeated.
class ObservationStack {
 public:
  ObservationStack(int64_t horizon, int64_t dim) : dim_(dim), numbers_(horizon * dim) {}

  void reset() { empty_ = true; }
  void push(std::span<const float> observation) {
    if (empty_)
      for (auto at = numbers_.begin(); at != numbers_.end(); at += dim_)
        std::ranges::copy(observation, at);
    empty_ = false;
    std::shift_left(numbers_.begin(), numbers_.end(), dim_);
    std::ranges::copy(observation, numbers_.end() - dim_);
  }
  std::span<const float> numbers() const { return numbers_; }

 private:
  int64_t dim_;
  std::vector<float> numbers_;
  bool empty_ = true;
};

/// What the network is told of each neighbour.
class NeighborConditions {
 public:
  explicit NeighborConditions(const PolicyArchive& archive)
      : NeighborConditions(archive,
                           archive.observations().apply(archive.demonstrations().observations)) {}

  void reset(uint64_t seed) { session_.reset(seed); }
  /// Retrieval sees the newest observation alone. An observation that is refused changes nothing.
  void find(std::span<const float> observation) { session_.push(observation); }
  /// A row for each neighbour that was found. `stack` is 1 x columns.
  at::Tensor of(const at::Tensor& stack) const {
    const std::span<const int32_t> found = session_.neighbors().rows;
    const at::Tensor rows = at::tensor(at::ArrayRef<int32_t>(found.data(), found.size()), at::kInt);
    return graph_features(layout_, states_.index_select(0, rows).unsqueeze(0),
                          actions_.index_select(0, rows).unsqueeze(0), stack, half_range_)
        .squeeze(0);
  }

 private:
  NeighborConditions(const PolicyArchive& archive, const Matrix& observations)
      : layout_(archive.spec().network_input(),
                archive.observation_dim() * archive.spec().observation_horizon(),
                archive.action_dim()),
        states_(to_tensor(stacked_observations(observations, archive.demonstrations().episode_ends,
                                               archive.spec().observation_horizon()),
                          at::kFloat)),
        actions_(to_tensor(archive.actions().apply(archive.demonstrations().actions), at::kFloat)),
        half_range_(to_tensor(archive.calibration(), at::kCPU)),
        session_(make_retriever(*archive.spec().retrieval(), archive.observations(), observations,
                                archive.demonstrations().episode_ends)) {}

  FeatureLayout layout_;
  at::Tensor states_, actions_;  // standardised, states stacked
  at::Tensor half_range_;        // the archive's memory
  RetrievalSession session_;
};

class DiffusionAnswer final : public TorchAnswer {
 public:
  explicit DiffusionAnswer(std::shared_ptr<const PolicyArchive> archive)
      : archive_(std::move(archive)),
        layout_(archive_->parameters()),
        way_(NoiseSchedule(denoising().training_steps).ddim_steps(denoising().sampling_steps)),
        stack_(archive_->spec().observation_horizon(), archive_->observation_dim()) {
    if (archive_->spec().retrieval() != nullptr) neighbors_.emplace(*archive_);
  }

  void reset(uint64_t seed) override {
    stack_.reset();
    if (neighbors_) neighbors_->reset(seed);
  }
  void see(std::span<const float> query) override {
    if (neighbors_) neighbors_->find(query);
    stack_.push(query);
    const at::Tensor stack = to_tensor(stack_.numbers(), at::kCPU).unsqueeze(0);
    conditions_ = neighbors_ ? neighbors_->of(stack) : stack.clone();
  }

  at::Tensor answer(int64_t member, Rng draws) override {
    const NamedTensors parameters(layout_, to_tensor(archive_->members()[member], at::kCPU));
    const int64_t places = conditions_.size(0), chains = averages_chunks() ? places : 1;
    at::Tensor x = first_noise(draws).repeat({chains, 1, 1});
    for (const DdimStep& step : way_) {
      at::Tensor noise = graph_unet(archive_->spec().diffusion()->unet, parameters, "unet.",
                                    x.expand({places, -1, -1}),
                                    at::full({places}, step.step, at::kLong), conditions_);
      if (chains == 1) noise = noise.mean(0, /*keepdim=*/true);
      take_away(step, noise.contiguous(), x);
    }
    return x.mean(0).flatten();
  }

 private:
  const DenoisingSettings& denoising() const { return archive_->spec().diffusion()->denoising; }
  bool averages_chunks() const {
    const auto* retrieving = archive_->spec().as<DarpDiffusionSpec>();
    return retrieving != nullptr && retrieving->average == DarpDiffusionSpec::Average::kChunk;
  }

  /// Where every chain starts.
  at::Tensor first_noise(Rng draws) const {
    const PolicySpec& spec = archive_->spec();
    at::Tensor x = at::zeros({1, spec.chunk.length, archive_->action_dim()}, at::kFloat);
    if (spec.acting == Acting::kMode) return x;
    std::generate_n(x.data_ptr<float>(), x.numel(),
                    [&] { return static_cast<float>(draws.normal()); });
    return x;
  }

  void take_away(const DdimStep& step, const at::Tensor& noise, at::Tensor& x) const {
    const std::span<const float> eps(noise.data_ptr<float>(), static_cast<size_t>(noise.numel()));
    const double clip = denoising().clip;
    std::transform(eps.begin(), eps.end(), x.data_ptr<float>(), x.data_ptr<float>(),
                   [&](double e, double at) { return static_cast<float>(step.next(at, e, clip)); });
  }

  std::shared_ptr<const PolicyArchive> archive_;
  ParameterLayout layout_;
  std::vector<DdimStep> way_;
  ObservationStack stack_;
  std::optional<NeighborConditions> neighbors_;  // none for the kind without
  at::Tensor conditions_;                        // of the last step: a row for each neighbour
};

}  // namespace

std::unique_ptr<TorchAnswer> make_diffusion_answer(std::shared_ptr<const PolicyArchive> archive) {
  return std::make_unique<DiffusionAnswer>(std::move(archive));
}

}  // namespace darp
