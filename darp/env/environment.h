#pragma once
// A simulated task: what evaluators roll policies out in and experts make demonstrations with.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "darp/env/image/image.h"

namespace darp {

/// What each number of an observation or an action is, and its limits; infinite where none is.
struct Space {
  std::vector<std::string> names;
  std::vector<float> low, high;

  int64_t dim() const { return static_cast<int64_t>(names.size()); }
};

/// Returns of a random policy and of an expert: D4RL's scale from 0 to 100.
struct ScoreScale {
  double random = 0, expert = 0;
};

/// What does not change while an environment lives.
struct EnvironmentInfo {
  std::string name, title;  // "hopper", "One-legged robot, to hop forward as fast as it can"
  Space observations, actions;
  int64_t time_limit = 0;   // steps after which episodes are cut off by convention
  double step_seconds = 0;  // simulated time of a step
  /// What an episode is worth: the sum of its rewards, or the best of them.
  enum class Score { kSum, kBest } score = Score::kSum;
  bool has_success = false;  // whether steps can be successes at all
  std::optional<ScoreScale> scale;
  std::vector<std::string> cameras;  // for render(); the first is the usual one
  std::vector<std::string> bodies;   // for set_force()
};

/// Whether and why an episode is over. The last three are mishaps.
enum class EpisodeEnd : uint8_t {
  kRunning,
  kTerminated,       // the task's own rule: it fell, it is solved
  kTruncated,        // the time limit
  kUnstable,         // the simulator lost it: numbers that are not finite, or its own warnings
  kActionSize,       // an action with another number of entries than the robot has
  kActionNotFinite,  // an action with NaN or infinity
  kPolicyFailed,     // the policy found no action
};
inline constexpr int kEpisodeEnds = 7;

/// "running", "terminated", "time limit", "unstable simulation", "action of the wrong size",
/// "action not finite", "policy failed".
std::string_view name_of(EpisodeEnd end);
/// The end with that name; throws Error that lists the names.
EpisodeEnd episode_end_named(std::string_view name);
/// Whether nobody should count this episode as one like the others.
inline bool is_mishap(EpisodeEnd end) {
  return end >= EpisodeEnd::kUnstable;
}

struct Step {
  double reward = 0;
  EpisodeEnd end = EpisodeEnd::kRunning;
  bool success = false;
};

/// One simulation. Not for two threads at once; any number of them live side by side. The same
/// seed, the same actions: the same numbers, bit for bit, on one machine.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual const EnvironmentInfo& info() const = 0;

  /// The task itself, without what was wrapped around it: for those who know more of a task than
  /// this interface tells.
  virtual const Environment& task() const { return *this; }

  /// Starts an episode. Nothing of what happened before remains.
  virtual void reset(uint64_t seed) = 0;

  /// Goes on by one step. Never throws for what a policy did: actions of the wrong size or not
  /// finite end the episode, and so does a simulation that blows up; both with reward 0. Not to be
  /// called after an episode's end, before reset or restore.
  Step step(std::span<const float> action);

  /// What a policy sees of the present state; `observation` has observations.dim() entries.
  virtual void observe(std::span<float> observation) const = 0;

  /// All that the future depends on, appended to `state`; layouts are the environments' own.
  virtual void save(std::vector<double>& state) const = 0;
  /// Goes back to, or on from, a state that save() gave here or in another environment of the same
  /// name and settings: what follows is the same to the bit. Throws Error for numbers that are no
  /// such state.
  virtual void restore(std::span<const double> state) = 0;

  /// A force in newtons, world axes, on one of info().bodies until it is set anew; reset() and
  /// restore() take it away. Throws Error for other names.
  virtual void set_force(std::string_view body, std::array<double, 3> force) = 0;

  /// A picture of the present state. Throws Error for cameras that are not in info() and where this
  /// machine cannot draw, saying what to install. Changes nothing.
  virtual Image render(std::string_view camera, int width, int height) = 0;

 protected:
  /// step() for an action that is in order.
  virtual Step advance(std::span<const float> action) = 0;
  /// The same of another environment, for those that wrap one.
  static Step advance(Environment& inner, std::span<const float> action) {
    return inner.advance(action);
  }
};

/// save() into a vector of its own.
std::vector<double> saved_state(const Environment& environment);

}  // namespace darp
