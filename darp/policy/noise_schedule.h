#pragma once
// How noise is added to actions and taken away again. With steps t = 0, ..., n - 1, from least to
// most noise, and f(u) = cos((u + 0.008) / 1.008 pi / 2)^2 (Nichol and Dhariwal, 2021):
//
//   beta_t  = min(1 - f((t + 1) / n) / f(t / n), 0.999)     noise added by step t
//   abar_t  = (1 - beta_0) ... (1 - beta_t)                 what is left of the signal's variance
//   x_t     = sqrt(abar_t) x_0 + sqrt(1 - abar_t) eps       DDPM (Ho et al., 2020)
//
// A network learns eps from x_t. DDIM (Song et al., 2021; eta = 0) goes back in fewer steps:
//
//   x_0'    = (x_t - sqrt(1 - abar_t) eps) / sqrt(abar_t), clipped
//   x_s     = sqrt(abar_s) x_0' + sqrt(1 - abar_s) eps
//
// with t = (count - 1) n', ..., n', 0 for n' = n / count, rounded down, and s the next of these;
// after the last one there is no noise left.

#include <cstdint>
#include <vector>

namespace darp {

/// One step back.
struct DdimStep {
  int64_t step = 0;                        // what the network is told
  double signal = 1, noise = 0;            // x_t = signal x_0 + noise eps
  double next_signal = 1, next_noise = 0;  // the same after the step

  /// One number of x_s from that of x_t. x_0' is kept within +-clip; 0: any. eps stays what the
  /// network said even where x_0' was clipped.
  double next(double x, double eps, double clip) const;
};

/// Immutable.
class NoiseSchedule {
 public:
  /// At least 1 step.
  explicit NoiseSchedule(int64_t steps);

  int64_t steps() const { return static_cast<int64_t>(betas_.size()); }
  double beta(int64_t step) const { return betas_[step]; }
  /// 1 for step -1.
  double alpha_bar(int64_t step) const { return step < 0 ? 1 : alpha_bars_[step]; }
  /// x_t = signal(t) x_0 + noise(t) eps.
  double signal(int64_t step) const;
  double noise(int64_t step) const;

  /// The way back in `count` steps, 1 to steps().
  std::vector<DdimStep> ddim_steps(int64_t count) const;

  /// Before x_t came x_(t - 1), if x_0 is known: normal, with mean clean x_0 + noisy x_t.
  struct Posterior {
    double clean, noisy, variance;
  };
  Posterior posterior(int64_t step) const;

 private:
  std::vector<double> betas_, alpha_bars_;
};

}  // namespace darp
