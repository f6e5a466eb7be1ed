// Push-T is the task in which people recorded the published demonstrations: from the start of a
// seed, their actions alone lead to where theirs led.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/data/ingest/read_dataset.h"
#include "darp/env/push_t/push_t.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

std::vector<float> push_t_observation(const PushT& task) {
  std::vector<float> seen(5);
  task.observe(seen);
  return seen;
}

/// How far the block is from where it was, in pixels.
double block_error(std::span<const float> seen, std::span<const float> recorded) {
  return std::hypot(seen[2] - recorded[2], seen[3] - recorded[3]);
}

double angle_error(std::span<const float> seen, std::span<const float> recorded) {
  return std::abs(std::remainder(static_cast<double>(seen[4]) - recorded[4], 2 * std::numbers::pi));
}

TEST(PushTReplay, StartsEveryDemonstrationFromItsSeed) {
  DARP_REQUIRE_REFERENCE("demos/push_t.hdf5");
  const Dataset demos = read_dataset(reference_dir() / "demos" / "push_t.hdf5").dataset;
  ASSERT_EQ(demos.episodes(), 206);
  PushT task({.start = PushTSettings::Start::kLegacy});
  for (int64_t i = 0; i < demos.episodes(); ++i) {
    task.reset(static_cast<uint64_t>(i));
    const auto recorded = demos.episode(i).observations.row(0);
    const auto seen = push_t_observation(task);
    // One unit in the last place of a float of this size.
    for (size_t c = 0; c < 5; ++c) EXPECT_NEAR(seen[c], recorded[c], 4e-5) << "episode " << i;
  }
}

TEST(PushTReplay, EndsEveryDemonstrationWherePeopleEndedIt) {
  DARP_REQUIRE_REFERENCE("demos/push_t.hdf5");
  const Dataset demos = read_dataset(reference_dir() / "demos" / "push_t.hdf5").dataset;
  PushT task({.start = PushTSettings::Start::kLegacy});
  std::vector<double> errors, best;
  double agent_error = 0;
  int64_t exact_rows = 0;
  for (int64_t i = 0; i < demos.episodes(); ++i) {
    const Episode episode = demos.episode(i);
    task.reset(static_cast<uint64_t>(i));
    double reward = 0, error = 0;
    for (int64_t t = 0; t < episode.steps(); ++t) {
      const auto seen = push_t_observation(task);
      const auto recorded = episode.observations.row(t);
      error = block_error(seen, recorded);
      exact_rows += std::equal(seen.begin(), seen.end(), recorded.begin()) ? 1 : 0;
      ASSERT_LT(error, 1) << "episode " << i << ", step " << t;
      ASSERT_LT(angle_error(seen, recorded), 0.02) << "episode " << i << ", step " << t;
      for (size_t c = 0; c < 2; ++c)
        agent_error = std::max(agent_error, std::abs(static_cast<double>(seen[c]) - recorded[c]));
      reward = std::max(reward, task.step(episode.actions.row(t)).reward);
    }
    errors.push_back(error);
    best.push_back(reward);
  }
  std::sort(errors.begin(), errors.end());
  std::sort(best.begin(), best.end());
  RecordProperty("exact_rows", fmt::format("{} of {}", exact_rows, demos.steps()));
  RecordProperty("worst_end_error", fmt::format("{:.4g}", errors.back()));
  RecordProperty("median_end_error", fmt::format("{:.4g}", errors[errors.size() / 2]));
  RecordProperty("median_best_reward", fmt::format("{:.4g}", best[best.size() / 2]));
  EXPECT_LT(errors[errors.size() / 2], 1e-3) << "the median end";
  EXPECT_LT(agent_error, 1e-4);
  // What the demonstrators reached.
  EXPECT_NEAR(best[best.size() / 2], 0.944, 0.01);
}

}  // namespace
}  // namespace darp
