#include "darp/kernels/exponential.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/exponential.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// Added to a number, this rounds it, and leaves it as an integer in the lowest bits.
constexpr float kRounder = 0x1.8p23f;

/// 2^(r + n), |r| <= 1/2, for normal results; `rounded` is kRounder + n. The polynomial is
/// Chebyshev's.
HWY_INLINE Vector scaled_power(Vector r, Vector rounded) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  auto p = hn::MulAdd(r, hn::Set(d, 0.00134004992f), hn::Set(d, 0.00967609516f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.0555032706f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.240221062f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.693147182f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, rounded));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
}

/// 2^x for x <= 126; 0 below -125.
HWY_INLINE Vector power_of_two(Vector x) {
  const Tag d;
  const auto rounded = hn::Add(x, hn::Set(d, kRounder));
  const auto power = scaled_power(hn::Sub(x, hn::Sub(rounded, hn::Set(d, kRounder))), rounded);
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -125.0f)), power);
}

/// exp(x), with half of it as the power: n itself would be too large an exponent at the upper end.
HWY_INLINE Vector exponential(Vector x) {
  const Tag d;
  const auto log2e = hn::Set(d, static_cast<float>(kLog2E));
  const auto rounded = hn::MulAdd(x, log2e, hn::Set(d, kRounder));
  const auto n = hn::Sub(rounded, hn::Set(d, kRounder));
  auto r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);  // log 2 in two parts
  r = hn::MulAdd(n, hn::Set(d, 2.12194440e-4f), r);
  const auto half = scaled_power(hn::Mul(r, log2e), hn::Sub(rounded, hn::Set(d, 1.0f)));
  const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
  const auto finite =
      hn::IfThenElse(hn::Gt(x, hn::Set(d, 88.72284f)), infinity, hn::Add(half, half));
  return hn::IfThenElse(hn::Eq(x, x), hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -86.6f)), finite), x);
}

void apply_exp(MutableMatrixView x) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < x.rows(); ++i) {
    float* const row = x.data() + i * x.stride();
    int64_t j = 0;
    for (; j + lanes <= x.cols(); j += lanes)
      hn::StoreU(exponential(hn::LoadU(d, row + j)), d, row + j);
    HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
    std::copy(row + j, row + x.cols(), rest);
    hn::Store(exponential(hn::Load(d, rest)), d, rest);
    std::copy_n(rest, x.cols() - j, row + j);
  }
}

void softmax_columns(MutableMatrixView x) {
  const Tag d;
  const int64_t rows = x.rows(), stride = x.stride();
  for (int64_t j = 0; j < x.cols(); j += static_cast<int64_t>(hn::Lanes(d))) {
    float* const first = x.data() + j;
    auto largest = hn::LoadU(d, first);
    for (int64_t i = 1; i < rows; ++i) largest = hn::Max(largest, hn::LoadU(d, first + i * stride));
    auto total = hn::Zero(d);
    for (int64_t i = 0; i < rows; ++i) {
      const auto power = power_of_two(hn::Sub(hn::LoadU(d, first + i * stride), largest));
      total = hn::Add(total, power);
      hn::StoreU(power, d, first + i * stride);
    }
    const auto share = hn::Div(hn::Set(d, 1.0f), total);
    for (int64_t i = 0; i < rows; ++i)
      hn::StoreU(hn::Mul(hn::LoadU(d, first + i * stride), share), d, first + i * stride);
  }
}

void softmax_rows_piece(MutableMatrixView piece, float* shifts, float* factors,
                        MutableMatrixView totals) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < piece.rows(); ++i) {
    float* const row = piece.data() + i * piece.stride();
    float* const total = totals.data() + i * totals.stride();
    auto most = hn::LoadU(d, row);
    for (int64_t j = lanes; j < piece.cols(); j += lanes)
      most = hn::Max(most, hn::LoadU(d, row + j));
    factors[i] = 1;
    // Results may be large, so that few pieces come with the cost of a new shift.
    if (!hn::AllFalse(d, hn::Gt(most, hn::Set(d, shifts[i] + 32)))) {
      const float largest = hn::GetLane(hn::MaxOfLanes(d, most));
      factors[i] = std::exp2(shifts[i] - largest);
      shifts[i] = largest;
      for (int64_t j = 0; j < kTileColumns; ++j) total[j] *= factors[i];
    }
    const auto shift = hn::Set(d, shifts[i]);
    for (int64_t j = 0; j < piece.cols(); j += lanes) {
      const auto power = power_of_two(hn::Sub(hn::LoadU(d, row + j), shift));
      float* const sum = total + j % kTileColumns;
      hn::StoreU(hn::Add(hn::LoadU(d, sum), power), d, sum);
      hn::StoreU(power, d, row + j);
    }
  }
}

