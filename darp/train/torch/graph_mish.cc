#include "darp/train/torch/graph_mish.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "darp/kernels/exponential.h"

namespace darp {
namespace {

constexpr int64_t kFewestForAThread = 1 << 15;

class Mish : public torch::autograd::Function<Mish> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& given) {
    const at::Tensor x = given.contiguous(), y = at::empty_like(x);
    context->save_for_backward({x});
    const float* const from = x.data_ptr<float>();
    float* const to = y.data_ptr<float>();
    at::parallel_for(0, x.numel(), kFewestForAThread, [&](int64_t begin, int64_t end) {
      const auto count = static_cast<size_t>(end - begin);
      kernels::mish({from + begin, count}, {to + begin, count});
    });
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& above) {
    const at::Tensor x = context->get_saved_variables()[0], dy = above[0].contiguous();
    const at::Tensor dx = at::empty_like(x);
    const float* const inputs = x.data_ptr<float>();
    const float* const from = dy.data_ptr<float>();
    float* const to = dx.data_ptr<float>();
    at::parallel_for(0, x.numel(), kFewestForAThread, [&](int64_t begin, int64_t end) {
      const auto count = static_cast<size_t>(end - begin);
      kernels::mish_gradient({inputs + begin, count}, {from + begin, count}, {to + begin, count});
    });
    return {dx};
  }
};

}  // namespace

at::Tensor graph_mish(const at::Tensor& x) {
  if (!x.device().is_cpu() || x.scalar_type() != at::kFloat) return at::mish(x);
  return Mish::apply(x);
}

}  // namespace darp
