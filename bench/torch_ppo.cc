#include "bench/torch_ppo.h"

#include <torch/torch.h>

#include <cmath>
#include <numbers>

#include "darp/core/error.h"
#include "darp/core/openblas.h"

namespace darp::bench {
namespace {

torch::Tensor tensor(MatrixView matrix) {
  return torch::from_blob(const_cast<float*>(matrix.data()), {matrix.rows(), matrix.cols()},
                          {matrix.stride(), 1})
      .clone(torch::MemoryFormat::Contiguous);
}

torch::Tensor tensor(std::span<const float> numbers) {
  return torch::from_blob(const_cast<float*>(numbers.data()), {std::ssize(numbers)}).clone();
}

torch::Tensor indices(std::span<const int64_t> rows) {
  return torch::from_blob(const_cast<int64_t*>(rows.data()), {std::ssize(rows)}, torch::kLong);
}

std::vector<float> numbers_of(const torch::Tensor& flat) {
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

/// Rows side by side: of everything, of a shuffled epoch, or of a batch.
struct Rows {
  torch::Tensor observations, actions, log_probabilities, advantages, returns;

  Rows select(const torch::Tensor& which) const {
    return {observations.index_select(0, which), actions.index_select(0, which),
            log_probabilities.index_select(0, which), advantages.index_select(0, which),
            returns.index_select(0, which)};
  }
  Rows between(int64_t begin, int64_t end) const {
    return {observations.slice(0, begin, end), actions.slice(0, begin, end),
            log_probabilities.slice(0, begin, end), advantages.slice(0, begin, end),
            returns.slice(0, begin, end)};
  }
};

}  // namespace

void use_torch_threads(int threads) {
  at::set_num_threads(threads);
  share_openblas_threads(threads);
}

class TorchPpo::Tensors {
 public:
  Tensors(const PpoLayout& layout, const PpoSettings& settings, const PpoRows& all)
      : rows{tensor(all.observations), tensor(all.actions), tensor(all.log_probabilities),
             tensor(all.advantages), tensor(all.returns)},
        settings_(settings),
        flat_(torch::zeros(layout.parameters())),
        flat_gradient_(torch::zeros_like(flat_)) {
    int64_t offset = 0;
    add_network(layout.actor, actor_, offset);
    log_std_ = view(offset, {layout.actor.outputs()});
    add_network(layout.critic, critic_, offset);
    DARP_CHECK(offset == flat_.numel(), "{} of {} parameters have a place", offset, flat_.numel());
    flat_.mutable_grad() = flat_gradient_;
  }

  void set(std::span<const float> parameters) { flat_.copy_(tensor(parameters)); }
  std::vector<float> parameters() const { return numbers_of(flat_); }

  /// Into the flat gradient, which is given back.
  const torch::Tensor& backward(const Rows& batch) {
    flat_gradient_.zero_();
    loss(batch).backward();
    return flat_gradient_;
  }

  void update(const std::vector<std::vector<int64_t>>& orders) {
    torch::optim::Adam adam({flat_}, torch::optim::AdamOptions(settings_.learning_rate).eps(1e-5));
    for (const std::vector<int64_t>& order : orders) {
      const Rows shuffled = rows.select(indices(order));
      for (int64_t begin = 0; begin + settings_.batch <= std::ssize(order);
           begin += settings_.batch) {
        backward(shuffled.between(begin, begin + settings_.batch));
        const double norm = flat_gradient_.norm().item<double>();
        if (norm > settings_.gradient_clip)
          flat_gradient_.mul_(settings_.gradient_clip / (norm + 1e-6));
        adam.step();
      }
    }
  }

  const Rows rows;

 private:
  struct Layer {
    torch::Tensor weight, bias;
  };

  /// A leaf whose numbers, and whose gradient's, are the next ones of the flat tensors.
  torch::Tensor view(int64_t& offset, at::IntArrayRef shape) {
    const int64_t count = c10::multiply_integers(shape);
    torch::Tensor leaf = flat_.slice(0, offset, offset + count).view(shape).detach();
    leaf.requires_grad_(true);
    leaf.mutable_grad() = flat_gradient_.slice(0, offset, offset + count).view(shape);
    offset += count;
    return leaf;
  }

  void add_network(const NetworkShape& shape, std::vector<Layer>& layers, int64_t& offset) {
    for (int64_t i = 0; i < shape.layers(); ++i) {
      torch::Tensor weight = view(offset, {shape.widths[i + 1], shape.widths[i]});
      layers.push_back({std::move(weight), view(offset, {shape.widths[i + 1]})});
    }
  }

  static torch::Tensor forward(const std::vector<Layer>& layers, torch::Tensor x) {
    for (size_t i = 0; i < layers.size(); ++i) {
      x = torch::linear(x, layers[i].weight, layers[i].bias);
      if (i + 1 < layers.size()) x = x.tanh();
    }
    return x;
  }

  torch::Tensor loss(const Rows& batch) const {
    const torch::Tensor error =
        (batch.actions - forward(actor_, batch.observations)) * (-log_std_).exp();
    const double constant = static_cast<double>(log_std_.numel()) * std::log(2 * std::numbers::pi);
    const torch::Tensor log_std = log_std_.sum();
    const torch::Tensor log_probability =
        (error.square().sum(1) + constant) * -0.5 - log_std - batch.log_probabilities;
    const torch::Tensor ratio = log_probability.clamp_max(20).exp();
    const torch::Tensor advantage =
        (batch.advantages - batch.advantages.mean()) / (batch.advantages.std() + 1e-8);
    const torch::Tensor policy =
        -torch::minimum(ratio * advantage,
                        ratio.clamp(1 - settings_.clip, 1 + settings_.clip) * advantage)
             .mean();
    const torch::Tensor value =
        torch::mse_loss(forward(critic_, batch.observations).squeeze(1), batch.returns);
    const torch::Tensor both = policy + value * (settings_.value_weight / 2);
    return settings_.entropy == 0 ? both : both - log_std * settings_.entropy;
  }

  const PpoSettings settings_;
  torch::Tensor flat_, flat_gradient_, log_std_;
  std::vector<Layer> actor_, critic_;
};

TorchPpo::TorchPpo(const PpoLayout& layout, const PpoSettings& settings, const PpoRows& rows)
    : tensors_(std::make_unique<Tensors>(layout, settings, rows)) {}
TorchPpo::~TorchPpo() = default;

std::vector<float> TorchPpo::gradient(std::span<const float> parameters,
                                      std::span<const int64_t> batch) {
  tensors_->set(parameters);
  return numbers_of(tensors_->backward(tensors_->rows.select(indices(batch))));
}

std::vector<float> TorchPpo::update(std::span<const float> parameters,
                                    const std::vector<std::vector<int64_t>>& orders) {
  tensors_->set(parameters);
  tensors_->update(orders);
  return tensors_->parameters();
}

}  // namespace darp::bench
