// What holds for all four running robots.

#include "darp/env/mujoco/locomotion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numbers>
#include <ostream>

#include "darp/core/rng.h"
#include "darp/env/ant/ant.h"
#include "darp/env/half_cheetah/half_cheetah.h"
#include "darp/env/hopper/hopper.h"
#include "darp/env/walker2d/walker2d.h"
#include "tests/error_of.h"
#include "tests/mujoco_task_of.h"

namespace darp {
namespace {

struct Runner {
  std::string name;
  std::function<std::unique_ptr<Environment>()> make;
  int64_t observations, actions, bodies;
  double mass, density, step_seconds, expert;
  bool (*stands)(std::span<const double> qpos, std::span<const double> qvel);
};

// For the names of tests.
void PrintTo(const Runner& runner, std::ostream* out) {
  *out << runner.name;
}

class EveryRunner : public ::testing::TestWithParam<Runner> {
 protected:
  std::unique_ptr<Environment> environment_ = GetParam().make();
};

std::vector<float> runner_action(Rng& rng, const Environment& environment) {
  std::vector<float> action(environment.info().actions.dim());
  for (float& value : action) value = static_cast<float>(rng.uniform(-1, 1));
  return action;
}

std::vector<uint64_t> bits_of(std::span<const double> values) {
  std::vector<uint64_t> bits(values.size());
  std::ranges::transform(values, bits.begin(), [](double x) { return std::bit_cast<uint64_t>(x); });
  return bits;
}

TEST_P(EveryRunner, SaysWhatItIs) {
  const EnvironmentInfo& info = environment_->info();
  EXPECT_EQ(info.name, GetParam().name);
  EXPECT_EQ(info.observations.dim(), GetParam().observations);
  EXPECT_EQ(std::ssize(info.observations.low), GetParam().observations);
  EXPECT_EQ(std::ssize(info.observations.high), GetParam().observations);
  EXPECT_EQ(info.actions.dim(), GetParam().actions);
  EXPECT_EQ(info.actions.low, std::vector<float>(GetParam().actions, -1.0f));
  EXPECT_EQ(info.actions.high, std::vector<float>(GetParam().actions, 1.0f));
  EXPECT_EQ(info.time_limit, 1000);
  EXPECT_EQ(info.step_seconds, GetParam().step_seconds);
  EXPECT_EQ(info.scale->expert, GetParam().expert);
  EXPECT_EQ(info.cameras, std::vector<std::string>{"track"});
  EXPECT_EQ(std::ssize(info.bodies), GetParam().bodies);
  EXPECT_EQ(info.bodies[0], "torso");
  EXPECT_FALSE(info.has_success);
}

// A capsule was a cylinder, one radius longer than its straight part.
TEST_P(EveryRunner, WeighsWhatCapsulesWeighedUpToMujoco210) {
  const mjModel& model = simulation_of(*environment_).model();
  double total = 0;
  for (int body = 1; body < model.nbody; ++body) {
    total += model.body_mass[body];
    if (model.body_geomnum[body] != 1) continue;
    const int geom = model.body_geomadr[body];
    if (model.geom_type[geom] != mjGEOM_CAPSULE) continue;
    const double radius = model.geom_size[3 * geom],
                 length = 2 * model.geom_size[3 * geom + 1] + radius;
    const double mass = GetParam().density * std::numbers::pi * radius * radius * length;
    const double across = mass * (3 * radius * radius + length * length) / 12;
    const double* inertia = model.body_inertia + 3 * body;
    EXPECT_NEAR(model.body_mass[body], mass, 1e-12 * mass);
    EXPECT_NEAR(inertia[0], across, 1e-12 * across);
    EXPECT_NEAR(inertia[1], across, 1e-12 * across);
    EXPECT_NEAR(inertia[2], mass * radius * radius / 2, 1e-12 * across);
    double axis[3], geom_axis[3];
    const double z[3] = {0, 0, 1};
    mju_rotVecQuat(axis, z, model.body_iquat + 4 * body);
    mju_rotVecQuat(geom_axis, z, model.geom_quat + 4 * geom);
    EXPECT_NEAR(std::abs(mju_dot3(axis, geom_axis)), 1, 1e-14);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(model.body_ipos[3 * body + i], model.geom_pos[3 * geom + i], 1e-15);
  }
  EXPECT_NEAR(total, GetParam().mass, 1e-8);
}

// At points all along many episodes: another environment, which was doing something else and was
// pushed, goes on from the saved state just as the one does that saved it.
TEST_P(EveryRunner, GoesOnToTheBitFromASavedState) {
  const auto other = GetParam().make();
  Rng rng(7);
  uint64_t seed = 0;
  environment_->reset(seed);
  other->reset(99);
  for (int point = 0; point < 250; ++point) {
    for (auto wait = rng.below(4); wait > 0; --wait)
      if (environment_->step(runner_action(rng, *environment_)).end != EpisodeEnd::kRunning)
        environment_->reset(++seed);
    other->set_force("torso", {50, 0, 10});
    other->restore(saved_state(*environment_));
    ASSERT_EQ(observation_of(*other), observation_of(*environment_));
    ASSERT_EQ(bits_of(saved_state(*other)), bits_of(saved_state(*environment_)));
    for (int step = 0; step < 3; ++step) {
      const auto action = runner_action(rng, *environment_);
      const Step here = environment_->step(action), there = other->step(action);
      ASSERT_EQ(bits_of({&here.reward, 1}), bits_of({&there.reward, 1})) << "point " << point;
      ASSERT_EQ(here.end, there.end);
      ASSERT_EQ(bits_of(saved_state(*environment_)), bits_of(saved_state(*other)));
      if (here.end == EpisodeEnd::kRunning) continue;
      environment_->reset(++seed);
      break;
    }
  }
  EXPECT_EQ(seed > 0, GetParam().name != "half_cheetah");
}

TEST_P(EveryRunner, EndsWithTheStepThatLeavesItsRule) {
  Rng rng(2);
  const auto& simulation = simulation_of(*environment_);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    environment_->reset(seed);
    for (int step = 0; step < 200; ++step) {
      const EpisodeEnd end = environment_->step(runner_action(rng, *environment_)).end;
      const bool stands = GetParam().stands(simulation.qpos(), simulation.qvel());
      ASSERT_EQ(end, stands ? EpisodeEnd::kRunning : EpisodeEnd::kTerminated) << step;
      if (!stands) break;
    }
  }
}

TEST_P(EveryRunner, StartsAnewAsIfNothingHadHappened) {
  const auto fresh = GetParam().make();
  Rng rng(1);
  environment_->set_force("torso", {0, 0, 300});
  for (int step = 0; step < 5; ++step) environment_->step(runner_action(rng, *environment_));
  environment_->reset(12);
  fresh->reset(12);
  EXPECT_EQ(bits_of(saved_state(*environment_)), bits_of(saved_state(*fresh)));
  const auto action = runner_action(rng, *fresh);
  EXPECT_EQ(environment_->step(action).reward, fresh->step(action).reward);
  EXPECT_EQ(bits_of(saved_state(*environment_)), bits_of(saved_state(*fresh)));
  fresh->reset(13);
  EXPECT_NE(observation_of(*fresh), observation_of(*environment_));
}

TEST_P(EveryRunner, RefusesWhatIsNoStateAndStaysAsItIs) {
  environment_->reset(4);
  const auto state = saved_state(*environment_);
  auto longer = state;
  longer.push_back(0);
  EXPECT_SAYS(error_of([&] { environment_->restore(longer); }), "numbers");
  EXPECT_SAYS(error_of([&] { environment_->restore(std::span(state).first(state.size() - 1)); }),
              "numbers");
  EXPECT_SAYS(error_of([&] { environment_->restore({}); }), "numbers");
  for (size_t i = 0; i < state.size(); ++i)
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
      auto damaged = state;
      damaged[i] = bad;
      EXPECT_SAYS(error_of([&] { environment_->restore(damaged); }), "finite");
    }
  EXPECT_EQ(bits_of(saved_state(*environment_)), bits_of(state));
}

