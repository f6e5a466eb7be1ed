#include "darp/data/ingest/array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "darp/core/half.h"
#include "darp/core/rng.h"

namespace darp {
namespace {

Matrix floats(const ArrayView& array) {
  Matrix out =
      Matrix::zeros(static_cast<int64_t>(array.rows()), static_cast<int64_t>(array.width()));
  read_floats(array, "test", out.mutable_view());
  return out;
}

template <class T>
ArrayView array_of(const std::vector<T>& values, const char* type, std::vector<uint64_t> shape) {
  return {parse_element_type(type, "test"), std::move(shape), false,
          std::as_bytes(std::span(values))};
}

TEST(Half, WidensEveryValueExactly) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint32_t exponent = bits >> 10 & 0x1F, mantissa = bits & 0x3FF;
    const double sign = bits & 0x8000 ? -1.0 : 1.0;
    const float wide = half_to_float(static_cast<uint16_t>(bits));
    if (exponent == 0x1F) {
      EXPECT_EQ(std::isnan(wide), mantissa != 0);
      EXPECT_EQ(std::isinf(wide), mantissa == 0);
    } else {
      const double value = exponent == 0
                               ? mantissa * 0x1p-24
                               : (1.0 + mantissa * 0x1p-10) * std::exp2(int(exponent) - 15);
      ASSERT_EQ(wide, sign * value) << bits;
      ASSERT_EQ(std::signbit(wide), sign < 0);
    }
  }
}

TEST(Array, ReadsRowMajorFloatsBitForBit) {
  const std::vector<float> values = {1.5f, -0.0f, 3e-42f, 4, 5, 6};
  const Matrix m = floats(array_of(values, "<f4", {2, 3}));
  EXPECT_TRUE(same_bits(m, MatrixView(values.data(), 2, 3, 3)));
}

TEST(Array, ConvertsDoublesAndHalves) {
  EXPECT_EQ(floats(array_of(std::vector<double>{0.1, 2}, "<f8", {2}))(0, 0), 0.1f);
  EXPECT_EQ(floats(array_of(std::vector<uint16_t>{0x3C00, 0xC000}, "<f2", {1, 2}))(0, 1), -2.0f);
}

TEST(Array, ReadsBigEndian) {
  const std::vector<uint8_t> bytes = {0x3F, 0xC0, 0, 0};
  EXPECT_EQ(floats(array_of(bytes, ">f4", {1, 1}))(0, 0), 1.5f);
  EXPECT_EQ(read_integers(array_of(bytes, ">u4", {1}), "test")[0], 0x3FC00000);
}

TEST(Array, FlattensFortranOrderLikeTheObviousLoop) {
  Rng rng(7);
  for (int round = 0; round < 50; ++round) {
    const uint64_t n = 1 + rng.below(5), a = 1 + rng.below(4), b = 1 + rng.below(4);
    std::vector<float> values(n * a * b);
    for (float& v : values) v = static_cast<float>(rng.normal());
    ArrayView array = array_of(values, "<f4", {n, a, b});
    array.fortran_order = true;
    const Matrix m = floats(array);
    for (uint64_t i = 0; i < n; ++i)
      for (uint64_t j = 0; j < a; ++j)
        for (uint64_t k = 0; k < b; ++k) ASSERT_EQ(m(i, j * b + k), values[i + n * (j + a * k)]);
  }
}

TEST(Array, RefusesOtherTypesAndSaysHowToConvert) {
  for (const char* type : {"|O", "<c8", "<m8", "<f16", "f", "", "<i3", "|V4", "<f-4", "f4x"})
    EXPECT_THROW(parse_element_type(type, "x.npz: actions"), Error) << type;
  const std::vector<int32_t> whole = {1, 2};
  try {
    floats(array_of(whole, "<i4", {2}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("astype('float32')"), std::string::npos);
  }
}

TEST(Array, RefusesSizesThatDoNotFit) {
  const std::vector<float> values(6);
  EXPECT_THROW(check_array(array_of(values, "<f4", {2, 4}), "t"), Error);
  EXPECT_THROW(check_array(array_of(values, "<f4", {uint64_t{1} << 62, 8}), "t"), Error);
  EXPECT_THROW(check_array(array_of(std::vector<float>{}, "<f4", {0, UINT64_MAX}), "t"), Error);
  EXPECT_NO_THROW(check_array(array_of(values, "<f4", {3, 2}), "t"));
}

TEST(Array, ReadsIntegersOfEveryWidth) {
  EXPECT_EQ(read_integers(array_of(std::vector<int8_t>{-3, 4}, "|i1", {2}), "t"),
            (std::vector<int64_t>{-3, 4}));
  EXPECT_EQ(read_integers(array_of(std::vector<uint8_t>{1, 0}, "|b1", {2}), "t"),
            (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(read_integers(array_of(std::vector<int64_t>{1LL << 40}, "<i8", {1}), "t"),
            (std::vector<int64_t>{1LL << 40}));
  EXPECT_EQ(read_integers(array_of(std::vector<double>{5}, "<f8", {1}), "t"),
            (std::vector<int64_t>{5}));
  EXPECT_THROW(read_integers(array_of(std::vector<double>{5.5}, "<f8", {1}), "t"), Error);
  EXPECT_THROW(read_integers(array_of(std::vector<uint64_t>{UINT64_MAX}, "<u8", {1}), "t"), Error);
}

TEST(Array, ReadsText) {
  const std::vector<uint32_t> wide = {'a', 0x20AC, 0, 0x1F600, 0, 0};
  EXPECT_EQ(read_strings(array_of(wide, "<U3", {2}), "t"),
            (std::vector<std::string>{"a\u20ac", "\U0001F600"}));
  const std::vector<uint32_t> surrogate = {0xD800};
  EXPECT_THROW(read_strings(array_of(surrogate, "<U1", {1}), "t"), Error);
  const std::vector<char> narrow = {'d', 'e', 0, 'x', 0, 0};
  EXPECT_EQ(read_strings(array_of(narrow, "|S3", {2}), "t"), (std::vector<std::string>{"de", "x"}));
}

}  // namespace
}  // namespace darp
