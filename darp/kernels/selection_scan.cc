#include "darp/kernels/selection_scan.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/selection_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, 16>;
using IndexTag = hn::RebindToSigned<FloatTag>;

int64_t count_at_most_simd(const float* values, int64_t count, float limit) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto bound = hn::Set(d, limit);
  size_t found = 0;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    found += hn::CountTrue(d, hn::Le(hn::LoadU(d, values + i), bound));
  for (; i < count; ++i) found += values[i] <= limit ? 1 : 0;
  return static_cast<int64_t>(found);
}

FiniteRange finite_range_simd(const float* values, int64_t count) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const float infinity = std::numeric_limits<float>::infinity();
  const auto bound = hn::Set(d, infinity);
  auto least = bound, most = hn::Zero(d);
  size_t found = 0;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto value = hn::LoadU(d, values + i);
    const auto finite = hn::Lt(value, bound);
    least = hn::Min(least, value);
    most = hn::Max(most, hn::IfThenElseZero(finite, value));
    found += hn::CountTrue(d, finite);
  }
  FiniteRange range{hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, most)),
                    static_cast<int64_t>(found)};
  for (; i < count; ++i) {
    if (!(values[i] < infinity)) continue;
    range.least = std::min(range.least, values[i]);
    range.most = std::max(range.most, values[i]);
    ++range.count;
  }
  return range;
}

int64_t gather_between_simd(const Segment& segment, float above, float limit, int64_t most,
                            float* out_values, int32_t* out_indices) {
  const auto& [values, indices, first, count] = segment;
  const FloatTag d;
  const IndexTag di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto low = hn::Set(d, above), high = hn::Set(d, limit);
  const auto step = hn::Set(di, static_cast<int32_t>(lanes));
  auto counted = hn::Iota(di, first);
  int64_t found = 0, i = 0;
  for (; i + lanes <= count && found <= most; i += lanes) {
    const auto value = hn::LoadU(d, values + i);
    const auto index = indices != nullptr ? hn::LoadU(di, indices + i) : counted;
    counted = hn::Add(counted, step);
    const auto wanted = hn::And(hn::Gt(value, low), hn::Le(value, high));
    hn::StoreU(hn::Compress(value, wanted), d, out_values + found);
    hn::StoreU(hn::Compress(index, hn::RebindMask(di, wanted)), di, out_indices + found);
    found += static_cast<int64_t>(hn::CountTrue(d, wanted));
  }
  for (; i < count && found <= most; ++i) {
    const float value = values[i];
    if (!(value > above && value <= limit)) continue;
    out_indices[found] = indices != nullptr ? indices[i] : first + static_cast<int32_t>(i);
    out_values[found++] = value;
  }
  return found;
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {

HWY_EXPORT(count_at_most_simd);
HWY_EXPORT(finite_range_simd);
HWY_EXPORT(gather_between_simd);

int64_t count_at_most(const float* values, int64_t count, float limit) {
  return HWY_DYNAMIC_DISPATCH(count_at_most_simd)(values, count, limit);
}

FiniteRange finite_range(const float* values, int64_t count) {
  return HWY_DYNAMIC_DISPATCH(finite_range_simd)(values, count);
}

int64_t gather_between(const Segment& segment, float above, float limit, int64_t most,
                       float* out_values, int32_t* out_indices) {
  return HWY_DYNAMIC_DISPATCH(gather_between_simd)(segment, above, limit, most, out_values,
                                                   out_indices);
}

}  // namespace darp::kernels
#endif  // HWY_ONCE