TEST_P(EveryRunner, SaysSoWhenTheSimulationBlowsUpAndRecovers) {
  environment_->reset(0);
  const MujocoSimulation& simulation = simulation_of(*environment_);
  const std::vector<double> qpos(simulation.qpos().begin(), simulation.qpos().end());
  mujoco_task_of(*environment_)
      .set_state(qpos, std::vector<double>(simulation.qvel().size(), 1e11));
  const std::vector<float> action(environment_->info().actions.dim());
  const Step step = environment_->step(action);
  EXPECT_EQ(step.end, EpisodeEnd::kUnstable);
  EXPECT_EQ(step.reward, 0);
  environment_->reset(0);
  EXPECT_EQ(environment_->step(action).end, EpisodeEnd::kRunning);
}

TEST_P(EveryRunner, EndsWhenAnActionIsNotOne) {
  environment_->reset(0);
  std::vector<float> action(environment_->info().actions.dim() + 1);
  EXPECT_EQ(environment_->step(action).end, EpisodeEnd::kActionSize);
  action.pop_back();
  action[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(environment_->step(action).end, EpisodeEnd::kActionNotFinite);
}

// MuJoCo itself cuts control off; only the reward knows.
TEST_P(EveryRunner, ChargesForEffortThatMotorsDoNotMake) {
  const auto other = GetParam().make();
  environment_->reset(6);
  other->reset(6);
  const auto n = static_cast<size_t>(environment_->info().actions.dim());
  const Step within = environment_->step(std::vector<float>(n, 1.0f)),
             beyond = other->step(std::vector<float>(n, 3.0f));
  EXPECT_EQ(observation_of(*environment_), observation_of(*other));
  EXPECT_LT(beyond.reward, within.reward);
}

TEST_P(EveryRunner, MovesWhenPushedUntilRestored) {
  environment_->reset(0);
  const auto state = saved_state(*environment_);
  const std::vector<float> action(environment_->info().actions.dim());
  environment_->step(action);
  const auto calm = saved_state(*environment_);
  environment_->restore(state);
  environment_->set_force("torso", {20, 0, 0});
  const double pushed = environment_->step(action).reward;
  environment_->restore(state);
  EXPECT_LT(environment_->step(action).reward, pushed);
  EXPECT_EQ(bits_of(saved_state(*environment_)), bits_of(calm));
  EXPECT_SAYS(error_of([&] { environment_->set_force("tail", {1, 0, 0}); }), "tail");
}

INSTANTIATE_TEST_SUITE_P(Locomotion, EveryRunner,
                         ::testing::Values(Runner{"hopper", make_hopper, 11, 3, 4, 15.26499870,
                                                  1000, 0.008, 3234.3, hopper_stands},
                                           Runner{"walker2d", make_walker2d, 17, 6, 7, 22.69800692,
                                                  1000, 0.008, 4592.3, walker2d_stands},
                                           // Scaled so that the whole weighs 14 kg.
                                           Runner{"half_cheetah", make_half_cheetah, 17, 6, 7, 14,
                                                  687.3433553895395, 0.05, 12135.0,
                                                  [](std::span<const double>,
                                                     std::span<const double>) { return true; }},
                                           Runner{"ant", [] { return make_ant({}); }, 27, 8, 13,
                                                  0.8787101739, 5, 0.05, 3879.7, ant_stands}),
                         [](const auto& runner) { return runner.param.name; });

}  // namespace
}  // namespace darp
