#include "darp/kernels/layer_norm.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "darp/kernels/layer_norm.cc"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace darp::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

/// All lanes of a vector.
struct Whole {
  HWY_INLINE Vector load(const float* p) const { return hn::LoadU(Tag(), p); }
  HWY_INLINE void store(Vector v, float* p) const { hn::StoreU(v, Tag(), p); }
  HWY_INLINE Vector keep(Vector v) const { return v; }
};

/// The lanes of a row's last columns; the others read as zero and are not written.
struct Part {
  hn::Mask<Tag> mask;
  size_t count;
#if HWY_MEM_OPS_MIGHT_FAULT
  // Without instructions for it, a masked load is a whole one that wants an aligned address.
  HWY_INLINE Vector load(const float* p) const {
    HWY_ALIGN float lanes[hn::MaxLanes(Tag())] = {};
    std::copy_n(p, count, lanes);
    return hn::Load(Tag(), lanes);
  }
  HWY_INLINE void store(Vector v, float* p) const {
    HWY_ALIGN float lanes[hn::MaxLanes(Tag())];
    hn::Store(v, Tag(), lanes);
    std::copy_n(lanes, count, p);
  }
#else
  HWY_INLINE Vector load(const float* p) const {
    return hn::MaskedLoad(mask, Tag(), p);
  }
  HWY_INLINE void store(Vector v, float* p) const {
    hn::BlendedStore(v, mask, Tag(), p);
  }
#endif
  HWY_INLINE Vector keep(Vector v) const {
    return hn::IfThenElseZero(mask, v);
  }
};

template <class Body>
HWY_INLINE void for_columns(int64_t columns, const Body& body) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Tag()));
  int64_t j = 0;
  for (; j + lanes <= columns; j += lanes) body(j, Whole());
  const auto left = static_cast<size_t>(columns - j);
  if (left > 0) body(j, Part{hn::FirstN(Tag(), left), left});
}

/// Calls body(first row, constant number of rows): four at a time, so that column sums and weights
/// are loaded once for four rows, then the rest.
template <class Body>
HWY_INLINE void for_rows(int64_t rows, const Body& body) {
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) body(i, std::integral_constant<int, 4>());
  if (rows - i == 3) body(i, std::integral_constant<int, 3>());
  if (rows - i == 2) body(i, std::integral_constant<int, 2>());
  if (rows - i == 1) body(i, std::integral_constant<int, 1>());
}

HWY_INLINE float total(Vector v) {
  return hn::GetLane(hn::SumOfLanes(Tag(), v));
}

/// Means of kCount rows and 1 / sqrt(var + epsilon), the latter also to `inverse`.
template <int kCount>
HWY_INLINE void row_moments(const float* z, int64_t stride, int64_t columns, float* inverse,
                            Vector (&means)[kCount], Vector (&inverses)[kCount]) {
  const Tag d;
  Vector sums[kCount];
  for (int r = 0; r < kCount; ++r) sums[r] = hn::Zero(d);
  for_columns(columns, [&](int64_t j, auto lanes) HWY_ATTR {
    for (int r = 0; r < kCount; ++r) sums[r] = hn::Add(sums[r], lanes.load(z + r * stride + j));
  });
  for (int r = 0; r < kCount; ++r) {
    means[r] = hn::Set(d, total(sums[r]) / static_cast<float>(columns));
    sums[r] = hn::Zero(d);
  }
  for_columns(columns, [&](int64_t j, auto lanes) HWY_ATTR {
    for (int r = 0; r < kCount; ++r) {
      const Vector x = lanes.keep(hn::Sub(lanes.load(z + r * stride + j), means[r]));
      sums[r] = hn::MulAdd(x, x, sums[r]);
    }
  });
  for (int r = 0; r < kCount; ++r) {
    const float variance = total(sums[r]) / static_cast<float>(columns);
    inverse[r] = 1.0f / std::sqrt(variance + kLayerNormEpsilon);
    inverses[r] = hn::Set(d, inverse[r]);
  }
}

/// `take(j, lanes, r, h)` gets the results of a column vector row after row.
template <int kCount, class Take>
HWY_INLINE void forward_rows(float* z, int64_t stride, int64_t columns, LayerNormWeights weights,
                             float* inverse, const Take& take) {
  const Vector zero = hn::Zero(Tag());
  if (!weights.scale) {
    for_columns(columns, [&](int64_t j, auto lanes) HWY_ATTR {
      for (int r = 0; r < kCount; ++r)
        take(j, lanes, r, hn::Max(lanes.load(z + r * stride + j), zero));
    });
    return;
  }
  Vector means[kCount], inverses[kCount];
  row_moments(z, stride, columns, inverse, means, inverses);
  for_columns(columns, [&](int64_t j, auto lanes) HWY_ATTR {
    const Vector scale = lanes.load(weights.scale + j), shift = lanes.load(weights.shift + j);
    for (int r = 0; r < kCount; ++r) {
      float* at = z + r * stride + j;
      const Vector x = hn::Mul(hn::Sub(lanes.load(at), means[r]), inverses[r]);
      lanes.store(x, at);
      take(j, lanes, r, hn::Max(hn::MulAdd(scale, x, shift), zero));
    }
  });
}

