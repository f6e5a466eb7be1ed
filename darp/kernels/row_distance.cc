#include "darp/kernels/row_distance.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/row_distance.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Product and difference are rounded one by one, as every other level and the scalar twin do.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V circle_difference(D d, const float* a, const float* b, const float* period) {
  const V difference = hn::Sub(hn::LoadU(d, a), hn::LoadU(d, b));
  const V length = hn::LoadU(d, period);
  return hn::Sub(difference, hn::Mul(length, hn::Round(hn::Div(difference, length))));
}

HWY_INLINE float row_distance(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                              int64_t lines, int64_t circles, const float* HWY_RESTRICT periods) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum = hn::Zero(d), second = hn::Zero(d);
  auto rest = hn::Zero(one);

  // Two sums, so that one addition need not wait for the other.
  int64_t j = 0;
  for (; j + 2 * lanes <= lines; j += 2 * lanes) {
    const auto x = hn::Sub(hn::LoadU(d, a + j), hn::LoadU(d, b + j));
    const auto y = hn::Sub(hn::LoadU(d, a + j + lanes), hn::LoadU(d, b + j + lanes));
    sum = hn::MulAdd(x, x, sum);
    second = hn::MulAdd(y, y, second);
  }
  for (; j + lanes <= lines; j += lanes) {
    const auto x = hn::Sub(hn::LoadU(d, a + j), hn::LoadU(d, b + j));
    sum = hn::MulAdd(x, x, sum);
  }
  for (; j < lines; ++j) {
    const auto x = hn::Sub(hn::LoadU(one, a + j), hn::LoadU(one, b + j));
    rest = hn::MulAdd(x, x, rest);
  }

  a += lines;
  b += lines;
  for (j = 0; j + lanes <= circles; j += lanes) {
    const auto x = circle_difference(d, a + j, b + j, periods + j);
    sum = hn::MulAdd(x, x, sum);
  }
  for (; j < circles; ++j) {
    const auto x = circle_difference(one, a + j, b + j, periods + j);
    rest = hn::MulAdd(x, x, rest);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, second))) + hn::GetLane(rest);
}

float pair(const float* a, const float* b, int64_t lines, int64_t circles, const float* periods) {
  return row_distance(a, b, lines, circles, periods);
}

void gathered(const float* query, const float* rows, int64_t stride, const int32_t* which,
              int64_t count, int64_t lines, int64_t circles, const float* periods, float* out) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = row_distance(query, rows + which[i] * stride, lines, circles, periods);
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {
namespace {

HWY_EXPORT(pair);
HWY_EXPORT(gathered);

}  // namespace

float squared_distance(const float* a, const float* b, int64_t cols,
                       std::span<const float> periods) {
  const auto circles = static_cast<int64_t>(periods.size());
  return HWY_DYNAMIC_DISPATCH(pair)(a, b, cols - circles, circles, periods.data());
}

void squared_distances(const float* query, MatrixView rows, std::span<const int32_t> which,
                       std::span<const float> periods, float* out) {
  const auto circles = static_cast<int64_t>(periods.size());
  HWY_DYNAMIC_DISPATCH(gathered)
  (query, rows.data(), rows.stride(), which.data(), static_cast<int64_t>(which.size()),
   rows.cols() - circles, circles, periods.data(), out);
}

namespace scalar {

float squared_distance(const float* a, const float* b, int64_t cols,
                       std::span<const float> periods) {
  const int64_t lines = cols - static_cast<int64_t>(periods.size());
  float sum = 0;
  for (int64_t j = 0; j < cols; ++j) {
    float difference = a[j] - b[j];
    if (j >= lines) {
      const float period = periods[j - lines];
      difference -= period * std::nearbyint(difference / period);
    }
    sum += difference * difference;
  }
  return sum;
}

}  // namespace scalar
}  // namespace darp::kernels
#endif