/// With e = exp(x), Mish is x n / (n + 2), n = e (e + 2): one exponential where its definition has
/// two and a logarithm. Beyond 20 the fraction is 1, and n squared must stay finite.
struct MishParts {
  Vector e, part, below;  // part = n / (n + 2), below = 1 / (n + 2)
};
HWY_INLINE MishParts mish_parts(Vector x) {
  const Tag d;
  const auto two = hn::Set(d, 2.0f);
  const auto e = exponential(hn::Min(x, hn::Set(d, 20.0f)));
  const auto n = hn::Mul(e, hn::Add(e, two));
  const auto below = hn::Div(hn::Set(d, 1.0f), hn::Add(n, two));
  return {e, hn::Mul(n, below), below};
}

HWY_INLINE Vector mish_of(Vector x) {
  return hn::Mul(x, mish_parts(x).part);
}

HWY_INLINE Vector mish_slope(Vector x) {
  const Tag d;
  const auto [e, part, below] = mish_parts(x);
  const auto rise = hn::Mul(hn::Mul(hn::MulAdd(e, e, e), hn::Mul(below, below)), hn::Set(d, 4.0f));
  return hn::MulAdd(x, hn::IfThenZeroElse(hn::Gt(x, hn::Set(d, 20.0f)), rise), part);
}

void mish(const float* x, float* y, int64_t count) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(mish_of(hn::LoadU(d, x + i)), d, y + i);
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
  std::copy(x + i, x + count, rest);
  hn::Store(mish_of(hn::Load(d, rest)), d, rest);
  std::copy_n(rest, count - i, y + i);
}

void mish_gradient(const float* x, const float* dy, float* dx, int64_t count) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Mul(hn::LoadU(d, dy + i), mish_slope(hn::LoadU(d, x + i))), d, dx + i);
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
  std::copy(x + i, x + count, rest);
  hn::Store(mish_slope(hn::Load(d, rest)), d, rest);
  for (int64_t j = i; j < count; ++j) dx[j] = dy[j] * rest[j - i];
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {
namespace {

HWY_EXPORT(apply_exp);
HWY_EXPORT(softmax_columns);
HWY_EXPORT(softmax_rows_piece);
HWY_EXPORT(mish);
HWY_EXPORT(mish_gradient);

}  // namespace

void apply_exp(MutableMatrixView x) {
  HWY_DYNAMIC_DISPATCH(apply_exp)(x);
}

void softmax_columns(MutableMatrixView x) {
  DARP_CHECK(x.rows() > 0 && x.cols() % kTileColumns == 0, "{}x{}", x.rows(), x.cols());
  HWY_DYNAMIC_DISPATCH(softmax_columns)(x);
}

void softmax_rows_piece(MutableMatrixView piece, std::span<float> shifts, std::span<float> factors,
                        MutableMatrixView totals) {
  const int64_t rows = piece.rows(), cols = piece.cols();
  DARP_CHECK(std::ssize(shifts) == rows && std::ssize(factors) == rows && totals.rows() == rows &&
                 totals.cols() == kTileColumns && cols > 0 && cols % kTileColumns == 0,
             "{}x{} with {} shifts, {} factors, {}x{} totals", rows, cols, shifts.size(),
             factors.size(), totals.rows(), totals.cols());
  HWY_DYNAMIC_DISPATCH(softmax_rows_piece)(piece, shifts.data(), factors.data(), totals);
}

void mish(std::span<const float> x, std::span<float> y) {
  DARP_CHECK(x.size() == y.size(), "{} numbers into {}", x.size(), y.size());
  HWY_DYNAMIC_DISPATCH(mish)(x.data(), y.data(), std::ssize(x));
}

void mish_gradient(std::span<const float> x, std::span<const float> dy, std::span<float> dx) {
  DARP_CHECK(x.size() == dy.size() && x.size() == dx.size(), "{} and {} numbers into {}", x.size(),
             dy.size(), dx.size());
  HWY_DYNAMIC_DISPATCH(mish_gradient)(x.data(), dy.data(), dx.data(), std::ssize(x));
}

}  // namespace darp::kernels
#endif
