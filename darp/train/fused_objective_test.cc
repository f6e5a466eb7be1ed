#include "darp/train/fused_objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "darp/train/graph_objective.h"
#include "tests/direct_policy.h"
#include "tests/random_training.h"

namespace darp {
namespace {

const std::vector<int64_t> kQueries = {4, 0, 8, 3, 4, 7, 1};

struct Answer {
  double loss = 0;
  std::vector<float> gradient;
  bool operator==(const Answer&) const = default;
};

Answer fused(const PolicySpec& spec, const RandomTraining& data,
             const std::vector<float>& parameters, const QueryBatch& batch, int threads = 1,
             bool bfloat16 = false) {
  ThreadPool pool(threads);
  const Examples examples = data.examples(spec);
  const auto objective = make_fused_objective(spec, data.memory(), examples, pool, bfloat16);
  Answer answer{0, std::vector<float>(parameters.size(), NAN)};
  answer.loss = objective->gradient(parameters, batch, answer.gradient);
  EXPECT_DOUBLE_EQ(objective->loss(parameters, batch), answer.loss);
  return answer;
}

TEST(FusedObjective, EqualsTheGraphForEveryInputAndNetwork) {
  Rng rng(1);
  for (const int64_t fewest : {1, 7})
    for (const MlpSettings& network : every_network())
      for (const PolicySpec& spec : every_kind(network)) {
        if (!fused_engine_supports(spec)) continue;
        const RandomTraining data(rng, kObservation, kAction, fewest, 7);
        const Matrix noise = random_matrix(rng, std::ssize(kQueries), kObservation, 0.3);
        const auto parameters = random_parameters(rng, spec, kObservation, kAction);
        for (const MatrixView& added : {MatrixView(), noise.view()}) {
          const QueryBatch batch{kQueries, added};
          const Answer got = fused(spec, data, parameters, batch);
          std::vector<double> expected(parameters.size());
          const double loss = precise_gradient(spec, data.memory(), data.examples(spec),
                                               in_double(parameters), batch, expected);
          EXPECT_NEAR(got.loss, loss, 1e-5 * loss);
          EXPECT_LT(distance(got.gradient, expected), 1e-5) << write_yaml(spec);
        }
      }
}

TEST(FusedObjective, EqualsTheGraphOnASampleOfTheNeighbors) {
  Rng rng(31);
  PolicySpec spec;
  spec.kind = DarpSpec{.network = {.hidden = {8, 6}}};
  const RandomTraining data(rng, kObservation, kAction, 3, 12);
  const auto parameters = random_parameters(rng, spec, kObservation, kAction);
  std::set<double> losses;
  for (const int64_t sample : {1, 2, 4, 0}) {
    const QueryBatch batch{.queries = kQueries, .seed = 5, .neighbor_sample = sample};
    const Answer got = fused(spec, data, parameters, batch);
    std::vector<double> expected(parameters.size());
    const double loss = precise_gradient(spec, data.memory(), data.examples(spec),
                                         in_double(parameters), batch, expected);
    EXPECT_NEAR(got.loss, loss, 1e-5 * loss);
    EXPECT_LT(distance(got.gradient, expected), 1e-5);
    losses.insert(got.loss);
  }
  EXPECT_EQ(losses.size(), 4u);
}

TEST(FusedObjective, EqualsTheGraphAtWidthsThatFillVectors) {
  Rng rng(2);
  // Neighbours beyond one block and queries that share one.
  for (const auto& [fewest, most] : {std::pair<int64_t, int64_t>{150, 190}, {20, 45}})
    for (const PolicySpec& spec : every_kind({{64, 128, 48}, MlpSettings::Norm::kLayer, 0})) {
      const RandomTraining data(rng, 11, kAction, fewest, most);
      const auto parameters = random_parameters(rng, spec, 11, kAction);
      const Answer got = fused(spec, data, parameters, {kQueries}, 2);
      std::vector<double> expected(parameters.size());
      const double loss = precise_gradient(spec, data.memory(), data.examples(spec),
                                           in_double(parameters), {kQueries}, expected);
      EXPECT_NEAR(got.loss, loss, 1e-5 * loss);
      EXPECT_LT(distance(got.gradient, expected), 1e-5);
    }
}

TEST(FusedObjective, GradientIsThatOfFiniteDifferencesInDouble) {
  Rng rng(3);
  for (const PolicySpec& spec : every_kind({{6, 5}, MlpSettings::Norm::kLayer, 0})) {
    const RandomTraining data(rng, kObservation, kAction, 2, 4);
    const auto parameters = random_parameters(rng, spec, kObservation, kAction);
    const Answer got = fused(spec, data, parameters, {kQueries});
    auto at = in_double(parameters);
    const auto loss = [&] {
      return direct_loss(spec, data.memory(), data.examples(spec), at, {kQueries});
    };
    constexpr double kStep = 1e-7;
    for (size_t i = 0; i < at.size(); i += 3) {
      const double here = at[i];
      at[i] = here + kStep;
      const double above = loss();
      at[i] = here - kStep;
      const double below = loss();
      at[i] = here;
      EXPECT_NEAR(got.gradient[i], (above - below) / (2 * kStep), 1e-5) << "parameter " << i;
    }
  }
}

TEST(FusedObjective, HasTheSameBitsForAnyNumberOfThreads) {
  Rng rng(4);
  for (const PolicySpec& spec : every_kind({{24, 40}, MlpSettings::Norm::kLayer, 0})) {
    const RandomTraining data(rng, kObservation, kAction, 30, 60);
    const auto parameters = random_parameters(rng, spec, kObservation, kAction);
    const Answer one = fused(spec, data, parameters, {kQueries}, 1);
    EXPECT_EQ(one, fused(spec, data, parameters, {kQueries}, 2));
    EXPECT_EQ(one, fused(spec, data, parameters, {kQueries}, 5));
  }
}

TEST(FusedObjective, CarriesNothingFromBatchToBatch) {
  Rng rng(5);
  for (const PolicySpec& spec : every_kind({{24, 16}, MlpSettings::Norm::kLayer, 0})) {
    const RandomTraining data(rng, kObservation, kAction, 1, 60);
    const auto parameters = random_parameters(rng, spec, kObservation, kAction);
    ThreadPool pool(1);
    const Examples examples = data.examples(spec);
    const auto used = make_fused_objective(spec, data.memory(), examples, pool);
    Answer got{0, std::vector<float>(parameters.size())};
    for (const std::vector<int64_t>& queries :
         {std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}, {3}, {8, 2}}) {
      got.loss = used->gradient(parameters, {queries}, got.gradient);
      EXPECT_EQ(got, fused(spec, data, parameters, {queries}));
    }
  }
}

TEST(FusedObjective, DoesNotDependOnTheOrderOfNeighborsBeyondRounding) {
  Rng rng(6);
  PolicySpec spec = every_kind({{32, 32}, MlpSettings::Norm::kLayer, 0})[1];
  const RandomTraining data(rng, kObservation, kAction, 40, 40);
  NeighborTable::Contents shuffled{.width = 40, .counts = {}, .rows = {}, .distances = {}};
  for (int64_t query = 0; query < data.neighbors->queries(); ++query) {
    const auto rows = data.neighbors->rows(query);
    std::vector<int32_t> list(rows.begin(), rows.end());
    rng.shuffle(std::span(list));
    shuffled.counts.push_back(40);
    shuffled.rows.insert(shuffled.rows.end(), list.begin(), list.end());
  }
  RandomTraining other(rng, kObservation, kAction, 40, 40);
  other.states = Matrix::copy_of(data.states);
  other.actions = Matrix::copy_of(data.actions);
  other.query_states = Matrix::copy_of(data.query_states);
  other.query_actions = Matrix::copy_of(data.query_actions);
  other.neighbors.emplace(std::move(shuffled));
  const auto parameters = random_parameters(rng, spec, kObservation, kAction);
  const Answer a = fused(spec, data, parameters, {kQueries}),
               b = fused(spec, other, parameters, {kQueries});
  EXPECT_NEAR(a.loss, b.loss, 1e-6 * a.loss);
  EXPECT_LT(distance(a.gradient, in_double(b.gradient)), 2e-6);
}

TEST(FusedObjective, InBfloat16IsNearTheGraphAndTheSameForAnyNumberOfThreads) {
  Rng rng(7);
  for (const PolicySpec& spec : every_kind({{64, 96, 40}, MlpSettings::Norm::kLayer, 0})) {
    const RandomTraining data(rng, 11, kAction, 30, 190);
    const auto parameters = random_parameters(rng, spec, 11, kAction);
    const Answer got = fused(spec, data, parameters, {kQueries}, 1, true);
    EXPECT_EQ(got, fused(spec, data, parameters, {kQueries}, 3, true));
    EXPECT_NE(got, fused(spec, data, parameters, {kQueries}, 1, false));
    std::vector<double> expected(parameters.size());
    const double loss = precise_gradient(spec, data.memory(), data.examples(spec),
                                         in_double(parameters), {kQueries}, expected);
    // Numbers are rounded to 8 bits, a part of 2^-9 each, in two layers there and back. A unit that
    // is rounded across its kink counts too, and where all of a query's pairs are alike it does so
    // for all of them at once.
    const bool alike = !spec.darp() || spec.inputs(11, kAction) == 11;
    EXPECT_NEAR(got.loss, loss, 0.01 * loss);
    double apart = 0, norm = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      apart += std::pow(got.gradient[i] - expected[i], 2);
      norm += std::pow(expected[i], 2);
    }
    EXPECT_LT(std::sqrt(apart / norm), alike ? 0.3 : 0.03) << write_yaml(spec);
  }
}

