#include "darp/runtime/control_thread.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "darp/runtime/busy_neighbor.h"

namespace darp {
namespace {

// Sanitizers keep mlockall from the kernel: it always succeeds and does nothing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLockingIsReal = false;
#else
constexpr bool kLockingIsReal = true;
#endif

TEST(ControlThread, PinKeepsAndGivesBack) {
  const std::vector<int> before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  {
    const CpuPin pin(before.back());
    EXPECT_EQ(pin.notice(), "");
    EXPECT_EQ(allowed_cpus(), std::vector<int>{before.back()});
    EXPECT_EQ(sched_getcpu(), before.back());
  }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(ControlThread, ACpuThatIsNotThereIsANotice) {
  const std::vector<int> before = allowed_cpus();
  {
    const CpuPin pin(CPU_SETSIZE - 1);
    EXPECT_NE(pin.notice().find("cannot be kept on CPU 1023: "), std::string::npos) << pin.notice();
  }
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(ControlThread, FifoIsHeldOrExplainedAndThenOver) {
  const int before = sched_getscheduler(0);
  {
    const FifoScheduling fifo;
    EXPECT_EQ(sched_getscheduler(0), fifo.notice().empty() ? SCHED_FIFO : before);
  }
  EXPECT_EQ(sched_getscheduler(0), before);
}

/// As an ordinary user without limits of its own, whoever runs the test. In a child process.
[[noreturn]] void as_ordinary_user(bool (*passes)()) {
  const rlimit none{0, 0};
  const bool ready = setrlimit(RLIMIT_RTPRIO, &none) == 0 &&
                     setrlimit(RLIMIT_MEMLOCK, &none) == 0 && (getuid() != 0 || setuid(65534) == 0);
  std::_Exit(ready && passes() ? 0 : 1);
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(ControlThreadDeathTest, NoticesSayWhichPrivilegeIsMissing) {
  EXPECT_EXIT(as_ordinary_user([] {
                const FifoScheduling fifo;
                return says(fifo.notice(), "CAP_SYS_NICE") && says(fifo.notice(), "rtprio 80");
              }),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(as_ordinary_user([] {
                const LockedMemory locked;
                if (!kLockingIsReal) return locked.notice().empty();
                return says(locked.notice(), "CAP_IPC_LOCK") &&
                       says(locked.notice(), "RLIMIT_MEMLOCK");
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST(BusyNeighbor, IsBusyUntilItEnds) {
  BusyNeighbor neighbor(allowed_cpus().back());
  const int64_t first = neighbor.pieces();
  EXPECT_GT(first, 0);
  while (neighbor.pieces() < first + 3) usleep(100);
}

}  // namespace
}  // namespace darp
