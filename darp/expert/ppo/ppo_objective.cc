#include "darp/expert/ppo/ppo_objective.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace darp {
namespace {

/// Rows of a block: results do not depend on threads because blocks do not.
constexpr int64_t kBlockRows = 128;

std::vector<int64_t> widths(int64_t in, const std::vector<int64_t>& hidden, int64_t out) {
  std::vector<int64_t> all = {in};
  all.insert(all.end(), hidden.begin(), hidden.end());
  all.push_back(out);
  return all;
}

}  // namespace

PpoLayout::PpoLayout(int64_t observations, int64_t actions, const PpoSettings& settings)
    : actor{widths(observations, settings.actor, actions)},
      critic{widths(observations, settings.critic, 1)} {}

PpoReport& PpoReport::operator+=(const PpoReport& other) {
  policy_loss += other.policy_loss;
  value_loss += other.value_loss;
  entropy += other.entropy;
  divergence += other.divergence;
  cut += other.cut;
  return *this;
}

/// What one block of a batch needs and gives.
struct PpoObjective::Block {
  explicit Block(const PpoLayout& layout)
      : actor(layout.actor, kBlockRows),
        critic(layout.critic, kBlockRows),
        inputs(Matrix::zeros(kBlockRows, layout.actor.inputs())),
        value_gradient(Matrix::zeros(kBlockRows, 1)),
        gradient(static_cast<size_t>(layout.parameters())),
        precision(static_cast<size_t>(layout.actor.outputs())),
        error(precision.size()) {}

  NetworkPass actor, critic;
  Matrix inputs, value_gradient;
  std::vector<float> gradient;
  std::vector<double> precision, error;  // of a row's actions
  PpoReport sums;
};

PpoObjective::PpoObjective(PpoLayout layout, const PpoSettings& settings, ThreadPool& pool)
    : layout_(std::move(layout)),
      settings_(settings),
      pool_(pool),
      actor_(layout_.actor),
      critic_(layout_.critic) {}

PpoObjective::~PpoObjective() = default;

PpoReport PpoObjective::evaluate(std::span<const float> parameters, const PpoRows& rows,
                                 std::span<const int64_t> batch, std::span<float> gradient) {
  actor_.pack(layout_.actor_part(parameters), true);
  critic_.pack(layout_.critic_part(parameters), true);
  const auto log_std = layout_.log_std_part(parameters);
  batch_size_ = static_cast<int64_t>(batch.size());
  const int64_t count = (batch_size_ + kBlockRows - 1) / kBlockRows;
  while (static_cast<int64_t>(blocks_.size()) < count)
    blocks_.push_back(std::make_unique<Block>(layout_));

  double mean = 0, variance = 0;
  for (const int64_t row : batch) mean += double{rows.advantages[row]};
  mean /= static_cast<double>(batch_size_);
  for (const int64_t row : batch) variance += std::pow(double{rows.advantages[row]} - mean, 2);
  const double inverse = 1 / (std::sqrt(variance / static_cast<double>(batch_size_ - 1)) + 1e-8);

  pool_.parallel_for(count, 1, [&](int64_t begin, int64_t) {
    const int64_t first = begin * kBlockRows;
    const auto part = batch.subspan(static_cast<size_t>(first),
                                    static_cast<size_t>(std::min(kBlockRows, batch_size_ - first)));
    evaluate_block(*blocks_[begin], rows, part, log_std, mean, inverse);
  });

  std::ranges::copy(blocks_[0]->gradient, gradient.begin());
  PpoReport report = blocks_[0]->sums;
  for (int64_t b = 1; b < count; ++b) {
    const Block& block = *blocks_[b];
    for (size_t i = 0; i < gradient.size(); ++i) gradient[i] += block.gradient[i];
    report += block.sums;
  }
  // Of the normal distribution; its gradient is 1 for each logarithm.
  for (const float l : log_std)
    report.entropy += double{l} + std::log(2 * std::numbers::pi * std::numbers::e) / 2;
  for (float& g : layout_.log_std_part(gradient)) g -= static_cast<float>(settings_.entropy);
  return report;
}

