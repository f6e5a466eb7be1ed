#include "darp/expert/scripted/scripted_expert.h"

#include <algorithm>

#include "darp/core/error.h"
#include "darp/expert/scripted/scripts.h"

namespace darp {

Script script_named(std::string_view environment) {
  if (environment == "stack") return stack_script();
  if (environment == "square") return square_script();
  if (environment == "threading") return threading_script();
  if (environment == "close_drawer") return close_drawer_script();
  if (environment == "close_door") return close_door_script();
  if (environment == "turn_on_stove") return turn_on_stove_script();
  if (environment == "turn_off_stove") return turn_off_stove_script();
  throw Error("expert scripted", fmt::format("has no script for {}", printable(environment)),
              "use another expert");
}

namespace {

class ScriptedExpert final : public Expert {
 public:
  void start(const Environment& environment, Rng) override {
    const ManipulationTask& task = arm_task(environment, "scripted");
    script_ = script_named(task.info().name);
    enter(0, task);
  }

  void act(const Environment& environment, std::span<const float>,
           std::span<float> action) override {
    const ManipulationTask& task = arm_task(environment, "scripted");
    // No script goes on for ever without a step.
    for (size_t tries = 0; tries < script_.size() && is_over(task); ++tries) go_on(task);
    const Phase& phase = script_[phase_];
    servo(task.grip(), phase.target(task, moment_), action);
    action[6] = phase.gripper;
    ++moment_.step;
  }

 private:
  void enter(int64_t phase, const ManipulationTask& task) {
    phase_ = std::clamp<int64_t>(phase, 0, std::ssize(script_) - 1);
    moment_ = {task.grip(), task.simulation().qpos()[kArmJoints - 1], 0};
  }

  bool is_over(const ManipulationTask& task) const {
    const Phase& phase = script_[phase_];
    if (moment_.step < phase.least_steps) return false;
    if (moment_.step >= phase.most_steps) return true;
    if (phase.near == 0) return phase.least_steps > 0;
    const Pose now = task.grip(), target = phase.target(task, moment_);
    return length(target.position - now.position) < phase.near &&
           (phase.turned == 0 ||
            length(turn_of(target.rotation * transposed(now.rotation))) < phase.turned);
  }

  void go_on(const ManipulationTask& task) {
    const Phase& phase = script_[phase_];
    enter(phase_ + (phase.next ? phase.next(task) : 1), task);
  }

  Script script_;
  int64_t phase_ = 0;
  Moment moment_;
};

}  // namespace

std::unique_ptr<Expert> make_scripted_expert() {
  return std::make_unique<ScriptedExpert>();
}

}  // namespace darp
