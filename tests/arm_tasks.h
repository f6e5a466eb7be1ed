#pragma once
// What tests of arm tasks share.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/env/manipulation/manipulation_task.h"

namespace darp {

inline const ManipulationTask& as_task(const Environment& environment) {
  return dynamic_cast<const ManipulationTask&>(environment.task());
}

/// Smallest, largest, mean and deviation of a number over many starts.
struct Spread {
  double low = 1e9, high = -1e9, sum = 0, squares = 0, count = 0;

  void add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
    sum += x;
    squares += x * x;
    ++count;
  }
  double mean() const { return sum / count; }
  double deviation() const { return std::sqrt(squares / count - mean() * mean()); }
};

/// Uniform between these, by its ends, mean and deviation.
inline void expect_uniform(const Spread& spread, double low, double high, const std::string& what) {
  const double width = high - low, tolerance = 4 * width / std::sqrt(12 * spread.count);
  EXPECT_GE(spread.low, low - 1e-9) << what;
  EXPECT_LE(spread.high, high + 1e-9) << what;
  EXPECT_LT(spread.low, low + 0.01 * width) << what;
  EXPECT_GT(spread.high, high - 0.01 * width) << what;
  EXPECT_NEAR(spread.mean(), (low + high) / 2, tolerance) << what;
  EXPECT_NEAR(spread.deviation(), width / std::sqrt(12), 0.02 * width) << what;
}

inline double yaw(const ManipulationTask& task, const std::string& body) {
  const Mat3 r = task.body(body).rotation;
  const double angle = std::atan2(r(1, 0), r(0, 0));
  return angle < 0 ? angle + 2 * std::numbers::pi : angle;
}

/// An environment with one of its bodies, which has a free joint, put somewhere.
template <class Made>
const ManipulationTask& with_body_at(const Made& environment, const std::string& body,
                                     const Pose& pose) {
  auto& task = dynamic_cast<ManipulationTask&>(*environment);
  const MujocoSimulation& simulation = as_task(*environment).simulation();
  const mjModel& model = simulation.model();
  std::vector<double> qpos(simulation.qpos().begin(), simulation.qpos().end());
  const int at = model.jnt_qposadr[model.body_jntadr[mj_name2id(&model, mjOBJ_BODY, body.c_str())]];
  std::copy(pose.position.begin(), pose.position.end(), qpos.begin() + at);
  const Quat q = quaternion_of(pose.rotation);
  std::copy(q.begin(), q.end(), qpos.begin() + at + 3);
  task.set_state(qpos, std::vector<double>(simulation.qvel().size()));
  return task;
}

}  // namespace darp
