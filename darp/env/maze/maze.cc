#include "darp/env/maze/maze.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "darp/core/error.h"
#include "darp/env/random/numpy_random.h"

namespace darp {
namespace {

constexpr double kFastest = 5;

EnvironmentInfo maze_info(std::string_view name, std::string_view title,
                          const MazeSettings& settings) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EnvironmentInfo info;
  info.name = name;
  info.title = title;
  if (settings.target_in_observation) info.observations.names = {"target_x", "target_y"};
  info.observations.names.insert(info.observations.names.end(), {"x", "y", "vx", "vy"});
  info.observations.low.assign(info.observations.names.size(), -infinity);
  info.observations.high.assign(info.observations.names.size(), infinity);
  info.actions = {.names = {"force_x", "force_y"}, .low = {-1, -1}, .high = {1, 1}};
  info.time_limit = 500;
  info.step_seconds = 0.01;
  info.has_success = true;
  return info;
}

/// Somewhere about the number of an open cell.
std::array<double, 2> drawn_place(NumpyRandom& random, const MazeLayout& layout) {
  const auto& cells = layout.open_cells();
  const Cell cell = cells[random.integer(static_cast<uint32_t>(cells.size() - 1))];
  const double dx = random.uniform(-0.1, 0.1), dy = random.uniform(-0.1, 0.1);
  return {cell.row + dx, cell.column + dy};
}

}  // namespace

Maze::Maze(std::string_view name, std::string_view title, MazeLayout layout,
           std::shared_ptr<const mjModel> model, const MazeSettings& settings)
    : MujocoTask(maze_info(name, title, settings), std::move(model)),
      layout_(std::move(layout)),
      settings_(settings) {
  reset(0);
}

void Maze::reset(uint64_t seed) {
  auto random = NumpyRandom::from_gym_seed(seed);
  simulation().reset();  // which puts the mark on the goal
  if (settings_.random_target) set_target(drawn_place(random, layout_));
  const auto place = drawn_place(random, layout_);
  const double vx = 0.1 * random.normal(), vy = 0.1 * random.normal();
  simulation().set_state(place, std::array{vx, vy});
}

std::array<double, 2> Maze::position() const {
  return {simulation().qpos()[0], simulation().qpos()[1]};
}

std::array<double, 2> Maze::velocity() const {
  return {simulation().qvel()[0], simulation().qvel()[1]};
}

std::array<double, 2> Maze::target() const {
  const mjData& data = simulation().data();
  return {data.mocap_pos[0], data.mocap_pos[1]};
}

void Maze::set_target(std::array<double, 2> target) {
  DARP_CHECK(std::isfinite(target[0]) && std::isfinite(target[1]), "target {}, {}", target[0],
             target[1]);
  std::copy(target.begin(), target.end(), simulation().data().mocap_pos);
  // So that pictures show it where it is.
  mj_kinematics(&simulation().model(), &simulation().data());
}

double Maze::distance() const {
  const auto ball = position(), at = target();
  const double dx = ball[0] - at[0], dy = ball[1] - at[1];
  return std::sqrt(dx * dx + dy * dy);
}

Step Maze::advance(std::span<const float> action) {
  // As published: too fast a ball is slowed down before the step, not after. What follows from the
  // velocity is found by the step itself.
  for (double* v : {&simulation().data().qvel[0], &simulation().data().qvel[1]})
    *v = std::clamp(*v, -kFastest, kFastest);
  if (!simulation().step(action, 1)) return {.end = EpisodeEnd::kUnstable};

  const double far = distance();
  Step step;
  step.success = far <= kMazeReach;
  step.reward = settings_.reward == MazeSettings::Reward::kDense ? std::exp(-far)
                                                                 : (step.success ? 1.0 : 0.0);
  if (step.success && settings_.ends_at_target) step.end = EpisodeEnd::kTerminated;
  return step;
}

void Maze::observe(std::span<float> observation) const {
  auto next = observation.begin();
  const auto put = [&](std::span<const double> numbers) {
    for (const double number : numbers) *next++ = static_cast<float>(number);
  };
  if (settings_.target_in_observation) put(target());
  put(position());
  put(velocity());
}

std::unique_ptr<Environment> make_maze_umaze(const MazeSettings& settings) {
  static const auto model = compile_mjcf("maze_umaze", maze_mjcf("maze_umaze", umaze_layout()));
  return std::make_unique<Maze>("maze_umaze", "A ball, to be driven to a target in a U-shaped maze",
                                umaze_layout(), model, settings);
}

std::unique_ptr<Environment> make_maze_long(const MazeSettings& settings) {
  static const auto model = compile_mjcf("maze_long", maze_mjcf("maze_long", long_maze_layout()));
  return std::make_unique<Maze>("maze_long",
                                "A ball, to be driven to a target in a long U-shaped maze",
                                long_maze_layout(), model, settings);
}

}  // namespace darp
