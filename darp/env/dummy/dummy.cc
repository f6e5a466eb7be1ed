#include "darp/env/dummy/dummy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "darp/core/error.h"
#include "darp/core/finite.h"
#include "darp/core/rng.h"
#include "darp/core/suggest.h"
#include "darp/env/image/canvas.h"

namespace darp {
namespace {

constexpr double kStepSeconds = 0.05;
constexpr double kWorld = 1.5;  // pictures show -1.5 ... 1.5 both ways

// What does not change: names, limits, conventions.
EnvironmentInfo dummy_info() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EnvironmentInfo info;
  info.name = "dummy";
  info.title = "A puck on ice that should come to rest at the origin; for tests, and to copy from";
  info.observations = {{"x", "y", "x velocity", "y velocity"},
                       {-kInfinity, -kInfinity, -kInfinity, -kInfinity},
                       {kInfinity, kInfinity, kInfinity, kInfinity}};
  info.actions = {{"x acceleration", "y acceleration"}, {-1, -1}, {1, 1}};
  info.time_limit = 200;
  info.step_seconds = kStepSeconds;
  info.has_success = true;
  info.cameras = {"top"};
  info.bodies = {"puck"};
  return info;
}

class Dummy final : public Environment {
 public:
  const EnvironmentInfo& info() const override { return info_; }

  // All that is random about an episode follows from its seed.
  void reset(uint64_t seed) override {
    Rng rng(seed);
    for (double& x : position_) x = rng.uniform(-1, 1);
    velocity_ = {0, 0};
    force_ = {0, 0};
  }

  void observe(std::span<float> observation) const override {
    for (size_t i = 0; i < 2; ++i) {
      observation[i] = static_cast<float>(position_[i]);
      observation[i + 2] = static_cast<float>(velocity_[i]);
    }
  }

  // Everything that the next step depends on, in an order that restore() knows.
  void save(std::vector<double>& state) const override {
    state.insert(state.end(), position_.begin(), position_.end());
    state.insert(state.end(), velocity_.begin(), velocity_.end());
  }

  void restore(std::span<const double> state) override {
    if (state.size() != 4 || !all_finite(state))
      throw Error("saved state",
                  fmt::format("holds {} numbers, expected 4 finite ones", state.size()),
                  "restore only what this environment saved");
    position_ = {state[0], state[1]};
    velocity_ = {state[2], state[3]};
    force_ = {0, 0};
  }

  void set_force(std::string_view body, std::array<double, 3> force) override {
    if (body != "puck")
      throw Error("push", fmt::format("'{}' is no body", printable(body)),
                  suggestion(body, info_.bodies));
    force_ = {force[0], force[1]};
  }

  Image render(std::string_view camera, int width, int height) override {
    if (camera != "top")
      throw Error("camera", fmt::format("'{}' is none", printable(camera)),
                  suggestion(camera, info_.cameras));
    Canvas canvas(width, height, {0.93, 0.95, 0.97, 1});
    const double size = std::min(width, height) / (2 * kWorld);
    const auto pixel = [&](double x, double y) {
      return Point{width / 2.0 + x * size, height / 2.0 - y * size};
    };
    canvas.fill_circle(pixel(0, 0), 0.1 * size, {0.55, 0.8, 0.6, 1});
    canvas.fill_circle(pixel(position_[0], position_[1]), 0.06 * size, {0.15, 0.3, 0.6, 1});
    return canvas.image();
  }

 protected:
  // The action is in order: the base class looked. Mass 1, no friction.
  Step advance(std::span<const float> action) override {
    for (size_t i = 0; i < 2; ++i) {
      velocity_[i] += kStepSeconds * (static_cast<double>(action[i]) + force_[i]);
      position_[i] += kStepSeconds * velocity_[i];
    }
    const double distance = std::hypot(position_[0], position_[1]);
    const double speed = std::hypot(velocity_[0], velocity_[1]);
    if (!std::isfinite(distance + speed)) return {.end = EpisodeEnd::kUnstable};
    Step step;
    step.reward = -distance;
    step.success = distance < 0.05 && speed < 0.1;
    if (step.success) step.end = EpisodeEnd::kTerminated;
    return step;
  }

 private:
  const EnvironmentInfo info_ = dummy_info();
  std::array<double, 2> position_{}, velocity_{}, force_{};
};

}  // namespace

std::unique_ptr<Environment> make_dummy() {
  return std::make_unique<Dummy>();
}

}  // namespace darp
