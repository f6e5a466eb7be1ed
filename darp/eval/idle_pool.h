#pragma once
// Things that take long to make (a simulation has a model to compile) and serve one thread at a
// time.

#include <functional>
#include <mutex>
#include <vector>

namespace darp {

/// As many as were ever in use at once. For any number of threads.
template <class T>
class IdlePool {
 public:
  /// `make` is called from any thread, several times.
  explicit IdlePool(std::function<T()> make) : make_(std::move(make)) {}

  /// One that nobody uses at the moment, or a new one. What is not given back is gone.
  T take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        T one = std::move(idle_.back());
        idle_.pop_back();
        return one;
      }
    }
    return make_();
  }

  void give_back(T one) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(one));
  }

 private:
  const std::function<T()> make_;
  std::mutex mutex_;
  std::vector<T> idle_;
};

}  // namespace darp
