#pragma once
// The set transformer as the paper's code has it, with m the attention block
//
//   mab(X, Y) = O + ReLU(fc_o(O)),  O = Q + softmax(Q K^T / sqrt(width)) V  (head by head)
//   Q = fc_q(X), K = fc_k(Y), V = fc_v(Y)
//
//   enc.0, enc.1   isab(X) = mab1(X, mab0(I, X)), I the inducing points
//   dec.0          pma(X) = mab(S, X), S one seed
//   dec.1, dec.2   sab(X) = mab(X, X): of the one vector that is left
//   dec.3          linear
//
// Scores are divided by the root of the full width, not of a head's; there is no LayerNorm. It does
// not matter in which order the neighbours come.

#include <vector>

#include "darp/policy/network_parameters.h"

namespace darp {

/// Appends its parameters, named `prefix`enc.0.I, `prefix`enc.0.mab0.fc_q.weight, ...
void append_set_transformer(std::vector<Parameter>& parameters, const std::string& prefix,
                            const AggregationSettings& settings, int64_t inputs, int64_t outputs);

}  // namespace darp
