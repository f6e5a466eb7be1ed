#pragma once
// A policy in a control loop: every step in tens of microseconds, and never a surprise.

#include <memory>
#include <span>
#include <vector>

#include "darp/policy/policy.h"
#include "darp/runtime/act_status.h"
#include "darp/runtime/realtime_model.h"

namespace darp {

struct RealtimeOptions {
  /// What to do when no action can be found.
  enum class OnFault {
    kLastGood,  // the last action that was found; before any, `hold`
    kHold,      // always `hold`
  };
  OnFault on_fault = OnFault::kLastGood;
  /// An action in the environment's units that keeps the robot where it is; empty: zeros. Limits
  /// apply to it.
  std::vector<float> hold;
};

/// One rollout. Not for two threads at once; each thread has its own, all share the model. After
/// construction nothing allocates, locks, throws or calls the system; after warm_up() on the thread
/// that acts, nothing takes a page fault either. Numbers too small to be normal count as zero.
class RealtimePolicy {
 public:
  /// Throws Error for a `hold` of another size than actions, or not finite.
  explicit RealtimePolicy(std::shared_ptr<const RealtimeModel> model,
                          const RealtimeOptions& options = {});
  ~RealtimePolicy();
  RealtimePolicy(RealtimePolicy&&) noexcept;

  const RealtimeModel& model() const { return *model_; }

  /// Touches what steps touch, 64 KiB of stack included; to be called once on the thread that acts.
  /// Resets.
  void warm_up() noexcept;

  /// Starts an episode. What was good in the last one is forgotten. What is drawn at random depends
  /// on the seed and the steps since.
  void reset(uint64_t seed = 0) noexcept;

  /// `observation` as the environment gives it, `action` as it takes it, within the policy's
  /// limits and always finite. If the status is not kOk the action is the safe one of the options
  /// (as much of it as fits); an observation of the wrong size, not finite or too large is as if it
  /// had never come.
  ActStatus act(std::span<const float> observation, std::span<float> action) noexcept;

  /// How unusual the observation of the last good step was (policy/novelty.h): the part of the
  /// demonstrated steps that are nearer to their neighbours, 0 to 1; above 1: that many times
  /// farther than any. -1 for policies that retrieve nothing and before the first good step.
  float novelty() const noexcept { return novelty_; }

  /// The neighbours of the last step, nearest first, as many as fit; returns how many. `proposals`
  /// is empty or has room for action_dim numbers for each: what the network makes of that neighbour
  /// alone, in the environment's units; their mean over all neighbours is the action, before
  /// limits. Where that is not so (other aggregations and heads, chunks, locally weighted
  /// regression), it is what was demonstrated there. None after a step whose status was not kOk,
  /// and for policies that retrieve nothing.
  int64_t explain(std::span<ExplainedNeighbor> neighbors, std::span<float> proposals) noexcept;

 private:
  struct Memory;

  ActStatus find_action(std::span<const float> observation) noexcept;
  void find_answers() noexcept;
  void measure_distances() noexcept;
  void propose(int64_t count) noexcept;
  ActStatus fall_back(ActStatus status, std::span<float> action) noexcept;

  std::shared_ptr<const RealtimeModel> model_;
  std::unique_ptr<Memory> memory_;
  float novelty_ = -1;
};

/// The same as a Policy, for what works with any: throws Error where act gives a status.
std::unique_ptr<Policy> make_realtime_policy(std::shared_ptr<const RealtimeModel> model);

}  // namespace darp
