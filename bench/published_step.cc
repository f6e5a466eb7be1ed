#include "bench/published_step.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace darp::bench {
namespace {

at::Tensor tensor(MatrixView matrix) {
  return at::from_blob(const_cast<float*>(matrix.data()), {matrix.rows(), matrix.cols()},
                       {matrix.stride(), 1})
      .clone(at::MemoryFormat::Contiguous);
}

at::Tensor tensor(std::span<const float> numbers) {
  return at::from_blob(const_cast<float*>(numbers.data()), {std::ssize(numbers)}).clone();
}

}  // namespace

void use_one_torch_thread() {
  at::set_num_threads(1);
}

class PublishedStep::Tensors {
 public:
  explicit Tensors(const PolicyArchive& archive);

  void act(std::span<const float> observation, std::span<float> action);

 private:
  struct Layer {
    at::Tensor weight, bias, scale, shift;
  };

  void remember_windows(const PolicyArchive& archive);
  at::Tensor neighbors(const at::Tensor& query);
  at::Tensor network(at::Tensor inputs) const;

  int64_t k_, kept_, lookback_, seen_ = 0;
  double difference_scale_;
  at::Tensor offset_, scale_, action_offset_, action_scale_;
  at::Tensor states_, actions_;   // standardised
  at::Tensor windows_, weights_;  // [rows, lookback, dim], [rows, lookback]; the latest first
  at::Tensor past_;               // queries, the latest first
  std::vector<Layer> layers_;
};

PublishedStep::PublishedStep(const PolicyArchive& archive)
    : tensors_(std::make_unique<Tensors>(archive)) {}
PublishedStep::~PublishedStep() = default;

void PublishedStep::act(std::span<const float> observation, std::span<float> action) {
  tensors_->act(observation, action);
}

PublishedStep::Tensors::Tensors(const PolicyArchive& archive)
    : k_(archive.spec().darp()->retrieval.k),
      kept_(archive.spec().darp()->retrieval.kept()),
      lookback_(archive.spec().darp()->retrieval.history.lookback),
      difference_scale_(archive.spec().darp()->input.difference_scale),
      offset_(tensor(archive.observations().offset())),
      scale_(tensor(archive.observations().scale())),
      action_offset_(tensor(archive.actions().offset())),
      action_scale_(tensor(archive.actions().scale())),
      states_(tensor(archive.observations().apply(archive.demonstrations().observations).view())),
      actions_(tensor(archive.actions().apply(archive.demonstrations().actions).view())),
      past_(at::zeros({lookback_, archive.observation_dim()})) {
  remember_windows(archive);
  const std::span<const float> numbers = archive.members().front();
  const auto part = [&](const Parameter& p) {
    return p.size > 0 ? tensor(numbers.subspan(p.offset, p.size)).view(p.shape) : at::Tensor();
  };
  for (const LayerParameters& layer : layer_parameters(archive.parameters()))
    layers_.push_back({part(layer.weight), part(layer.bias), part(layer.scale), part(layer.shift)});
}

/// The past of every row within its episode: states, and weights that are 0 where there is none.
void PublishedStep::Tensors::remember_windows(const PolicyArchive& archive) {
  const double rate = archive.spec().darp()->retrieval.history.rate;
  const int64_t rows = states_.size(0);
  at::Tensor places = at::zeros({rows, lookback_}, at::kLong);
  weights_ = at::zeros({rows, lookback_});
  int64_t begin = 0;
  for (const int64_t end : archive.demonstrations().episode_ends) {
    for (int64_t row = begin; row < end; ++row)
      for (int64_t n = 0; n < std::min(lookback_, row - begin + 1); ++n) {
        places.data_ptr<int64_t>()[row * lookback_ + n] = row - n;
        weights_.data_ptr<float>()[row * lookback_ + n] =
            static_cast<float>(std::pow(static_cast<double>(n + 1), rate));
      }
    begin = end;
  }
  windows_ = states_.index_select(0, places.flatten()).view({rows, lookback_, states_.size(1)});
}

/// The nearest now, of these the nearest by history.
at::Tensor PublishedStep::Tensors::neighbors(const at::Tensor& query) {
  const int64_t width = query.size(0), terms = seen_ = std::min(seen_ + 1, lookback_);
  float* past = past_.data_ptr<float>();
  std::copy_backward(past, past + (lookback_ - 1) * width, past + lookback_ * width);
  past_[0].copy_(query);

  at::Tensor distance = (states_ - query).square_().sum(1).sqrt_();
  distance.masked_fill_(distance == 0, std::numeric_limits<float>::infinity());
  const at::Tensor candidates = std::get<1>(distance.topk(k_, 0, false, false));
  const at::Tensor history = windows_.index_select(0, candidates)
                                 .slice(1, 0, terms)
                                 .sub_(past_.slice(0, 0, terms))
                                 .square_()
                                 .sum(2)
                                 .sqrt_()
                                 .mul_(weights_.index_select(0, candidates).slice(1, 0, terms))
                                 .sum(1);
  return candidates.index_select(0, history.argsort().slice(0, 0, kept_));
}

at::Tensor PublishedStep::Tensors::network(at::Tensor x) const {
  for (const Layer& layer : layers_) {
    x = at::linear(x, layer.weight, layer.bias);
    if (&layer == &layers_.back()) break;
    if (layer.scale.defined())
      x = at::layer_norm(x, {x.size(1)}, layer.scale, layer.shift, MlpSettings::kNormEpsilon);
    x.relu_();
  }
  return x;
}

void PublishedStep::Tensors::act(std::span<const float> observation, std::span<float> action) {
  const c10::InferenceMode no_gradient;
  const at::Tensor query =
      at::from_blob(const_cast<float*>(observation.data()), {std::ssize(observation)})
          .sub(offset_)
          .div_(scale_);
  const at::Tensor rows = neighbors(query), state = states_.index_select(0, rows);
  const at::Tensor inputs =
      at::cat({state, actions_.index_select(0, rows), (state - query).mul_(difference_scale_)}, 1);
  const at::Tensor answer = network(inputs).mean(0).mul_(action_scale_).add_(action_offset_);
  std::copy_n(answer.data_ptr<float>(), action.size(), action.begin());
}

}  // namespace darp::bench
