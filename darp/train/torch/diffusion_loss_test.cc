#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "darp/train/torch/graph_loss.h"
#include "tests/random_training.h"
#include "tests/small_diffusion.h"

namespace darp {
namespace {

using Average = DarpDiffusionSpec::Average;
using Difference = NeighborInput::Difference;

/// Nine queries with one to three neighbours each.
struct RandomChunks {
  Rng rng{11};
  RandomTraining data{rng, kPlaceDim* kPlacesSeen, kMoveDim, 1, 3};
  Matrix chunks = random_matrix(rng, 9, kMoveDim* kMoves);
  std::vector<float> half_range = {0.5f, 2, 1, 3};

  MemoryRows memory() const { return {data.states, data.actions, half_range}; }
  Examples examples(const PolicySpec& spec) const {
    return {data.query_states, chunks, spec.retrieval() != nullptr ? &*data.neighbors : nullptr};
  }
  std::unique_ptr<GraphLoss> loss(const PolicySpec& spec) const {
    return make_graph_loss(spec, memory(), examples(spec), at::kDouble);
  }
  at::Tensor parameters(const PolicySpec& spec) {
    return at::tensor(in_double(random_parameters(rng, spec, kPlaceDim, kMoveDim)), at::kDouble);
  }
};

double diffusion_loss(const GraphLoss& loss, const at::Tensor& parameters,
                      const QueryBatch& batch) {
  return loss(parameters, batch, /*learning=*/false).item<double>();
}

TEST(DiffusionLoss, GradientIsThatOfFiniteDifferences) {
  RandomChunks random;
  const std::vector<int64_t> queries = {1, 7, 2};
  const Matrix noise = random_matrix(random.rng, 3, kPlaceDim * kPlacesSeen, 0.1);
  const QueryBatch batch{queries, noise, 77};
  for (const PolicySpec& spec : every_diffusion()) {
    const auto loss = random.loss(spec);
    const at::Tensor parameters = random.parameters(spec), leaf = parameters.clone();
    leaf.requires_grad_();
    const at::Tensor gradient =
        torch::autograd::grad({(*loss)(leaf, batch, /*learning=*/true)}, {leaf}).front();
    EXPECT_GT(gradient.abs().max().item<double>(), 1e-3);
    constexpr double kStep = 1e-5;
    for (int64_t i = 0; i < parameters.numel(); i += 101) {
      at::Tensor moved = parameters.clone();
      moved[i] += kStep;
      const double above = diffusion_loss(*loss, moved, batch);
      moved[i] -= 2 * kStep;
      const double below = diffusion_loss(*loss, moved, batch);
      EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-8)
          << spec.kind_name() << ", parameter " << i;
    }
  }
}

TEST(DiffusionLoss, DoesNotDependOnTheOrderOfNeighbors) {
  RandomChunks random;
  const NeighborTable& table = *random.data.neighbors;
  NeighborTable::Contents reversed;
  reversed.width = table.width();
  for (int64_t q = 0; q < table.queries(); ++q) {
    std::vector<int32_t> rows(table.rows(q).begin(), table.rows(q).end());
    std::ranges::reverse(rows);
    reversed.counts.push_back(static_cast<int32_t>(rows.size()));
    rows.resize(table.width(), -1);
    reversed.rows.insert(reversed.rows.end(), rows.begin(), rows.end());
  }
  const NeighborTable other(std::move(reversed));
  const std::vector<int64_t> queries = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  for (const Average average : {Average::kScore, Average::kChunk}) {
    const PolicySpec spec = retrieving_diffusion(average);
    const at::Tensor parameters = random.parameters(spec);
    const double expected = diffusion_loss(*random.loss(spec), parameters, {queries, {}, 3});
    Examples examples = random.examples(spec);
    examples.neighbors = &other;
    const auto loss = make_graph_loss(spec, random.memory(), examples, at::kDouble);
    EXPECT_NEAR(diffusion_loss(*loss, parameters, {queries, {}, 3}), expected, 1e-13);
  }
}

// A query alone has no unused places for neighbours, and draws what it draws in company.
TEST(DiffusionLoss, IsTheMeanOfItsQueriesHoweverManyNeighborsTheyHave) {
  RandomChunks random;
  const std::vector<int64_t> queries = {3, 0, 8, 5, 6};
  for (const PolicySpec& spec : every_diffusion()) {
    const auto loss = random.loss(spec);
    const at::Tensor parameters = random.parameters(spec);
    double sum = 0;
    for (const int64_t query : queries)
      sum += diffusion_loss(*loss, parameters, {std::span(&query, 1), {}, 9});
    EXPECT_NEAR(diffusion_loss(*loss, parameters, {queries, {}, 9}), sum / 5, 1e-12)
        << spec.kind_name();
  }
}

// The mean's squared error is at most the mean squared error.
TEST(DiffusionLoss, IsHigherIfEveryNeighborAnswersForItself) {
  RandomChunks random;
  const at::Tensor parameters = random.parameters(retrieving_diffusion(Average::kScore));
  const auto score = random.loss(retrieving_diffusion(Average::kScore)),
             chunk = random.loss(retrieving_diffusion(Average::kChunk));
  int several = 0;
  for (int64_t query = 0; query < 9; ++query) {
    const QueryBatch batch{std::span(&query, 1), {}, 1};
    const double joined = diffusion_loss(*score, parameters, batch),
                 alone = diffusion_loss(*chunk, parameters, batch);
    if (random.data.neighbors->count(query) == 1)
      EXPECT_NEAR(joined, alone, 1e-13);
    else
      EXPECT_LT(joined, alone - 1e-6);
    several += random.data.neighbors->count(query) > 1;
  }
  EXPECT_GT(several, 0);
  EXPECT_LT(several, 9);
}

TEST(DiffusionLoss, TakesDifferencesInPartsOfTheirRange) {
  for (const Difference difference : {Difference::kVector, Difference::kNorm}) {
    RandomChunks random;
    PolicySpec spec = retrieving_diffusion(Average::kScore, difference);
    const at::Tensor parameters = random.parameters(spec);
    const std::vector<int64_t> queries = {0, 4, 5};
    const double before = diffusion_loss(*random.loss(spec), parameters, {queries, {}, 2});
    for (float& x : random.half_range) x *= 4;
    EXPECT_GT(std::abs(diffusion_loss(*random.loss(spec), parameters, {queries, {}, 2}) - before),
              1e-6);
    std::get<DarpDiffusionSpec>(spec.kind).input.difference_scale *= 4;
    EXPECT_NEAR(diffusion_loss(*random.loss(spec), parameters, {queries, {}, 2}), before, 1e-13);
  }
}

TEST(DiffusionLoss, DrawsFromTheSeedAlone) {
  RandomChunks random;
  const std::vector<int64_t> queries = {1, 2, 3};
  for (const PolicySpec& spec : every_diffusion()) {
    const auto loss = random.loss(spec);
    const at::Tensor parameters = random.parameters(spec);
    const double first = diffusion_loss(*loss, parameters, {queries, {}, 1});
    EXPECT_NE(diffusion_loss(*loss, parameters, {queries, {}, 2}), first);
    EXPECT_EQ(diffusion_loss(*random.loss(spec), parameters, {queries, {}, 1}), first);
    EXPECT_EQ((*loss)(parameters, {queries, {}, 1}, /*learning=*/true).item<double>(), first);
  }
}

}  // namespace
}  // namespace darp
