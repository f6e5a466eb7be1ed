#include "darp/cli/device_option.h"

#include <vector>

#include "darp/core/error.h"
#include "darp/core/suggest.h"

namespace darp {

GraphOptions::Device device_named(const std::string& name) {
  if (name == "cpu") return GraphOptions::Device::kCpu;
  if (name == "cuda") return GraphOptions::Device::kCuda;
  throw Error("--device", fmt::format("'{}' is no device", printable(name)),
              suggestion(name, std::vector<std::string>{"cpu", "cuda"}));
}

}  // namespace darp
