#include "darp/kernels/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/transpose.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
constexpr int64_t kBlock = 1;

HWY_INLINE void transpose_block(const float* from, int64_t, float* to, int64_t) {
  *to = *from;
}
#else
// What is stored goes four floats at a time on every CPU, so wider vectors would gain little.
constexpr int64_t kBlock = 4;

HWY_INLINE void transpose_block(const float* from, int64_t from_stride, float* to,
                                int64_t to_stride) {
  const hn::FixedTag<float, kBlock> d;
  const hn::Repartition<double, decltype(d)> pairs;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_stride),
             c = hn::LoadU(d, from + 2 * from_stride), e = hn::LoadU(d, from + 3 * from_stride);
  const auto ab01 = hn::BitCast(pairs, hn::InterleaveLower(d, a, b)),
             ab23 = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b)),
             ce01 = hn::BitCast(pairs, hn::InterleaveLower(d, c, e)),
             ce23 = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab01, ce01)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab01, ce01)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, ab23, ce23)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, ab23, ce23)), d, to + 3 * to_stride);
}
#endif

void transpose(MatrixView from, MutableMatrixView to) {
  const int64_t rows = from.rows() / kBlock * kBlock, cols = from.cols() / kBlock * kBlock;
  for (int64_t i = 0; i < rows; i += kBlock)
    for (int64_t j = 0; j < cols; j += kBlock)
      transpose_block(from.data() + i * from.stride() + j, from.stride(),
                      to.data() + j * to.stride() + i, to.stride());
  for (int64_t i = 0; i < from.rows(); ++i)
    for (int64_t j = i < rows ? cols : 0; j < from.cols(); ++j) to(j, i) = from(i, j);
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {
namespace {

HWY_EXPORT(transpose);

}  // namespace

void transpose(MatrixView from, MutableMatrixView to) {
  DARP_CHECK(from.rows() == to.cols() && from.cols() == to.rows(), "{}x{} into {}x{}", from.rows(),
             from.cols(), to.rows(), to.cols());
  HWY_DYNAMIC_DISPATCH(transpose)(from, to);
}

}  // namespace darp::kernels
#endif
