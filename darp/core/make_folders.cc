#include "darp/core/make_folders.h"

#include "darp/core/error.h"

namespace darp {

void make_folders(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure)
    throw FileError(path.string(), "cannot be created: " + failure.message(),
                    "check the path and its permissions");
}

}  // namespace darp
