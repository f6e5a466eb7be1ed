#pragma once
// The parameters of the U-Net that denoises chunks of actions, in the order and with the names of
// the paper's code. `train/torch/graph_unet.h` says what they do.

#include <vector>

#include "darp/policy/network_parameters.h"

namespace darp {

/// @param channels  numbers of an action
/// @param condition numbers that it is told beside how noisy the chunk is
void append_unet(std::vector<Parameter>& parameters, const std::string& prefix,
                 const UnetSettings& settings, int64_t channels, int64_t condition);

}  // namespace darp
