#include <gtest/gtest.h>

#include "darp/policy/action_chunks.h"
#include "darp/policy/noise_schedule.h"
#include "darp/train/torch/graph_unet.h"
#include "darp/train/torch/torch_answer.h"
#include "tests/random_policy.h"
#include "tests/random_training.h"
#include "tests/small_diffusion.h"

namespace darp {
namespace {

using Average = DarpDiffusionSpec::Average;

/// A policy with any weights and a few demonstrations.
PolicyContents random_diffusion(const PolicySpec& spec, uint64_t seed) {
  Rng rng(seed);
  PolicyContents c;
  c.spec = spec;
  c.observations = random_normalizer(rng, kPlaceDim);
  c.actions = Normalizer::identity(kMoveDim);
  c.members.push_back(random_parameters(rng, spec, kPlaceDim, kMoveDim));
  if (spec.retrieval() == nullptr) return c;
  c.demonstrations = random_rows(rng, {.observation_dim = kPlaceDim, .action_dim = kMoveDim});
  c.distance_quantiles = random_quantiles(rng);
  for (int i = 0; i < kPlaceDim * kPlacesSeen; ++i)
    c.calibration.push_back(static_cast<float>(rng.uniform(0.5, 2)));
  return c;
}

std::vector<float> chunk_numbers(const at::Tensor& x) {
  const at::Tensor packed = x.contiguous();
  return {packed.data_ptr<float>(), packed.data_ptr<float>() + packed.numel()};
}

/// The chunk found among `noise`, by hand: each condition is [stack, action, difference / half
/// range / 2] of one demonstrated step.
at::Tensor denoised_by_hand(const PolicyArchive& archive, const std::vector<float>& stack,
                            const at::Tensor& noise) {
  const Matrix states =
      stacked_observations(archive.observations().apply(archive.demonstrations().observations),
                           archive.demonstrations().episode_ends, kPlacesSeen);
  std::vector<at::Tensor> conditions;
  for (int64_t row = 0; row < states.rows(); ++row) {
    std::vector<float> told(states.row(row).begin(), states.row(row).end());
    for (const float a : archive.demonstrations().actions.row(row)) told.push_back(a);
    for (size_t j = 0; j < stack.size(); ++j)
      told.push_back((told[j] - stack[j]) / archive.calibration()[j] / 2);
    conditions.push_back(at::tensor(told).unsqueeze(0));
  }
  const ParameterLayout layout(archive.parameters());
  const NamedTensors parameters(layout, at::tensor(archive.members().front()));
  const DiffusionSpec& diffusion = *archive.spec().diffusion();
  const auto denoise = [&](at::Tensor x, const at::Tensor& condition) {
    const NoiseSchedule schedule(diffusion.denoising.training_steps);
    for (const int64_t t : {16, 12, 8, 4, 0}) {
      const int64_t count = condition.size(0);
      const at::Tensor eps =
          graph_unet(diffusion.unet, parameters, "unet.", x.expand({count, -1, -1}),
                     at::full({count}, t, at::kLong), condition)
              .mean(0, /*keepdim=*/true);
      const at::Tensor clean = ((x - schedule.noise(t) * eps) / schedule.signal(t)).clamp(-1, 1);
      x = schedule.signal(t - 4) * clean + schedule.noise(t - 4) * eps;
    }
    return x;
  };
  if (archive.spec().as<DarpDiffusionSpec>()->average == Average::kScore)
    return denoise(noise, at::cat(conditions)).flatten();
  at::Tensor sum = at::zeros_like(noise);
  for (const at::Tensor& condition : conditions) sum += denoise(noise, condition);
  return (sum / static_cast<double>(conditions.size())).flatten();
}

TEST(DiffusionAnswer, AveragesNoiseOrChunksOfTheNeighbors) {
  for (const Average average : {Average::kScore, Average::kChunk}) {
    PolicyContents contents = random_diffusion(retrieving_diffusion(average), 4);
    // All rows are neighbours, so that it does not matter which are near.
    std::get<DarpDiffusionSpec>(contents.spec.kind).retrieval.k =
        contents.demonstrations.observations.rows();
    const auto archive = std::make_shared<const PolicyArchive>(std::move(contents));
    const auto answer = make_torch_answer(archive);
    Rng drawn(12);
    at::Tensor noise = at::zeros({1, kMoves, kMoveDim});
    for (int64_t i = 0; i < noise.numel(); ++i)
      noise.data_ptr<float>()[i] = static_cast<float>(drawn.normal());

    const std::vector<float> first = {0.3f, -0.2f}, second = {-1, 0.5f};
    answer->reset(0);
    answer->see(first);
    at::Tensor expected = denoised_by_hand(*archive, {0.3f, -0.2f, 0.3f, -0.2f}, noise);
    EXPECT_TRUE(answer->answer(0, Rng(12)).allclose(expected, 1e-4, 1e-5));
    answer->see(second);
    expected = denoised_by_hand(*archive, {0.3f, -0.2f, -1, 0.5f}, noise);
    EXPECT_TRUE(answer->answer(0, Rng(12)).allclose(expected, 1e-4, 1e-5));
  }
}

TEST(DiffusionAnswer, DependsOnTheDrawsUnlessItIsTheMode) {
  for (const PolicySpec& spec : every_diffusion()) {
    const std::vector<float> observation = {0.1f, 0.2f};
    for (const Acting acting : {Acting::kSample, Acting::kMode}) {
      const auto archive = std::make_shared<const PolicyArchive>(
          PolicyArchive(random_diffusion(spec, 6)).acting(acting));
      const auto answer = make_torch_answer(archive), again = make_torch_answer(archive);
      answer->see(observation);
      again->see(observation);
      const auto first = chunk_numbers(answer->answer(0, Rng(1)));
      EXPECT_EQ(first.size(), static_cast<size_t>(kMoves * kMoveDim));
      EXPECT_EQ(chunk_numbers(again->answer(0, Rng(1))), first);
      if (acting == Acting::kMode)
        EXPECT_EQ(chunk_numbers(answer->answer(0, Rng(2))), first);
      else
        EXPECT_NE(chunk_numbers(answer->answer(0, Rng(2))), first);
    }
  }
}

TEST(DiffusionAnswer, RemembersTheEpisodeOnly) {
  for (const PolicySpec& spec : every_diffusion()) {
    const auto archive = std::make_shared<const PolicyArchive>(random_diffusion(spec, 8));
    const auto answer = make_torch_answer(archive), fresh = make_torch_answer(archive);
    const std::vector<float> past = {1, 2}, now = {-0.5f, 0.3f};
    answer->see(past);
    answer->see(now);
    fresh->see(now);
    const auto expected = chunk_numbers(fresh->answer(0, Rng(1)));
    EXPECT_NE(chunk_numbers(answer->answer(0, Rng(1))), expected);
    answer->reset(0);
    answer->see(now);
    EXPECT_EQ(chunk_numbers(answer->answer(0, Rng(1))), expected);
  }
}

}  // namespace
}  // namespace darp
