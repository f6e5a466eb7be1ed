#pragma once
// A thread that makes life hard for the others: it streams through memory and multiplies without
// pause, as a camera's or a planner's process beside the control loop would.

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

namespace darp {

/// Busy from construction, which waits until it is, to destruction.
class BusyNeighbor {
 public:
  /// @param cpu where it stays; none: wherever the system puts it
  explicit BusyNeighbor(std::optional<int> cpu);
  ~BusyNeighbor();
  BusyNeighbor(const BusyNeighbor&) = delete;
  BusyNeighbor& operator=(const BusyNeighbor&) = delete;

  /// Pieces of its memory that it went through so far, over and over.
  int64_t pieces() const { return pieces_.load(); }

 private:
  void work(std::optional<int> cpu);

  std::vector<float> memory_;
  std::atomic<bool> stop_{false};
  std::atomic<int64_t> pieces_{0};
  std::thread thread_;
};

}  // namespace darp
