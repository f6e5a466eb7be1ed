// Writes demonstrations of a task of our own: a point mass reaches a goal under a PD controller.
// The point is how a recording of any robot becomes a Dataset and then a file.

#include <cstdio>
#include <exception>

#include "darp/core/rng.h"
#include "darp/data/ingest/read_dataset.h"
#include "examples/point_mass.h"

int main(int argc, char** argv) try {
  const char* path = argc > 1 ? argv[1] : "reach.npz";
  constexpr int64_t kEpisodes = 20, kSteps = 100;

  darp::DatasetContents contents;
  contents.source = path;
  contents.parts = {{"goal", 0, 2}, {"position", 2, 4}, {"velocity", 4, 6}};
  contents.observations = darp::Matrix::zeros(kEpisodes * kSteps, 6);
  contents.actions = darp::Matrix::zeros(kEpisodes * kSteps, 2);

  for (int64_t episode = 0; episode < kEpisodes; ++episode) {
    darp::Rng rng(0, static_cast<uint64_t>(episode));  // seeded: the same file every time
    point_mass robot = {};
    for (float& x : robot.goal) x = static_cast<float>(rng.uniform(-1, 1));
    for (float& x : robot.position) x = static_cast<float>(rng.uniform(-1, 1));
    for (int64_t step = 0; step < kSteps; ++step) {
      const int64_t row = episode * kSteps + step;
      const std::span<float> action = contents.actions.row(row);
      for (int d = 0; d < 2; ++d)
        action[d] = 4 * (robot.goal[d] - robot.position[d]) - 3 * robot.velocity[d];
      point_mass_sense(&robot, contents.observations.row(row).data());
      point_mass_push(&robot, action.data());
    }
    contents.episode_ends.push_back((episode + 1) * kSteps);
  }

  darp::write_dataset(darp::Dataset(std::move(contents)), path);
  std::printf("wrote %s\n", path);
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
