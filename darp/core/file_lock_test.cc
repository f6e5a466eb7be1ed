#include "darp/core/file_lock.h"

#include <gtest/gtest.h>

#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

TEST(FileLock, IsHadByOneAtATime) {
  const auto file = test_folder() / "lock";
  std::optional<FileLock> first = FileLock::try_take(file);
  ASSERT_TRUE(first);
  EXPECT_FALSE(FileLock::try_take(file));
  const FileLock moved = std::move(*first);
  first.reset();
  EXPECT_FALSE(FileLock::try_take(file));
}

TEST(FileLock, IsFreeAgainAfterItsEnd) {
  const auto file = test_folder() / "lock";
  { const FileLock held = FileLock::take(file); }
  EXPECT_TRUE(FileLock::try_take(file));
}

TEST(FileLock, SaysWhereItCannotBe) {
  EXPECT_SAYS(error_of([] { FileLock::try_take(test_folder() / "none" / "lock"); }),
              "cannot be written");
}

}  // namespace
}  // namespace darp
