// What a control loop may not do, counted while policies act: allocations, page faults, system
// calls. The kernel itself reports the latter two.

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <functional>

#include "darp/runtime/realtime_policy.h"
#include "tests/random_matrix.h"
#include "tests/random_policy.h"

namespace {

volatile std::sig_atomic_t allocations = 0, system_calls = 0;

}  // namespace

// Every way to memory; operator new comes through here too. The names are glibc's.
extern "C" {
void* __libc_malloc(size_t size);                      // NOLINT
void* __libc_calloc(size_t count, size_t size);        // NOLINT
void* __libc_realloc(void* memory, size_t size);       // NOLINT
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT

void* malloc(size_t size) {
  allocations = allocations + 1;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  allocations = allocations + 1;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  allocations = allocations + 1;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  allocations = allocations + 1;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  allocations = allocations + 1;
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : 12;
}
}

namespace darp {
namespace {

struct Counts {
  int64_t allocations = -1, page_faults = -1, system_calls = -1, steps = 0, good = 0;
};

int64_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

/// From here on the kernel hands every system call to a counter, except those of the counting
/// itself.
void count_system_calls() {
  struct sigaction action {};
  action.sa_handler = [](int) { system_calls = system_calls + 1; };
  sigaction(SIGSYS, &action, nullptr);
  constexpr std::array kAllowed = {SYS_getrusage, SYS_write, SYS_exit_group, SYS_rt_sigreturn};
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : kAllowed) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(3);
}

/// Runs the loop in a process of its own, where system calls can be counted and cannot be had.
Counts counted(const std::function<void()>& prepare, const std::function<void(Counts&)>& loop) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    Counts counts;
    prepare();
    count_system_calls();
    const int64_t faults = page_faults();
    allocations = 0;
    system_calls = 0;
    loop(counts);
    counts.allocations = allocations;
    counts.system_calls = system_calls;
    counts.page_faults = page_faults() - faults;
    _exit(write(ends[1], &counts, sizeof counts) == sizeof counts ? 0 : 1);
  }
  Counts counts;
  close(ends[1]);
  if (read(ends[0], &counts, sizeof counts) != sizeof counts) counts = {};
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  return counts;
}

/// Steps as a robot makes them: episodes, explanations now and then, and what sensors do on bad
/// days.
Counts counted_steps(const PolicyArchive& archive, Precision precision, int64_t steps) {
  Rng rng(1);
  const Matrix rollout = random_matrix(rng, 257, archive.observation_dim());
  const std::vector<float> bad(archive.observation_dim(), std::nanf(""));
  const auto model = std::make_shared<const RealtimeModel>(archive, precision);
  RealtimePolicy policy(model);
  std::vector<float> action(model->action_dim());
  std::vector<ExplainedNeighbor> neighbors(model->most_neighbors());
  std::vector<float> proposals(neighbors.size() * action.size());
  const auto run = [&](int64_t count, Counts& counts) {
    for (int64_t t = 0; t < count; ++t) {
      if (t % 1000 == 0) policy.reset();
      const ActStatus status =
          t % 101 == 100 ? policy.act(bad, action) : policy.act(rollout.row(t % 257), action);
      if (t % 50 == 0) policy.explain(neighbors, proposals);
      counts.steps += 1;
      counts.good += status == ActStatus::kOk ? 1 : 0;
    }
  };
  const auto prepare = [&] {
    policy.warm_up();
    // The caller's own memory and code, which a fork makes new.
    std::ranges::fill(action, 0.0f);
    std::ranges::fill(neighbors, ExplainedNeighbor{});
    std::ranges::fill(proposals, 0.0f);
    Counts none;
    run(0, none);
  };
  return counted(prepare, [&](Counts& counts) { run(steps, counts); });
}

void expect_nothing(const Counts& counts, int64_t steps) {
  EXPECT_EQ(counts.steps, steps);
  EXPECT_EQ(counts.good, steps - steps / 101);
  EXPECT_EQ(counts.allocations, 0);
  EXPECT_EQ(counts.page_faults, 0);
  EXPECT_EQ(counts.system_calls, 0);
}

/// A retrieval policy with as many rows as some demonstrations have.
PolicyContents retrieving() {
  PolicyContents c = random_policy(
      2, {.observation_dim = 6, .action_dim = 3, .episodes = 8, .longest = 120, .widest = 8});
  DarpSpec spec;
  spec.network.hidden = {32, 32};
  spec.retrieval.k = 24;
  spec.retrieval.history.lookback = 9;
  c.spec.kind = spec;
  c.spec.members = 1;
  const auto parameters = network_parameters(spec.network, c.spec.inputs(6, 3), 3);
  c.members.assign(1, std::vector<float>(parameter_count(parameters)));
  initialize_parameters(parameters, Rng(3), c.members[0]);
  return c;
}

// Each counter sees what it is there to see.
TEST(ControlLoop, CountersCount) {
  const Counts counts = counted([] {},
                                [](Counts&) {
                                  for (int i = 0; i < 3; ++i) syscall(SYS_getppid);
                                  void* volatile memory = std::malloc(1 << 14);
                                  std::free(memory);
                                  volatile char stack[1 << 20];
                                  for (size_t i = 0; i < sizeof stack; i += 4096) stack[i] = 1;
                                });
  EXPECT_EQ(counts.system_calls, 3);
  EXPECT_EQ(counts.allocations, 1);
  EXPECT_GT(counts.page_faults, 100);
}

TEST(ControlLoop, DoesNothingButActForAMillionSteps) {
  constexpr int64_t kSteps = 1'000'000;
  expect_nothing(counted_steps(PolicyArchive(retrieving()), Precision::kFloat32, kSteps), kSteps);
}

TEST(ControlLoop, DoesNothingButActInBfloat16) {
  expect_nothing(counted_steps(PolicyArchive(retrieving()), Precision::kBfloat16, 100'000),
                 100'000);
}

TEST(ControlLoop, DoesNothingButActWithEveryKindOfPolicy) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    PolicyContents contents = random_method(seed);
    if (auto* darp = std::get_if<DarpSpec>(&contents.spec.kind)) {
      darp->retrieval.exclude = RetrievalSettings::Exclude::kNothing;
      if (seed % 5 == 0) darp->retrieval.pick = RetrievalSettings::Pick::kRandom;
      if (darp->retrieval.scope == RetrievalSettings::Scope::kCandidates && seed % 3 == 0)
        darp->retrieval.index = RetrievalSettings::Index::kHnsw;
    }
    SCOPED_TRACE(seed);
    expect_nothing(counted_steps(PolicyArchive(std::move(contents)), Precision::kFloat32, 2'000),
                   2'000);
  }
}

}  // namespace
}  // namespace darp