/// Behaviour cloning's examples, whose answers ought to be like those for random rows.
struct SmoothExamples {
  const RandomTraining& data;
  std::vector<float> weights;
  Smoothness smoothness;

  SmoothExamples(Rng& rng, const RandomTraining& training, double weight) : data(training) {
    const NeighborTable& table = *data.neighbors;
    weights.resize(table.queries() * table.width());
    for (int64_t q = 0; q < table.queries(); ++q)
      for (int64_t i = 0; i < table.count(q); ++i)
        weights[q * table.width() + i] = static_cast<float>(rng.uniform());
    smoothness = {weight, &table, weights};
  }
  Examples examples() const {
    return {data.query_states, data.query_actions, nullptr, &smoothness};
  }
};

TEST(FusedObjective, EqualsTheGraphWithSmoothness) {
  Rng rng(8);
  // Rows beyond one block, too; some queries have no neighbours.
  for (const auto& [fewest, most] : {std::pair<int64_t, int64_t>{0, 7}, {40, 190}})
    for (const MlpSettings& network : every_network()) {
      PolicySpec spec;
      spec.kind = BcSpec{network};
      if (!fused_engine_supports(spec)) continue;
      const RandomTraining data(rng, kObservation, kAction, fewest, most);
      const SmoothExamples smooth(rng, data, 0.7);
      const Matrix noise = random_matrix(rng, std::ssize(kQueries), kObservation, 0.3);
      const auto parameters = random_parameters(rng, spec, kObservation, kAction);
      for (const MatrixView& added : {MatrixView(), noise.view()}) {
        const QueryBatch batch{kQueries, added};
        std::vector<double> expected(parameters.size());
        const double loss = precise_gradient(spec, data.memory(), smooth.examples(),
                                             in_double(parameters), batch, expected);
        std::vector<float> first;
        for (const int threads : {1, 3}) {
          ThreadPool pool(threads);
          const auto objective = make_fused_objective(spec, data.memory(), smooth.examples(), pool);
          std::vector<float> got(parameters.size(), NAN);
          EXPECT_NEAR(objective->gradient(parameters, batch, got), loss, 1e-5 * loss);
          EXPECT_NEAR(objective->loss(parameters, batch), loss, 1e-5 * loss);
          EXPECT_LT(distance(got, expected), 1e-5) << write_yaml(spec);
          if (threads == 1) first = got;
          EXPECT_EQ(got, first);
        }
      }
    }
}

