#include "darp/expert/mpc/push_t_mpc.h"

#include <algorithm>

#include "darp/core/error.h"
#include "darp/env/push_t/push_t.h"
#include "darp/expert/mpc/first_face.h"

namespace darp {
namespace {

// Units: what is near enough to begin a push, and how far the block may have moved until then.
constexpr double kArrived = 10, kMoved = 1.5, kMovedFar = 8;
constexpr int kPatience = 5;  // steps until a plan may be given up on the way
// Units a second: slow enough to be called the end of a push when others follow, and when not.
constexpr double kSlow = 30, kStopped = 12;
// An agent that walks steadily is that many seconds behind its target.
constexpr double kLag = 0.2, kStepSeconds = 0.1;

class PushTMpc final : public Expert {
 public:
  explicit PushTMpc(const PushTMpcSettings& settings) : settings_(settings) {}

  void start(const Environment& environment, Rng rng) override {
    const PushT& task = task_of(environment);
    rng_ = rng;
    plan_ = {};
    face_ = first_face(task);
    decide(task);
  }

  void act(const Environment& environment, std::span<const float>,
           std::span<float> action) override {
    const PushT& task = task_of(environment);
    ++steps_;
    if (must_decide(task)) decide(task);
    if (!pushing_ && has_arrived(task) && !plan_.pushes.empty()) begin_push(task);
    const Point aim = walk_->next();
    action[0] = static_cast<float>(std::clamp(aim.x, 0.0, 512.0));
    action[1] = static_cast<float>(std::clamp(aim.y, 0.0, 512.0));
  }

 private:
  static const PushT& task_of(const Environment& environment) {
    const auto* task = dynamic_cast<const PushT*>(&environment.task());
    if (task == nullptr)
      throw Error("push_t mpc", fmt::format("'{}' is not Push-T", environment.info().name),
                  "use it for push_t");
    return *task;
  }

  /// Faces differ in what they are good for; which of the good ones comes first is left to chance.
  std::optional<int> first_face(const PushT& task) {
    const auto costs = face_costs({task.agent(), task.block()}, settings_.search, rng_);
    return drawn_face(costs, settings_.detour, rng_);
  }

  bool has_arrived(const PushT& task) const {
    return walk_->is_over() && length_of(task.agent() - walk_->end()) < kArrived;
  }

  bool must_decide(const PushT& task) const {
    if (pushing_)
      return walk_->is_over() &&
             length_of(task.agent_velocity()) < (plan_.pushes.size() > 1 ? kSlow : kStopped);
    // What was planned is void when the block moves meanwhile.
    const bool arrived = has_arrived(task);
    const double moved = pose_distance(task.block(), decided_on_);
    return (arrived && (moved > kMoved || plan_.pushes.empty())) ||
           (steps_ > kPatience && moved > kMovedFar);
  }

  void decide(const PushT& task) {
    const PushTState now = {task.agent(), task.block()};
    std::vector<Push> earlier;
    if (pushing_ && !plan_.pushes.empty())
      earlier.assign(plan_.pushes.begin() + 1, plan_.pushes.end());
    plan_ = best_plan(now, settings_.search, earlier, face_, rng_);
    if (plan_.pushes.empty() && face_) {
      face_.reset();
      plan_ = best_plan(now, settings_.search, earlier, face_, rng_);
    }
    decided_on_ = now.block;
    pushing_ = false;
    steps_ = 0;

    // Where nothing can be done, the middle of the room is the place to see what else can.
    Point end = {256, 256};
    if (!plan_.pushes.empty()) end = line_of(plan_.pushes[0], now.block).start;
    const Point velocity = task.agent_velocity(), here = now.agent + kLag * velocity;
    const auto way = way_around(now.block, here, end);
    walk_.emplace(way.value_or(Way{{here, end}, length_of(end - here)}),
                  Pace{settings_.walking, settings_.walking / 3},
                  kStepSeconds * length_of(velocity));
  }

  void begin_push(const PushT& task) {
    const Push& push = plan_.pushes[0];
    const auto [start, direction] = line_of(push, task.block());
    walk_.emplace(Way{{start, start + push.length * direction}, push.length},
                  Pace{settings_.pushing, settings_.pushing / 3}, 0.0);
    pushing_ = true;
    face_.reset();
  }

  PushTMpcSettings settings_;
  Rng rng_{0};
  std::optional<int> face_;  // to be pushed first, until it is
  PushPlan plan_;
  TPose decided_on_;      // where the block was when the plan was made
  bool pushing_ = false;  // else on the way to where the plan's first push begins
  int steps_ = 0;         // since then
  std::optional<Walk> walk_;
};

}  // namespace

std::unique_ptr<Expert> make_push_t_mpc(const PushTMpcSettings& settings) {
  return std::make_unique<PushTMpc>(settings);
}

}  // namespace darp
