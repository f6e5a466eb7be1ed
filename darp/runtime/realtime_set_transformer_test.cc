#include "darp/runtime/realtime_set_transformer.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <thread>

#include "tests/allocation_count.h"
#include "tests/direct_set_transformer.h"
#include "tests/random_matrix.h"
#include "tests/simd_levels.h"

namespace darp {
namespace {

constexpr const char* kPrefix = "aggregation.";

struct RandomTransformer {
  struct Shape {
    int64_t inputs, width, heads, inducing, outputs;
  };

  RandomTransformer(Rng& rng, const Shape& shape, double scale = 1)
      : settings{.kind = AggregationSettings::Kind::kSetTransformer,
                 .features = shape.inputs,
                 .width = shape.width,
                 .heads = shape.heads,
                 .inducing = shape.inducing} {
    // Others stand before and after them.
    append_linear(parameters, "layers.0.linear", 3, 2);
    append_set_transformer(parameters, kPrefix, settings, shape.inputs, shape.outputs);
    append_linear(parameters, "behind", 2, 2);
    numbers.resize(parameter_count(parameters));
    initialize_parameters(parameters, rng.split(rng.next_u64()), numbers);
    for (float& x : numbers) x *= static_cast<float>(scale);
    transformer.emplace(settings, shape.inputs, shape.outputs, parameters, kPrefix, numbers);
    answer.resize(shape.outputs);
  }
  std::vector<double> direct(MatrixView features) const {
    return DirectSetTransformer(settings, parameters, kPrefix, numbers).answer(features);
  }
  /// Apart by at most `tolerance` of the largest entry.
  void expect_near(const std::vector<double>& expected, double tolerance = 2e-5) const {
    double size = 0;
    for (const double y : expected) size = std::max(size, std::abs(y));
    for (size_t j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(answer[j], expected[j], tolerance * size) << "entry " << j;
  }

  AggregationSettings settings;
  std::vector<Parameter> parameters;
  std::vector<float> numbers, answer;
  std::optional<RealtimeSetTransformer> transformer;
};

RandomTransformer::Shape random_shape(Rng& rng) {
  const auto heads = 1 + static_cast<int64_t>(rng.below(4));
  const int64_t least = (3 + heads - 1) / heads, most = 64 / heads;
  return {.inputs = 1 + static_cast<int64_t>(rng.below(65)),
          .width = heads * (least + static_cast<int64_t>(rng.below(most - least + 1))),
          .heads = heads,
          .inducing = 1 + static_cast<int64_t>(rng.below(13)),
          .outputs = 1 + static_cast<int64_t>(rng.below(20))};
}

std::string text(const RandomTransformer::Shape& s, int64_t neighbors) {
  return fmt::format("{} neighbours, inputs {}, width {}, heads {}, inducing {}", neighbors,
                     s.inputs, s.width, s.heads, s.inducing);
}

TEST(RealtimeSetTransformer, AnswersAsTheDefinitionDoes) {
  Rng rng(1);
  for (int round = 0; round < 40; ++round) {
    const RandomTransformer::Shape shape = random_shape(rng);
    RandomTransformer t(rng, shape, 1 + rng.uniform());
    SetTransformerMemory memory(*t.transformer, 100);
    for (const int64_t neighbors : {100, 1, 2, 7, 12, 13, 32, 33, 96}) {
      SCOPED_TRACE(text(shape, neighbors));
      const Matrix features = random_matrix(rng, neighbors, shape.inputs, rng.uniform(0.1, 3));
      t.transformer->answer(features, memory, t.answer);
      t.expect_near(t.direct(features));
    }
  }
}

TEST(RealtimeSetTransformer, AnswersAsTheDefinitionDoesOnEverySimdLevel) {
  on_every_simd_level([] {
    Rng rng(2);
    for (const RandomTransformer::Shape& shape :
         {RandomTransformer::Shape{64, 60, 3, 12, 6}, RandomTransformer::Shape{65, 3, 3, 13, 1},
          RandomTransformer::Shape{1, 64, 4, 1, 11}}) {
      RandomTransformer t(rng, shape);
      SetTransformerMemory memory(*t.transformer, 70);
      SCOPED_TRACE(text(shape, 70));
      const Matrix features = random_matrix(rng, 70, shape.inputs);
      t.transformer->answer(features, memory, t.answer);
      t.expect_near(t.direct(features));
    }
  });
}

TEST(RealtimeSetTransformer, TakesFeaturesThatPointFarApart) {
  // Scores of hundreds: softmax must not overflow, and its largest number moves from tile to tile.
  Rng rng(3);
  const RandomTransformer::Shape shape{16, 12, 2, 5, 4};
  RandomTransformer t(rng, shape);
  SetTransformerMemory memory(*t.transformer, 500);
  Matrix features = random_matrix(rng, 500, shape.inputs);
  for (int64_t i = 0; i < 500; ++i)
    for (float& x : features.row(i)) x *= static_cast<float>(i);
  t.transformer->answer(features, memory, t.answer);
  t.expect_near(t.direct(features));
}

TEST(RealtimeSetTransformer, DoesNotCareAboutTheOrderOfNeighbors) {
  Rng rng(4);
  for (int round = 0; round < 10; ++round) {
    const RandomTransformer::Shape shape = random_shape(rng);
    SCOPED_TRACE(text(shape, 77));
    RandomTransformer t(rng, shape);
    SetTransformerMemory memory(*t.transformer, 77);
    const Matrix features = random_matrix(rng, 77, shape.inputs);
    t.transformer->answer(features, memory, t.answer);
    const std::vector<double> before(t.answer.begin(), t.answer.end());

    std::vector<int64_t> order(77);
    std::iota(order.begin(), order.end(), 0);
    rng.shuffle(std::span(order));
    Matrix shuffled = Matrix::zeros(77, shape.inputs);
    for (int64_t i = 0; i < 77; ++i)
      std::ranges::copy(features.row(order[i]), shuffled.row(i).begin());
    t.transformer->answer(shuffled, memory, t.answer);
    t.expect_near(before, 5e-6);
  }
}

TEST(RealtimeSetTransformer, ForgetsWhatItWasAskedBefore) {
  Rng rng(5);
  const RandomTransformer::Shape shape{9, 10, 2, 3, 4};
  RandomTransformer t(rng, shape);
  SetTransformerMemory used(*t.transformer, 50), fresh(*t.transformer, 50);
  Matrix bad = random_matrix(rng, 50, shape.inputs);
  bad(40, 2) = std::nanf("");
  const Matrix features = random_matrix(rng, 37, shape.inputs);
  t.transformer->answer(bad, used, t.answer);
  t.transformer->answer(features, used, t.answer);
  const std::vector<float> after = t.answer;
  t.transformer->answer(features, fresh, t.answer);
  EXPECT_EQ(after, t.answer);
}

TEST(RealtimeSetTransformer, AllocatesNothing) {
  Rng rng(6);
  for (const RandomTransformer::Shape& shape :
       {RandomTransformer::Shape{64, 60, 3, 12, 6}, RandomTransformer::Shape{7, 9, 3, 5, 2}}) {
    RandomTransformer t(rng, shape);
    EXPECT_GT(allocations_of([&] { t.direct(random_matrix(rng, 1, shape.inputs)); }), 0);
    // On a thread of its own, where nothing was allocated before.
    SetTransformerMemory memory(*t.transformer, 100);
    const Matrix features = random_matrix(rng, 100, shape.inputs);
    int64_t count = -1;
    std::thread([&] {
      count = allocations_of([&] { t.transformer->answer(features, memory, t.answer); });
    }).join();
    EXPECT_EQ(count, 0);
  }
}

}  // namespace
}  // namespace darp
