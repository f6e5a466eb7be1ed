#include "darp/env/mujoco/locomotion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "darp/core/error.h"
#include "darp/env/random/numpy_random.h"

namespace darp {
namespace {

void append_entries(Space& space, const std::vector<std::string>& names, double limit) {
  space.names.insert(space.names.end(), names.begin(), names.end());
  space.low.resize(space.names.size(), static_cast<float>(-limit));
  space.high.resize(space.names.size(), static_cast<float>(limit));
}

EnvironmentInfo info_of(const Locomotion& task, const mjModel& model) {
  EnvironmentInfo info;
  info.name = task.name;
  info.title = task.title;
  info.time_limit = 1000;
  append_entries(info.observations, task.positions, std::numeric_limits<double>::infinity());
  append_entries(info.observations, task.velocities, task.velocity_limit);
  append_entries(info.observations, task.zeros, 0);
  append_entries(info.actions, task.actions, 1);
  info.step_seconds = model.opt.timestep * task.frame_skip;
  info.scale = task.scale;
  return info;
}

}  // namespace

// The one number remembered is position() after the last step: restoring does not bring it back.
LocomotionTask::LocomotionTask(Locomotion task, std::shared_ptr<const mjModel> model)
    : MujocoTask(info_of(task, *model), model, 1), task_(std::move(task)) {
  DARP_CHECK(std::ssize(task_.positions) <= model->nq && std::ssize(task_.velocities) <= model->nv,
             "{} observes more than there is", task_.name);
  DARP_CHECK(std::ssize(task_.actions) == model->nu, "{} has {} motors", task_.name, model->nu);
}

double LocomotionTask::position() const {
  constexpr int kTorso = 1;  // the first body after the world
  return task_.torso_position ? simulation().data().xpos[3 * kTorso] : simulation().qpos()[0];
}

void LocomotionTask::set_state(std::span<const double> qpos, std::span<const double> qvel) {
  MujocoTask::set_state(qpos, qvel);
  memory()[0] = position();
}

// All positions are drawn before all velocities: gym's seeds then mean gym's initial states.
void LocomotionTask::reset(uint64_t seed) {
  simulation().reset();
  NumpyRandom random = NumpyRandom::from_gym_seed(seed);
  std::vector<double> qpos(simulation().qpos().begin(), simulation().qpos().end());
  std::vector<double> qvel(simulation().qvel().size());
  for (double& value : qpos) value += random.uniform(-task_.noise, task_.noise);
  for (double& value : qvel)
    value = task_.normal_velocities ? random.normal() * task_.noise
                                    : random.uniform(-task_.noise, task_.noise);
  set_state(qpos, qvel);
}

Step LocomotionTask::advance(std::span<const float> action) {
  if (!simulation().step(action, task_.frame_skip)) return {.end = EpisodeEnd::kUnstable};
  const double before = std::exchange(memory()[0], position());
  const double speed = (memory()[0] - before) / info().step_seconds;
  double effort = 0;
  for (const double value : action) effort += value * value;
  const bool alive = task_.alive(simulation().qpos(), simulation().qvel());
  return {.reward = task_.reward(speed, effort),
          .end = alive ? EpisodeEnd::kRunning : EpisodeEnd::kTerminated};
}

void LocomotionTask::observe(std::span<float> observation) const {
  const auto qpos = simulation().qpos().last(task_.positions.size());
  const auto qvel = simulation().qvel().last(task_.velocities.size());
  auto next = std::ranges::transform(qpos, observation.begin(), [](double value) {
                return static_cast<float>(value);
              }).out;
  next = std::ranges::transform(qvel, next, [limit = task_.velocity_limit](double value) {
           return static_cast<float>(std::clamp(value, -limit, limit));
         }).out;
  std::fill(next, observation.end(), 0.0f);
}

}  // namespace darp
