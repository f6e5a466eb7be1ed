#pragma once
// REGENT (Sridhar et al.) as LibTorch operations. For a query with k retrieved steps, nearest
// first, the transformer reads
//
//   [s_0 | 0], a_0, [s_1 | 0], a_1, ..., [s_q | 0]
//
// each repeated cyclically to the token width (the 0 is the reward before, which demonstrations do
// not have), embedded by one linear layer, with learned positions. Blocks are GPT-Neo's:
//
//   x += out(attention(ln_1(x)))   causal, softmax(q k^T) without division by any root
//   x += proj(gelu(fc(ln_2(x))))   gelu by tanh
//
// After ln_f, `head` gives a token y_i at each of the k + 1 states. With d_i the distance from s_0
// to s_i (the last one: to the query) as a part of `calibration`, w_i = e^(-sharpness d_i) and
// actions repeated cyclically too,
//
//   answer_i = w_i a_0 + reach (1 - w_i) clip(y_i, -1, 1)
//
// The authors let the query's action token, zeros, come last: no state sees it, so it is left out
// (its position stays among the parameters).

#include "darp/policy/policy_spec.h"
#include "darp/train/torch/graph_aggregation.h"

namespace darp {

/// The last dimension repeated until it has `width` numbers.
at::Tensor repeated(const at::Tensor& x, int64_t width);

/// What a batch of queries looks at, standardised. Where fewer than k steps were retrieved, the
/// last one stands in the places behind it, so that the query keeps its position.
struct RegentContext {
  at::Tensor states;   // queries x (k + 1) x observation, the query last
  at::Tensor actions;  // queries x k x action
};

/// Retrieved rows, queries x as many places as are needed, as queries x k places.
at::Tensor regent_places(const at::Tensor& neighbors, const NeighborMask& mask, int64_t k);

/// The answers at all k + 1 states: queries x (k + 1) x token width.
at::Tensor graph_regent(const RegentSpec& spec, const NamedTensors& parameters,
                        const RegentContext& context, double calibration);

}  // namespace darp
