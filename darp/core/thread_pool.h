#pragma once
// Threads are an argument. The work is cut into chunks by `grain` alone, so what a chunk computes,
// and in which order a caller combines chunk results, does not depend on how many threads there
// are.

#include <cstdint>
#include <functional>
#include <memory>

namespace darp {

class ThreadPool {
 public:
  /// The caller works too: `threads` = 1 starts none. 0 means one per core that this process may
  /// use.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  /// Calls body(begin, end) for the chunks [0, grain), [grain, 2 grain), ... of [0, count), in any
  /// order and at once; returns when all are done. If chunks throw, the exception of the lowest one
  /// is thrown here after the rest finished or were skipped. Calls from inside a body run in that
  /// thread; calls from several threads take turns.
  void parallel_for(int64_t count, int64_t grain,
                    const std::function<void(int64_t, int64_t)>& body);

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace darp
