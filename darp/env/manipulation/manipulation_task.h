#pragma once
// A Panda arm before something to be done: all of such tasks but what is there and when it is done.

#include <string>
#include <vector>

#include "darp/core/rng.h"
#include "darp/env/manipulation/pose_controller.h"
#include "darp/env/mujoco/mujoco_task.h"

namespace darp {

/// What a task says of itself.
struct Manipulation {
  std::string name, title = {};
  int64_t time_limit = 0;
  ArmVector posture = {};                      // joints at the start, before noise
  std::vector<std::string> observations = {};  // names of what is seen beside the hand
  size_t memory = 0;                           // numbers that the task remembers

  /// Kitchens: goals turn with the robot's base, and also when no turn is wanted; the gripper goes
  /// a tenth of its way per action instead of an eighth; at the start ten actions go by.
  bool kitchen = false;
};

/// The names of an object's position and orientation: "cube x", ..., "cube qw".
std::vector<std::string> pose_names(const std::string& object);
/// These, and those of the same as seen from the hand.
std::vector<std::string> both_pose_names(const std::string& object);

/// Actions are steps of the grip site, 5 cm and half a radian at most, and which way the gripper
/// goes (+ closes); twenty a second, over physics of 2 ms. Observations begin with the hand's
/// position, orientation and fingers (nine numbers). An episode's score is 1 if it succeeds.
class ManipulationTask : public MujocoTask {
 public:
  void reset(uint64_t seed) final;
  void observe(std::span<float> observation) const final;
  void set_state(std::span<const double> qpos, std::span<const double> qvel) final;

  /// The controlled frame: fingers move along its x axis, z is the way they point.
  Pose grip() const;
  /// What is seen of the hand: the place of the grip, the orientation of the wrist's body.
  Pose hand() const;
  Pose body(const std::string& name) const;
  /// The robot's stand.
  Pose base() const { return body("base"); }
  /// Where a hinge or a slide stands.
  double joint(const std::string& name) const;
  /// Between the pads' faces, in metres.
  double opening() const;
  /// Whether both pads touch the body.
  bool holds(const std::string& body) const;
  virtual bool succeeded() const = 0;

  static constexpr double kFarthestStep = 0.05, kLargestTurn = 0.5;

 protected:
  ManipulationTask(Manipulation task, std::shared_ptr<const mjModel> model);

  Step advance(std::span<const float> action) final;

  /// Puts objects where an episode has them; the arm is in place. What follows from positions is
  /// found afterwards.
  virtual void place_objects(Rng& rng) = 0;
  /// What is seen beside the hand, appended.
  virtual void observe_objects(std::vector<double>& seen) const = 0;
  /// Before each action, and in each of its steps of physics: what follows from positions is known
  /// then, the step is not done.
  virtual void before_step() {}
  virtual void during_step() {}

  /// Where a body with a free joint begins an episode.
  void place(const std::string& body, const Vec3& position, const Quat& orientation);
  void place(const std::string& body, const Vec3& position, double yaw);
  /// The same for a hinge or a slide.
  void set_joint(const std::string& name, double place);
  /// And for the robot in a kitchen: about `position`, by up to 3 cm and 3 degrees.
  void place_base(Rng& rng, const Vec3& position);
  /// Appends position and orientation (x, y, z, w), as they stand.
  void see_pose(const std::string& body, std::vector<double>& seen) const;
  /// The same as seen from the hand.
  void see_from_hand(const std::string& body, std::vector<double>& seen) const;
  /// Whether any shapes of the two bodies touch.
  bool touch(const std::string& a, const std::string& b) const;
  /// The number of what has this name in the model.
  int id(mjtObj kind, const std::string& name) const;
  std::span<double> own_memory();
  std::span<const double> own_memory() const;

 private:
  void set_goal(std::span<const float> action);
  void move_gripper(double action);
  PoseController::Goal goal() const;

  Manipulation task_;
  PoseController controller_;
  int hand_, base_, pads_[2], fingers_[2];
};

}  // namespace darp
