#pragma once
// How long a policy's steps take in a control loop on this machine, the slowest ones above all.

#include <cstdint>
#include <string>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/runtime/realtime_policy.h"

namespace darp {

struct LatencyOptions {
  static constexpr double kLowestRate = 0.001, kHighestRate = 1e6;

  int64_t steps = 10'000;
  double rate_hz = 0;          // steps a second; 0: one after the other, as fast as possible
  bool busy_neighbor = false;  // another thread streams through memory meanwhile
  bool fifo = false;           // SCHED_FIFO; better with a rate (control_thread.h)
  bool lock_memory = false;
};

struct LatencyReport {
  int64_t steps = 0;
  double p50 = 0, p99 = 0, p999 = 0, max = 0;  // microseconds in RealtimePolicy::act
  /// Steps that were not done when the next period began, waking up too late included. Periods that
  /// went by meanwhile are left out, not made up for.
  int64_t missed_deadlines = 0;
  int64_t refused = 0;  // steps whose status was not kOk
  /// Of the measuring thread, while it measured.
  int64_t page_faults = 0, involuntary_switches = 0;
  /// What was asked for and not permitted, or not possible: one sentence each, for people.
  std::vector<std::string> notices;
};

/// Warms the policy up and steps it through the rows of `observations`, over and over, on the
/// calling thread, which stays on one CPU meanwhile; a busy neighbour gets another one. Nothing
/// allocates between the first step and the last. Leaves the thread as it was and the policy
/// within a rollout. Throws Error for options out of range and observations of another width.
LatencyReport measure_latency(RealtimePolicy& policy, MatrixView observations,
                              const LatencyOptions& options);
/// The same for any policy, warmed up by some steps; what its act() throws counts as refused.
LatencyReport measure_latency(Policy& policy, MatrixView observations,
                              const LatencyOptions& options);

}  // namespace darp
