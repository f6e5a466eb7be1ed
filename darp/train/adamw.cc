// Compiled with -ffp-contract=off (see CMakeLists.txt): whether a multiplication and an addition
// become one rounding must not be the compiler's choice.

#include "darp/train/adamw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "darp/core/error.h"

namespace darp {
namespace {

/// Floats that one thread takes at once: a few such chunks of five vectors fit into its cache.
constexpr int64_t kChunk = 16384;
constexpr float kFadedMean = 1e-30F, kFadedSquare = 1e-36F;
/// Squares of longer gradients come near the end of float.
constexpr double kLongest = 1e18;

void for_chunks(int64_t count, ThreadPool* pool,
                const std::function<void(int64_t, int64_t)>& body) {
  if (pool != nullptr) return pool->parallel_for(count, kChunk, body);
  for (int64_t begin = 0; begin < count; begin += kChunk)
    body(begin, std::min(count, begin + kChunk));
}

/// Eight sums side by side, which become vectors, joined in order.
double sum_of_squares(std::span<const float> numbers) {
  constexpr size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  const size_t whole = numbers.size() / kLanes * kLanes;
  const float* data = numbers.data();
  for (size_t i = 0; i < whole; i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const double number = data[i + lane];
      sums[lane] += number * number;
    }
  for (size_t i = whole; i < numbers.size(); ++i)
    sums[i - whole] += static_cast<double>(data[i]) * data[i];
  double sum = 0;
  for (const double lane : sums) sum += lane;
  return sum;
}

/// The step's constants, computed in double and rounded once, as torch does it.
struct Constants {
  float gradient, first, second_keep, second_take, root, epsilon, decay, step, average;
};

Constants constants_of(const OptimizerSettings& settings, const StepSize& size, double factor) {
  const auto steps = static_cast<double>(size.step);
  const double correction1 = 1 - std::pow(settings.beta1, steps),
               correction2 = 1 - std::pow(settings.beta2, steps);
  return {.gradient = static_cast<float>(factor),
          .first = static_cast<float>(1 - settings.beta1),
          .second_keep = static_cast<float>(settings.beta2),
          .second_take = static_cast<float>(1 - settings.beta2),
          .root = static_cast<float>(1 / std::sqrt(correction2)),
          .epsilon = static_cast<float>(settings.epsilon),
          .decay = static_cast<float>(1 - size.rate * settings.weight_decay),
          .step = static_cast<float>(size.rate / correction1),
          .average = static_cast<float>(1 - size.ema)};
}

template <bool kAverage>
[[gnu::always_inline]] inline void update_each(const Constants& constants, int64_t count,
                                               const float* __restrict gradient,
                                               float* __restrict parameters,
                                               float* __restrict first, float* __restrict second,
                                               float* __restrict averaged) {
  const Constants c = constants;  // a copy that no store can change
  for (int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] * c.gradient;
    const float m = first[i] + c.first * (g - first[i]);
    const float v = c.second_keep * second[i] + c.second_take * (g * g);
    const float mean = std::fabs(m) < kFadedMean ? 0.F : m;
    const float square = v < kFadedSquare ? 0.F : v;
    const float p =
        parameters[i] * c.decay - c.step * (mean / (std::sqrt(square) * c.root + c.epsilon));
    first[i] = mean;
    second[i] = square;
    parameters[i] = p;
    if constexpr (kAverage) averaged[i] += c.average * (p - averaged[i]);
  }
}

using Update = void (*)(const Constants&, int64_t, const float*, float*, float*, float*, float*);

template <bool kAverage>
void update(const Constants& c, int64_t count, const float* g, float* p, float* m, float* v,
            float* a) {
  update_each<kAverage>(c, count, g, p, m, v, a);
}

#if defined(__x86_64__)
/// The same loop, eight numbers at a time instead of four.
template <bool kAverage>
[[gnu::target("avx2")]] void update_wide(const Constants& c, int64_t count, const float* g,
                                         float* p, float* m, float* v, float* a) {
  update_each<kAverage>(c, count, g, p, m, v, a);
}

Update choose_update(bool averages) {
  if (__builtin_cpu_supports("avx2")) return averages ? update_wide<true> : update_wide<false>;
  return averages ? update<true> : update<false>;
}
#else
Update choose_update(bool averages) {
  return averages ? update<true> : update<false>;
}
#endif

}  // namespace

double gradient_norm(std::span<const float> gradient, ThreadPool* pool) {
  const auto count = static_cast<int64_t>(gradient.size());
  std::vector<double> sums(static_cast<size_t>((count + kChunk - 1) / kChunk));
  for_chunks(count, pool, [&](int64_t begin, int64_t end) {
    sums[static_cast<size_t>(begin / kChunk)] = sum_of_squares(
        gradient.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  });
  double sum = 0;
  for (const double chunk : sums) sum += chunk;
  return std::sqrt(sum);
}

double clip_factor(double norm, double clip) {
  return clip > 0 ? std::min(1.0, clip / (norm + 1e-6)) : 1.0;
}

StepReport adamw_step(const OptimizerSettings& settings, const StepSize& size,
                      std::span<const float> gradient, const WeightVectors& w, ThreadPool* pool) {
  const size_t count = gradient.size();
  const auto fits = [&](std::span<float> vector) { return vector.size() == count; };
  DARP_CHECK(size.step >= 1, "step {}", size.step);
  DARP_CHECK(fits(w.parameters) && fits(w.first_moments) && fits(w.second_moments) &&
                 (w.averaged.empty() || fits(w.averaged)),
             "{} parameters, {} and {} moments, {} averages for a gradient of {}",
             w.parameters.size(), w.first_moments.size(), w.second_moments.size(),
             w.averaged.size(), count);
  const double norm = gradient_norm(gradient, pool);
  const double factor = clip_factor(norm, settings.clip);
  if (!(norm * factor <= kLongest)) return {.norm = norm, .taken = false};
  const Constants constants = constants_of(settings, size, factor);
  const bool averages = !w.averaged.empty();
  const Update run = choose_update(averages);
  for_chunks(static_cast<int64_t>(count), pool, [&](int64_t begin, int64_t end) {
    run(constants, end - begin, gradient.data() + begin, w.parameters.data() + begin,
        w.first_moments.data() + begin, w.second_moments.data() + begin,
        averages ? w.averaged.data() + begin : nullptr);
  });
  return {.norm = norm, .taken = true};
}

}  // namespace darp
