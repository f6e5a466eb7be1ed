#include "darp/data/tensor_view.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace darp {
namespace {

template <class T>
TensorView tensor_of(Dtype dtype, const std::vector<T>& values) {
  return {"x", dtype, {values.size()}, std::as_bytes(std::span(values))};
}

/// By the definition of the format, without bit tricks.
double half_value(unsigned bits, int exponent_bits, int fraction_bits) {
  const int fraction = static_cast<int>(bits & ((1u << fraction_bits) - 1));
  const int exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  const int scale = std::max(exponent, 1) - bias - fraction_bits;
  const int implied = exponent > 0 ? 1 << fraction_bits : 0;
  return sign * std::ldexp(fraction + implied, scale);
}

TEST(TensorView, ConvertsEveryHalfAndBfloatExactly) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  const std::vector<float> halves = to_floats(tensor_of(Dtype::kF16, all), "test");
  const std::vector<float> bfloats = to_floats(tensor_of(Dtype::kBF16, all), "test");
  for (unsigned i = 0; i < all.size(); ++i) {
    const double half = half_value(i, 5, 10), bfloat = half_value(i, 8, 7);
    ASSERT_EQ(std::isnan(half), std::isnan(halves[i])) << i;
    ASSERT_EQ(std::isnan(bfloat), std::isnan(bfloats[i])) << i;
    ASSERT_EQ(std::signbit(halves[i]), (i & 0x8000u) != 0) << i;
    ASSERT_TRUE(std::isnan(half) || half == static_cast<double>(halves[i])) << i;
    ASSERT_TRUE(std::isnan(bfloat) || bfloat == static_cast<double>(bfloats[i])) << i;
    ASSERT_EQ(std::isfinite(half), !first_nonfinite(tensor_of<uint16_t>(Dtype::kF16, {all[i]})))
        << i;
    ASSERT_EQ(std::isfinite(bfloat), !first_nonfinite(tensor_of<uint16_t>(Dtype::kBF16, {all[i]})))
        << i;
  }
}

TEST(TensorView, RoundsDoublesAndRefusesThoseBeyondFloat) {
  const std::vector<double> values{0.1, -0.0, 1e-300, -3.0,
                                   std::numeric_limits<double>::infinity()};
  const std::vector<float> floats = to_floats(tensor_of(Dtype::kF64, values), "test");
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(floats[i]),
              std::bit_cast<uint32_t>(static_cast<float>(values[i])));
  EXPECT_THROW(to_floats(tensor_of<double>(Dtype::kF64, {1.0, -1e300}), "test"), Error);
}

TEST(TensorView, RefusesToTakeIntegersForFloats) {
  EXPECT_THROW(to_floats(tensor_of<int32_t>(Dtype::kI32, {1}), "test"), Error);
  EXPECT_THROW(to_floats(tensor_of<uint8_t>(Dtype::kBool, {1}), "test"), Error);
}

TEST(TensorView, FindsTheFirstNumberThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(first_nonfinite(tensor_of<float>(Dtype::kF32, {1, 2, nan, nan})), 2u);
  EXPECT_EQ(first_nonfinite(tensor_of<float>(Dtype::kF32, {1, 3.4028235e38f})), std::nullopt);
  EXPECT_EQ(first_nonfinite(tensor_of<double>(Dtype::kF64, {1, -infinity})), 1u);
  EXPECT_EQ(first_nonfinite(tensor_of<int64_t>(Dtype::kI64, {-1})), std::nullopt);
}

TEST(TensorView, SpellsEveryTypeAndSizesItWithoutWrapping) {
  for (const std::string& name : dtype_names()) EXPECT_EQ(dtype_name(*dtype_from_name(name)), name);
  EXPECT_EQ(dtype_names().size(), 13u);
  EXPECT_EQ(dtype_from_name("f32"), std::nullopt);
  const uint64_t huge = uint64_t{1} << 61;
  EXPECT_EQ(tensor_bytes(Dtype::kF32, {}), 4u);
  EXPECT_EQ(tensor_bytes(Dtype::kF64, std::vector<uint64_t>{3, 0, huge}), 0u);
  EXPECT_EQ(tensor_bytes(Dtype::kU8, std::vector<uint64_t>{huge}), huge);
  EXPECT_EQ(tensor_bytes(Dtype::kF64, std::vector<uint64_t>{huge}), std::nullopt);
  EXPECT_EQ(tensor_bytes(Dtype::kU8, std::vector<uint64_t>{huge, 8}), std::nullopt);
}

}  // namespace
}  // namespace darp
