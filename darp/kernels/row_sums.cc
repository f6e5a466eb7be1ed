#include "darp/kernels/row_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/row_sums.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE void sum(const float* a, const float* b, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + lanes <= count; j += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, a + j), hn::LoadU(d, b + j)), d, to + j);
  for (; j < count; ++j) to[j] = a[j] + b[j];
}

void sum_of_two(const float* a, const float* b, int64_t count, float* to) {
  sum(a, b, count, to);
}

/// Four vectors of columns stay in registers over all rows; `row(i)` is where row i begins.
template <class Row>
HWY_INLINE void add_each(int64_t rows, int64_t columns, const Row& row, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + 4 * lanes <= columns; j += 4 * lanes) {
    auto a = hn::LoadU(d, to + j), b = hn::LoadU(d, to + j + lanes),
         c = hn::LoadU(d, to + j + 2 * lanes), e = hn::LoadU(d, to + j + 3 * lanes);
    for (int64_t i = 0; i < rows; ++i) {
      const float* from = row(i) + j;
      a = hn::Add(a, hn::LoadU(d, from));
      b = hn::Add(b, hn::LoadU(d, from + lanes));
      c = hn::Add(c, hn::LoadU(d, from + 2 * lanes));
      e = hn::Add(e, hn::LoadU(d, from + 3 * lanes));
    }
    hn::StoreU(a, d, to + j);
    hn::StoreU(b, d, to + j + lanes);
    hn::StoreU(c, d, to + j + 2 * lanes);
    hn::StoreU(e, d, to + j + 3 * lanes);
  }
  for (; j + lanes <= columns; j += lanes) {
    auto a = hn::LoadU(d, to + j);
    for (int64_t i = 0; i < rows; ++i) a = hn::Add(a, hn::LoadU(d, row(i) + j));
    hn::StoreU(a, d, to + j);
  }
  for (; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i) to[j] += row(i)[j];
}

void add_chosen(MatrixView rows, const int32_t* which, int64_t count, float* to) {
  add_each(
      count, rows.cols(),
      [&](int64_t i) HWY_ATTR { return rows.data() + which[i] * rows.stride(); }, to);
}

void add_all(MatrixView rows, float* to) {
  add_each(
      rows.rows(), rows.cols(), [&](int64_t i) HWY_ATTR { return rows.data() + i * rows.stride(); },
      to);
}

void sum_vectors(const float* const* vectors, int64_t vector_count, int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    auto sum = hn::LoadU(d, vectors[0] + j);
    for (int64_t i = 1; i < vector_count; ++i) sum = hn::Add(sum, hn::LoadU(d, vectors[i] + j));
    hn::StoreU(sum, d, to + j);
  }
  for (; j < count; ++j) {
    to[j] = vectors[0][j];
    for (int64_t i = 1; i < vector_count; ++i) to[j] += vectors[i][j];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {
namespace {

HWY_EXPORT(sum_of_two);
HWY_EXPORT(add_chosen);
HWY_EXPORT(add_all);
HWY_EXPORT(sum_vectors);

}  // namespace

void add(std::span<const float> from, float* to) {
  HWY_DYNAMIC_DISPATCH(sum_of_two)(from.data(), to, static_cast<int64_t>(from.size()), to);
}

void sum(const float* a, const float* b, int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(sum_of_two)(a, b, count, to);
}

void add_rows(MatrixView rows, std::span<const int32_t> which, float* to) {
  HWY_DYNAMIC_DISPATCH(add_chosen)(rows, which.data(), static_cast<int64_t>(which.size()), to);
}

void add_rows(MatrixView rows, float* to) {
  HWY_DYNAMIC_DISPATCH(add_all)(rows, to);
}

void sum_all(std::span<const float* const> vectors, int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(sum_vectors)
  (vectors.data(), static_cast<int64_t>(vectors.size()), count, to);
}

}  // namespace darp::kernels
#endif  // HWY_ONCE
