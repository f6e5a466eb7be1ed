#pragma once
#include "darp/env/wrappers/wrapper.h"

namespace darp {

/// Adds normal noise to what policies see. The noise follows from seed and step alone: looking
/// twice shows the same.
class ObservationNoise : public CountingWrapper {
 public:
  ObservationNoise(std::unique_ptr<Environment> inner, double deviation)
      : CountingWrapper(std::move(inner)), deviation_(deviation) {}

  void observe(std::span<float> observation) const override;

 private:
  double deviation_;
};

/// Adds normal noise to what policies do.
class ActionNoise : public CountingWrapper {
 public:
  ActionNoise(std::unique_ptr<Environment> inner, double deviation)
      : CountingWrapper(std::move(inner)),
        deviation_(deviation),
        noisy_(info().actions.names.size()) {}

 protected:
  Step advance(std::span<const float> action) override;

 private:
  double deviation_;
  std::vector<float> noisy_;
};

}  // namespace darp
