#include "darp/runtime/busy_neighbor.h"

#include "darp/runtime/control_thread.h"

namespace darp {
namespace {

// 64 MiB: far more than any core's own cache. Between two pieces it looks whether to stop.
constexpr size_t kFloats = size_t{16} << 20, kPiece = size_t{64} << 10;

}  // namespace

BusyNeighbor::BusyNeighbor(std::optional<int> cpu)
    : memory_(kFloats, 1.0f), thread_([this, cpu] { work(cpu); }) {
  pieces_.wait(0);
}

BusyNeighbor::~BusyNeighbor() {
  stop_ = true;
  thread_.join();
}

void BusyNeighbor::work(std::optional<int> cpu) {
  std::optional<CpuPin> pin;
  if (cpu) pin.emplace(*cpu);
  for (size_t begin = 0; !stop_; begin = (begin + kPiece) % kFloats) {
    for (size_t i = begin; i < begin + kPiece; ++i) memory_[i] = memory_[i] * 0.999f + 0.001f;
    if (pieces_++ == 0) pieces_.notify_one();
  }
}

}  // namespace darp
