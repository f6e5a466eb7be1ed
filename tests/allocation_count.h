#pragma once
// Counts what a thread allocates with operator new, for tests of code that must not allocate. One
// source of the test program says DARP_COUNT_ALLOCATIONS outside of any namespace; without it the
// count stays 0, so such tests first show that it moves.

#include <cstdint>
#include <cstdlib>
#include <new>

namespace darp {

/// Allocations of this thread so far.
inline thread_local int64_t allocation_count = 0;

/// How many allocations `call` makes on this thread.
template <class Call>
int64_t allocations_of(const Call& call) {
  const int64_t before = allocation_count;
  call();
  return allocation_count - before;
}

namespace internal {

// Not inlined: GCC would see malloc and free behind the operators, and warn that they do not match.

[[gnu::noinline]] inline void* count_and_allocate(std::size_t size, std::align_val_t alignment) {
  ++allocation_count;
  const auto unit = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(unit, (size / unit + 1) * unit);
}

[[gnu::noinline]] inline void* count_and_allocate_or_throw(std::size_t size,
                                                           std::align_val_t alignment) {
  void* block = count_and_allocate(size, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

[[gnu::noinline]] inline void release(void* block) noexcept {
  std::free(block);
}

inline constexpr std::align_val_t kUsual{__STDCPP_DEFAULT_NEW_ALIGNMENT__};

}  // namespace internal
}  // namespace darp

// All forms of one operator, for `new` and `new[]`: sanitizers replace each form by itself, so that
// one left out would not fit the others.
#define DARP_COUNT_NEW(NEW)                                                               \
  void* operator NEW(std::size_t n) {                                                     \
    return ::darp::internal::count_and_allocate_or_throw(n, ::darp::internal::kUsual);    \
  }                                                                                       \
  void* operator NEW(std::size_t n, std::align_val_t a) {                                 \
    return ::darp::internal::count_and_allocate_or_throw(n, a);                           \
  }                                                                                       \
  void* operator NEW(std::size_t n, const std::nothrow_t&) noexcept {                     \
    return ::darp::internal::count_and_allocate(n, ::darp::internal::kUsual);             \
  }                                                                                       \
  void* operator NEW(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept { \
    return ::darp::internal::count_and_allocate(n, a);                                    \
  }
#define DARP_COUNT_DELETE(DELETE)                                                   \
  void operator DELETE(void* p) noexcept {                                          \
    ::darp::internal::release(p);                                                   \
  }                                                                                 \
  void operator DELETE(void* p, std::size_t) noexcept {                             \
    ::darp::internal::release(p);                                                   \
  }                                                                                 \
  void operator DELETE(void* p, std::align_val_t) noexcept {                        \
    ::darp::internal::release(p);                                                   \
  }                                                                                 \
  void operator DELETE(void* p, std::size_t, std::align_val_t) noexcept {           \
    ::darp::internal::release(p);                                                   \
  }                                                                                 \
  void operator DELETE(void* p, const std::nothrow_t&) noexcept {                   \
    ::darp::internal::release(p);                                                   \
  }                                                                                 \
  void operator DELETE(void* p, std::align_val_t, const std::nothrow_t&) noexcept { \
    ::darp::internal::release(p);                                                   \
  }

#define DARP_COUNT_ALLOCATIONS \
  DARP_COUNT_NEW(new)          \
  DARP_COUNT_NEW(new[])        \
  DARP_COUNT_DELETE(delete)    \
  DARP_COUNT_DELETE(delete[])  \
  static_assert(true)
