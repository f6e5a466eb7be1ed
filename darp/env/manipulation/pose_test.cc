#include "darp/env/manipulation/pose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "darp/core/rng.h"
#include "darp/env/manipulation/symmetric_solver.h"

namespace darp {
namespace {

Vec3 random_vector(Rng& rng, double scale) {
  return {scale * rng.normal(), scale * rng.normal(), scale * rng.normal()};
}

void expect_same(const Mat3& a, const Mat3& b, double tolerance = 1e-12) {
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(a.m[i], b.m[i], tolerance);
}

TEST(Pose, TurnsQuaternionsAndRotationsAreTheSameThing) {
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    const Mat3 r = rotation_of(random_vector(rng, round % 2 == 0 ? 2 : 1e-7));
    expect_same(r * transposed(r), {});
    expect_same(rotation_of(turn_of(r)), r, 1e-9);
    expect_same(rotation_of(quaternion_of(r)), r);
    EXPECT_GE(quaternion_of(r)[0], 0);
    EXPECT_LE(length(turn_of(r)), std::numbers::pi + 1e-9);
  }
  expect_same(rotation_of(turn_of(rotation_of(Vec3{0, std::numbers::pi, 0}))),
              rotation_of(Vec3{0, std::numbers::pi, 0}), 1e-9);
}

TEST(Pose, ComposesAndInverts) {
  Rng rng(2);
  for (int round = 0; round < 50; ++round) {
    const Pose a{random_vector(rng, 1), rotation_of(random_vector(rng, 1))},
        b{random_vector(rng, 1), rotation_of(random_vector(rng, 1))};
    const Vec3 point = random_vector(rng, 1);
    const Vec3 once = (a * b) * point, twice = a * (b * point);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(once[i], twice[i], 1e-12);
    const Pose nothing = inverse(a) * a;
    EXPECT_LT(length(nothing.position), 1e-12);
    expect_same(nothing.rotation, {});
  }
}

TEST(SymmetricSolver, SolvesAndLeavesWhatCannotMoveAlone) {
  Rng rng(3);
  for (int round = 0; round < 50; ++round) {
    std::array<std::array<double, 6>, 6> half, a = {};
    for (auto& row : half)
      for (double& x : row) x = rng.normal();
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 6; ++k) a[i][j] += half[i][k] * half[j][k];
    std::array<double, 6> x, b = {};
    for (double& value : x) value = rng.normal();
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) b[i] += a[i][j] * x[j];
    const auto solved = SymmetricSolver<6>(a).solve(b);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(solved[i], x[i], 1e-5 * (1 + std::abs(x[i])));
  }
  const auto flat = SymmetricSolver<2>({{{2, 0}, {0, 0}}}).solve({4, 5});
  EXPECT_NEAR(flat[0], 2, 1e-12);
  EXPECT_EQ(flat[1], 0);
}

}  // namespace
}  // namespace darp