void forward(MutableMatrixView z, LayerNormWeights weights, float* inverse, MutableMatrixView h) {
  for_rows(z.rows(), [&](int64_t i, auto count) HWY_ATTR {
    forward_rows<count()>(z.data() + i * z.stride(), z.stride(), z.cols(), weights, inverse + i,
                          [&](int64_t j, auto lanes, int r, Vector y)
                              HWY_ATTR { lanes.store(y, h.data() + (i + r) * h.stride() + j); });
  });
}

/// What each of kCount rows counts in a sum; 1, which changes no bit of it, without `factors`.
template <int kCount>
HWY_INLINE void load_factors(const float* factors, int64_t i, Vector (&loaded)[kCount]) {
  for (int r = 0; r < kCount; ++r) loaded[r] = hn::Set(Tag(), factors ? factors[i + r] : 1.0f);
}

void forward_sum(MutableMatrixView z, LayerNormWeights weights, float* inverse,
                 const float* factors, float* sum) {
  for_rows(z.rows(), [&](int64_t i, auto count) HWY_ATTR {
    Vector factor[count()];
    load_factors(factors, i, factor);
    forward_rows<count()>(z.data() + i * z.stride(), z.stride(), z.cols(), weights, inverse + i,
                          [&](int64_t j, auto lanes, int r, Vector y) HWY_ATTR {
                            lanes.store(hn::MulAdd(y, factor[r], lanes.load(sum + j)), sum + j);
                          });
  });
}

/// The vectors of a column of kCount rows.
template <int kCount>
struct Column {
  Vector rows[kCount];
};

struct PlainRows {
  MatrixView z;
  int64_t count() const { return z.rows(); }
  int64_t columns() const { return z.cols(); }
  template <int kCount, class Lanes>
  HWY_INLINE Column<kCount> load(int64_t i, int64_t j, Lanes lanes) const {
    Column<kCount> column;
    const float* at = z.data() + i * z.stride() + j;
    for (int r = 0; r < kCount; ++r) column.rows[r] = lanes.load(at + r * z.stride());
    return column;
  }
};

struct SummedRows {
  const GatheredRows& z;
  int64_t count() const { return static_cast<int64_t>(z.which.size()); }
  int64_t columns() const { return z.rows.cols(); }
  template <int kCount, class Lanes>
  HWY_INLINE Column<kCount> load(int64_t i, int64_t j, Lanes lanes) const {
    Column<kCount> column;
    const Vector add = lanes.load(z.add + j);
    const float* at = z.rows.data() + j;
    for (int r = 0; r < kCount; ++r)
      column.rows[r] = hn::Add(lanes.load(at + z.which[i + r] * z.rows.stride()), add);
    return column;
  }
};

/// NaN stays NaN. In instructions, that is the larger of zero and NaN if zero comes first; not so
/// in the plain C++ of the targets that have none.
HWY_INLINE Vector relu(Vector v) {
  const Vector zero = hn::Zero(Tag());
  constexpr bool kPlain = HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128;
  return kPlain ? hn::IfThenElse(hn::Lt(v, zero), zero, v) : hn::Max(zero, v);
}

