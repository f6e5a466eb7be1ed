#include "darp/policy/action_head.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace darp {
namespace {

constexpr double kHalfLogTwoPi = 0.91893853320467274178;

double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

/// One answer's parts.
class Mixture {
 public:
  Mixture(const HeadSettings& head, std::span<const float> answer, size_t numbers)
      : modes_(static_cast<size_t>(head.mode_count())),
        numbers_(numbers),
        least_(head.least_scale),
        parts_(answer.first(2 * modes_ * numbers)),
        logits_(answer.subspan(2 * modes_ * numbers)) {
    // The Gaussian has no logit, and needs none.
    double most = 0;
    for (const float x : logits_) most = std::max(most, static_cast<double>(x));
    double sum = 0;
    for (const float x : logits_) sum += std::exp(static_cast<double>(x) - most);
    log_sum_ = logits_.empty() ? 0 : most + std::log(sum);
  }

  size_t modes() const { return modes_; }
  std::span<const float> mean(size_t m) const { return parts_.subspan(2 * m * numbers_, numbers_); }
  float raw(size_t m, size_t j) const { return parts_[(2 * m + 1) * numbers_ + j]; }
  double scale(size_t m, size_t j) const {
    return softplus(static_cast<double>(raw(m, j))) + least_;
  }
  double log_weight(size_t m) const {
    return logits_.empty() ? 0 : static_cast<double>(logits_[m]) - log_sum_;
  }
  /// log of weight times density.
  double log_part(size_t m, std::span<const float> action) const {
    double sum = log_weight(m);
    for (size_t j = 0; j < numbers_; ++j) {
      const double s = scale(m, j);
      const double z = (static_cast<double>(action[j]) - static_cast<double>(mean(m)[j])) / s;
      sum -= 0.5 * z * z + std::log(s) + kHalfLogTwoPi;
    }
    return sum;
  }
  /// log of the density, without remembering the parts: two passes.
  double log_density(std::span<const float> action) const {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (size_t m = 0; m < modes_; ++m) {
      const double part = log_part(m, action);
      if (part > most) {
        sum = sum * std::exp(most - part) + 1;
        most = part;
      } else {
        sum += std::exp(part - most);
      }
    }
    return most + std::log(sum);
  }

 private:
  size_t modes_, numbers_;
  double least_;
  std::span<const float> parts_, logits_;
  double log_sum_ = 0;
};

/// Minus the log-likelihood. By its gradient a mode counts as much as it is responsible.
double mixture_loss(const HeadSettings& head, std::span<const float> answer,
                    std::span<const float> action, double weight, std::span<float> gradient) {
  const Mixture mixture(head, answer, action.size());
  const double total = mixture.log_density(action);
  if (gradient.empty()) return -total;
  const size_t modes = mixture.modes(), numbers = action.size();
  for (size_t m = 0; m < modes; ++m) {
    const double responsible = std::exp(mixture.log_part(m, action) - total);
    for (size_t j = 0; j < numbers; ++j) {
      const double s = mixture.scale(m, j);
      const double z =
          (static_cast<double>(action[j]) - static_cast<double>(mixture.mean(m)[j])) / s;
      gradient[2 * m * numbers + j] = static_cast<float>(-weight * responsible * z / s);
      gradient[(2 * m + 1) * numbers + j] = static_cast<float>(
          weight * responsible * (1 - z * z) / s * sigmoid(static_cast<double>(mixture.raw(m, j))));
    }
    if (head.kind == HeadSettings::Kind::kGmm)
      gradient[2 * modes * numbers + m] =
          static_cast<float>(weight * (std::exp(mixture.log_weight(m)) - responsible));
  }
  return -total;
}

}  // namespace

