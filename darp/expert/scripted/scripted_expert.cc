#include "darp/expert/scripted/scripted_expert.h"

#include <algorithm>
#include <optional>

#include "darp/core/error.h"
#include "darp/expert/scripted/human_manner.h"
#include "darp/expert/scripted/scripts.h"

namespace darp {

Script script_named(std::string_view environment) {
  if (environment == "stack") return stack_script();
  if (environment == "square") return square_script();
  if (environment == "threading") return threading_script();
  if (environment == "one_leg") return one_leg_script();
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
  explicit ScriptedExpert(bool human) : human_(human) {}

  void start(const Environment& environment, Rng rng) override {
    const ManipulationTask& task = arm_task(environment, human_ ? "human" : "scripted");
    script_ = script_named(task.info().name);
    if (human_) manner_.emplace(rng);
    enter(0, task);
  }

  void act(const Environment& environment, std::span<const float>,
           std::span<float> action) override {
    const ManipulationTask& task = arm_task(environment, "scripted");
    // No script goes on for ever without a step.
    for (size_t tries = 0; tries < script_.size() && is_over(task); ++tries) go_on(task);
    const Phase& phase = script_[phase_];
    action[6] = phase.gripper;
    std::ranges::fill(action.first(6), 0.0f);
    if (manner_ && manner_->waits()) return;
    const Pose now = task.grip(), target = phase.target(task, moment_);
    servo(now, manner_ ? manner_->head_for(now, target) : target, action);
    if (manner_) manner_->slow_down(action.first(6));
    ++moment_.step;
  }

 private:
  void enter(int64_t phase, const ManipulationTask& task) {
    phase_ = std::clamp<int64_t>(phase, 0, std::ssize(script_) - 1);
    moment_ = {task.grip(), task.simulation().qpos()[kArmJoints - 1], 0};
    if (!manner_) return;
    moment_.side = manner_->side();
    manner_->begin(moment_.entry, script_[phase_].target(task, moment_));
  }

  bool is_over(const ManipulationTask& task) const {
    const Phase& phase = script_[phase_];
    const double patience = manner_ ? manner_->patience() : 1;
    if (moment_.step < phase.least_steps) return false;
    if (static_cast<double>(moment_.step) >= patience * static_cast<double>(phase.most_steps) ||
        (phase.until && phase.until(task)))
      return true;
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

  const bool human_;
  Script script_;
  int64_t phase_ = 0;
  Moment moment_;
  std::optional<HumanManner> manner_;
};

}  // namespace

std::unique_ptr<Expert> make_scripted_expert() {
  return std::make_unique<ScriptedExpert>(false);
}

std::unique_ptr<Expert> make_human_like_expert() {
  return std::make_unique<ScriptedExpert>(true);
}

}  // namespace darp
