#include "darp/env/manipulation/pose_controller.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "darp/core/error.h"
#include "darp/env/manipulation/symmetric_solver.h"

namespace darp {
namespace {

constexpr double kStiffness = 150, kPostureStiffness = 10;
constexpr int kTask = 6;

/// Critical.
double damping_of(double stiffness) {
  return 2 * std::sqrt(stiffness);
}

/// Rows: three of translation, three of rotation.
using Jacobian = std::array<ArmVector, kTask>;

double dot(const ArmVector& a, const ArmVector& b) {
  double sum = 0;
  for (int i = 0; i < kArmJoints; ++i) sum += a[i] * b[i];
  return sum;
}

Jacobian site_jacobian(const mjModel& model, const mjData& data, int site) {
  // Columns of other joints are there too, and zero.
  constexpr int kMostDofs = 128;
  double translation[3 * kMostDofs], rotation[3 * kMostDofs];
  DARP_CHECK(model.nv <= kMostDofs, "{} degrees of freedom", model.nv);
  mj_jacSite(&model, &data, translation, rotation, site);
  Jacobian out;
  for (int row = 0; row < 3; ++row)
    for (int j = 0; j < kArmJoints; ++j) {
      out[row][j] = translation[row * model.nv + j];
      out[3 + row][j] = rotation[row * model.nv + j];
    }
  return out;
}

/// The arm's part of the mass matrix, armature included. The arm is a chain: MuJoCo keeps each
/// joint's entries with itself and those before it, backwards.
std::array<ArmVector, kArmJoints> arm_masses(const mjModel& model, const mjData& data) {
  std::array<ArmVector, kArmJoints> out;
  for (int i = 0; i < kArmJoints; ++i)
    for (int j = i; j >= 0; --j) out[i][j] = out[j][i] = data.qM[model.dof_Madr[i] + i - j];
  return out;
}

/// Half the sum of the cross products of axes.
Vec3 rotation_error(const Mat3& goal, const Mat3& now) {
  Vec3 sum = {0, 0, 0};
  for (int j = 0; j < 3; ++j) sum = sum + cross(now.column(j), goal.column(j));
  return 0.5 * sum;
}

/// (block of `a` that begins at `first`)^-1 v.
Vec3 solve_block(const std::array<std::array<double, kTask>, kTask>& a, int first, const Vec3& v) {
  std::array<std::array<double, 3>, 3> block;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) block[i][j] = a[first + i][first + j];
  return SymmetricSolver<3>(block).solve(v);
}

}  // namespace

PoseController::PoseController(const mjModel& model)
    : site_(mj_name2id(&model, mjOBJ_SITE, "grip_site")) {
  DARP_CHECK(site_ >= 0, "the model has no grip_site");
  for (int i = 0; i < kArmJoints; ++i) {
    const int joint = mj_name2id(&model, mjOBJ_JOINT, fmt::format("joint{}", i + 1).c_str());
    DARP_CHECK(joint == i && model.jnt_dofadr[i] == i, "joint{} is not the model's {}-th", i + 1,
               i + 1);
  }
}

Pose PoseController::pose(const mjData& data) const {
  Pose out;
  std::copy_n(data.site_xpos + 3 * site_, 3, out.position.begin());
  std::copy_n(data.site_xmat + 9 * site_, 9, out.rotation.m.begin());
  return out;
}

ArmVector PoseController::torques(const mjModel& model, mjData& data, const Goal& goal) const {
  const Jacobian jacobian = site_jacobian(model, data, site_);
  const auto masses = arm_masses(model, data);
  const SymmetricSolver<kArmJoints> by_mass(masses);
  ArmVector velocity, pull;
  for (int i = 0; i < kArmJoints; ++i) {
    velocity[i] = data.qvel[i];
    pull[i] = kPostureStiffness * (goal.posture[i] - data.qpos[i]) -
              damping_of(kPostureStiffness) * velocity[i];
  }

  // J M^-1 J^T: what a wrench at the site does to its acceleration.
  std::array<std::array<double, kTask>, kTask> mobility;
  std::array<double, kTask> moving, pulled;
  for (int i = 0; i < kTask; ++i) {
    const ArmVector responding = by_mass.solve(jacobian[i]);
    for (int j = 0; j < kTask; ++j) mobility[i][j] = dot(jacobian[j], responding);
    moving[i] = dot(jacobian[i], velocity);
    pulled[i] = dot(jacobian[i], pull);
  }

  const Pose now = pose(data);
  const Vec3 v = {moving[0], moving[1], moving[2]}, w = {moving[3], moving[4], moving[5]};
  const Vec3 linear = kStiffness * (goal.pose.position - now.position) - damping_of(kStiffness) * v;
  const Vec3 angular =
      kStiffness * rotation_error(goal.pose.rotation, now.rotation) - damping_of(kStiffness) * w;
  const Vec3 force = solve_block(mobility, 0, linear), torque = solve_block(mobility, 3, angular);
  // What the posture's pull would do to the site is taken from the wrench: that is its null space.
  const std::array<double, kTask> disturbance = SymmetricSolver<kTask>(mobility).solve(pulled);

  ArmVector out;
  for (int i = 0; i < kArmJoints; ++i) {
    out[i] = data.qfrc_bias[i] + dot(masses[i], pull);
    for (int row = 0; row < 3; ++row)
      out[i] += jacobian[row][i] * (force[row] - disturbance[row]) +
                jacobian[3 + row][i] * (torque[row] - disturbance[3 + row]);
  }
  return out;
}

}  // namespace darp
