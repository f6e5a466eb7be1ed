#pragma once
#include "darp/env/wrappers/wrapper.h"

namespace darp {

/// Cuts episodes off after `steps` steps, unless they end by themselves with the last one.
class TimeLimit : public CountingWrapper {
 public:
  TimeLimit(std::unique_ptr<Environment> inner, int64_t steps)
      : CountingWrapper(std::move(inner)), info_(CountingWrapper::info()) {
    info_.time_limit = steps;
  }

  const EnvironmentInfo& info() const override { return info_; }

 protected:
  Step advance(std::span<const float> action) override {
    Step step = CountingWrapper::advance(action);
    if (step.end == EpisodeEnd::kRunning && steps() >= info_.time_limit)
      step.end = EpisodeEnd::kTruncated;
    return step;
  }

 private:
  EnvironmentInfo info_;
};

}  // namespace darp