/// h of kCount rows without a mean, column by column to take(j, lanes, h).
template <int kCount, class Rows, class Take>
HWY_INLINE void centered_rows(const Rows& z, int64_t i, LayerNormWeights weights,
                              const Take& take) {
  const Tag d;
  if (!weights.scale) {
    for_columns(z.columns(), [&](int64_t j, auto lanes) HWY_ATTR {
      Column<kCount> h = z.template load<kCount>(i, j, lanes);
      for (int r = 0; r < kCount; ++r) h.rows[r] = relu(h.rows[r]);
      take(j, lanes, h);
    });
    return;
  }
  Vector squares[kCount];
  for (int r = 0; r < kCount; ++r) squares[r] = hn::Zero(d);
  for_columns(z.columns(), [&](int64_t j, auto lanes) HWY_ATTR {
    const Column<kCount> x = z.template load<kCount>(i, j, lanes);
    for (int r = 0; r < kCount; ++r) squares[r] = hn::MulAdd(x.rows[r], x.rows[r], squares[r]);
  });
  Vector inverses[kCount];
  for (int r = 0; r < kCount; ++r) {
    const float variance = total(squares[r]) / static_cast<float>(z.columns());
    inverses[r] = hn::Set(d, 1.0f / std::sqrt(variance + kLayerNormEpsilon));
  }
  for_columns(z.columns(), [&](int64_t j, auto lanes) HWY_ATTR {
    const Vector scale = lanes.load(weights.scale + j), shift = lanes.load(weights.shift + j);
    Column<kCount> h = z.template load<kCount>(i, j, lanes);
    for (int r = 0; r < kCount; ++r)
      h.rows[r] = relu(hn::MulAdd(hn::Mul(h.rows[r], inverses[r]), scale, shift));
    take(j, lanes, h);
  });
}

template <class Rows>
HWY_INLINE void centered_store(const Rows& z, LayerNormWeights weights, MutableMatrixView h) {
  for_rows(z.count(), [&](int64_t i, auto count) HWY_ATTR {
    constexpr int kCount = count();
    centered_rows<kCount>(z, i, weights,
                          [&](int64_t j, auto lanes, const Column<kCount>& column) HWY_ATTR {
                            float* at = h.data() + i * h.stride() + j;
                            for (int r = 0; r < kCount; ++r)
                              lanes.store(column.rows[r], at + r * h.stride());
                          });
  });
}

template <class Rows>
HWY_INLINE void centered_add(const Rows& z, LayerNormWeights weights, const float* factors,
                             float* sum) {
  for_rows(z.count(), [&](int64_t i, auto count) HWY_ATTR {
    constexpr int kCount = count();
    Vector factor[kCount];
    load_factors(factors, i, factor);
    centered_rows<kCount>(z, i, weights,
                          [&](int64_t j, auto lanes, const Column<kCount>& column) HWY_ATTR {
                            Vector total = lanes.load(sum + j);
                            for (int r = 0; r < kCount; ++r)
                              total = hn::MulAdd(column.rows[r], factor[r], total);
                            lanes.store(total, sum + j);
                          });
  });
}

void centered(MatrixView z, LayerNormWeights weights, MutableMatrixView h) {
  centered_store(PlainRows{z}, weights, h);
}
void centered_gathered(const GatheredRows& z, LayerNormWeights weights, MutableMatrixView h) {
  centered_store(SummedRows{z}, weights, h);
}
void centered_sum(MatrixView z, LayerNormWeights weights, const float* factors, float* sum) {
  centered_add(PlainRows{z}, weights, factors, sum);
}
void centered_gathered_sum(const GatheredRows& z, LayerNormWeights weights, const float* factors,
                           float* sum) {
  centered_add(SummedRows{z}, weights, factors, sum);
}

template <int kCount>
HWY_INLINE void relu_backward_rows(const float* dh, int64_t dh_stride, const float* x,
                                   int64_t x_stride, float* dz, int64_t dz_stride, int64_t columns,
                                   float* bias) {
  const Vector zero = hn::Zero(Tag());
  for_columns(columns, [&](int64_t j, auto lanes) HWY_ATTR {
    Vector sum = lanes.load(bias + j);
    for (int r = 0; r < kCount; ++r) {
      const auto active = hn::Gt(lanes.load(x + r * x_stride + j), zero);
      const Vector g = hn::IfThenElseZero(active, lanes.load(dh + r * dh_stride + j));
      lanes.store(g, dz + r * dz_stride + j);
      sum = hn::Add(sum, g);
    }
    lanes.store(sum, bias + j);
  });
}

