#include "darp/policy/network_parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace darp {
namespace {

std::vector<float> initialized(const std::vector<Parameter>& parameters, uint64_t seed) {
  std::vector<float> values(static_cast<size_t>(parameter_count(parameters)));
  initialize_parameters(parameters, Rng(seed), values);
  return values;
}

std::span<const float> part(const std::vector<float>& values, const Parameter& parameter) {
  return std::span(values).subspan(parameter.offset, parameter.size);
}

TEST(NetworkParameters, HaveTheNamesAndShapesOfPyTorch) {
  MlpSettings network;
  network.hidden = {4, 3};
  const auto parameters = network_parameters(network, 5, 2);
  const std::vector<std::pair<std::string, std::vector<int64_t>>> expected = {
      {"layers.0.linear.weight", {4, 5}}, {"layers.0.linear.bias", {4}},
      {"layers.0.norm.weight", {4}},      {"layers.0.norm.bias", {4}},
      {"layers.1.linear.weight", {3, 4}}, {"layers.1.linear.bias", {3}},
      {"layers.1.norm.weight", {3}},      {"layers.1.norm.bias", {3}},
      {"layers.2.linear.weight", {2, 3}}, {"layers.2.linear.bias", {2}}};
  ASSERT_EQ(parameters.size(), expected.size());
  int64_t offset = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_EQ(parameters[i].name, expected[i].first);
    EXPECT_EQ(parameters[i].shape, expected[i].second);
    EXPECT_EQ(parameters[i].offset, offset);
    offset += parameters[i].size;
  }
  EXPECT_EQ(parameter_count(parameters), offset);
  EXPECT_EQ(offset, 20 + 3 * 4 + 12 + 3 * 3 + 6 + 2);
}

TEST(NetworkParameters, OfALinearMapAreOneLayer) {
  MlpSettings network;
  network.hidden = {};
  const auto parameters = network_parameters(network, 5, 2);
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0].shape, (std::vector<int64_t>{2, 5}));
}

TEST(NetworkParameters, StartUniformWithinTheBoundOfTheirLayer) {
  const auto parameters = network_parameters(MlpSettings{}, 40, 3);
  const std::vector<float> values = initialized(parameters, 1);
  for (const Parameter& p : parameters) {
    if (p.name.find(".norm.") != std::string::npos) {
      const float expected = p.name.ends_with(".weight") ? 1 : 0;
      EXPECT_TRUE(std::ranges::all_of(part(values, p), [&](float x) { return x == expected; }));
      continue;
    }
    const double bound = 1 / std::sqrt(p.name.starts_with("layers.0") ? 40.0 : 256.0);
    double largest = 0, sum = 0;
    for (const float x : part(values, p)) {
      largest = std::max(largest, std::abs(static_cast<double>(x)));
      sum += static_cast<double>(x);
    }
    EXPECT_LE(largest, bound * (1 + 1e-6)) << p.name;
    if (p.size < 100) continue;
    EXPECT_GT(largest, 0.9 * bound) << p.name;
    // Five standard deviations of a mean of uniform numbers.
    const auto count = static_cast<double>(p.size);
    EXPECT_LT(std::abs(sum / count), 5 * bound / std::sqrt(3 * count)) << p.name;
  }
}

TEST(NetworkParameters, StartTheSameFromTheSameSeedAndEachFromItsOwnStream) {
  MlpSettings network;
  network.hidden = {8, 8};
  const auto parameters = network_parameters(network, 5, 2);
  EXPECT_EQ(initialized(parameters, 1), initialized(parameters, 1));
  EXPECT_NE(initialized(parameters, 1), initialized(parameters, 2));
  // A wider input changes the first layer's weight and leaves the second as it was.
  const auto wider = network_parameters(network, 9, 2);
  const std::vector<float> a = initialized(parameters, 1), b = initialized(wider, 1);
  EXPECT_TRUE(std::ranges::equal(part(a, parameters[4]), part(b, wider[4])));
}

}  // namespace
}  // namespace darp
