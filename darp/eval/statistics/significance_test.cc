#include "darp/eval/statistics/significance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "darp/core/rng.h"

namespace darp {
namespace {

std::vector<double> shifted_normals(Rng& rng, size_t count, double shift) {
  std::vector<double> values(count);
  for (double& value : values) value = shift + rng.normal();
  return values;
}

/// All signs, by recursion.
void enumerate_signs(std::span<const double> rest, double sum, std::vector<double>& sums) {
  if (rest.empty()) return sums.push_back(sum);
  enumerate_signs(rest.subspan(1), sum + rest[0], sums);
  enumerate_signs(rest.subspan(1), sum - rest[0], sums);
}

double sign_flip_by_hand(std::span<const double> differences) {
  std::vector<double> sums;
  enumerate_signs(differences, 0, sums);
  const auto far = std::ranges::count_if(
      sums, [&](double sum) { return std::abs(sum) > std::abs(sums[0]) - 1e-9; });
  return static_cast<double>(far) / static_cast<double>(sums.size());
}

/// All orders of the labels.
double permutation_by_hand(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  std::vector<int> of_b(all.size());
  std::fill(of_b.begin() + static_cast<int64_t>(a.size()), of_b.end(), 1);
  const auto distance = [&] {
    double mean_a = 0, mean_b = 0;
    for (size_t i = 0; i < all.size(); ++i)
      (of_b[i] != 0 ? mean_b : mean_a) +=
          all[i] / static_cast<double>(of_b[i] != 0 ? b.size() : a.size());
    return std::abs(mean_b - mean_a);
  };
  const double observed = distance();
  int64_t far = 0, divisions = 0;
  do {
    far += distance() > observed - 1e-9;
    ++divisions;
  } while (std::next_permutation(of_b.begin(), of_b.end()));
  return static_cast<double>(far) / static_cast<double>(divisions);
}

/// Under the null hypothesis a p-value below alpha must not come more often than alpha.
template <class DrawPValue>
void expect_level(int trials, DrawPValue draw_p_value) {
  std::vector<double> p_values;
  for (int i = 0; i < trials; ++i) p_values.push_back(draw_p_value());
  for (const double alpha : {0.01, 0.05, 0.1, 0.25, 0.5}) {
    const auto below = std::ranges::count_if(p_values, [&](double p) { return p <= alpha; });
    EXPECT_LE(static_cast<double>(below) / trials, alpha + 3 * std::sqrt(alpha / trials)) << alpha;
  }
}

TEST(SignFlip, IsExactForFewDifferences) {
  Rng rng(1);
  for (size_t n = 1; n <= 10; ++n) {
    const std::vector<double> differences = shifted_normals(rng, n, 0.5);
    EXPECT_DOUBLE_EQ(sign_flip_p_value(differences), sign_flip_by_hand(differences)) << n;
  }
  EXPECT_DOUBLE_EQ(sign_flip_p_value(std::vector<double>{1, 2, 3, 4, 5}), 2.0 / 32);
  EXPECT_DOUBLE_EQ(sign_flip_p_value(std::vector<double>{1, 1, 1, -1}), 10.0 / 16);
}

TEST(SignFlip, TakesNothingFromZerosAndNothingFromOneDifference) {
  EXPECT_EQ(sign_flip_p_value({}), 1);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>(50, 0.0)), 1);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>{7}), 1);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>{1, 0, 2, 0, 3}),
            sign_flip_p_value(std::vector<double>{1, 2, 3}));
}

TEST(SignFlip, DrawsAgreeWithEnumerationAtTheBorder) {
  // 17 differences are drawn; enumerated here, they must come out the same within the noise.
  Rng rng(2);
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> differences = shifted_normals(rng, 17, 0.4);
    const double exact = sign_flip_by_hand(differences), drawn = sign_flip_p_value(differences);
    EXPECT_NEAR(drawn, exact, 4 * std::sqrt(exact / 1e5) + 1e-5);
    EXPECT_NE(sign_flip_p_value(differences, 1), drawn);
    EXPECT_EQ(sign_flip_p_value(differences), drawn);
  }
}

TEST(SignFlip, KeepsItsLevel) {
  Rng rng(3);
  expect_level(2000, [&] { return sign_flip_p_value(shifted_normals(rng, 9, 0)); });
  expect_level(40, [&] { return sign_flip_p_value(shifted_normals(rng, 30, 0)); });
}

TEST(SignFlip, FindsWhatIsThereAndIsNeverZero) {
  Rng rng(4);
  int found = 0;
  for (int i = 0; i < 20; ++i) found += sign_flip_p_value(shifted_normals(rng, 40, 0.8)) < 0.05;
  EXPECT_GE(found, 18);
  EXPECT_EQ(sign_flip_p_value(std::vector<double>(100, 1.0)), smallest_sign_flip_p_value(100));
}

TEST(Permutation, IsExactForFewValues) {
  Rng rng(5);
  for (size_t n = 1; n <= 5; ++n)
    for (size_t m = 1; m <= 5; ++m) {
      const auto a = shifted_normals(rng, n, 0), b = shifted_normals(rng, m, 1);
      EXPECT_DOUBLE_EQ(permutation_p_value(a, b), permutation_by_hand(a, b)) << n << " " << m;
    }
  EXPECT_DOUBLE_EQ(
      permutation_p_value(std::vector<double>{1, 2, 3, 4}, std::vector<double>{5, 6, 7, 8}),
      2.0 / 70);
}

