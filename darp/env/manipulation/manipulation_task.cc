#include "darp/env/manipulation/manipulation_task.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "darp/core/error.h"

namespace darp {
namespace {

constexpr int kSubsteps = 25;
constexpr double kJointNoise = 0.02;
constexpr double kFingerStart = 0.020833;
constexpr double kGripperStep = 0.01, kKitchenGripperStep = 0.2;  // a substep's, an action's
constexpr int kKitchenIdle = 10;                                  // actions
constexpr double kBaseAbout = 0.03, kBaseTurn = 0.05235987756;    // 3 degrees
constexpr double kPadInside = 0.0005;  // of a pad's face behind the finger's joint

// What is remembered from step to step: the goal's position and rotation, the posture, how far
// the gripper's two halves are to be (-1 to 1 each), then what the task remembers.
constexpr size_t kGoalRotation = 3, kPosture = 12, kGripper = 19, kOwn = 21;

const std::vector<std::string> kActionNames = {"dx",     "dy",     "dz",     "turn x",
                                               "turn y", "turn z", "gripper"};
const std::vector<std::string> kHandNames = {"hand x",  "hand y",  "hand z",   "hand qx", "hand qy",
                                             "hand qz", "hand qw", "finger 1", "finger 2"};

EnvironmentInfo info_of(const Manipulation& task) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EnvironmentInfo info;
  info.name = task.name;
  info.title = task.title;
  info.observations.names = kHandNames;
  info.observations.names.insert(info.observations.names.end(), task.observations.begin(),
                                 task.observations.end());
  info.observations.low.assign(info.observations.names.size(), -infinity);
  info.observations.high.assign(info.observations.names.size(), infinity);
  info.actions.names = kActionNames;
  info.actions.low.assign(kActionNames.size(), -1);
  info.actions.high.assign(kActionNames.size(), 1);
  info.time_limit = task.time_limit;
  info.step_seconds = 0.05;
  info.has_success = true;
  return info;
}

Pose pose_of(const double* position, const double* rotation) {
  Pose out;
  std::copy_n(position, 3, out.position.begin());
  std::copy_n(rotation, 9, out.rotation.m.begin());
  return out;
}

void append(const Vec3& position, const Quat& q, std::vector<double>& seen) {
  seen.insert(seen.end(), position.begin(), position.end());
  seen.insert(seen.end(), {q[1], q[2], q[3], q[0]});
}

}  // namespace

std::vector<std::string> pose_names(const std::string& object) {
  std::vector<std::string> names;
  for (const char* part : {"x", "y", "z", "qx", "qy", "qz", "qw"})
    names.push_back(fmt::format("{} {}", object, part));
  return names;
}

std::vector<std::string> both_pose_names(const std::string& object) {
  std::vector<std::string> names = pose_names(object);
  for (const std::string& name : pose_names(object + " in hand")) names.push_back(name);
  return names;
}

ManipulationTask::ManipulationTask(Manipulation task, std::shared_ptr<const mjModel> model)
    : MujocoTask(info_of(task), model, kOwn + task.memory),
      task_(std::move(task)),
      controller_(*model) {
  hand_ = id(mjOBJ_BODY, "right_hand");
  base_ = id(mjOBJ_BODY, "base");
  pads_[0] = id(mjOBJ_GEOM, "finger1_pad");
  pads_[1] = id(mjOBJ_GEOM, "finger2_pad");
  fingers_[0] = model->jnt_qposadr[id(mjOBJ_JOINT, "finger_joint1")];
  fingers_[1] = model->jnt_qposadr[id(mjOBJ_JOINT, "finger_joint2")];
}

int ManipulationTask::id(mjtObj kind, const std::string& name) const {
  const int found = mj_name2id(&simulation().model(), kind, name.c_str());
  DARP_CHECK(found >= 0, "the model has no '{}'", name);
  return found;
}

