#pragma once
// A task on a MuJoCo simulation: all of Environment that does not depend on what the task is.

#include <memory>
#include <span>
#include <vector>

#include "darp/env/environment.h"
#include "darp/env/mujoco/mujoco_simulation.h"

namespace darp {

/// Derived classes say what reset, step and observe are.
class MujocoTask : public Environment {
 public:
  const EnvironmentInfo& info() const final { return info_; }
  void save(std::vector<double>& state) const final;
  void restore(std::span<const double> state) final;
  void set_force(std::string_view body, std::array<double, 3> force) final;
  Image render(std::string_view camera, int width, int height) final;

  const MujocoSimulation& simulation() const { return simulation_; }

  /// Goes on from these positions and velocities (nq and nv of the model), however they came about;
  /// time, control and memory stay unless the task says otherwise.
  virtual void set_state(std::span<const double> qpos, std::span<const double> qvel);

 protected:
  /// Cameras and bodies are taken from the model. `memory` is how many numbers the task remembers
  /// from step to step beside the simulation; all are 0 at first.
  MujocoTask(EnvironmentInfo info, std::shared_ptr<const mjModel> model, size_t memory = 0);

  MujocoSimulation& simulation() { return simulation_; }
  /// What the task remembers; saved and restored together with the simulation.
  std::span<double> memory() { return memory_; }
  std::span<const double> memory() const { return memory_; }

 private:
  MujocoSimulation simulation_;
  EnvironmentInfo info_;
  std::vector<double> memory_;
};

}  // namespace darp
