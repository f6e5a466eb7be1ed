#pragma once
// An environment around another one; what it does not change it passes on.

#include <memory>
#include <utility>

#include "darp/env/environment.h"

namespace darp {

class EnvironmentWrapper : public Environment {
 public:
  explicit EnvironmentWrapper(std::unique_ptr<Environment> inner) : inner_(std::move(inner)) {}

  const EnvironmentInfo& info() const override { return inner_->info(); }
  const Environment& task() const override { return inner_->task(); }
  void reset(uint64_t seed) override { inner_->reset(seed); }
  void observe(std::span<float> observation) const override { inner_->observe(observation); }
  void save(std::vector<double>& state) const override { inner_->save(state); }
  void restore(std::span<const double> state) override { inner_->restore(state); }
  void set_force(std::string_view body, std::array<double, 3> force) override {
    inner_->set_force(body, force);
  }
  Image render(std::string_view camera, int width, int height) override {
    return inner_->render(camera, width, height);
  }

 protected:
  Step advance(std::span<const float> action) override {
    return Environment::advance(*inner_, action);
  }

  Environment& inner() { return *inner_; }
  const Environment& inner() const { return *inner_; }

 private:
  std::unique_ptr<Environment> inner_;
};

/// One that knows the episode's seed and how many steps it has made. Its saved state is the inner
/// one and three numbers: the seed's halves and the count.
class CountingWrapper : public EnvironmentWrapper {
 public:
  using EnvironmentWrapper::EnvironmentWrapper;

  void reset(uint64_t seed) override;
  void save(std::vector<double>& state) const override;
  void restore(std::span<const double> state) override;

 protected:
  Step advance(std::span<const float> action) override;

  uint64_t seed() const { return seed_; }
  int64_t steps() const { return steps_; }

 private:
  uint64_t seed_ = 0;
  int64_t steps_ = 0;
};

}  // namespace darp
