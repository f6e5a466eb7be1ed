#include "darp/runtime/control_thread.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "darp/core/error.h"

namespace darp {
namespace {

constexpr int kPriority = 80;  // above what drivers usually have (50), below watchdogs (99)

std::string last_failure() {
  return std::generic_category().message(errno);
}

}  // namespace

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  DARP_CHECK(sched_getaffinity(0, sizeof set, &set) == 0, "sched_getaffinity: {}", last_failure());
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

CpuPin::CpuPin(int cpu) {
  DARP_CHECK(sched_getaffinity(0, sizeof before_, &before_) == 0, "sched_getaffinity: {}",
             last_failure());
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0)
    notice_ = fmt::format("the thread cannot be kept on CPU {}: {}", cpu, last_failure());
}

CpuPin::~CpuPin() {
  if (notice_.empty()) sched_setaffinity(0, sizeof before_, &before_);
}

FifoScheduling::FifoScheduling() : policy_before_(sched_getscheduler(0)) {
  sched_getparam(0, &parameters_before_);
  const sched_param parameters{.sched_priority = kPriority};
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0)
    notice_ = fmt::format(
        "SCHED_FIFO is not permitted ({}): it needs CAP_SYS_NICE, or an rtprio limit of {} or more "
        "(a line 'USER - rtprio {}' in /etc/security/limits.d, then log in again); ordinary "
        "scheduling is used",
        last_failure(), kPriority, kPriority);
}

FifoScheduling::~FifoScheduling() {
  if (notice_.empty()) sched_setscheduler(0, policy_before_, &parameters_before_);
}

LockedMemory::LockedMemory() {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
    notice_ = fmt::format(
        "memory cannot be locked ({}): it needs CAP_IPC_LOCK, or a larger RLIMIT_MEMLOCK (a line "
        "'USER - memlock unlimited' in /etc/security/limits.d, then log in again); it may be "
        "swapped out",
        last_failure());
}

LockedMemory::~LockedMemory() {
  if (notice_.empty()) munlockall();
}

}  // namespace darp
