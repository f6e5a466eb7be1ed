#pragma once
// One MuJoCo simulation: what all MuJoCo tasks do in the same way.

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "darp/env/image/image.h"
#include "darp/env/mujoco/mujoco_model.h"

namespace darp {

class MujocoRenderer;

class MujocoSimulation {
 public:
  explicit MujocoSimulation(std::shared_ptr<const mjModel> model);
  ~MujocoSimulation();

  const mjModel& model() const { return *model_; }
  mjData& data() { return *data_; }
  const mjData& data() const { return *data_; }
  std::span<const double> qpos() const;
  std::span<const double> qvel() const;

  /// As the model says, at time 0, the solver's memory empty. set_state() follows.
  void reset();
  /// Positions and velocities, and all that follows from them (mj_forward).
  void set_state(std::span<const double> qpos, std::span<const double> qvel);
  /// Writes the control and steps `count` times with it. False if the simulation blew up: MuJoCo
  /// warned, or the state is not finite.
  bool step(std::span<const float> control, int count);
  /// The same with a control of its own for each: `control(i)` writes it into the data, where all
  /// that follows from the present positions and velocities is known. What follows from the last
  /// ones is known afterwards.
  template <class Control>
  bool step_controlled(int count, const Control& control);

  /// What the future depends on: time, positions, velocities, control, the solver's warm start.
  void save(std::vector<double>& state) const;
  int64_t state_size() const;
  /// `state` has state_size() numbers, all finite: throws Error else. Derived quantities are
  /// computed anew at the next step.
  void restore(std::span<const double> state);

  /// A force on a body, by name, until set anew; reset and restore take it away. Throws Error for
  /// unknown names.
  void set_force(std::string_view body, std::array<double, 3> force);
  /// Names of all bodies that can move.
  std::vector<std::string> bodies() const;
  /// Names of all cameras.
  std::vector<std::string> cameras() const;

  /// See Environment::render.
  Image render(std::string_view camera, int width, int height);

 private:
  /// No warning of the physics so far.
  bool quiet() const;
  /// That, and the state is finite.
  bool sound() const;

  struct FreeData {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::shared_ptr<const mjModel> model_;
  std::unique_ptr<mjData, FreeData> data_;
  std::unique_ptr<MujocoRenderer> renderer_;  // made at the first picture
};

template <class Control>
bool MujocoSimulation::step_controlled(int count, const Control& control) {
  for (int i = 0; i < count; ++i) {
    mj_step1(model_.get(), data_.get());
    control(i);
    mj_step2(model_.get(), data_.get());
    if (!quiet()) return false;
  }
  mj_step1(model_.get(), data_.get());
  return sound();
}

}  // namespace darp