TEST(Permutation, TiesByRoundingCountAsTies) {
  const std::vector<double> a = {0.1, 0.2, 0.3}, b = {0.3, 0.1, 0.2}, same(4, 0.1);
  EXPECT_EQ(permutation_p_value(a, b), 1);
  EXPECT_EQ(permutation_p_value(same, same), 1);
}

TEST(Permutation, DoesNotCareWhichGroupComesFirst) {
  Rng rng(6);
  const auto a = shifted_normals(rng, 3, 0), b = shifted_normals(rng, 8, 1);
  EXPECT_DOUBLE_EQ(permutation_p_value(a, b), permutation_p_value(b, a));
}

TEST(Permutation, DrawsAgreeWithEnumerationAtTheBorder) {
  // 9 of 19 are 92,378 divisions, enumerated; 10 of 20 are 184,756, drawn, enumerated here.
  Rng rng(7);
  const auto a = shifted_normals(rng, 10, 0), b = shifted_normals(rng, 10, 0.7);
  const double exact = permutation_by_hand(a, b), drawn = permutation_p_value(a, b);
  EXPECT_NEAR(drawn, exact, 4 * std::sqrt(exact / 1e5) + 1e-5);
  const std::span<const double> fewer = std::span(a).first(9);
  EXPECT_DOUBLE_EQ(permutation_p_value(fewer, b), permutation_by_hand(fewer, b));
}

TEST(Permutation, KeepsItsLevel) {
  Rng rng(8);
  expect_level(2000, [&] {
    const auto a = shifted_normals(rng, 5, 0);
    return permutation_p_value(a, shifted_normals(rng, 4, 0));
  });
}

TEST(Permutation, FindsWhatIsThereAndIsNeverZero) {
  Rng rng(9);
  int found = 0;
  for (int i = 0; i < 20; ++i) {
    const auto a = shifted_normals(rng, 8, 0);
    found += permutation_p_value(a, shifted_normals(rng, 8, 2.5)) < 0.05;
  }
  EXPECT_GE(found, 18);
  const auto low = shifted_normals(rng, 30, 0), high = shifted_normals(rng, 30, 100);
  EXPECT_EQ(permutation_p_value(low, high), smallest_permutation_p_value(30, 30));
}

TEST(McNemar, HasKnownValues) {
  EXPECT_DOUBLE_EQ(mcnemar_p_value(1, 9), 0.021484375);
  EXPECT_DOUBLE_EQ(mcnemar_p_value(9, 1), 0.021484375);
  EXPECT_DOUBLE_EQ(mcnemar_p_value(0, 5), 0.0625);
  EXPECT_EQ(mcnemar_p_value(0, 0), 1);
  EXPECT_EQ(mcnemar_p_value(4, 4), 1);
}

TEST(McNemar, IsTheSignFlipTestOfDifferencesOfOne) {
  for (int64_t a = 0; a <= 8; ++a)
    for (int64_t b = 0; a + b <= 16; ++b) {
      std::vector<double> differences(static_cast<size_t>(a), -1.0);
      differences.insert(differences.end(), static_cast<size_t>(b), 1.0);
      EXPECT_NEAR(mcnemar_p_value(a, b), sign_flip_p_value(differences), 1e-12) << a << " " << b;
    }
}

TEST(McNemar, KeepsItsLevelExactly) {
  for (const int64_t n : {5, 10, 25, 60})
    for (const double alpha : {0.01, 0.05, 0.1, 0.5}) {
      double probability = std::exp2(-static_cast<double>(n)), below = 0;
      for (int64_t k = 0; k <= n; ++k) {
        if (mcnemar_p_value(k, n - k) <= alpha) below += probability;
        probability *= static_cast<double>(n - k) / static_cast<double>(k + 1);
      }
      EXPECT_LE(below, alpha + 1e-12) << n;
    }
}

TEST(McNemar, HoldsForVeryManyPairs) {
  EXPECT_LT(mcnemar_p_value(400'000, 600'000), 1e-300);
  // Far from the tails the normal distribution is right to three digits: z = 999 / 1000.
  EXPECT_NEAR(mcnemar_p_value(499'500, 500'500), std::erfc(0.999 / std::sqrt(2.0)), 1e-4);
}

TEST(SmallestPValues, AreThoseOfTheClearestResults) {
  EXPECT_DOUBLE_EQ(smallest_permutation_p_value(3, 3), 0.1);
  for (size_t n = 1; n <= 6; ++n)
    for (size_t m = 1; m <= 6; ++m) {
      std::vector<double> a(n), b(m);
      std::iota(a.begin(), a.end(), 0);
      std::iota(b.begin(), b.end(), 100);
      EXPECT_DOUBLE_EQ(
          smallest_permutation_p_value(static_cast<int64_t>(n), static_cast<int64_t>(m)),
          permutation_p_value(a, b));
    }
  for (int64_t n = 1; n <= 12; ++n)
    EXPECT_DOUBLE_EQ(smallest_sign_flip_p_value(n),
                     sign_flip_p_value(std::vector<double>(static_cast<size_t>(n), 1.0)));
}

}  // namespace
}  // namespace darp
