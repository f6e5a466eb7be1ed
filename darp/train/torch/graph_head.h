#pragma once
// What answers cost (policy/action_head.h), as LibTorch operations.

#include <ATen/ATen.h>

#include "darp/policy/action_head.h"

namespace darp {

/// log p(action) of each row's distribution.
at::Tensor graph_log_likelihood(const HeadSettings& head, const at::Tensor& answers,
                                const at::Tensor& actions);

/// The mean over the rows of head_loss: one number.
at::Tensor graph_head_loss(const HeadSettings& head, const at::Tensor& answers,
                           const at::Tensor& actions);

}  // namespace darp
