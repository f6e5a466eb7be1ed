#include <gtest/gtest.h>

#include "darp/policy/make_retriever.h"
#include "darp/retrieval/retrieval_session.h"
#include "darp/train/torch/entry.h"
#include "darp/train/torch/graph_regent.h"
#include "darp/train/torch/torch_answer.h"
#include "darp/train/torch/torch_edge.h"
#include "tests/plain_regent.h"
#include "tests/random_training.h"

namespace darp {
namespace {

constexpr int64_t kStateDim = 3, kActionDim = 2;

PolicySpec tiny_regent(int64_t k, int64_t token_width = 0) {
  RegentSpec regent;
  regent.transformer = {.layers = 2, .heads = 2, .width = 6};
  regent.token_width = token_width;
  regent.sharpness = 0.8;
  regent.reach = 3;
  regent.retrieval.k = k;
  regent.retrieval.history.lookback = 1;
  regent.retrieval.exclude = RetrievalSettings::Exclude::kNothing;
  PolicySpec spec;
  spec.kind = regent;
  return spec;
}

std::vector<float> lively(Rng& rng, const PolicySpec& spec) {
  return lively_parameters(rng, spec, kStateDim, kActionDim);
}

std::shared_ptr<const PolicyArchive> tiny_policy(Rng& rng, const PolicySpec& spec,
                                                 int64_t longest) {
  return regent_policy(
      rng, spec,
      {.observation_dim = kStateDim, .action_dim = kActionDim, .episodes = 4, .longest = longest});
}

TEST(Regent, ActsAsPlainLoopsDo) {
  Rng rng(1);
  int short_of_neighbors = 0;
  for (int round = 0; round < 8; ++round) {
    PolicySpec spec = tiny_regent(round % 4 == 0 ? 1 : 4, round % 2 == 0 ? 0 : 7);
    RetrievalSettings& retrieval = std::get<RegentSpec>(spec.kind).retrieval;
    retrieval.exclude = RetrievalSettings::Exclude::kZero;
    // Hardly more rows than are asked for, and some queries that may not find their own.
    const auto archive = tiny_policy(rng, spec, round < 4 ? 1 : 9);
    const Matrix states = archive->observations().apply(archive->demonstrations().observations),
                 actions = archive->actions().apply(archive->demonstrations().actions);
    RetrievalSession session(make_retriever(retrieval, archive->observations(), states,
                                            archive->demonstrations().episode_ends));
    const auto torch = make_torch_answer(archive);
    torch->reset(0);
    for (int64_t step = 0; step < 6; ++step) {
      std::vector<float> query = {states.row(step % states.rows()).begin(),
                                  states.row(step % states.rows()).end()};
      if (step % 2 == 0) query[0] += static_cast<float>(rng.normal());
      const Neighbors found = session.push(query);
      short_of_neighbors += std::ssize(found.rows) < found.wanted ? 1 : 0;
      const auto [seen, done] = plain_context(states, actions, found.rows, retrieval.k, query);
      torch->see(query);
      for (const int64_t member : {0, 1}) {
        const Rows expected =
            PlainRegent(archive->spec(), kStateDim, kActionDim, archive->members()[member])
                .answers(seen, done);
        const at::Tensor got = torch->answer(member, Rng(0)).contiguous();
        ASSERT_EQ(got.numel(), kActionDim);
        for (size_t j = 0; j < 2; ++j)
          EXPECT_NEAR(got.data_ptr<float>()[j], expected.back()[j], 2e-5)
              << "round " << round << ", step " << step;
      }
    }
  }
  EXPECT_GT(short_of_neighbors, 0);
}

TEST(Regent, DoesWhatWasDemonstratedWhereItWasDemonstrated) {
  Rng rng(2);
  const auto archive = tiny_policy(rng, tiny_regent(3), 9);
  const Matrix states = archive->observations().apply(archive->demonstrations().observations),
               actions = archive->actions().apply(archive->demonstrations().actions);
  const auto torch = make_torch_answer(archive);
  for (int64_t row = 0; row < states.rows(); ++row) {
    torch->reset(0);
    torch->see(states.row(row));
    const at::Tensor got = torch->answer(0, Rng(0)).contiguous();
    for (int64_t j = 0; j < kActionDim; ++j)
      EXPECT_EQ(got.data_ptr<float>()[j], actions(row, j)) << "row " << row;
  }
}

TEST(Regent, LooksAtNothingThatComesLater) {
  Rng rng(3);
  const int64_t k = 4;
  const PolicySpec spec = tiny_regent(k);
  const ParameterLayout layout(policy_parameters(spec, kStateDim, kActionDim));
  const std::vector<float> numbers = lively(rng, spec);
  const at::Tensor flat = to_tensor(numbers, at::kCPU).to(at::kDouble);
  const NamedTensors parameters(layout, flat);
  const RegentContext context{
      to_tensor(random_matrix(rng, k + 1, kStateDim), at::kDouble).unsqueeze(0),
      to_tensor(random_matrix(rng, k, kActionDim), at::kDouble).unsqueeze(0)};
  const auto answers = [&](const RegentContext& seen) {
    return graph_regent(*spec.as<RegentSpec>(), parameters, seen, 1).squeeze(0);
  };
  const at::Tensor before = answers(context);
  for (int64_t i = 1; i <= k; ++i) {
    RegentContext other{context.states.clone(), context.actions};
    other.states.select(1, i).add_(0.5);
    const at::Tensor after = answers(other);
    EXPECT_TRUE(at::allclose(after.narrow(0, 0, i), before.narrow(0, 0, i), 0, 1e-12)) << i;
    for (int64_t later = i; later <= k; ++later)
      EXPECT_GT((after[later] - before[later]).abs().max().item<double>(), 1e-6) << i;
    if (i == k) continue;
    // An action comes after its own state.
    other = {context.states, context.actions.clone()};
    other.actions.select(1, i).add_(0.5);
    const at::Tensor done = answers(other);
    EXPECT_TRUE(at::allclose(done.narrow(0, 0, i + 1), before.narrow(0, 0, i + 1), 0, 1e-12)) << i;
    EXPECT_GT((done[i + 1] - before[i + 1]).abs().max().item<double>(), 1e-6) << i;
  }
}

/// Queries and their neighbours, of which some have fewer than k.
struct RegentTraining : RandomTraining {
  RegentTraining(Rng& rng, int64_t k) : RandomTraining(rng, kStateDim, kActionDim, 1, k) {}
  MemoryRows memory() const { return {states, actions, std::span(&kRegentCalibration, 1)}; }
};

TEST(Regent, LosesAsPlainLoopsDo) {
  Rng rng(4);
  for (const int64_t k : {1, 4})
    for (const int64_t token_width : {0, 9}) {
      const PolicySpec spec = tiny_regent(k, token_width);
      const RegentTraining training(rng, k);
      const std::vector<float> numbers = lively(rng, spec);
      const PlainRegent plain(spec, kStateDim, kActionDim, numbers);
      const std::vector<int64_t> queries = {3, 0, 8, 5};
      double expected = 0, count = 0;
      for (const int64_t q : queries) {
        const auto [seen, done] =
            plain_context(training.states, training.actions, training.neighbors->rows(q), k,
                          training.query_states.row(q));
        const Rows answers = plain.answers(seen, done);
        for (size_t i = 0; i < answers.size(); ++i) {
          const std::vector<double> wanted =
              plain.cycled(i < done.size() ? done[i] : in_double(training.query_actions.row(q)));
          for (size_t j = 0; j < wanted.size(); ++j, ++count) {
            const double error = answers[i][j] - wanted[j];
            expected += error * error;
            if (i == 0) {
              EXPECT_EQ(error, 0);
            }
          }
        }
      }
      const std::vector<double> precise(numbers.begin(), numbers.end());
      EXPECT_NEAR(with_torch::precise_loss(spec, training.memory(), training.examples(spec),
                                           precise, {.queries = queries}),
                  expected / count, 1e-9);
    }
}

TEST(Regent, LosesNothingAtTheNearestNeighbor) {
  Rng rng(5);
  const PolicySpec spec = tiny_regent(1);
  RegentTraining training(rng, 1);
  // The query is what it finds: both places repeat the action, whatever the network says.
  const int32_t row = training.neighbors->rows(0)[0];
  std::ranges::copy(training.states.row(row), training.query_states.row(0).begin());
  std::ranges::copy(training.actions.row(row), training.query_actions.row(0).begin());
  const std::vector<float> numbers = lively(rng, spec);
  const std::vector<double> precise(numbers.begin(), numbers.end());
  std::vector<double> gradient(precise.size(), 1);
  const std::vector<int64_t> queries = {0};
  EXPECT_EQ(with_torch::precise_gradient(spec, training.memory(), training.examples(spec), precise,
                                         {.queries = queries}, gradient),
            0);
  EXPECT_EQ(gradient, std::vector<double>(gradient.size()));
}

TEST(Regent, HasTheGradientOfItsLoss) {
  Rng rng(6);
  const PolicySpec spec = tiny_regent(3, 5);
  const RegentTraining training(rng, 3);
  const std::vector<float> numbers = lively(rng, spec);
  std::vector<double> precise(numbers.begin(), numbers.end()), gradient(precise.size());
  const std::vector<int64_t> queries = {1, 2, 7};
  const Matrix noise = random_matrix(rng, 3, kStateDim, 0.1);
  const QueryBatch batch{.queries = queries, .noise = noise};
  const MemoryRows memory = training.memory();
  const Examples examples = training.examples(spec);
  with_torch::precise_gradient(spec, memory, examples, precise, batch, gradient);
  double largest = 0;
  for (const double x : gradient) largest = std::max(largest, std::abs(x));
  ASSERT_GT(largest, 1e-3);
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < precise.size(); i += 3) {
    const double here = precise[i];
    precise[i] = here + kStep;
    const double above = with_torch::precise_loss(spec, memory, examples, precise, batch);
    precise[i] = here - kStep;
    const double below = with_torch::precise_loss(spec, memory, examples, precise, batch);
    precise[i] = here;
    EXPECT_NEAR((above - below) / (2 * kStep), gradient[i], 1e-6 * largest) << i;
  }
}

TEST(Regent, Learns) {
  Rng rng(7);
  const int64_t k = 3, rows = 60;
  PolicySpec spec = tiny_regent(k);
  std::get<RegentSpec>(spec.kind).transformer = {.layers = 1, .heads = 2, .width = 16};
  Matrix states = random_matrix(rng, rows, kStateDim), actions = Matrix::zeros(rows, kActionDim);
  for (int64_t i = 0; i < rows; ++i) {
    actions(i, 0) = std::sin(2 * states(i, 0));
    actions(i, 1) = states(i, 1) * states(i, 2);
  }
  const RetrievalSettings& retrieval = *spec.retrieval();
  const auto retriever =
      std::make_shared<const Retriever>(states, std::vector<int64_t>{rows}, retrieval);
  RetrievalSession session(retriever);
  NeighborTable::Contents contents{.width = k, .counts = {}, .rows = {}, .distances = {}};
  for (int64_t i = 0; i < rows; ++i) {
    session.reset();
    const std::span<const int32_t> found = session.push(states.row(i), {i, i + 1}).rows;
    contents.counts.push_back(static_cast<int32_t>(k));
    contents.rows.insert(contents.rows.end(), found.begin(), found.end());
  }
  const NeighborTable table(std::move(contents));
  const auto objective = with_torch::make_graph_objective(
      spec, {states, actions, std::span(&kRegentCalibration, 1)}, {states, actions, &table}, {});
  const auto parameters = policy_parameters(spec, kStateDim, kActionDim);
  std::vector<float> numbers(static_cast<size_t>(parameter_count(parameters))),
      gradient(numbers.size()), mean(numbers.size()), square(numbers.size());
  initialize_parameters(parameters, rng, numbers);
  std::vector<int64_t> queries(static_cast<size_t>(rows));
  std::iota(queries.begin(), queries.end(), 0);
  const double before = objective->loss(numbers, {.queries = queries});
  // Adam, in short.
  for (int step = 1; step <= 300; ++step) {
    objective->gradient(numbers, {.queries = queries}, gradient);
    const double one = 1 - std::pow(0.9, step), two = 1 - std::pow(0.999, step);
    for (size_t i = 0; i < numbers.size(); ++i) {
      mean[i] = 0.9f * mean[i] + 0.1f * gradient[i];
      square[i] = 0.999f * square[i] + 0.001f * gradient[i] * gradient[i];
      numbers[i] -= static_cast<float>(3e-3 * (static_cast<double>(mean[i]) / one) /
                                       (std::sqrt(static_cast<double>(square[i]) / two) + 1e-8));
    }
  }
  EXPECT_LT(objective->loss(numbers, {.queries = queries}), 0.2 * before);
}

}  // namespace
}  // namespace darp
