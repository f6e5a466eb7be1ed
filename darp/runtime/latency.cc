#include "darp/runtime/latency.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <memory>
#include <optional>

#include "darp/core/quantile.h"
#include "darp/runtime/busy_neighbor.h"
#include "darp/runtime/control_thread.h"

namespace darp {
namespace {

constexpr int64_t kSecond = 1'000'000'000;  // nanoseconds

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void sleep_until(int64_t moment) {
  const timespec time{.tv_sec = moment / kSecond, .tv_nsec = moment % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

void check(int64_t observation_dim, MatrixView observations, const LatencyOptions& options) {
  if (options.steps < 1)
    throw Error("steps", fmt::format("are {}", options.steps), "measure at least one");
  const double rate = options.rate_hz;
  if (rate != 0 && !(rate >= LatencyOptions::kLowestRate && rate <= LatencyOptions::kHighestRate))
    throw Error("rate", fmt::format("is {} Hz", rate),
                fmt::format("give {} to {}, or 0 for as fast as possible",
                            LatencyOptions::kLowestRate, LatencyOptions::kHighestRate));
  if (observations.rows() < 1 || observations.cols() != observation_dim)
    throw Error("observations",
                fmt::format("are {} of {} numbers", observations.rows(), observations.cols()),
                fmt::format("give at least one of {}", observation_dim));
}

rusage usage_of_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

/// The periods of a control loop: one begins when the last is over, those gone by are left out.
class Periods {
 public:
  explicit Periods(double rate_hz)
      : length_(rate_hz > 0 ? std::llround(static_cast<double>(kSecond) / rate_hz) : 0),
        begin_(now()) {}

  /// Sleeps until the next period begins.
  void next() {
    if (length_ == 0) return;
    begin_ += length_;
    if (const int64_t late = now() - begin_; late > 0)
      begin_ += (late + length_ - 1) / length_ * length_;
    sleep_until(begin_);
  }
  bool over(int64_t moment) const { return length_ > 0 && moment > begin_ + length_; }

 private:
  int64_t length_, begin_;
};

/// The loop itself. Samples in microseconds.
template <class Act>
void run(const Act& act, MatrixView observations, double rate_hz, std::span<double> samples,
         LatencyReport& report) {
  // Made first: reading the clock for the first time maps the page that it is in.
  Periods periods(rate_hz);
  const rusage before = usage_of_thread();
  for (int64_t i = 0; i < std::ssize(samples); ++i) {
    periods.next();
    const int64_t start = now();
    const bool found = act(observations.row(i % observations.rows()));
    const int64_t end = now();
    samples[i] = static_cast<double>(end - start) * 1e-3;
    report.missed_deadlines += periods.over(end);
    report.refused += !found;
  }
  const rusage after = usage_of_thread();
  report.page_faults = after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt;
  report.involuntary_switches = after.ru_nivcsw - before.ru_nivcsw;
}

/// `act` takes an observation and says whether there was an action.
template <class WarmUp, class Act>
LatencyReport measure(const WarmUp& warm_up, const Act& act, MatrixView observations,
                      const LatencyOptions& options) {
  LatencyReport report{.steps = options.steps, .notices = {}};
  const auto note = [&](const std::string& notice) {
    if (!notice.empty()) report.notices.push_back(notice);
  };
  std::vector<double> samples(options.steps);

  // The neighbour first: threads inherit their maker's CPU and priority.
  const std::vector<int> cpus = allowed_cpus();
  const int here = sched_getcpu();
  std::unique_ptr<BusyNeighbor> neighbor;
  if (options.busy_neighbor) {
    const auto other = std::ranges::find_if(cpus, [&](int cpu) { return cpu != here; });
    if (other == cpus.end())
      note("only one CPU is allowed: the busy neighbour shares it with the steps");
    neighbor = std::make_unique<BusyNeighbor>(other == cpus.end() ? here : *other);
  }
  const CpuPin pin(here);
  note(pin.notice());
  std::optional<LockedMemory> locked;
  if (options.lock_memory) note(locked.emplace().notice());
  std::optional<FifoScheduling> fifo;
  if (options.fifo) note(fifo.emplace().notice());

  warm_up();
  run(act, observations, options.rate_hz, samples, report);

  std::ranges::sort(samples);
  report.p50 = quantile(samples, 0.5);
  report.p99 = quantile(samples, 0.99);
  report.p999 = quantile(samples, 0.999);
  report.max = samples.back();
  return report;
}

}  // namespace

LatencyReport measure_latency(RealtimePolicy& policy, MatrixView observations,
                              const LatencyOptions& options) {
  check(policy.model().observation_dim(), observations, options);
  std::vector<float> action(static_cast<size_t>(policy.model().action_dim()));
  return measure(
      [&] { policy.warm_up(); },
      [&](std::span<const float> seen) { return policy.act(seen, action) == ActStatus::kOk; },
      observations, options);
}

LatencyReport measure_latency(Policy& policy, MatrixView observations,
                              const LatencyOptions& options) {
  check(policy.observation_dim(), observations, options);
  std::vector<float> action(static_cast<size_t>(policy.action_dim()));
  const auto act = [&](std::span<const float> seen) {
    try {
      policy.act(seen, action);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  const auto warm_up = [&] {
    policy.reset(0);
    for (int64_t i = 0; i < 3; ++i) act(observations.row(i % observations.rows()));
  };
  return measure(warm_up, act, observations, options);
}

}  // namespace darp