void ManipulationTask::reset(uint64_t seed) {
  Rng rng(seed);
  simulation().reset();
  std::ranges::fill(memory(), 0.0);
  mjData& data = simulation().data();
  for (int i = 0; i < kArmJoints; ++i) data.qpos[i] = task_.posture[i] + kJointNoise * rng.normal();
  data.qpos[fingers_[0]] = kFingerStart;
  data.qpos[fingers_[1]] = -kFingerStart;
  place_objects(rng);
  set_state(std::vector<double>(simulation().qpos().begin(), simulation().qpos().end()),
            std::vector<double>(simulation().qvel().begin(), simulation().qvel().end()));
  const std::vector<float> nothing(kActionNames.size());
  for (int i = 0; task_.kitchen && i < kKitchenIdle; ++i) advance(nothing);
}

void ManipulationTask::set_state(std::span<const double> qpos, std::span<const double> qvel) {
  simulation().set_state(qpos, qvel);
  const Pose now = grip();
  std::ranges::copy(now.position, memory().begin());
  std::ranges::copy(now.rotation.m, memory().begin() + kGoalRotation);
  std::copy_n(simulation().qpos().begin(), kArmJoints, memory().begin() + kPosture);
}

PoseController::Goal ManipulationTask::goal() const {
  PoseController::Goal out;
  out.pose = pose_of(memory().data(), memory().data() + kGoalRotation);
  std::copy_n(memory().begin() + kPosture, kArmJoints, out.posture.begin());
  return out;
}

/// From where the grip is now, not from where it should have been.
void ManipulationTask::set_goal(std::span<const float> action) {
  const auto part = [&](int first, double most) {
    Vec3 out;
    for (int i = 0; i < 3; ++i)
      out[i] = most * std::clamp(static_cast<double>(action[first + i]), -1.0, 1.0);
    return out;
  };
  Vec3 step = part(0, kFarthestStep), turn = part(3, kLargestTurn);
  if (task_.kitchen) {
    const Mat3 base =
        pose_of(simulation().data().xpos, simulation().data().xmat + 9 * base_).rotation;
    step = base * step;
    turn = base * turn;
  }
  const Pose now = grip();
  std::ranges::copy(now.position + step, memory().begin());
  const bool turns = turn != Vec3{0, 0, 0};
  if (turns || task_.kitchen)
    std::ranges::copy((rotation_of(turn) * now.rotation).m, memory().begin() + kGoalRotation);
}

/// Only the sign counts: each half goes a little its way.
void ManipulationTask::move_gripper(double step) {
  double* state = memory().data() + kGripper;
  state[0] = std::clamp(state[0] - step, -1.0, 1.0);
  state[1] = std::clamp(state[1] + step, -1.0, 1.0);
}

Step ManipulationTask::advance(std::span<const float> action) {
  before_step();
  mjData& data = simulation().data();
  const float gripper = action[6];
  const double direction = gripper > 0 ? 1 : gripper < 0 ? -1 : 0;
  PoseController::Goal wanted;
  const bool went = simulation().step_controlled(kSubsteps, [&](int substep) {
    if (substep == 0) {
      set_goal(action);
      wanted = goal();
      if (task_.kitchen) move_gripper(kKitchenGripperStep * direction);
    }
    if (!task_.kitchen) move_gripper(kGripperStep * direction);
    const ArmVector torques = controller_.torques(simulation().model(), data, wanted);
    std::ranges::copy(torques, data.ctrl);
    during_step();
    data.ctrl[kArmJoints] = 0.02 + 0.02 * memory()[kGripper];
    data.ctrl[kArmJoints + 1] = -0.02 + 0.02 * memory()[kGripper + 1];
  });
  if (!went) return {.end = EpisodeEnd::kUnstable};
  Step step;
  step.success = succeeded();
  step.reward = step.success ? 1 : 0;
  if (step.success) step.end = EpisodeEnd::kTerminated;
  return step;
}

void ManipulationTask::observe(std::span<float> observation) const {
  std::vector<double> seen;
  seen.reserve(observation.size());
  const Pose now = hand();
  const double* q = simulation().data().xquat + 4 * hand_;
  append(now.position, {q[0], q[1], q[2], q[3]}, seen);
  for (const int finger : fingers_) seen.push_back(simulation().qpos()[finger]);
  observe_objects(seen);
  DARP_CHECK(seen.size() == observation.size(), "{} numbers are seen, {} are wanted", seen.size(),
             observation.size());
  std::ranges::transform(seen, observation.begin(), [](double x) { return static_cast<float>(x); });
}

