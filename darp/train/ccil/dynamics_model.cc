#include "darp/train/ccil/dynamics_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "darp/train/adamw.h"
#include "darp/train/ccil/dynamics_objective.h"
#include "darp/train/ccil/spectral_norm.h"

namespace darp {
namespace {

/// Streams of random numbers, apart from those of batch_order.h.
constexpr uint64_t kDynamicsStream = 0xCC11;
enum Draw : uint64_t { kWeights, kSpectral, kOrder, kNoise };

/// Enough for the singular values to be right to a percent.
constexpr int kLastIterations = 200;

/// Adam's step with the decay in the gradient.
class Adam {
 public:
  Adam(const DynamicsSettings& settings, size_t size)
      : settings_(settings), first_(size), second_(size) {
    optimizer_.learning_rate = settings.learning_rate;
    optimizer_.weight_decay = 0;
    optimizer_.clip = 0;
  }
  StepReport step(std::vector<float>& parameters, std::vector<float>& gradient, ThreadPool& pool) {
    const auto decay = static_cast<float>(settings_.weight_decay);
    for (size_t i = 0; i < gradient.size(); ++i) gradient[i] += decay * parameters[i];
    return adamw_step(optimizer_, {.step = ++steps_, .rate = settings_.learning_rate, .ema = 0},
                      gradient, {parameters, first_, second_, {}}, &pool);
  }

 private:
  const DynamicsSettings settings_;
  OptimizerSettings optimizer_;
  std::vector<float> first_, second_;
  int64_t steps_ = 0;
};

}  // namespace

DynamicsModel::DynamicsModel(std::vector<Parameter> layers, std::vector<float> weights,
                             ColumnScaling inputs, ColumnScaling residuals)
    : parameters_(std::move(layers)),
      weights_(std::move(weights)),
      inputs_(std::move(inputs)),
      residuals_(std::move(residuals)) {}

Matrix DynamicsModel::residuals(MatrixView states, MatrixView actions, ThreadPool& pool) const {
  constexpr int64_t kRows = 2048;  // at once, to bound memory
  ReluNetwork network(parameters_, "dynamics.", pool);
  network.set(weights_);
  Matrix out = Matrix::uninitialized(states.rows(), states.cols());
  for (int64_t begin = 0; begin < states.rows(); begin += kRows) {
    const int64_t end = std::min(begin + kRows, states.rows());
    Matrix inputs = side_by_side(states.rows_between(begin, end), actions.rows_between(begin, end));
    for (int64_t i = 0; i < inputs.rows(); ++i)
      for (int64_t j = 0; j < inputs.cols(); ++j)
        inputs(i, j) = inputs_.standardized(j, static_cast<double>(inputs(i, j)));
    const MatrixView answers = network.forward(inputs);
    for (int64_t i = 0; i < answers.rows(); ++i)
      for (int64_t j = 0; j < answers.cols(); ++j)
        out(begin + i, j) =
            static_cast<float>(residuals_.restored(j, static_cast<double>(answers(i, j))));
  }
  return out;
}

std::optional<DynamicsModel> learn_dynamics(const Transitions& transitions,
                                            const CcilSettings& settings, ThreadPool& pool,
                                            const DynamicsOptions& options) {
  const Rng rng(options.seed, kDynamicsStream);
  DynamicsObjective objective(transitions, settings, pool);
  const auto layout =
      dynamics_parameters(settings, transitions.states.cols(), transitions.actions.cols());
  std::vector<float> parameters(parameter_count(layout));
  initialize_parameters(layout, rng.split(kWeights), parameters);
  std::vector<float> used = parameters, gradient(parameters.size());
  std::optional<SpectralNorm> spectral;
  if (settings.lipschitz.kind == LipschitzSettings::Kind::kSpectral)
    spectral.emplace(layer_parameters(layout, "dynamics."), settings.lipschitz.constant,
                     rng.split(kSpectral));
  Adam adam(settings.dynamics, parameters.size());

  // Fewer transitions than a batch are a batch.
  const int64_t batch = std::min(settings.dynamics.batch, transitions.rows()),
                batches = transitions.rows() / batch;
  Progress progress("dynamics", settings.dynamics.epochs * batches, "steps", options.progress);
  std::vector<int64_t> order(transitions.rows());
  for (int64_t epoch = 0; epoch < settings.dynamics.epochs; ++epoch) {
    std::iota(order.begin(), order.end(), 0);
    rng.split(kOrder).split(static_cast<uint64_t>(epoch)).shuffle(std::span(order));
    for (int64_t b = 0; b < batches; ++b) {
      if (options.stop && *options.stop) return std::nullopt;
      spectral ? spectral->apply(parameters, used)
               : used.assign(parameters.begin(), parameters.end());
      const double loss = objective.gradient(
          used, std::span(order).subspan(b * batch, batch),
          rng.split(kNoise).split(static_cast<uint64_t>(epoch * batches + b)), gradient);
      if (spectral) spectral->backward(parameters, gradient);
      if (!std::isfinite(loss) || !adam.step(parameters, gradient, pool).taken)
        throw Error(fmt::format("dynamics, epoch {}", epoch),
                    fmt::format("it diverged: the loss is {:.3g}", loss),
                    "lower train.ccil.dynamics.learning_rate or look at the data");
      progress.advance();
      if (b == 0) progress.status(fmt::format("loss {:.4g}", loss));
    }
  }
  progress.finish();
  if (spectral)
    spectral->apply(parameters, used, kLastIterations);
  else
    used = parameters;
  return DynamicsModel(layout, std::move(used), objective.input_scaling(),
                       objective.residual_scaling());
}

}  // namespace darp
