#include "darp/train/ccil/dynamics_objective.h"

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

using Kind = LipschitzSettings::Kind;

Matrix standardized_rows(const ColumnScaling& scaling, MatrixView rows) {
  Matrix out = Matrix::uninitialized(rows.rows(), rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i)
    for (int64_t j = 0; j < rows.cols(); ++j)
      out(i, j) = scaling.standardized(j, static_cast<double>(rows(i, j)));
  return out;
}

void gather(MatrixView from, std::span<const int64_t> rows, Matrix& to, int64_t room) {
  if (to.rows() != room || to.cols() != from.cols()) to = Matrix::zeros(room, from.cols());
  for (size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(from.row(rows[i]), to.row(static_cast<int64_t>(i)).begin());
}

}  // namespace

std::vector<Parameter> dynamics_parameters(const CcilSettings& settings, int64_t state_dim,
                                           int64_t action_dim) {
  MlpSettings network;
  network.hidden = settings.dynamics.hidden;
  network.norm = MlpSettings::Norm::kNone;
  std::vector<Parameter> parameters;
  append_mlp(parameters, "dynamics.", network, state_dim + action_dim, state_dim);
  if (settings.lipschitz.kind == Kind::kSlack)
    append_mlp(parameters, "gate.", network, state_dim + action_dim, 1);
  return parameters;
}

DynamicsObjective::DynamicsObjective(const Transitions& transitions, const CcilSettings& settings,
                                     ThreadPool& pool)
    : lipschitz_(settings.lipschitz),
      state_dim_(transitions.states.cols()),
      raw_all_(transitions.inputs()),
      input_scaling_(raw_all_),
      residual_scaling_(transitions.residuals()),
      inputs_all_(standardized_rows(input_scaling_, raw_all_)),
      targets_all_(standardized_rows(residual_scaling_, transitions.residuals())),
      parameters_(dynamics_parameters(settings, state_dim_, transitions.actions.cols())),
      network_(parameters_, "dynamics.", pool) {
  if (lipschitz_.kind == Kind::kSlack) gate_.emplace(parameters_, "gate.", pool);
}

double DynamicsObjective::gradient(std::span<const float> parameters, std::span<const int64_t> rows,
                                   Rng rng, std::span<float> gradient) {
  DARP_CHECK(std::ssize(parameters) == parameter_count(parameters_) &&
                 parameters.size() == gradient.size() && !rows.empty(),
             "{} parameters, {} gradients, {} rows", parameters.size(), gradient.size(),
             rows.size());
  take(rows);
  if (lipschitz_.kind == Kind::kSoftSampling) perturb(rng);
  network_.set(parameters);
  answers_ = network_.forward(inputs_);
  double loss = 0;
  switch (lipschitz_.kind) {
    case Kind::kNone:
    case Kind::kSpectral:
      loss = squared_error();
      break;
    case Kind::kSoftSampling:
      loss = squared_error();
      loss += slopes();
      break;
    case Kind::kSlack:
      loss = gated_error(parameters, gradient);
      break;
  }
  network_.backward(inputs_, by_answers_, gradient);
  return loss;
}

void DynamicsObjective::take(std::span<const int64_t> rows) {
  batch_ = std::ssize(rows);
  const int64_t samples = lipschitz_.kind == Kind::kSoftSampling ? lipschitz_.samples : 0;
  gather(inputs_all_, rows, inputs_, batch_ * (1 + samples));
  gather(targets_all_, rows, targets_, batch_);
  // Raw states are what the gate and the faithful penalty look at.
  gather(raw_all_, rows, raw_, batch_);
  if (by_answers_.rows() != inputs_.rows()) by_answers_ = Matrix::zeros(inputs_.rows(), state_dim_);
}

void DynamicsObjective::perturb(Rng rng) {
  const int64_t samples = lipschitz_.samples;
  if (noise_.rows() != batch_ * samples) noise_ = Matrix::zeros(batch_ * samples, inputs_.cols());
  for (int64_t p = 0; p < noise_.rows(); ++p)
    for (int64_t j = 0; j < noise_.cols(); ++j) {
      const double z = rng.normal(), unit = input_scaling_.unit(j);
      noise_(p, j) = static_cast<float>(z);
      inputs_(batch_ + p, j) = inputs_(p / samples, j) +
                               (unit > 0 ? static_cast<float>(lipschitz_.noise * z / unit) : 0.0f);
    }
}