Pose ManipulationTask::grip() const {
  return controller_.pose(simulation().data());
}

Pose ManipulationTask::hand() const {
  return {grip().position,
          pose_of(simulation().data().xpos, simulation().data().xmat + 9 * hand_).rotation};
}

Pose ManipulationTask::body(const std::string& name) const {
  const int body = id(mjOBJ_BODY, name);
  return pose_of(simulation().data().xpos + 3 * body, simulation().data().xmat + 9 * body);
}

double ManipulationTask::opening() const {
  return simulation().qpos()[fingers_[0]] - simulation().qpos()[fingers_[1]] - 2 * kPadInside;
}

bool ManipulationTask::holds(const std::string& name) const {
  const mjModel& model = simulation().model();
  const mjData& data = simulation().data();
  const int body = id(mjOBJ_BODY, name);
  bool touched[2] = {false, false};
  for (int c = 0; c < data.ncon; ++c)
    for (int side = 0; side < 2; ++side) {
      const int one = side == 0 ? data.contact[c].geom1 : data.contact[c].geom2,
                other = side == 0 ? data.contact[c].geom2 : data.contact[c].geom1;
      for (int pad = 0; pad < 2; ++pad)
        if (one == pads_[pad] && model.geom_bodyid[other] == body) touched[pad] = true;
    }
  return touched[0] && touched[1];
}

bool ManipulationTask::touch(const std::string& a, const std::string& b) const {
  const mjModel& model = simulation().model();
  const mjData& data = simulation().data();
  const int first = id(mjOBJ_BODY, a), second = id(mjOBJ_BODY, b);
  return std::any_of(data.contact, data.contact + data.ncon, [&](const mjContact& contact) {
    const int one = model.geom_bodyid[contact.geom1], other = model.geom_bodyid[contact.geom2];
    return (one == first && other == second) || (one == second && other == first);
  });
}

void ManipulationTask::place(const std::string& body, const Vec3& position, double yaw) {
  place(body, position, Quat{std::cos(yaw / 2), 0, 0, std::sin(yaw / 2)});
}

void ManipulationTask::place(const std::string& body, const Vec3& position,
                             const Quat& orientation) {
  const mjModel& model = simulation().model();
  double* to =
      simulation().data().qpos + model.jnt_qposadr[model.body_jntadr[id(mjOBJ_BODY, body)]];
  std::ranges::copy(position, to);
  std::ranges::copy(orientation, to + 3);
}

double ManipulationTask::joint(const std::string& name) const {
  return simulation().qpos()[simulation().model().jnt_qposadr[id(mjOBJ_JOINT, name)]];
}

void ManipulationTask::set_joint(const std::string& name, double place) {
  simulation().data().qpos[simulation().model().jnt_qposadr[id(mjOBJ_JOINT, name)]] = place;
}

void ManipulationTask::place_base(Rng& rng, const Vec3& position) {
  mjData& data = simulation().data();
  const double x = rng.uniform(-kBaseAbout, kBaseAbout), y = rng.uniform(-kBaseAbout, kBaseAbout);
  std::ranges::copy(position + Vec3{x, y, 0}, data.mocap_pos);
  std::ranges::copy(quaternion_of(yaw_rotation(rng.uniform(-kBaseTurn, kBaseTurn))),
                    data.mocap_quat);
}

void ManipulationTask::see_pose(const std::string& name, std::vector<double>& seen) const {
  const int body = id(mjOBJ_BODY, name);
  const double* q = simulation().data().xquat + 4 * body;
  append(this->body(name).position, {q[0], q[1], q[2], q[3]}, seen);
}

void ManipulationTask::see_from_hand(const std::string& name, std::vector<double>& seen) const {
  const Pose relative = inverse(hand()) * body(name);
  append(relative.position, quaternion_of(relative.rotation), seen);
}

std::span<double> ManipulationTask::own_memory() {
  return memory().subspan(kOwn);
}

std::span<const double> ManipulationTask::own_memory() const {
  return memory().subspan(kOwn);
}

}  // namespace darp
