#include "darp/core/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "darp/core/error.h"

namespace darp {
namespace {

/// Set while a thread runs chunks of some pool: nested loops then run in place instead of waiting
/// for themselves.
thread_local bool inside_parallel_for = false;

int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Looks for a short while whether `done` holds. Loops often follow each other within
/// microseconds, and to sleep and be woken takes tens of them.
template <class Done>
void spin_until(const Done& done) {
  constexpr std::chrono::microseconds kWhile{50};
  const auto start = std::chrono::steady_clock::now();
  while (!done()) {
    for (int i = 0; i < 32; ++i)
#if defined(__x86_64__)
      __builtin_ia32_pause();
#else
      std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
    if (std::chrono::steady_clock::now() - start > kWhile) return;
  }
}

}  // namespace

struct ThreadPool::Shared {
  std::mutex one_loop_at_a_time;
  std::mutex mutex;  // guards everything below
  std::condition_variable work_arrived, work_done;
  const std::function<void(int64_t, int64_t)>* body = nullptr;
  int64_t count = 0, grain = 1, next_chunk = 0, chunks = 0;
  // Changed under the mutex, but looked at without it while spinning.
  std::atomic<int> busy{0};
  std::atomic<uint64_t> loops{0};  // begun so far
  bool stop = false;
  int64_t failed_chunk = 0;
  std::exception_ptr failure;
  std::vector<std::thread> workers;

  /// Takes and runs chunks until none is left. `lock` is held on entry and on return.
  void run_chunks(std::unique_lock<std::mutex>& lock) {
    ++busy;
    inside_parallel_for = true;
    while (next_chunk < chunks) {
      const int64_t chunk = next_chunk++;
      lock.unlock();
      std::exception_ptr thrown;
      try {
        const int64_t begin = chunk * grain;
        (*body)(begin, begin + std::min(grain, count - begin));
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown) {
        if (!failure || chunk < failed_chunk) failure = thrown, failed_chunk = chunk;
        chunks = next_chunk;  // chunks are taken in order: all lower ones are done or under way,
                              // higher ones may go
      }
    }
    inside_parallel_for = false;
    if (--busy == 0) work_done.notify_all();
  }

  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      work_arrived.wait(lock, [&] { return stop || next_chunk < chunks; });
      if (stop) return;
      run_chunks(lock);
      const uint64_t seen = loops;
      lock.unlock();
      spin_until([&] { return loops != seen; });
      lock.lock();
    }
  }
};

ThreadPool::ThreadPool(int threads) : shared_(std::make_unique<Shared>()) {
  DARP_CHECK(threads >= 0, "{} threads", threads);
  if (threads == 0) threads = usable_cores();
  for (int i = 1; i < threads; ++i)
    shared_->workers.emplace_back([s = shared_.get()] { s->work(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->work_arrived.notify_all();
  for (std::thread& worker : shared_->workers) worker.join();
}

int ThreadPool::threads() const {
  return static_cast<int>(shared_->workers.size()) + 1;
}

void ThreadPool::parallel_for(int64_t count, int64_t grain,
                              const std::function<void(int64_t, int64_t)>& body) {
  DARP_CHECK(count >= 0 && grain > 0, "{} items in chunks of {}", count, grain);
  if (inside_parallel_for || shared_->workers.empty() || count <= grain) {
    for (int64_t begin = 0, end = 0; begin < count; begin = end)
      body(begin, end = begin + std::min(grain, count - begin));
    return;
  }
  std::lock_guard turn(shared_->one_loop_at_a_time);
  std::unique_lock lock(shared_->mutex);
  shared_->body = &body;
  shared_->count = count;
  shared_->grain = grain;
  shared_->next_chunk = 0;
  shared_->chunks = (count - 1) / grain + 1;
  shared_->failure = nullptr;
  ++shared_->loops;
  shared_->work_arrived.notify_all();
  shared_->run_chunks(lock);
  if (shared_->busy > 0) {
    lock.unlock();
    spin_until([&] { return shared_->busy == 0; });
    lock.lock();
  }
  shared_->work_done.wait(lock, [&] { return shared_->busy == 0; });
  if (shared_->failure) std::rethrow_exception(std::exchange(shared_->failure, nullptr));
}

}  // namespace darp
