#pragma once

#include <ATen/ATen.h>

namespace darp {

/// at::mish, whose gradient can be taken. On the CPU, in single precision, by a kernel of our own
/// (kernels/exponential.h): LibTorch's is a third of what a step of a U-Net costs.
at::Tensor graph_mish(const at::Tensor& x);

}  // namespace darp