double DynamicsObjective::squared_error() {
  const double factor = 1.0 / static_cast<double>(batch_ * state_dim_);
  double sum = 0;
  for (int64_t i = 0; i < batch_; ++i)
    for (int64_t j = 0; j < state_dim_; ++j) {
      const double error =
          static_cast<double>(answers_(i, j)) - static_cast<double>(targets_(i, j));
      sum += error * error;
      by_answers_(i, j) = static_cast<float>(2 * factor * error);
    }
  return factor * sum;
}

/// The penalty; its gradient is added for the batch's answers and set for the perturbed ones.
double DynamicsObjective::slopes() {
  const bool faithful = lipschitz_.mode == LipschitzSettings::Mode::kFaithful;
  const double factor = lipschitz_.penalty / static_cast<double>(noise_.rows());
  std::vector<double> apart(state_dim_);
  double sum = 0;
  for (int64_t p = 0; p < noise_.rows(); ++p) {
    const int64_t i = p / lipschitz_.samples, other = batch_ + p;
    double apart_squared = 0, noise_squared = 0;
    for (int64_t j = 0; j < state_dim_; ++j) {
      const auto y = static_cast<double>(answers_(i, j));
      const double moved = lipschitz_.noise * static_cast<double>(noise_(p, j));
      const double theirs = residual_scaling_.restored(j, static_cast<double>(answers_(other, j)));
      // Without s on both sides of the corrected difference, for floats would lose it.
      const double d = faithful ? y - (static_cast<double>(raw_(i, j)) + moved + theirs)
                                : residual_scaling_.restored(j, y) - moved - theirs;
      apart[j] = d;
      apart_squared += d * d;
    }
    for (const float z : noise_.row(p))
      noise_squared += static_cast<double>(z) * static_cast<double>(z);
    const double norm = std::sqrt(apart_squared);
    const double length = std::sqrt(noise_squared) * (faithful ? 1 : lipschitz_.noise);
    const double excess = norm - lipschitz_.constant * length;
    sum += std::max(excess, 0.0);
    for (int64_t j = 0; j < state_dim_; ++j) {
      const double slope = excess > 0 ? factor * apart[j] / norm : 0;
      const double unit = residual_scaling_.unit(j);
      by_answers_(i, j) += static_cast<float>(slope * (faithful ? 1 : unit));
      by_answers_(other, j) = static_cast<float>(-slope * unit);
    }
  }
  return factor * sum;
}

double DynamicsObjective::gated_error(std::span<const float> parameters,
                                      std::span<float> gradient) {
  gate_->set(parameters);
  const MatrixView gates = gate_->forward(raw_);
  if (by_gate_.rows() != batch_) by_gate_ = Matrix::zeros(batch_, 1);
  const double factor = 1.0 / static_cast<double>(batch_);
  double sum = 0;
  for (int64_t i = 0; i < batch_; ++i) {
    double fourth_powers = 0;
    for (int64_t j = 0; j < state_dim_; ++j)
      fourth_powers +=
          std::pow(static_cast<double>(answers_(i, j)) - static_cast<double>(targets_(i, j)), 4);
    const double norm = std::sqrt(fourth_powers);
    const double open = 1 / (1 + std::exp(-static_cast<double>(gates(i, 0))));
    sum += open * norm - lipschitz_.slack_weight * open;
    by_gate_(i, 0) =
        static_cast<float>(factor * (norm - lipschitz_.slack_weight) * open * (1 - open));
    for (int64_t j = 0; j < state_dim_; ++j) {
      const double error =
          static_cast<double>(answers_(i, j)) - static_cast<double>(targets_(i, j));
      const double slope = norm > 0 ? 2 * error * error * error / norm : 0;
      by_answers_(i, j) = static_cast<float>(factor * open * slope);
    }
  }
  gate_->backward(raw_, by_gate_, gradient);
  return factor * sum;
}

}  // namespace darp
