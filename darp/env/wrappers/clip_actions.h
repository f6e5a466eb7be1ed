#pragma once
#include <algorithm>

#include "darp/env/wrappers/wrapper.h"

namespace darp {

/// Actions beyond the limits count as the limits.
class ClipActions : public EnvironmentWrapper {
 public:
  explicit ClipActions(std::unique_ptr<Environment> inner)
      : EnvironmentWrapper(std::move(inner)), clipped_(info().actions.names.size()) {}

 protected:
  Step advance(std::span<const float> action) override {
    const Space& space = info().actions;
    for (size_t i = 0; i < action.size(); ++i)
      clipped_[i] = std::clamp(action[i], space.low[i], space.high[i]);
    return EnvironmentWrapper::advance(clipped_);
  }

 private:
  std::vector<float> clipped_;
};

}  // namespace darp
