#pragma once
// The paper's demonstrations and networks, which are not part of the project: tests that need them
// run when DARP_REFERENCE_DIR, or the folder ../shared/reference beside the checkout, has them, and
// say so when not.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace darp {

inline std::filesystem::path reference_dir() {
  const char* set = std::getenv("DARP_REFERENCE_DIR");
  return set != nullptr ? std::filesystem::path(set)
                        : std::filesystem::path(DARP_SOURCE_DIR) / "../shared/reference";
}

}  // namespace darp

#define DARP_REQUIRE_REFERENCE(relative)                                      \
  if (!std::filesystem::exists(::darp::reference_dir() / (relative)))         \
  GTEST_SKIP() << "needs " << (relative) << " in " << ::darp::reference_dir() \
               << " (set DARP_REFERENCE_DIR)"
