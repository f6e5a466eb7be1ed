#include "darp/kernels/distances.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/distances.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, RowBlocks::kLanes>;
using FloatVec = hn::Vec<FloatTag>;

/// Distances of kQueries queries to kBlocks neighbouring blocks. One of the two is 1: several
/// blocks hide the latency of the sums, several queries share one read of the rows.
template <size_t kQueries, size_t kBlocks>
HWY_INLINE void scan(const RowBlocks& rows, const Comparison& comparison,
                     const float* const* queries, int64_t first_block, float* const* outs) {
  const FloatTag d;
  constexpr int64_t kLanes = RowBlocks::kLanes;
  constexpr size_t kSums = kQueries * kBlocks;
  const int64_t cols = rows.cols(), lines = cols - static_cast<int64_t>(comparison.periods.size());
  const int64_t block_floats = cols * kLanes;
  const float* base = rows.block(first_block);
  for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    FloatVec sum[kSums];
    for (FloatVec& s : sum) s = hn::Zero(d);
    const auto add_column = [&](int64_t j, auto difference_of) HWY_ATTR {
      for (size_t q = 0; q < kQueries; ++q) {
        const FloatVec query = hn::Set(d, queries[q][j]);
        for (size_t b = 0; b < kBlocks; ++b) {
          const float* column = base + static_cast<int64_t>(b) * block_floats + j * kLanes + lane;
          const FloatVec difference = difference_of(hn::Sub(query, hn::Load(d, column)));
          FloatVec& s = sum[q * kBlocks + b];
          s = hn::Add(s, hn::Mul(difference, difference));
        }
      }
    };
    for (int64_t j = 0; j < lines; ++j) add_column(j, [](FloatVec x) HWY_ATTR { return x; });
    for (int64_t j = lines; j < cols; ++j) {
      const float period = comparison.periods[j - lines];
      const FloatVec length = hn::Set(d, period), inverse = hn::Set(d, 1.0f / period);
      add_column(j, [&](FloatVec x) HWY_ATTR {
        return hn::Sub(x, hn::Mul(length, hn::Round(hn::Mul(x, inverse))));
      });
    }
    for (size_t q = 0; q < kQueries; ++q)
      for (size_t b = 0; b < kBlocks; ++b) {
        const FloatVec s = sum[q * kBlocks + b];
        float* out = outs[q] + (first_block + static_cast<int64_t>(b)) * kLanes + lane;
        hn::StoreU(comparison.half_square ? hn::Mul(s, hn::Set(d, 0.5f)) : hn::Sqrt(s), d, out);
      }
  }
}

void distances_of_one(const RowBlocks& rows, const Comparison& comparison, const float* query,
                      float* out) {
  int64_t block = 0;
  for (; block + 4 <= rows.blocks(); block += 4) scan<1, 4>(rows, comparison, &query, block, &out);
  for (; block < rows.blocks(); ++block) scan<1, 1>(rows, comparison, &query, block, &out);
}

void distances_of_four(const RowBlocks& rows, const Comparison& comparison,
                       const float* const* queries, float* const* outs) {
  for (int64_t block = 0; block < rows.blocks(); ++block)
    scan<4, 1>(rows, comparison, queries, block, outs);
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {

HWY_EXPORT(distances_of_one);
HWY_EXPORT(distances_of_four);

void distances(const RowBlocks& rows, const Comparison& comparison, const float* query,
               float* out) {
  HWY_DYNAMIC_DISPATCH(distances_of_one)(rows, comparison, query, out);
}

void distances(const RowBlocks& rows, const Comparison& comparison,
               std::span<const float* const> queries, std::span<float* const> outs) {
  DARP_CHECK(queries.size() == outs.size(), "{} queries, {} outputs", queries.size(), outs.size());
  size_t i = 0;
  for (; i + 4 <= queries.size(); i += 4)
    HWY_DYNAMIC_DISPATCH(distances_of_four)(rows, comparison, &queries[i], &outs[i]);
  for (; i < queries.size(); ++i) distances(rows, comparison, queries[i], outs[i]);
}

namespace scalar {

void distances(const RowBlocks& rows, const Comparison& comparison, const float* query,
               float* out) {
  const int64_t lines = rows.cols() - static_cast<int64_t>(comparison.periods.size());
  for (int64_t i = 0; i < rows.rows(); ++i) {
    float sum = 0;
    for (int64_t j = 0; j < rows.cols(); ++j) {
      float difference = query[j] - rows(i, j);
      if (j >= lines) {
        const float period = comparison.periods[j - lines];
        difference -= period * std::nearbyint(difference * (1.0f / period));
      }
      sum += difference * difference;
    }
    out[i] = comparison.half_square ? 0.5f * sum : std::sqrt(sum);
  }
}

}  // namespace scalar
}  // namespace darp::kernels
#endif  // HWY_ONCE
