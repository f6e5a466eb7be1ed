// The physics of D4RL's recordings, reproduced: from each recorded state the recorded action leads
// to the next recorded state, and the rewards add up to what the robots of the recordings earned.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "darp/data/ingest/read_dataset.h"
#include "darp/env/ant/ant.h"
#include "darp/env/half_cheetah/half_cheetah.h"
#include "darp/env/hopper/hopper.h"
#include "darp/env/walker2d/walker2d.h"
#include "tests/mujoco_task_of.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

struct Replay {
  std::vector<double> errors;
  double sum = 0;
};

/// Observations leave out where along the ground the robot is, and cut velocities off at
/// `velocity_limit`: there the simulation's own velocity, as the step before left it, stands in.
Replay replay(Environment& environment, const Episode& episode, double velocity_limit) {
  auto& task = mujoco_task_of(environment);
  const MujocoSimulation& simulation = simulation_of(environment);
  environment.reset(0);
  std::vector<double> qpos(simulation.qpos().size()), qvel(simulation.qvel().size());
  const auto hidden = static_cast<int64_t>(qpos.size() + qvel.size()) - episode.observations.cols();
  Replay result;
  for (int64_t t = 0; t < episode.steps(); ++t) {
    const auto row = episode.observations.row(t);
    const auto velocities = row.last(qvel.size());
    std::copy(row.begin(), velocities.begin(), qpos.begin() + hidden);
    for (size_t i = 0; i < qvel.size(); ++i)
      if (std::abs(velocities[i]) < velocity_limit || t == 0)
        qvel[i] = velocities[i];
      else
        qvel[i] = simulation.qvel()[i];
    task.set_state(qpos, qvel);
    std::vector<float> action(episode.actions.row(t).begin(), episode.actions.row(t).end());
    for (float& value : action) value = std::clamp(value, -1.0f, 1.0f);
    const Step step = environment.step(action);
    EXPECT_EQ(step.end, EpisodeEnd::kRunning) << "step " << t;
    result.sum += step.reward;
    if (t + 1 == episode.steps()) break;
    const auto observation = observation_of(environment);
    for (size_t i = 0; i < observation.size(); ++i)
      result.errors.push_back(
          std::abs(double{observation[i]} - episode.observations.row(t + 1)[i]));
  }
  return result;
}

struct Recorded {
  double greatest_error, sum;
};

void expect_replay(Environment& environment, const std::string& file,
                   const std::vector<Recorded>& expected,
                   double velocity_limit = std::numeric_limits<double>::infinity()) {
  const Dataset dataset = read_dataset(reference_dir() / "demos" / file).dataset;
  ASSERT_EQ(dataset.episodes(), std::ssize(expected));
  for (int64_t e = 0; e < dataset.episodes(); ++e) {
    Replay result = replay(environment, dataset.episode(e), velocity_limit);
    std::ranges::sort(result.errors);
    const double median = result.errors[result.errors.size() / 2], greatest = result.errors.back();
    const std::string what =
        fmt::format("{} episode {}: error median {:.2g}, greatest {:.3g}; sum {:.4f}", file, e,
                    median, greatest, result.sum);
    ::testing::Test::RecordProperty(fmt::format("episode_{}", e), what);
    EXPECT_LT(median, 1e-6) << what;
    EXPECT_LE(greatest, 5 * expected[e].greatest_error) << what;
    // Published to two decimals, from states that are float32.
    EXPECT_NEAR(result.sum, expected[e].sum, 0.01) << what;
  }
}

TEST(LocomotionReplay, HopperMovesAsRecorded) {
  DARP_REQUIRE_REFERENCE("demos/hopper-expert-v2_1.hdf5");
  expect_replay(*make_hopper(), "hopper-expert-v2_1.hdf5", {{1.05e-6, 3606.26}}, 10);
}

TEST(LocomotionReplay, Walker2dMovesAsRecorded) {
  DARP_REQUIRE_REFERENCE("demos/walker2d-expert-v2_1.hdf5");
  expect_replay(*make_walker2d(), "walker2d-expert-v2_1.hdf5", {{1.9e-5, 4915.34}}, 10);
}

TEST(LocomotionReplay, HalfCheetahMovesAsRecorded) {
  DARP_REQUIRE_REFERENCE("demos/halfcheetah-expert-v2_2.hdf5");
  expect_replay(*make_half_cheetah(), "halfcheetah-expert-v2_2.hdf5",
                {{2.4e-5, 10760.85}, {2.7e-4, 10836.90}});
}

TEST(LocomotionReplay, AntMovesAsRecorded) {
  DARP_REQUIRE_REFERENCE("demos/ant-expert-v2-clean_2.hdf5");
  expect_replay(*make_ant({}), "ant-expert-v2-clean_2.hdf5",
                {{2.8e-6, 5178.91}, {7.8e-6, 2427.16}});
}

}  // namespace
}  // namespace darp
