#include "darp/kernels/tanh.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/tanh.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;

/// row <- function(row, other), number by number.
template <class Function>
HWY_INLINE void transform(float* row, const float* other, int64_t columns,
                          const Function& function) {
  const Tag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + lanes <= columns; j += lanes)
    hn::StoreU(function(hn::LoadU(d, row + j), hn::LoadU(d, other + j)), d, row + j);
  if (j == columns) return;
  // Loads with a mask would want aligned rows on some CPUs, and read what lies behind them.
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {}, others[hn::MaxLanes(d)] = {};
  std::copy_n(row + j, columns - j, rest);
  std::copy_n(other + j, columns - j, others);
  hn::Store(function(hn::Load(d, rest), hn::Load(d, others)), d, rest);
  std::copy_n(rest, columns - j, row + j);
}

void apply_tanh(MutableMatrixView x) {
  for (int64_t i = 0; i < x.rows(); ++i) {
    float* const row = x.data() + i * x.stride();
    transform(row, row, x.cols(), [](auto v, auto) HWY_ATTR { return hn::Tanh(Tag(), v); });
  }
}

void backpropagate_tanh(MatrixView y, MutableMatrixView gradient) {
  const auto one = hn::Set(Tag(), 1.0f);
  for (int64_t i = 0; i < y.rows(); ++i)
    transform(gradient.data() + i * gradient.stride(), y.data() + i * y.stride(), y.cols(),
              [&](auto g, auto v) HWY_ATTR { return hn::Mul(g, hn::NegMulAdd(v, v, one)); });
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {

HWY_EXPORT(apply_tanh);
HWY_EXPORT(backpropagate_tanh);

void apply_tanh(MutableMatrixView x) {
  HWY_DYNAMIC_DISPATCH(apply_tanh)(x);
}

void backpropagate_tanh(MatrixView y, MutableMatrixView gradient) {
  DARP_CHECK(y.rows() == gradient.rows() && y.cols() == gradient.cols(), "{}x{} against {}x{}",
             y.rows(), y.cols(), gradient.rows(), gradient.cols());
  HWY_DYNAMIC_DISPATCH(backpropagate_tanh)(y, gradient);
}

}  // namespace darp::kernels
#endif