void PpoObjective::evaluate_block(Block& block, const PpoRows& rows, std::span<const int64_t> batch,
                                  std::span<const float> log_std, double mean, double inverse) {
  const auto count = static_cast<int64_t>(batch.size());
  const auto dims = log_std.size();
  const double weight = 1 / static_cast<double>(batch_size_);
  for (int64_t i = 0; i < count; ++i) {
    std::ranges::copy(rows.observations.row(batch[i]), block.inputs.row(i).begin());
    // Actions lie anywhere in memory too: they come while the networks are busy.
    __builtin_prefetch(rows.actions.row(batch[i]).data());
  }
  const MatrixView inputs = block.inputs.view().rows_between(0, count);
  const MutableMatrixView means = block.actor.forward(actor_, inputs);
  const MatrixView values = block.critic.forward(critic_, inputs);
  block.sums = {};
  const auto log_std_gradient = layout_.log_std_part(std::span<float>(block.gradient));
  std::ranges::fill(log_std_gradient, 0.0f);
  std::vector<double>&precision = block.precision, &error = block.error;
  double constant = 0;
  for (size_t j = 0; j < dims; ++j) {
    precision[j] = std::exp(-double{log_std[j]});
    constant -= double{log_std[j]} + std::log(2 * std::numbers::pi) / 2;
  }

  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = batch[i];
    const auto action = rows.actions.row(row);
    const auto average = means.row(i);
    double log_probability = constant;
    for (size_t j = 0; j < dims; ++j) {
      error[j] = (double{action[j]} - double{average[j]}) * precision[j];
      log_probability -= error[j] * error[j] / 2;
    }
    const double difference = log_probability - double{rows.log_probabilities[row]};
    const double ratio = std::exp(std::min(difference, 20.0));
    const double advantage = (double{rows.advantages[row]} - mean) * inverse;
    const double cut = std::clamp(ratio, 1 - settings_.clip, 1 + settings_.clip);
    const bool moves = ratio * advantage <= cut * advantage;
    block.sums.policy_loss -= weight * std::min(ratio * advantage, cut * advantage);
    block.sums.divergence += weight * (ratio - 1 - difference);
    block.sums.cut += cut != ratio ? weight : 0;
    // The means are not needed any more: their gradient takes their place.
    const double slope = moves ? -weight * advantage * ratio : 0;
    for (size_t j = 0; j < dims; ++j) {
      average[j] = static_cast<float>(slope * error[j] * precision[j]);
      log_std_gradient[j] += static_cast<float>(slope * (error[j] * error[j] - 1));
    }
    const double missed = double{values(i, 0)} - double{rows.returns[row]};
    block.sums.value_loss += weight * missed * missed / 2;
    block.value_gradient(i, 0) = static_cast<float>(settings_.value_weight * weight * missed);
  }
  const std::span<float> gradient = block.gradient;
  block.actor.backward(actor_, inputs, means, layout_.actor_part(gradient));
  block.critic.backward(critic_, inputs, block.value_gradient.mutable_view().rows_between(0, count),
                        layout_.critic_part(gradient));
}

std::vector<float> PpoObjective::values(std::span<const float> parameters,
                                        MatrixView observations) {
  critic_.pack(layout_.critic_part(parameters), false);
  std::vector<float> answers(static_cast<size_t>(observations.rows()));
  pool_.parallel_for(observations.rows(), kBlockRows, [&](int64_t begin, int64_t end) {
    NetworkPass pass(layout_.critic, end - begin);
    const MatrixView out = pass.forward(critic_, observations.rows_between(begin, end));
    for (int64_t i = begin; i < end; ++i) answers[i] = out(i - begin, 0);
  });
  return answers;
}

}  // namespace darp
