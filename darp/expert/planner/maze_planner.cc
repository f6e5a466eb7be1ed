#include "darp/expert/planner/maze_planner.h"

#include <algorithm>
#include <cmath>

#include "darp/core/error.h"
#include "darp/env/maze/maze.h"
#include "darp/expert/planner/maze_route.h"

namespace darp {
namespace {

using Place = std::array<double, 2>;

// The ball's limit is 5 along each axis, and full force changes 24 a second: braking is planned
// with less, so that force is left to keep to the plan.
constexpr double kCruise = 4.9, kBraking = 17;
// Force for each unit of speed that is missing; per second of reaction near the waypoint.
constexpr double kGain = 0.5, kReaction = 9;
// A turn is taken when it is that near; lanes are that far from the middle at most.
constexpr double kTurnReach = 0.28, kLane = 0.08;

/// The speed at which one can still stop at a place `far` away.
double speed_toward(double far) {
  const double distance = std::abs(far);
  const double speed =
      std::min({kCruise, std::sqrt(2 * kBraking * distance), kReaction * distance});
  return std::copysign(speed, far);
}

class MazePlanner final : public Expert {
 public:
  void start(const Environment& environment, Rng rng) override {
    rng_ = rng;
    const Maze& maze = maze_of(environment);
    if (!plan(maze))
      throw Error("maze planner", "there is no way from the ball to the target",
                  "put the target where the ball can go");
  }

  void act(const Environment& environment, std::span<const float>,
           std::span<float> action) override {
    const Maze& maze = maze_of(environment);
    const Place ball = maze.position(), velocity = maze.velocity();
    if (maze.target() != target_ || !on_route(maze_cell(ball))) plan(maze);
    while (next_ + 1 < waypoints_.size() &&
           std::hypot(waypoints_[next_][0] - ball[0], waypoints_[next_][1] - ball[1]) < kTurnReach)
      ++next_;
    for (size_t i = 0; i < 2; ++i) {
      const double wanted = speed_toward(waypoints_[next_][i] - ball[i]);
      action[i] = static_cast<float>(std::clamp(kGain * (wanted - velocity[i]), -1.0, 1.0));
    }
  }

 private:
  static const Maze& maze_of(const Environment& environment) {
    const auto* maze = dynamic_cast<const Maze*>(&environment.task());
    if (maze == nullptr)
      throw Error("maze planner", fmt::format("'{}' is no maze", environment.info().name),
                  "use it for maze_umaze or maze_long");
    return *maze;
  }

  bool on_route(Cell cell) const {
    return std::find(route_.begin(), route_.end(), cell) != route_.end();
  }

  /// False where there is no way: then the ball stays.
  bool plan(const Maze& maze) {
    const Place ball = maze.position();
    target_ = maze.target();
    next_ = 0;
    const auto route = shortest_route(maze.layout(), maze_cell(ball), maze_cell(target_));
    route_ = route.value_or(std::vector<Cell>{maze_cell(ball)});
    waypoints_.clear();
    for (const Cell turn : turns_of(route_)) {
      Place place = middle_of(turn);
      for (double& number : place) number += rng_.uniform(-kLane, kLane);
      waypoints_.push_back(place);
    }
    waypoints_.push_back(route ? target_ : ball);
    return route.has_value();
  }

  Rng rng_{0};
  Place target_{};
  std::vector<Cell> route_;
  std::vector<Place> waypoints_;  // where the route turns, then the target
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Expert> make_maze_planner() {
  return std::make_unique<MazePlanner>();
}

}  // namespace darp
