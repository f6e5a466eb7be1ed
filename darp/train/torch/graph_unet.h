#pragma once
// The U-Net along the time of an action chunk (Chi et al., 2023), as plain LibTorch operations:
//
//   told   = Mish of [ Linear(Mish(Linear(waves(step)))) | condition ]
//   block  = Mish(GroupNorm(Conv(x)))
//   res(x) = block_1(scale block_0(x) + shift) + x, with [scale | shift] = Linear(told); a 1x1
//            convolution brings x to as many channels
//
// Each level has two res. Going down, what a level gives is kept and a convolution of stride 2
// halves the time; after two more res the way up joins what was kept, the deepest first, and a
// transposed convolution doubles the time again. What the first level gave is not joined. A block
// and a 1x1 convolution end it.

#include "darp/train/torch/named_tensors.h"

namespace darp {

/// @param parameters those of append_unet (policy/unet.h), named `prefix`...
/// @param chunk      batch x time x channels; time can be halved between all levels
/// @param step       batch: how noisy each chunk is (noise_schedule.h)
/// @param condition  batch x numbers
/// Returns as much as `chunk` has.
at::Tensor graph_unet(const UnetSettings& settings, const NamedTensors& parameters,
                      const std::string& prefix, const at::Tensor& chunk, const at::Tensor& step,
                      const at::Tensor& condition);

}  // namespace darp
