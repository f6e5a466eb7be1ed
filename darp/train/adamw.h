#pragma once
// One step of learning on flat vectors: clip the gradient, update the weights by AdamW (Loshchilov
// and Hutter, 2019) as torch.optim.AdamW defines it, with decay on every parameter, and average the
// weights. Step t, counted from 1, with gradient g, rate r, decay w:
//   p <- p (1 - r w)
//   m <- m + (1 - beta1) (g - m)
//   v <- beta2 v + (1 - beta2) g^2
//   p <- p - r / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
//   a <- a + (1 - ema) (p - a)
// All of it is done in float, in one pass over memory, so a decay r w below 3e-8 is lost, as it is
// in torch. Moments that fade away (|m| < 1e-30, v < 1e-36) become 0: nothing else would ever come
// of them but slow arithmetic with denormals.
//
// The same bits for any number of threads, vector width and compiler.

#include <cstdint>
#include <span>

#include "darp/core/thread_pool.h"
#include "darp/train/train_settings.h"

namespace darp {

/// One network's numbers, all of one length.
struct WeightVectors {
  std::span<float> parameters, first_moments, second_moments;
  std::span<float> averaged;  // or empty: no averaging
};

struct StepSize {
  int64_t step = 1;  // counted from 1
  double rate = 0;
  double ema = 0;
};

struct StepReport {
  double norm = 0;    // of the gradient, before clipping
  bool taken = true;  // false: nothing was changed
};

/// The Euclidean norm, summed in double in a fixed order. Not finite if any entry is not.
double gradient_norm(std::span<const float> gradient, ThreadPool* pool = nullptr);

/// What clipping multiplies a gradient of this norm with: at most 1; 1 if `clip` is 0. As
/// torch.nn.utils.clip_grad_norm_.
double clip_factor(double norm, double clip);

/// Takes the step. A gradient whose norm is not finite, or whose squares no float can hold even
/// after clipping, is reported and not used: training has diverged.
StepReport adamw_step(const OptimizerSettings& settings, const StepSize& size,
                      std::span<const float> gradient, const WeightVectors& vectors,
                      ThreadPool* pool = nullptr);

}  // namespace darp
