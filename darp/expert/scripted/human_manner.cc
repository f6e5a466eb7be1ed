#include "darp/expert/scripted/human_manner.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace darp {
namespace {

constexpr double kSlowest = 0.45, kFastest = 1;
constexpr double kPausing = 0.3;  // the part of phases that begin with one
constexpr int64_t kLongestPause = 12;
constexpr double kLongWay = 0.1, kFarthestBend = 0.05;  // metres

}  // namespace

HumanManner::HumanManner(Rng rng) : rng_(rng) {
  side_ = rng_.uniform(0, 1) < 0.5 ? 0 : std::numbers::pi / 2;
  usual_speed_ = rng_.uniform(kSlowest + 0.1, kFastest);
}

void HumanManner::begin(const Pose& now, const Pose& target) {
  speed_ = std::clamp(usual_speed_ + rng_.uniform(-0.2, 0.2), kSlowest, kFastest);
  pause_ =
      rng_.uniform(0, 1) < kPausing ? 1 + static_cast<int64_t>(rng_.uniform(0, kLongestPause)) : 0;
  // Drawn in any case, so that no draw depends on where things are.
  bend_ = {rng_.uniform(-kFarthestBend, kFarthestBend), rng_.uniform(-kFarthestBend, kFarthestBend),
           rng_.uniform(0, kFarthestBend)};
  begun_ = now.position;
  const Vec3 way = target.position - begun_;
  const double along = dot(way, way);
  // Sideways only: along the way it would come to a halt.
  bend_ = along < kLongWay * kLongWay ? Vec3{0, 0, 0} : bend_ - (dot(bend_, way) / along) * way;
}

bool HumanManner::waits() {
  return pause_ > 0 && pause_-- > 0;
}

Pose HumanManner::head_for(const Pose& now, const Pose& target) const {
  const Vec3 way = target.position - begun_;
  const double done = dot(now.position - begun_, way) / std::max(dot(way, way), 1e-9);
  return {target.position + std::clamp(2 - 3 * done, 0.0, 1.0) * bend_, target.rotation};
}

void HumanManner::slow_down(std::span<float> action) const {
  const auto most = static_cast<float>(speed_);
  for (float& x : action) x = std::clamp(x, -most, most);
}

}  // namespace darp
