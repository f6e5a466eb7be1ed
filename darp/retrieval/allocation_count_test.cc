#include "tests/allocation_count.h"

#include <gtest/gtest.h>

DARP_COUNT_ALLOCATIONS;

namespace darp {
namespace {

TEST(AllocationCount, SeesEveryKindOfNew) {
  // Calls of the operators themselves: the compiler may leave out what new expressions allocate.
  constexpr std::align_val_t kAlignment{128};
  EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(8)); }), 1);
  EXPECT_EQ(allocations_of([] { ::operator delete[](::operator new[](8)); }), 1);
  EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(8, std::nothrow)); }), 1);
  EXPECT_EQ(allocations_of([] {
              void* block = ::operator new(8, kAlignment);
              EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 128, 0u);
              ::operator delete(block, kAlignment);
            }),
            1);
  EXPECT_EQ(allocations_of([] {}), 0);
}

}  // namespace
}  // namespace darp
