#include "darp/env/wrappers/push.h"

#include <cmath>

#include "darp/core/error.h"

namespace darp {

Push::Push(std::unique_ptr<Environment> inner, PushSettings settings)
    : CountingWrapper(std::move(inner)), settings_(std::move(settings)) {
  if (settings_.force.size() != 3)
    throw Error("push.force", fmt::format("has {} numbers", settings_.force.size()),
                "give three: newtons along x, y and z, e.g. [50,0,0]");
  if (settings_.every > 0 && settings_.every < settings_.duration)
    throw Error("push.every", "is shorter than push.duration", "leave time between pushes");
  this->inner().set_force(settings_.body, {0, 0, 0});  // names the bodies if this is none
}

Step Push::advance(std::span<const float> action) {
  // Counted in whole steps, so that rounding of times cannot move a push.
  const double dt = info().step_seconds;
  const int64_t first = std::llround(settings_.start / dt),
                length = std::llround(settings_.duration / dt),
                period = std::llround(settings_.every / dt);
  int64_t since = steps() - first;
  if (period > 0 && since >= 0) since %= period;
  const bool pushing = since >= 0 && since < length;

  const auto& f = settings_.force;
  if (pushing) inner().set_force(settings_.body, {f[0], f[1], f[2]});
  const Step step = CountingWrapper::advance(action);
  if (pushing) inner().set_force(settings_.body, {0, 0, 0});
  return step;
}

}  // namespace darp
