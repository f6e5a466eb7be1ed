#include "darp/policy/neighbor_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/core/rng.h"
#include "tests/random_matrix.h"

namespace darp {
namespace {

using Difference = NeighborInput::Difference;

constexpr int64_t kStates = 5, kActions = 3, kUnits = 7;

std::vector<NeighborInput> all_inputs() {
  std::vector<NeighborInput> inputs;
  for (const bool state : {false, true})
    for (const bool action : {false, true})
      for (const bool query : {false, true})
        for (const Difference difference :
             {Difference::kVector, Difference::kNorm, Difference::kNone})
          for (const double scale : {1.0, 0.7071067811865475})
            inputs.push_back({state, action, difference, scale, query});
  return inputs;
}

std::vector<float> random_values(Rng& rng, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t j = 0; j < a.size(); ++j)
    sum += static_cast<double>(a[j]) * static_cast<double>(b[j]);
  return sum;
}

struct Sample {
  std::vector<float> state, action, query;
  explicit Sample(Rng& rng)
      : state(random_values(rng, kStates)),
        action(random_values(rng, kActions)),
        query(random_values(rng, kStates)) {}

  float distance() const {
    double square = 0;
    for (size_t j = 0; j < state.size(); ++j)
      square += std::pow(static_cast<double>(state[j]) - static_cast<double>(query[j]), 2);
    return static_cast<float>(std::sqrt(square));
  }
  std::vector<float> features(const FeatureLayout& layout) const {
    std::vector<float> out(static_cast<size_t>(layout.width));
    neighbor_features(layout, state, action, query, out);
    return out;
  }
  /// per_row [s_i; a_i] + per_query s_q + per_distance |s_i - s_q| for one unit.
  double split_output(const SplitFirstLayer& split, int64_t unit) const {
    std::vector<float> row = state;
    row.insert(row.end(), action.begin(), action.end());
    return dot(split.per_row.row(unit), row) + dot(split.per_query.row(unit), query) +
           static_cast<double>(split.per_distance[unit]) * static_cast<double>(distance());
  }
};

TEST(NeighborFeatures, AreThePartsInOrder) {
  Rng rng(1);
  for (const NeighborInput& input : all_inputs()) {
    const FeatureLayout layout(input, kStates, kActions);
    const Sample sample(rng);
    const auto scale = static_cast<float>(input.difference_scale);
    std::vector<float> expected;
    const auto append = [&](const std::vector<float>& part) {
      expected.insert(expected.end(), part.begin(), part.end());
    };
    if (input.state) append(sample.state);
    if (input.action) append(sample.action);
    if (input.difference == Difference::kVector)
      for (size_t j = 0; j < sample.state.size(); ++j)
        expected.push_back(scale * (sample.state[j] - sample.query[j]));
    if (input.difference == Difference::kNorm) expected.push_back(scale * sample.distance());
    if (input.query) append(sample.query);
    ASSERT_EQ(layout.width, std::ssize(expected));
    EXPECT_EQ(sample.features(layout), expected);
  }
}

TEST(NeighborFeatures, LeaveNoRoomForWhatIsLeftOut) {
  const FeatureLayout all({.query = true}, kStates, kActions);
  EXPECT_EQ(all.state, 0);
  EXPECT_EQ(all.action, 5);
  EXPECT_EQ(all.difference, 8);
  EXPECT_EQ(all.distance, -1);
  EXPECT_EQ(all.query, 13);
  EXPECT_EQ(all.width, 18);
  const FeatureLayout none(
      {.state = false, .action = false, .difference = Difference::kNone, .query = false}, kStates,
      kActions);
  EXPECT_EQ(none.width, 0);
  for (const int64_t place : {none.state, none.action, none.difference, none.distance, none.query})
    EXPECT_EQ(place, -1);
}

TEST(SplitFirstLayer, GivesWhatTheWholeLayerGives) {
  Rng rng(2);
  for (const NeighborInput& input : all_inputs()) {
    const FeatureLayout layout(input, kStates, kActions);
    const Matrix weight = random_matrix(rng, kUnits, layout.width);
    const SplitFirstLayer split = split_first_layer(layout, weight);
    ASSERT_EQ(split.per_row.cols(), kStates + kActions);
    ASSERT_EQ(split.per_query.cols(), kStates);
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Sample sample(rng);
      const std::vector<float> features = sample.features(layout);
      for (int64_t unit = 0; unit < kUnits; ++unit)
        // Sums of up to 19 products of unit size, each part rounded to float once.
        EXPECT_NEAR(sample.split_output(split, unit), dot(weight.row(unit), features), 1e-5);
    }
  }
}

TEST(SplitFirstLayer, JoinsGradientsAsFiniteDifferencesDo) {
  Rng rng(3);
  for (const NeighborInput& input : all_inputs()) {
    const FeatureLayout layout(input, kStates, kActions);
    Matrix weight = random_matrix(rng, kUnits, layout.width);
    // The loss is a linear function of the parts, so its gradient is its coefficients.
    SplitFirstLayer gradient{random_matrix(rng, kUnits, kStates + kActions),
                             random_matrix(rng, kUnits, kStates), random_values(rng, kUnits)};
    const auto loss = [&] {
      const SplitFirstLayer split = split_first_layer(layout, weight);
      double sum = dot(split.per_distance, gradient.per_distance);
      for (int64_t i = 0; i < kUnits; ++i)
        sum += dot(split.per_row.row(i), gradient.per_row.row(i)) +
               dot(split.per_query.row(i), gradient.per_query.row(i));
      return sum;
    };
    Matrix joined = random_matrix(rng, kUnits, layout.width);  // to be overwritten
    join_first_layer_gradient(layout, gradient, joined.mutable_view());
    for (int64_t i = 0; i < kUnits; ++i)
      for (int64_t j = 0; j < layout.width; ++j) {
        // Linear: a large step has no error but rounding.
        const float kept = weight(i, j);
        weight(i, j) = kept + 1;
        const double above = loss();
        weight(i, j) = kept - 1;
        const double below = loss();
        weight(i, j) = kept;
        EXPECT_NEAR(static_cast<double>(joined(i, j)), (above - below) / 2, 1e-5);
      }
  }
}

}  // namespace
}  // namespace darp
