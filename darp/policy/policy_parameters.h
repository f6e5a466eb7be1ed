#pragma once
// All learned numbers of one member of a policy, whatever its kind: one flat vector.

#include "darp/policy/network_parameters.h"
#include "darp/policy/policy_spec.h"

namespace darp {

/// The perceptron first (layers.*), then what joins the neighbours (aggregation.*); the U-Net
/// (unet.*); REGENT's transformer. Empty for kinds that learn nothing. Throws Error for more than
/// any memory holds.
std::vector<Parameter> policy_parameters(const PolicySpec& spec, int64_t observation_dim,
                                         int64_t action_dim);

}  // namespace darp
