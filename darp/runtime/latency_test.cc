#include "darp/runtime/latency.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <memory>

#include "darp/runtime/control_thread.h"
#include "darp/runtime/sample_policies.h"
#include "tests/allocation_count.h"
#include "tests/error_of.h"

namespace darp {
namespace {

RealtimePolicy policy_named(const char* name) {
  return RealtimePolicy(std::make_shared<const RealtimeModel>(sample_policy(name)));
}

TEST(Latency, ReportsEveryStep) {
  RealtimePolicy policy = policy_named("hopper");
  // Fewer observations than steps: it starts over.
  const Matrix rollout = sample_rollout("hopper", 70);
  const LatencyReport report = measure_latency(policy, rollout, {.steps = 300});
  EXPECT_EQ(report.steps, 300);
  EXPECT_GT(report.p50, 0);
  EXPECT_LE(report.p50, report.p99);
  EXPECT_LE(report.p99, report.p999);
  EXPECT_LE(report.p999, report.max);
  EXPECT_EQ(report.missed_deadlines, 0) << "there was no rate";
  EXPECT_EQ(report.refused, 0);
  EXPECT_TRUE(report.notices.empty()) << report.notices.front();
}

TEST(Latency, CountsRefusedSteps) {
  RealtimePolicy policy = policy_named("bc");
  Matrix rollout = sample_rollout("bc", 10);
  rollout(3, 1) = std::numeric_limits<float>::infinity();
  EXPECT_EQ(measure_latency(policy, rollout, {.steps = 40}).refused, 4);
}

TEST(Latency, AllocatesNothingWhileMeasuring) {
  RealtimePolicy policy = policy_named("hopper");
  const Matrix rollout = sample_rollout("hopper", 50);
  const auto allocations = [&](int64_t steps) {
    return allocations_of([&] { measure_latency(policy, rollout, {.steps = steps}); });
  };
  EXPECT_GT(allocations(10), 0) << "the samples are allocated beforehand";
  EXPECT_EQ(allocations(10), allocations(400));
}

TEST(Latency, ADeadlineIsMissedWhenTheStepIsNotDoneWithinItsPeriod) {
  RealtimePolicy policy = policy_named("stack");
  const Matrix rollout = sample_rollout("stack", 50);
  // 20 million multiply-adds a step do not fit into a microsecond.
  const LatencyReport late = measure_latency(policy, rollout, {.steps = 50, .rate_hz = 1e6});
  EXPECT_EQ(late.missed_deadlines, 50);
}

TEST(Latency, StepsWaitForTheirPeriods) {
  RealtimePolicy policy = policy_named("bc");
  const Matrix rollout = sample_rollout("bc", 10);
  const auto start = std::chrono::steady_clock::now();
  measure_latency(policy, rollout, {.steps = 20, .rate_hz = 500});
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(40));
}

std::string locked_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmLck:")) return line;
  return "none";
}

TEST(Latency, LeavesTheThreadAsItWas) {
  RealtimePolicy policy = policy_named("bc");
  const Matrix rollout = sample_rollout("bc", 10);
  const std::vector<int> cpus = allowed_cpus();
  const int scheduler = sched_getscheduler(0);
  const std::string locked = locked_memory();
  const LatencyReport report = measure_latency(
      policy, rollout,
      {.steps = 20, .rate_hz = 1000, .busy_neighbor = true, .fifo = true, .lock_memory = true});
  EXPECT_EQ(report.steps, 20);
  EXPECT_EQ(allowed_cpus(), cpus);
  EXPECT_EQ(sched_getscheduler(0), scheduler);
  EXPECT_EQ(locked_memory(), locked);
}

TEST(Latency, ANeighborOnTheOnlyCpuIsANotice) {
  RealtimePolicy policy = policy_named("bc");
  const Matrix rollout = sample_rollout("bc", 10);
  const CpuPin pin(allowed_cpus().front());
  const LatencyReport report =
      measure_latency(policy, rollout, {.steps = 20, .busy_neighbor = true});
  ASSERT_EQ(report.notices.size(), 1u);
  EXPECT_SAYS(report.notices.front(), "only one CPU is allowed");
}

TEST(Latency, WrongOptionsAreErrors) {
  RealtimePolicy policy = policy_named("bc");
  const Matrix rollout = sample_rollout("bc", 10), other = sample_rollout("stack", 10);
  const auto error = [&](const Matrix& observations, const LatencyOptions& options) {
    return error_of([&] { measure_latency(policy, observations, options); });
  };
  EXPECT_SAYS(error(rollout, {.steps = 0}), "measure at least one");
  EXPECT_SAYS(error(rollout, {.rate_hz = -1}), "rate: is -1 Hz");
  EXPECT_SAYS(error(rollout, {.rate_hz = std::nan("")}), "rate: is nan Hz");
  EXPECT_SAYS(error(rollout, {.rate_hz = 2e6}), "or 0 for as fast as possible");
  EXPECT_SAYS(error(other, {}), "are 10 of 32 numbers; give at least one of 11");
  EXPECT_SAYS(error(Matrix(), {}), "are 0 of 0 numbers");
}

}  // namespace
}  // namespace darp
