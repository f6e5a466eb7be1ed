#pragma once
// A place for a test's files. Tests run side by side, so each has its own.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace darp {

/// An empty folder named after the test that runs.
inline std::filesystem::path test_folder() {
  const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
  const auto folder = std::filesystem::path(::testing::TempDir()) /
                      (std::string("darp_") + test.test_suite_name() + "_" + test.name());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace darp