/// With g = scale dh where y > 0, else 0: dz = (g - mean(g) - x mean(g x)) / sqrt(var + epsilon).
template <int kCount>
HWY_INLINE void norm_backward_rows(const float* dh, int64_t dh_stride, const float* x,
                                   int64_t x_stride, const float* inverse, float* dz,
                                   int64_t dz_stride, int64_t columns, LayerNormWeights weights,
                                   LayerNormGradient gradient) {
  const Tag d;
  const Vector zero = hn::Zero(d);
  Vector sums[kCount], products[kCount];
  for (int r = 0; r < kCount; ++r) sums[r] = products[r] = zero;
  for_columns(columns, [&](int64_t j, auto lanes) HWY_ATTR {
    const Vector scale = lanes.load(weights.scale + j), shift = lanes.load(weights.shift + j);
    Vector d_scale = lanes.load(gradient.scale + j), d_shift = lanes.load(gradient.shift + j);
    for (int r = 0; r < kCount; ++r) {
      const Vector value = lanes.load(x + r * x_stride + j);
      const auto active = hn::Gt(hn::MulAdd(scale, value, shift), zero);
      const Vector dy = hn::IfThenElseZero(active, lanes.load(dh + r * dh_stride + j));
      d_shift = hn::Add(d_shift, dy);
      d_scale = hn::MulAdd(dy, value, d_scale);
      const Vector g = hn::Mul(dy, scale);
      sums[r] = hn::Add(sums[r], g);
      products[r] = hn::MulAdd(g, value, products[r]);
      lanes.store(g, dz + r * dz_stride + j);
    }
    lanes.store(d_scale, gradient.scale + j);
    lanes.store(d_shift, gradient.shift + j);
  });
  Vector inverses[kCount];
  for (int r = 0; r < kCount; ++r) {
    sums[r] = hn::Set(d, total(sums[r]) / static_cast<float>(columns));
    products[r] = hn::Set(d, total(products[r]) / static_cast<float>(columns));
    inverses[r] = hn::Set(d, inverse[r]);
  }
  for_columns(columns, [&](int64_t j, auto lanes) HWY_ATTR {
    Vector bias = lanes.load(gradient.bias + j);
    for (int r = 0; r < kCount; ++r) {
      float* at = dz + r * dz_stride + j;
      const Vector centered = hn::Sub(lanes.load(at), sums[r]);
      const Vector value = lanes.load(x + r * x_stride + j);
      const Vector g = hn::Mul(inverses[r], hn::NegMulAdd(value, products[r], centered));
      lanes.store(g, at);
      bias = hn::Add(bias, g);
    }
    lanes.store(bias, gradient.bias + j);
  });
}

void backward(MatrixView dh, MatrixView x, LayerNormWeights weights, const float* inverse,
              MutableMatrixView dz, LayerNormGradient gradient) {
  for_rows(x.rows(), [&](int64_t i, auto count) HWY_ATTR {
    const float* dh_rows = dh.data() + i * dh.stride();
    const float* x_rows = x.data() + i * x.stride();
    float* dz_rows = dz.data() + i * dz.stride();
    if (weights.scale)
      norm_backward_rows<count()>(dh_rows, dh.stride(), x_rows, x.stride(), inverse + i, dz_rows,
                                  dz.stride(), x.cols(), weights, gradient);
    else
      relu_backward_rows<count()>(dh_rows, dh.stride(), x_rows, x.stride(), dz_rows, dz.stride(),
                                  x.cols(), gradient.bias);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace darp::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace darp::kernels {
namespace {

HWY_EXPORT(forward);
HWY_EXPORT(forward_sum);
HWY_EXPORT(centered);
HWY_EXPORT(centered_gathered);
HWY_EXPORT(centered_sum);
HWY_EXPORT(centered_gathered_sum);
HWY_EXPORT(backward);

}  // namespace

void normalize_relu(MutableMatrixView z, LayerNormWeights weights, float* inverse,
                    MutableMatrixView h) {
  HWY_DYNAMIC_DISPATCH(forward)(z, weights, inverse, h);
}

void normalize_relu_sum(MutableMatrixView z, LayerNormWeights weights, float* inverse,
                        const float* factors, float* sum) {
  HWY_DYNAMIC_DISPATCH(forward_sum)(z, weights, inverse, factors, sum);
}

void centered_norm_relu(MatrixView z, LayerNormWeights weights, MutableMatrixView h) {
  HWY_DYNAMIC_DISPATCH(centered)(z, weights, h);
}

void centered_norm_relu(const GatheredRows& z, LayerNormWeights weights, MutableMatrixView h) {
  HWY_DYNAMIC_DISPATCH(centered_gathered)(z, weights, h);
}

void centered_norm_relu_sum(MatrixView z, LayerNormWeights weights, const float* factors,
                            float* sum) {
  HWY_DYNAMIC_DISPATCH(centered_sum)(z, weights, factors, sum);
}

void centered_norm_relu_sum(const GatheredRows& z, LayerNormWeights weights, const float* factors,
                            float* sum) {
  HWY_DYNAMIC_DISPATCH(centered_gathered_sum)(z, weights, factors, sum);
}

void normalize_relu_backward(MatrixView dh, MatrixView x, LayerNormWeights weights,
                             const float* inverse, MutableMatrixView dz,
                             LayerNormGradient gradient) {
  HWY_DYNAMIC_DISPATCH(backward)(dh, x, weights, inverse, dz, gradient);
}

}  // namespace darp::kernels
#endif  // HWY_ONCE