void HeadSettings::visit_fields(FieldVisitor& v) {
  v.choice("kind", kind, {{"l2", Kind::kL2}, {"gaussian", Kind::kGaussian}, {"gmm", Kind::kGmm}},
           "One action, a Gaussian, or a mixture of Gaussians.");
  if (kind == Kind::kGmm)
    v.field("modes", modes, "Gaussians of the mixture.",
            {.min = 1, .max = static_cast<double>(kMostModes)});
  else
    modes = HeadSettings().modes;
  if (kind != Kind::kL2)
    v.field("least_scale", least_scale, "Added to every standard deviation; above 0.",
            {.min = 1e-6, .max = 1e6});
  else
    least_scale = HeadSettings().least_scale;
  if (kind == Kind::kL2)
    v.field("huber", huber,
            "Above 0: errors beyond this many spreads of an action's number count in proportion "
            "(Huber's loss), not by their square.",
            {.min = 0, .max = 1e6});
  else
    huber = HeadSettings().huber;
}

void HeadSettings::check() const {
  if (modes < 1 || modes > kMostModes)
    throw Error("head.modes", fmt::format("is {}", modes),
                fmt::format("choose 1 to {}", kMostModes));
  if (!(least_scale >= 1e-6 && least_scale <= 1e6))
    throw Error("head.least_scale", fmt::format("is {}", least_scale), "choose 1e-6 to 1e6");
}

int64_t HeadSettings::outputs(int64_t numbers) const {
  switch (kind) {
    case Kind::kL2:
      return numbers;
    case Kind::kGaussian:
      return 2 * numbers;
    case Kind::kGmm:
      return modes * (2 * numbers + 1);
  }
  return numbers;
}

double head_loss(const HeadSettings& head, std::span<const float> answer,
                 std::span<const float> action, double weight, std::span<float> gradient) noexcept {
  if (head.is_distribution()) return mixture_loss(head, answer, action, weight, gradient);
  double loss = 0;
  const auto count = static_cast<double>(action.size());
  const auto factor = static_cast<float>(2 * (weight / count));
  const float bound =
      head.huber > 0 ? static_cast<float>(head.huber) : std::numeric_limits<float>::infinity();
  for (size_t j = 0; j < action.size(); ++j) {
    const float error = answer[j] - action[j];
    const float bounded = std::clamp(error, -bound, bound);
    // error^2 within the bound, bound (2 |error| - bound) beyond it.
    loss += static_cast<double>(bounded) * (2 * static_cast<double>(error) - bounded);
    if (!gradient.empty()) gradient[j] = factor * bounded;
  }
  return loss / count;
}

double log_likelihood(const HeadSettings& head, std::span<const float> answer,
                      std::span<const float> action) noexcept {
  return Mixture(head, answer, action.size()).log_density(action);
}

void sample_action(const HeadSettings& head, MatrixView answers, Rng& rng,
                   std::span<float> action) noexcept {
  const auto member = static_cast<int64_t>(rng.below(static_cast<uint64_t>(answers.rows())));
  const Mixture mixture(head, answers.row(member), action.size());
  double left = rng.uniform();
  size_t m = 0;
  while (m + 1 < mixture.modes() && (left -= std::exp(mixture.log_weight(m))) >= 0) ++m;
  for (size_t j = 0; j < action.size(); ++j)
    action[j] = static_cast<float>(static_cast<double>(mixture.mean(m)[j]) +
                                   mixture.scale(m, j) * rng.normal());
}

void modal_action(const HeadSettings& head, MatrixView answers, std::span<float> action) noexcept {
  double highest = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < answers.rows(); ++i) {
    const Mixture candidates(head, answers.row(i), action.size());
    for (size_t m = 0; m < candidates.modes(); ++m) {
      double density = 0;
      const double reference = candidates.log_part(m, candidates.mean(m));
      for (int64_t k = 0; k < answers.rows(); ++k)
        density +=
            std::exp(Mixture(head, answers.row(k), action.size()).log_density(candidates.mean(m)) -
                     reference);
      const double value = reference + std::log(density);
      if (value > highest || (i == 0 && m == 0)) {
        highest = value;
        std::ranges::copy(candidates.mean(m), action.begin());
      }
    }
  }
}

}  // namespace darp
