#pragma once
// What the thread of a control loop asks of Linux: a CPU of its own, a priority, memory that stays.
// Each is a guard that gives back what it took; where it is not permitted, notice() says what is
// missing and the program goes on without.

#include <sched.h>

#include <string>
#include <vector>

namespace darp {

/// CPUs that the calling thread may run on, ascending.
std::vector<int> allowed_cpus();

/// Keeps the calling thread on one CPU.
class CpuPin {
 public:
  explicit CpuPin(int cpu);
  ~CpuPin();
  CpuPin(const CpuPin&) = delete;
  CpuPin& operator=(const CpuPin&) = delete;

  const std::string& notice() const { return notice_; }

 private:
  cpu_set_t before_;
  std::string notice_;
};

/// Runs the calling thread under SCHED_FIFO: before all ordinary threads, as long as it wants. One
/// that never sleeps is stopped by the kernel for a part of every second.
class FifoScheduling {
 public:
  FifoScheduling();
  ~FifoScheduling();
  FifoScheduling(const FifoScheduling&) = delete;
  FifoScheduling& operator=(const FifoScheduling&) = delete;

  const std::string& notice() const { return notice_; }

 private:
  int policy_before_;
  sched_param parameters_before_;
  std::string notice_;
};

/// Keeps all memory of the process, now and to come, out of swap. At its end nothing is locked, not
/// even what was before.
class LockedMemory {
 public:
  LockedMemory();
  ~LockedMemory();
  LockedMemory(const LockedMemory&) = delete;
  LockedMemory& operator=(const LockedMemory&) = delete;

  const std::string& notice() const { return notice_; }

 private:
  std::string notice_;
};

}  // namespace darp
