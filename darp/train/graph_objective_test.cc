#include "darp/train/graph_objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/direct_policy.h"
#include "tests/error_of.h"
#include "tests/random_training.h"

namespace darp {
namespace {

constexpr GraphOptions kOneThread = {.threads = 1};

DarpSpec small_darp(double dropout = 0) {
  DarpSpec darp;
  darp.network = {{9, 6}, MlpSettings::Norm::kLayer, dropout};
  darp.input.query = true;
  return darp;
}

PolicySpec spec_of(const DarpSpec& darp) {
  PolicySpec spec;
  spec.kind = darp;
  return spec;
}

TEST(GraphObjective, IsTheFormulaForEveryInputAndNetwork) {
  Rng rng(1);
  const std::vector<int64_t> queries = {4, 0, 8, 3, 4};
  for (const int64_t fewest : {1, 7})
    for (const MlpSettings& network : every_network())
      for (const PolicySpec& spec : every_kind(network)) {
        const RandomTraining data(rng, kObservation, kAction, fewest, 7);
        const Matrix noise = random_matrix(rng, 5, kObservation, 0.3);
        const auto parameters = random_parameters(rng, spec, kObservation, kAction);
        const Examples examples = data.examples(spec);
        const auto objective = make_graph_objective(spec, data.memory(), examples, kOneThread);
        for (const MatrixView& added : {MatrixView(), noise.view()}) {
          const QueryBatch batch{queries, added};
          const double expected =
              direct_loss(spec, data.memory(), examples, in_double(parameters), batch);
          EXPECT_NEAR(objective->loss(parameters, batch), expected, 1e-5 * expected);
          // Only the input is rounded to float in `expected`.
          EXPECT_NEAR(precise_loss(spec, data.memory(), examples, in_double(parameters), batch),
                      expected, 1e-6 * expected);
        }
      }
}

TEST(GraphObjective, GradientIsThatOfFiniteDifferences) {
  Rng rng(2);
  const std::vector<int64_t> queries = {1, 7, 2};
  for (const double dropout : {0.0, 0.4})
    for (const auto norm : {MlpSettings::Norm::kNone, MlpSettings::Norm::kLayer})
      for (const PolicySpec& spec : every_kind({{6, 5}, norm, dropout})) {
        const RandomTraining data(rng, kObservation, kAction, 2, 4);
        const Matrix noise = random_matrix(rng, 3, kObservation, 0.1);
        const QueryBatch batch{queries, noise, 77};
        const auto loss = [&](const std::vector<double>& at, std::vector<double>& out) {
          return precise_gradient(spec, data.memory(), data.examples(spec), at, batch, out);
        };
        auto parameters = in_double(random_parameters(rng, spec, kObservation, kAction));
        std::vector<double> gradient(parameters.size()), ignored(parameters.size());
        loss(parameters, gradient);
        // So short a step that none of these units crosses its kink.
        constexpr double kStep = 1e-7;
        for (size_t i = 0; i < parameters.size(); i += 3) {
          const double here = parameters[i];
          parameters[i] = here + kStep;
          const double above = loss(parameters, ignored);
          parameters[i] = here - kStep;
          const double below = loss(parameters, ignored);
          parameters[i] = here;
          EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-7) << "parameter " << i;
        }
      }
}

TEST(GraphObjective, FloatAndDoubleAgree) {
  Rng rng(3);
  const std::vector<int64_t> queries = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  for (const MlpSettings& network : every_network())
    for (const PolicySpec& spec : every_kind(network)) {
      const RandomTraining data(rng, kObservation, kAction, 1, 9);
      const auto parameters = random_parameters(rng, spec, kObservation, kAction);
      const auto objective =
          make_graph_objective(spec, data.memory(), data.examples(spec), kOneThread);
      // Whatever was there is overwritten.
      std::vector<float> gradient(parameters.size(), NAN);
      std::vector<double> precise(parameters.size(), NAN);
      const double loss = objective->gradient(parameters, {queries}, gradient);
      EXPECT_NEAR(loss,
                  precise_gradient(spec, data.memory(), data.examples(spec), in_double(parameters),
                                   {queries}, precise),
                  1e-5 * loss);
      EXPECT_LT(distance(gradient, precise), 2e-5);
      EXPECT_DOUBLE_EQ(loss, objective->loss(parameters, {queries}));
    }
}

TEST(GraphObjective, DoesNotDependOnTheOrderOfNeighbors) {
  Rng rng(4);
  const PolicySpec spec = spec_of(small_darp());
  const RandomTraining data(rng, kObservation, kAction, 1, 12);
  NeighborTable::Contents shuffled{.width = 12, .counts = {}, .rows = {}, .distances = {}};
  for (int64_t query = 0; query < data.neighbors->queries(); ++query) {
    const auto rows = data.neighbors->rows(query);
    std::vector<int32_t> list(rows.begin(), rows.end());
    rng.shuffle(std::span(list));
    shuffled.counts.push_back(static_cast<int32_t>(list.size()));
    list.resize(12, -1);
    shuffled.rows.insert(shuffled.rows.end(), list.begin(), list.end());
  }
  const NeighborTable table(std::move(shuffled));
  Examples other = data.examples(spec);
  other.neighbors = &table;
  const std::vector<int64_t> queries = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto parameters = in_double(random_parameters(rng, spec, kObservation, kAction));
  std::vector<double> a(parameters.size()), b(parameters.size());
  EXPECT_NEAR(precise_gradient(spec, data.memory(), data.examples(spec), parameters, {queries}, a),
              precise_gradient(spec, data.memory(), other, parameters, {queries}, b), 1e-14);
  EXPECT_LT(distance(a, b), 1e-13);
}

TEST(GraphObjective, DropoutDependsOnTheSeedAlone) {
  Rng rng(5);
  const PolicySpec spec = spec_of(small_darp(0.5)), without = spec_of(small_darp());
  const RandomTraining data(rng, kObservation, kAction, 3, 6);
  const auto parameters = random_parameters(rng, spec, kObservation, kAction);
  const auto objective = make_graph_objective(spec, data.memory(), data.examples(spec), kOneThread);
  const std::vector<int64_t> queries = {2, 5, 6};
  std::vector<float> first(parameters.size()), other(first), again(first);
  objective->gradient(parameters, {queries, {}, 8}, first);
  objective->gradient(parameters, {queries, {}, 9}, other);
  objective->gradient(parameters, {queries, {}, 8}, again);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_EQ(objective->loss(parameters, {queries, {}, 8}),
            make_graph_objective(without, data.memory(), data.examples(without), kOneThread)
                ->loss(parameters, {queries}));
}

TEST(GraphObjective, DropoutKeepsTheMeanOfUnits) {
  Rng rng(6);
  DarpSpec darp = small_darp(0.5);
  darp.network.hidden = {40};
  const PolicySpec spec = spec_of(darp);
  RandomTraining data(rng, kObservation, 1, 6, 6);
  const auto parameters = random_parameters(rng, spec, kObservation, 1);
  const std::vector<int64_t> queries = {0};
  // Losses against the targets 0 and 1 differ by 2 answer - 1: linear in the answer, which is
  // linear in the dropped units.
  std::vector<std::unique_ptr<Objective>> objectives;
  for (const float target : {0.0f, 1.0f}) {
    data.query_actions(0, 0) = target;
    objectives.push_back(
        make_graph_objective(spec, data.memory(), data.examples(spec), kOneThread));
  }
  std::vector<float> ignored(parameters.size());
  double mean = 0;
  constexpr int kSeeds = 1500;
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    mean += (objectives[0]->gradient(parameters, {queries, {}, seed}, ignored) -
             objectives[1]->gradient(parameters, {queries, {}, seed}, ignored)) /
            kSeeds;
  const double expected =
      objectives[0]->loss(parameters, {queries}) - objectives[1]->loss(parameters, {queries});
  // Four standard errors.
  EXPECT_NEAR(mean, expected, 0.02);
}

TEST(GraphObjective, CudaGivesTheSameNumbersOrSaysWhatToDo) {
  Rng rng(7);
  const PolicySpec spec = spec_of(small_darp());
  const RandomTraining data(rng, kObservation, kAction, 1, 6);
  const auto parameters = random_parameters(rng, spec, kObservation, kAction);
  const std::vector<int64_t> queries = {2, 5, 6};
  double loss = 0;
  std::vector<float> gradient(parameters.size()), expected(parameters.size());
  const std::string message = error_of([&] {
    const auto objective = make_graph_objective(spec, data.memory(), data.examples(spec),
                                                {.device = GraphOptions::Device::kCuda});
    loss = objective->gradient(parameters, {queries}, gradient);
  });
  if (message != "no error") {
    EXPECT_SAYS(message, "--device cuda: LibTorch ");
    EXPECT_SAYS(message, "use --device cpu");
    return;
  }
  const auto objective = make_graph_objective(spec, data.memory(), data.examples(spec), kOneThread);
  EXPECT_NEAR(loss, objective->gradient(parameters, {queries}, expected), 1e-5 * loss);
  EXPECT_LT(distance(gradient, expected), 1e-4);
}

TEST(GraphObjective, RefusesExamplesWithoutNeighborsAndImpossibleNetworks) {
  Rng rng(8);
  PolicySpec spec = spec_of(small_darp());
  const RandomTraining data(rng, kObservation, kAction, 0, 0);
  const auto message = [&] {
    return error_of([&] { make_graph_objective(spec, data.memory(), data.examples(spec)); });
  };
  EXPECT_SAYS(message(), "example 0: has no neighbours");
  std::get<DarpSpec>(spec.kind).network.hidden = {0};
  EXPECT_SAYS(message(), "network.hidden");
}

}  // namespace
}  // namespace darp
