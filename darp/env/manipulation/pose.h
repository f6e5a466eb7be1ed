#pragma once
// Places and directions in space: what controllers, tasks and scripted experts of arms reckon with.

#include <array>

namespace darp {

using Vec3 = std::array<double, 3>;
using Quat = std::array<double, 4>;  // w, x, y, z

/// Row by row.
struct Mat3 {
  std::array<double, 9> m = {1, 0, 0, 0, 1, 0, 0, 0, 1};

  double operator()(int row, int column) const { return m[3 * row + column]; }
  double& operator()(int row, int column) { return m[3 * row + column]; }
  Vec3 column(int j) const { return {m[j], m[3 + j], m[6 + j]}; }
};

Vec3 operator+(const Vec3& a, const Vec3& b);
Vec3 operator-(const Vec3& a, const Vec3& b);
Vec3 operator*(double factor, const Vec3& v);
double dot(const Vec3& a, const Vec3& b);
Vec3 cross(const Vec3& a, const Vec3& b);
double length(const Vec3& v);
/// v / |v|; v is not 0.
Vec3 unit(const Vec3& v);

Mat3 operator*(const Mat3& a, const Mat3& b);
Vec3 operator*(const Mat3& a, const Vec3& v);
Mat3 transposed(const Mat3& a);
/// The rotation with these columns.
Mat3 from_columns(const Vec3& x, const Vec3& y, const Vec3& z);

/// Rotation about `turn`'s direction by its length, in radians.
Mat3 rotation_of(const Vec3& turn);
/// About the z axis.
Mat3 yaw_rotation(double angle);
/// The other way: at most half a turn.
Vec3 turn_of(const Mat3& rotation);
/// Of rotations, w >= 0.
Quat quaternion_of(const Mat3& rotation);
Mat3 rotation_of(const Quat& quaternion);

struct Pose {
  Vec3 position = {0, 0, 0};
  Mat3 rotation;
};

/// b as seen from where a stands: a first.
Pose operator*(const Pose& a, const Pose& b);
Vec3 operator*(const Pose& a, const Vec3& point);
Pose inverse(const Pose& a);

}  // namespace darp
