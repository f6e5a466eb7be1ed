#include "darp/env/manipulation/pose.h"

#include <algorithm>
#include <cmath>

namespace darp {

Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Vec3 operator*(double factor, const Vec3& v) {
  return {factor * v[0], factor * v[1], factor * v[2]};
}

double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double length(const Vec3& v) {
  return std::sqrt(dot(v, v));
}

Vec3 unit(const Vec3& v) {
  return (1 / length(v)) * v;
}

Mat3 operator*(const Mat3& a, const Mat3& b) {
  Mat3 out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      out(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
  return out;
}

Vec3 operator*(const Mat3& a, const Vec3& v) {
  Vec3 out;
  for (int i = 0; i < 3; ++i) out[i] = a(i, 0) * v[0] + a(i, 1) * v[1] + a(i, 2) * v[2];
  return out;
}

Mat3 transposed(const Mat3& a) {
  return from_columns({a(0, 0), a(0, 1), a(0, 2)}, {a(1, 0), a(1, 1), a(1, 2)},
                      {a(2, 0), a(2, 1), a(2, 2)});
}

Mat3 from_columns(const Vec3& x, const Vec3& y, const Vec3& z) {
  Mat3 out;
  for (int i = 0; i < 3; ++i) {
    out(i, 0) = x[i];
    out(i, 1) = y[i];
    out(i, 2) = z[i];
  }
  return out;
}

Mat3 rotation_of(const Vec3& turn) {
  const double angle = length(turn);
  if (angle == 0) return {};
  const Vec3 a = (1 / angle) * turn;
  const double c = std::cos(angle), s = std::sin(angle), rest = 1 - c;
  Mat3 out;
  out.m = {
      c + a[0] * a[0] * rest,        a[0] * a[1] * rest - a[2] * s, a[0] * a[2] * rest + a[1] * s,
      a[1] * a[0] * rest + a[2] * s, c + a[1] * a[1] * rest,        a[1] * a[2] * rest - a[0] * s,
      a[2] * a[0] * rest - a[1] * s, a[2] * a[1] * rest + a[0] * s, c + a[2] * a[2] * rest};
  return out;
}

Mat3 yaw_rotation(double angle) {
  return rotation_of(Vec3{0, 0, angle});
}

Quat quaternion_of(const Mat3& r) {
  // By the largest of the four, whose square root is safe.
  const std::array<double, 4> squares = {
      1 + r(0, 0) + r(1, 1) + r(2, 2), 1 + r(0, 0) - r(1, 1) - r(2, 2),
      1 - r(0, 0) + r(1, 1) - r(2, 2), 1 - r(0, 0) - r(1, 1) + r(2, 2)};
  const auto largest = std::max_element(squares.begin(), squares.end()) - squares.begin();
  const double s = 0.5 / std::sqrt(squares[largest]);
  const double wx = r(2, 1) - r(1, 2), wy = r(0, 2) - r(2, 0), wz = r(1, 0) - r(0, 1),
               xy = r(1, 0) + r(0, 1), xz = r(0, 2) + r(2, 0), yz = r(2, 1) + r(1, 2);
  Quat q;
  if (largest == 0) q = {squares[0] * s, wx * s, wy * s, wz * s};
  if (largest == 1) q = {wx * s, squares[1] * s, xy * s, xz * s};
  if (largest == 2) q = {wy * s, xy * s, squares[2] * s, yz * s};
  if (largest == 3) q = {wz * s, xz * s, yz * s, squares[3] * s};
  if (q[0] < 0)
    for (double& x : q) x = -x;
  return q;
}

Mat3 rotation_of(const Quat& q) {
  const auto [w, x, y, z] = q;
  Mat3 out;
  out.m = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
           2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
           2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  return out;
}

Vec3 turn_of(const Mat3& rotation) {
  const Quat q = quaternion_of(rotation);
  const Vec3 axis = {q[1], q[2], q[3]};
  const double s = length(axis);
  if (s < 1e-12) return 2.0 * axis;
  return (2 * std::atan2(s, q[0]) / s) * axis;
}

Pose operator*(const Pose& a, const Pose& b) {
  return {a * b.position, a.rotation * b.rotation};
}

Vec3 operator*(const Pose& a, const Vec3& point) {
  return a.position + a.rotation * point;
}

Pose inverse(const Pose& a) {
  const Mat3 back = transposed(a.rotation);
  return {-1.0 * (back * a.position), back};
}

}  // namespace darp
