#pragma once
// Push-T: a round agent pushes a T-shaped block onto a mark.

#include <memory>

#include "darp/env/environment.h"
#include "darp/env/push_t/push_t_settings.h"
#include "darp/env/push_t/push_t_space.h"

namespace darp {

/// Actions are where the agent shall go, ten times a second; rewards are the part of the mark that
/// the block covers, and 1 from 95 % on, where episodes end. The same seeds as in the literature,
/// hence the same starts.
class PushT final : public Environment {
 public:
  explicit PushT(const PushTSettings& settings);
  ~PushT() override;

  const EnvironmentInfo& info() const override { return info_; }
  void reset(uint64_t seed) override;
  void observe(std::span<float> observation) const override;
  /// The episode's history: Chipmunk remembers contacts, so that positions are not enough. Grows by
  /// four numbers a step; restore() plays them again.
  void save(std::vector<double>& state) const override;
  void restore(std::span<const double> state) override;
  void set_force(std::string_view body, std::array<double, 3> force) override;
  Image render(std::string_view camera, int width, int height) override;

  /// Starts an episode from a picture of a state, at rest: approximate, since contacts that were
  /// there are not. Throws Error for numbers that are not finite or beyond kPushTFarthest.
  void set_state(Point agent, const TPose& block);
  Point agent() const { return space_->agent(); }
  /// Units a second; no policy sees it.
  Point agent_velocity() const { return space_->agent_velocity(); }
  /// The angle is not wrapped.
  TPose block() const { return space_->block(); }

 protected:
  Step advance(std::span<const float> action) override;

 private:
  /// What was done in a step.
  struct Deed {
    Point target, force;
  };
  void start(const PushTStart& at);
  /// False where things flew away.
  bool act(const Deed& deed);

  EnvironmentInfo info_;
  PushTSettings settings_;
  PushTStart start_;
  std::vector<Deed> deeds_;
  Point force_;
  std::unique_ptr<PushTSpace> space_;
};

std::unique_ptr<Environment> make_push_t(const PushTSettings& settings);

}  // namespace darp
