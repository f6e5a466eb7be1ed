#include "darp/train/torch/graph_mish.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace darp {
namespace {

/// Value and gradient of a sum that weighs all entries differently.
std::pair<at::Tensor, at::Tensor> value_and_gradient(at::Tensor (*f)(const at::Tensor&),
                                                     const at::Tensor& x, bool turned) {
  const at::Tensor leaf = x.clone().requires_grad_(true);
  const at::Tensor y = f(turned ? leaf.transpose(0, 1) : leaf);
  const at::Tensor weights = at::arange(y.numel(), y.options()).view(y.sizes()) / y.numel();
  return {y.detach(), torch::autograd::grad({(weights * y).sum()}, {leaf}).front()};
}

TEST(GraphMish, IsLibTorchsWithItsGradient) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble})
    for (const bool turned : {false, true}) {
      // Enough for several threads, and not a multiple of anything.
      const at::Tensor x = 5 * at::randn({257, 331}, at::TensorOptions(type));
      const auto [own, own_gradient] = value_and_gradient(graph_mish, x, turned);
      const auto [theirs, their_gradient] = value_and_gradient(at::mish, x, turned);
      EXPECT_TRUE(own.allclose(theirs, 2e-6, 1e-7));
      EXPECT_TRUE(own_gradient.allclose(their_gradient, 2e-6, 2e-6));
      EXPECT_GT(own_gradient.abs().max().item<double>(), 0.5);
    }
}

}  // namespace
}  // namespace darp
