#include "darp/expert/ppo/tanh_network.h"

#include <gtest/gtest.h>

#include "tests/plain_network.h"
#include "tests/random_matrix.h"

namespace darp {
namespace {

const std::vector<std::vector<int64_t>> kShapes = {
    {3, 2}, {1, 1, 1}, {5, 9, 7, 3}, {11, 64, 64, 3}, {17, 33, 6}};

std::vector<float> random_parameters(const NetworkShape& shape, Rng& rng) {
  std::vector<float> parameters(static_cast<size_t>(shape.parameters()));
  for (float& p : parameters) p = static_cast<float>(0.4 * rng.normal());
  return parameters;
}

TEST(TanhNetwork, LiesInOneVectorWithoutGapsOrOverlaps) {
  const NetworkShape shape{{5, 9, 7, 3}};
  EXPECT_EQ(shape.parameters(), 6 * 9 + 10 * 7 + 8 * 3);
  std::vector<float> parameters(static_cast<size_t>(shape.parameters()));
  const std::span<float> all = parameters;
  for (int64_t layer = 0; layer < shape.layers(); ++layer) {
    const auto weight = shape.weight(layer, all);
    EXPECT_EQ(weight.rows(), shape.widths[layer + 1]);
    EXPECT_EQ(weight.cols(), shape.widths[layer]);
    for (int64_t i = 0; i < weight.rows(); ++i)
      for (float& w : weight.row(i)) w += 1;
    for (float& b : shape.bias(layer, all)) b += 1;
  }
  EXPECT_EQ(parameters, std::vector<float>(parameters.size(), 1.0f));
}

TEST(TanhNetwork, GoesForwardAsItsDefinitionSays) {
  Rng rng(1);
  for (const auto& widths : kShapes) {
    const NetworkShape shape{widths};
    const auto parameters = random_parameters(shape, rng);
    PackedNetwork packed(shape);
    packed.pack(parameters, false);
    NetworkPass pass(shape, 13);
    const std::vector<double> exact(parameters.begin(), parameters.end());
    // Fewer rows than there is room for, too, and the same pass again and again.
    for (const int64_t rows : {13, 1, 8}) {
      const Matrix inputs = random_matrix(rng, rows, shape.inputs());
      const MatrixView out = pass.forward(packed, inputs);
      ASSERT_EQ(out.rows(), rows);
      ASSERT_EQ(out.cols(), shape.outputs());
      for (int64_t i = 0; i < rows; ++i) {
        const auto expected = plain_network(shape, exact, inputs.row(i));
        for (int64_t j = 0; j < out.cols(); ++j) EXPECT_NEAR(out(i, j), expected[j], 3e-6);
      }
    }
  }
}

TEST(TanhNetwork, GoesBackwardAsDifferencesSay) {
  Rng rng(2);
  for (const auto& widths : kShapes) {
    const NetworkShape shape{widths};
    const auto parameters = random_parameters(shape, rng);
    PackedNetwork packed(shape);
    packed.pack(parameters, true);
    constexpr int64_t kRows = 6;
    NetworkPass pass(shape, kRows + 2);
    const Matrix inputs = random_matrix(rng, kRows, shape.inputs());
    const Matrix weights = random_matrix(rng, kRows, shape.outputs());
    std::vector<double> at(parameters.begin(), parameters.end());
    const auto sum = [&] {
      double all = 0;
      for (int64_t i = 0; i < kRows; ++i) {
        const auto out = plain_network(shape, at, inputs.row(i));
        for (int64_t j = 0; j < shape.outputs(); ++j) all += double{weights(i, j)} * out[j];
      }
      return all;
    };
    pass.forward(packed, inputs);
    Matrix output_gradient = Matrix::copy_of(weights);
    // What was there before does not matter.
    std::vector<float> gradient(parameters.size(), 123.0f);
    pass.backward(packed, inputs, output_gradient.mutable_view(), gradient);
    // Every one of small networks, some of large ones.
    const size_t every = 1 + at.size() / 300;
    for (size_t i = 0; i < at.size(); i += every) {
      const double middle = at[i], step = 1e-5;
      at[i] = middle + step;
      const double up = sum();
      at[i] = middle - step;
      const double down = sum();
      at[i] = middle;
      EXPECT_NEAR(gradient[i], (up - down) / (2 * step), 2e-5) << i << " of " << at.size();
    }
  }
}

TEST(TanhNetwork, StartsOrthogonalWithoutBiases) {
  for (const auto& widths : kShapes) {
    const NetworkShape shape{widths};
    constexpr double kOutputGain = 0.01;
    std::vector<float> parameters(static_cast<size_t>(shape.parameters()), 5.0f);
    initialize(shape, kOutputGain, Rng(3), parameters);
    const std::span<const float> all = parameters;
    for (int64_t layer = 0; layer < shape.layers(); ++layer) {
      const auto weight = shape.weight(layer, all);
      const double gain = layer + 1 == shape.layers() ? kOutputGain : std::sqrt(2.0);
      // The shorter side's vectors.
      const bool rows = weight.rows() <= weight.cols();
      const int64_t vectors = std::min(weight.rows(), weight.cols()),
                    length = std::max(weight.rows(), weight.cols());
      const auto entry = [&](int64_t v, int64_t k) {
        return double{rows ? weight(v, k) : weight(k, v)} / gain;
      };
      for (int64_t a = 0; a < vectors; ++a)
        for (int64_t b = 0; b <= a; ++b) {
          double dot = 0;
          for (int64_t k = 0; k < length; ++k) dot += entry(a, k) * entry(b, k);
          EXPECT_NEAR(dot, a == b ? 1 : 0, 1e-6) << a << " " << b;
        }
      for (const float b : shape.bias(layer, all)) EXPECT_EQ(b, 0.0f);
    }
    std::vector<float> again(parameters.size()), other(parameters.size());
    initialize(shape, kOutputGain, Rng(3), again);
    initialize(shape, kOutputGain, Rng(4), other);
    EXPECT_EQ(parameters, again);
    // A single weight is 1 or -1.
    EXPECT_TRUE(parameters != other || parameters.size() < 5);
  }
}

}  // namespace
}  // namespace darp
