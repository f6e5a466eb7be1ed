#include "darp/core/rng.h"
#include "darp/policy/noise_schedule.h"
#include "darp/policy/policy_parameters.h"
#include "darp/train/torch/graph_examples.h"
#include "darp/train/torch/graph_loss.h"
#include "darp/train/torch/graph_unet.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

using Average = DarpDiffusionSpec::Average;

/// What a batch draws, a row for each query.
struct NoiseDraws {
  at::Tensor steps;              // queries
  at::Tensor signal, amplitude;  // queries x 1: x_t = signal x_0 + amplitude noise
  at::Tensor noise;              // queries x numbers of a chunk
};

/// By our own generator, so that every device gets the same.
NoiseDraws draw_noise(const NoiseSchedule& schedule, const QueryBatch& batch, int64_t numbers,
                      at::TensorOptions options) {
  constexpr uint64_t kNoise = 0x6e6f697365;  // apart from what else is drawn with the same seed
  const auto queries = std::ssize(batch.queries);
  std::vector<int64_t> steps;
  std::vector<double> signal, amplitude;
  Matrix noise = Matrix::zeros(queries, numbers);
  for (int64_t i = 0; i < queries; ++i) {
    Rng rng = Rng(batch.seed, kNoise).split(static_cast<uint64_t>(batch.queries[i]));
    const auto step = static_cast<int64_t>(rng.below(static_cast<uint64_t>(schedule.steps())));
    steps.push_back(step);
    signal.push_back(schedule.signal(step));
    amplitude.push_back(schedule.noise(step));
    for (float& x : noise.row(i)) x = static_cast<float>(rng.normal());
  }
  const auto column = [&](const std::vector<double>& x) {
    return at::tensor(x, at::kDouble).to(options).unsqueeze(1);
  };
  return {at::tensor(steps, at::kLong).to(options.device()), column(signal), column(amplitude),
          to_tensor(noise, options)};
}

class DiffusionLoss final : public GraphLoss {
 public:
  DiffusionLoss(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                at::TensorOptions options)
      : spec_(spec),
        average_(spec.as<DarpDiffusionSpec>() != nullptr ? spec.as<DarpDiffusionSpec>()->average
                                                         : Average::kScore),
        schedule_(spec.diffusion()->denoising.training_steps),
        layout_(policy_parameters(spec, examples.states.cols() / spec.observation_horizon(),
                                  memory.actions.cols())),
        features_(spec.network_input(), examples.states.cols(), memory.actions.cols()),
        examples_(memory, examples, options) {
    DARP_CHECK(examples.states.cols() % spec.observation_horizon() == 0 &&
                   examples.actions.cols() == memory.actions.cols() * spec.chunk.length,
               "examples of {} and {} numbers are not stacked", examples.states.cols(),
               examples.actions.cols());
    if (spec.retrieval() == nullptr) return;
    DARP_CHECK(examples.neighbors != nullptr, "a kind with neighbours needs their table");
    DARP_CHECK(std::ssize(memory.calibration) == examples.states.cols(),
               "{} half ranges for {} columns", memory.calibration.size(), examples.states.cols());
    half_range_ = to_tensor(memory.calibration, at::kCPU).to(options, false, /*copy=*/true);
  }

  at::Device device() const override { return examples_.device(); }
  int64_t parameter_count() const override { return layout_.count(); }

  at::Tensor operator()(const at::Tensor& flat, const QueryBatch& batch, bool) const override {
    const at::Tensor rows = examples_.rows(batch);
    const NamedTensors parameters(layout_, flat);
    const at::Tensor clean = examples_.targets(rows);
    const NoiseDraws drawn = draw_noise(schedule_, batch, clean.size(1), examples_.options());
    const at::Tensor noisy = drawn.signal * clean + drawn.amplitude * drawn.noise;
    const at::Tensor each =
        predict(parameters, noisy, drawn.steps, conditions(batch, rows));  // queries x places x ...

    const NeighborMask mask = examples_.has_neighbors() ? examples_.mask(batch) : NeighborMask{};
    const auto mean = [&](const at::Tensor& x) {
      return graph_aggregation(AggregationSettings{}, parameters, x, mask, x.size(1));
    };
    if (average_ == Average::kScore) return at::mse_loss(mean(each), drawn.noise);
    return mean((each - drawn.noise.unsqueeze(1)).square().mean(2, /*keepdim=*/true)).mean();
  }

 private:
  /// What the network is told: queries x places x numbers; one place without neighbours.
  at::Tensor conditions(const QueryBatch& batch, const at::Tensor& rows) const {
    const at::Tensor query = examples_.queries(batch, rows);
    if (!examples_.has_neighbors()) return query.unsqueeze(1);
    const at::Tensor neighbors = examples_.neighbors(batch, rows);
    return graph_features(features_, gather_rows(examples_.states(), neighbors),
                          gather_rows(examples_.actions(), neighbors), query, half_range_);
  }

  /// The noise that the network sees in each query's chunk, for every place.
  at::Tensor predict(const NamedTensors& parameters, const at::Tensor& noisy,
                     const at::Tensor& steps, const at::Tensor& conditions) const {
    const int64_t places = conditions.size(1);
    const at::Tensor chunks = noisy.view({noisy.size(0), spec_.chunk.length, -1});
    return graph_unet(spec_.diffusion()->unet, parameters, "unet.",
                      chunks.repeat_interleave(places, 0), steps.repeat_interleave(places, 0),
                      conditions.flatten(0, 1))
        .reshape({noisy.size(0), places, noisy.size(1)});
  }

  PolicySpec spec_;
  Average average_;
  NoiseSchedule schedule_;
  ParameterLayout layout_;
  FeatureLayout features_;
  GraphExamples examples_;
  at::Tensor half_range_;  // of the differences, by column
};

}  // namespace

std::unique_ptr<GraphLoss> make_diffusion_loss(const PolicySpec& spec, const MemoryRows& memory,
                                               const Examples& examples,
                                               at::TensorOptions options) {
  return std::make_unique<DiffusionLoss>(spec, memory, examples, options);
}

}  // namespace darp
