#include "darp/train/torch_library.h"

#include <gtest/gtest.h>

#include "tests/error_of.h"

namespace darp {
namespace {

TEST(TorchLibrary, OfThisBuildIsLoaded) {
  EXPECT_EQ(torch_library().layout, kSharedLayout);
}

TEST(TorchLibrary, OfAnotherBuildIsRefusedAndNotCalled) {
  TorchLibrary other = torch_library();
  ++other.layout[0];  // a setting more in PolicySpec
  const std::string message = error_of([&] { check_layout(other); });
  EXPECT_SAYS(message, "libdarp_torch.so: is of another build of darp; build and install");
}

}  // namespace
}  // namespace darp
