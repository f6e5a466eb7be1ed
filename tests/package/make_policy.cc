// Writes a policy for the robot of the examples without any training: its network is linear, and
// the weights are what the expert's controller is made of.

#include <cstdio>
#include <exception>

#include "darp/policy/novelty.h"
#include "examples/point_mass.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

constexpr float kGain[POINT_MASS_ACTION][POINT_MASS_OBSERVATION] = {{4, 0, -4, 0, -3, 0},
                                                                    {0, 4, 0, -4, 0, -3}};

DemonstrationRows demonstrate() {
  constexpr int64_t kEpisodes = 5, kSteps = 40;
  DemonstrationRows rows;
  rows.observations = Matrix::zeros(kEpisodes * kSteps, POINT_MASS_OBSERVATION);
  rows.actions = Matrix::zeros(kEpisodes * kSteps, POINT_MASS_ACTION);
  Rng rng(0);
  point_mass robot = {};
  for (int64_t i = 0; i < kEpisodes * kSteps; ++i) {
    if (i % kSteps == 0) {
      robot = {};
      for (float& x : robot.goal) x = static_cast<float>(rng.uniform(-1, 1));
      rows.episode_ends.push_back(i + kSteps);
    }
    point_mass_sense(&robot, rows.observations.row(i).data());
    for (int d = 0; d < POINT_MASS_ACTION; ++d)
      for (int j = 0; j < POINT_MASS_OBSERVATION; ++j)
        rows.actions(i, d) += kGain[d][j] * rows.observations(i, j);
    point_mass_push(&robot, rows.actions.row(i).data());
  }
  return rows;
}

/// The neighbour's action, less what the difference makes of it: what the expert would do.
PolicyContents point_mass_policy() {
  DarpSpec darp;
  darp.input.state = false;
  darp.network = {{}, MlpSettings::Norm::kNone, 0};
  darp.retrieval.k = 10;
  PolicyContents c = random_policy(
      0, {.observation_dim = POINT_MASS_OBSERVATION, .action_dim = POINT_MASS_ACTION});
  c.spec = {};
  c.spec.kind = darp;
  c.demonstrations = demonstrate();
  c.observations = Normalizer::identity(POINT_MASS_OBSERVATION);
  c.actions = Normalizer::identity(POINT_MASS_ACTION);
  std::vector<float> weights;
  for (int d = 0; d < POINT_MASS_ACTION; ++d) {
    for (int j = 0; j < POINT_MASS_ACTION; ++j) weights.push_back(d == j ? 1.0f : 0.0f);
    for (const float gain : kGain[d]) weights.push_back(-gain);
  }
  weights.insert(weights.end(), POINT_MASS_ACTION, 0.0f);  // biases
  c.members = {weights};
  ThreadPool pool(1);
  c.distance_quantiles = distance_quantiles(c.spec, c.observations, c.demonstrations, pool);
  return c;
}

}  // namespace
}  // namespace darp

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s POLICY\n", argv[0]);
    return 2;
  }
  darp::PolicyArchive(darp::point_mass_policy()).write(argv[1]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
