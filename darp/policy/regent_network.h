#pragma once
// The parameters of REGENT's transformer; `train/torch/graph_regent.h` says what they do.

#include <vector>

#include "darp/policy/network_parameters.h"
#include "darp/policy/policy_spec.h"

namespace darp {

/// Numbers of a token before it is embedded: a state with its reward, or an action, repeated.
/// Throws Error for a token_width that would cut them.
int64_t regent_token_width(const RegentSpec& spec, int64_t observation_dim, int64_t action_dim);

/// embed, positions (two for each place of the context), blocks.0.ln_1, ..., ln_f, head: GPT-Neo's
/// parts and its start, normal numbers of deviation 0.02.
void append_regent(std::vector<Parameter>& parameters, const RegentSpec& spec,
                   int64_t observation_dim, int64_t action_dim);

}  // namespace darp
