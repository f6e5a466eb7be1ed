#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <numeric>
#include <optional>

#include "darp/policy/action_chunks.h"
#include "darp/policy/make_retriever.h"
#include "darp/policy/novelty.h"
#include "darp/policy/policy_parameters.h"
#include "darp/train/torch/graph_loss.h"
#include "darp/train/torch/torch_answer.h"
#include "darp/train/torch/torch_edge.h"
#include "tests/small_diffusion.h"

namespace darp {
namespace {

using Average = DarpDiffusionSpec::Average;

/// One long episode of scalar positions. What ought to be done next depends on where one is and
/// was.
struct Course {
  static constexpr int64_t kSteps = 32;
  Matrix positions = Matrix::zeros(kSteps, 1), stacked, chunks = Matrix::zeros(kSteps, kMoves),
         actions = Matrix::zeros(kSteps, 1);

  Course() {
    Rng rng(1);
    for (int64_t t = 0; t < kSteps; ++t) positions(t, 0) = static_cast<float>(rng.uniform(-1, 1));
    stacked = stacked_observations(positions, {kSteps}, kPlacesSeen);
    for (int64_t t = 0; t < kSteps; ++t) {
      for (int64_t j = 0; j < kMoves; ++j)
        chunks(t, j) = 0.6f * std::sin(2 * stacked(t, 1) + 0.5f * static_cast<float>(j)) +
                       0.3f * stacked(t, 0);
      actions(t, 0) = chunks(t, 0);
    }
  }
};

/// Adam on all rows at once, with clipped gradients and a falling rate.
std::vector<float> trained_denoiser(const GraphLoss& loss, std::vector<float> start, int steps) {
  std::vector<int64_t> queries(Course::kSteps);
  std::iota(queries.begin(), queries.end(), 0);
  at::Tensor p = at::tensor(start), m = at::zeros_like(p), v = at::zeros_like(p);
  for (int step = 1; step <= steps; ++step) {
    const at::Tensor leaf = p.clone().requires_grad_();
    const at::Tensor slope = torch::autograd::grad(
        {loss(leaf, {queries, {}, static_cast<uint64_t>(step)}, /*learning=*/true)}, {leaf})[0];
    const at::Tensor g = slope / std::max(1.0, slope.norm().item<double>());
    m = 0.9 * m + 0.1 * g;
    v = 0.99 * v + 0.01 * g.square();
    const double rate = 1e-2 * (1 - (step - 1.0) / steps);
    p = p -
        rate * (m / (1 - std::pow(0.9, step))) / ((v / (1 - std::pow(0.99, step))).sqrt() + 1e-8);
  }
  return {p.data_ptr<float>(), p.data_ptr<float>() + p.numel()};
}

/// Trains, then acts along the course: root of the squared error as a part of the actions' own.
double sampled_error(PolicySpec spec) {
  Course course;
  PolicyContents contents;
  std::optional<NeighborTable> neighbors;
  if (auto* darp = std::get_if<DarpDiffusionSpec>(&spec.kind)) {
    darp->input.query = true;
    darp->retrieval.history.lookback = 1;
    darp->retrieval.k = 2;
    const auto retriever = make_retriever(darp->retrieval, Normalizer::identity(1),
                                          course.positions, {Course::kSteps});
    ThreadPool pool(1);
    neighbors = build_neighbor_table(retriever, pool);
    contents.calibration = {0.5f, 0.5f};
    contents.distance_quantiles.assign(kDistanceQuantiles, 1);
    contents.demonstrations = {
        Matrix::copy_of(course.positions), Matrix::copy_of(course.actions), {Course::kSteps}};
  }
  const auto loss = make_graph_loss(
      spec, {course.stacked, course.actions, contents.calibration},
      {course.stacked, course.chunks, neighbors ? &*neighbors : nullptr}, at::kFloat);
  contents.spec = spec;
  std::vector<float> start(loss->parameter_count());
  initialize_parameters(policy_parameters(spec, 1, 1), Rng(2), start);
  contents.members.push_back(trained_denoiser(*loss, start, 400));

  const at::NoGradGuard no_gradient;
  const auto answer = make_torch_answer(std::make_shared<const PolicyArchive>(std::move(contents)));
  double error = 0, size = 0;
  for (int64_t t = 0; t < Course::kSteps; ++t) {
    answer->see(course.positions.row(t));
    const at::Tensor chunk = answer->answer(0, Rng(static_cast<uint64_t>(t)));
    const at::Tensor wanted = to_tensor(course.chunks.row(t), at::kCPU);
    error += (chunk - wanted).square().sum().item<double>();
    size += wanted.square().sum().item<double>();
  }
  return std::sqrt(error / size);
}

TEST(Diffusion, LearnsChunksThatFollowFromTheState) {
  EXPECT_LT(sampled_error(plain_diffusion()), 0.25);
  EXPECT_LT(sampled_error(retrieving_diffusion(Average::kScore)), 0.25);
  EXPECT_LT(sampled_error(retrieving_diffusion(Average::kChunk)), 0.25);
}

}  // namespace
}  // namespace darp