TEST(FusedObjective, CountsSmoothnessBesideImitation) {
  Rng rng(9);
  PolicySpec spec;
  spec.kind = BcSpec{{{12, 9}, MlpSettings::Norm::kLayer, 0}, {}};
  const RandomTraining data(rng, kObservation, kAction, 2, 5);
  const auto parameters = random_parameters(rng, spec, kObservation, kAction);
  ThreadPool pool(1);
  const auto loss_of = [&](const Examples& examples) {
    return make_fused_objective(spec, data.memory(), examples, pool)->loss(parameters, {kQueries});
  };
  SmoothExamples smooth(rng, data, 1);
  const double plain = loss_of(data.examples(spec)), once = loss_of(smooth.examples());
  smooth.smoothness.weight = 2;
  EXPECT_GT(once, plain);
  EXPECT_NEAR(loss_of(smooth.examples()) - once, once - plain, 1e-9);
}

TEST(FusedObjective, LeavesDropoutToTheGraph) {
  PolicySpec spec;
  DarpSpec darp;
  darp.network.dropout = 0.1;
  spec.kind = darp;
  EXPECT_FALSE(fused_engine_supports(spec));
  spec.kind = BcSpec{};
  EXPECT_TRUE(fused_engine_supports(spec));
}

}  // namespace
}  // namespace darp
