#pragma once
#include "darp/env/environment_settings.h"
#include "darp/env/wrappers/wrapper.h"

namespace darp {

/// Pushes a body from outside during whole steps: those that start within a push.
class Push : public CountingWrapper {
 public:
  /// Throws Error for bodies that are not there and forces that are not three finite numbers.
  Push(std::unique_ptr<Environment> inner, PushSettings settings);

 protected:
  Step advance(std::span<const float> action) override;

 private:
  PushSettings settings_;
};

}  // namespace darp
