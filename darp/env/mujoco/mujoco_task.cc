#include "darp/env/mujoco/mujoco_task.h"

#include <algorithm>

#include "darp/core/error.h"
#include "darp/core/finite.h"

namespace darp {

MujocoTask::MujocoTask(EnvironmentInfo info, std::shared_ptr<const mjModel> model, size_t memory)
    : simulation_(std::move(model)), info_(std::move(info)), memory_(memory) {
  info_.cameras = simulation_.cameras();
  info_.bodies = simulation_.bodies();
}

void MujocoTask::save(std::vector<double>& state) const {
  simulation_.save(state);
  state.insert(state.end(), memory_.begin(), memory_.end());
}

void MujocoTask::restore(std::span<const double> state) {
  const size_t own = static_cast<size_t>(simulation_.state_size());
  const std::string remedy = fmt::format("restore only what save() of '{}' gave", info_.name);
  if (state.size() != own + memory_.size())
    throw Error(
        info_.name,
        fmt::format("a state of {} numbers, expected {}", state.size(), own + memory_.size()),
        remedy);
  const auto memory = state.subspan(own);
  if (!all_finite(memory))
    throw Error(info_.name, "a state with numbers that are not finite", remedy);
  simulation_.restore(state.first(own));
  std::ranges::copy(memory, memory_.begin());
}

void MujocoTask::set_force(std::string_view body, std::array<double, 3> force) {
  simulation_.set_force(body, force);
}

Image MujocoTask::render(std::string_view camera, int width, int height) {
  return simulation_.render(camera, width, height);
}

void MujocoTask::set_state(std::span<const double> qpos, std::span<const double> qvel) {
  simulation_.set_state(qpos, qvel);
}

}  // namespace darp
