#include "darp/env/push_t/push_t_space.h"

#include <chipmunk/chipmunk.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace darp {
namespace {

// The published task's numbers: the moment is that of two bars about the origin, the center of
// gravity lies halfway between the centers of bar and stem. Keep them, odd as they are.
constexpr double kBlockMass = 1, kBlockMoment = 3000;
constexpr cpVect kBlockCenter = {0, 45};
constexpr double kStiffness = 100, kDamping = 20;

/// Debian's Chipmunk is a debug build, which greets on standard output when a process makes its
/// first space. So the first is made before main, where nobody else writes yet, and out of sight.
const bool kGreeted = [] {
  std::FILE* nowhere = std::fopen("/dev/null", "w");
  if (nowhere == nullptr) return false;
  std::FILE* shown = std::exchange(stdout, nowhere);
  cpSpaceFree(cpSpaceNew());
  stdout = shown;
  std::fclose(nowhere);
  return true;
}();

}  // namespace

void PushTSpace::Free::operator()(cpSpace* space) const {
  cpSpaceFree(space);
}
void PushTSpace::Free::operator()(cpBody* body) const {
  cpBodyFree(body);
}
void PushTSpace::Free::operator()(cpShape* shape) const {
  cpShapeFree(shape);
}

bool within_push_t(std::initializer_list<double> numbers) {
  for (const double number : numbers)
    if (!(std::abs(number) <= kPushTFarthest)) return false;
  return true;
}

PushTSpace::PushTSpace(const PushTStart& start)
    : agent_(cpBodyNewKinematic()),
      block_(cpBodyNew(kBlockMass, kBlockMoment)),
      space_(cpSpaceNew()) {
  // The order of all that follows is the published task's: the last bits depend on it.
  cpSpaceSetDamping(space_.get(), 0);
  constexpr double l = kRoomLow, h = kRoomHigh;
  constexpr cpVect walls[4][2] = {
      {{l, h}, {l, l}}, {{l, l}, {h, l}}, {{h, l}, {h, h}}, {{l, h}, {h, h}}};
  for (const auto& [from, to] : walls)
    add(cpSegmentShapeNew(cpSpaceGetStaticBody(space_.get()), from, to, kWallRadius));

  cpBodySetPosition(agent_.get(), cpv(256, 400));
  cpSpaceAddBody(space_.get(), agent_.get());
  add(cpCircleShapeNew(agent_.get(), kAgentRadius, cpvzero));

  cpBodySetCenterOfGravity(block_.get(), kBlockCenter);
  cpBodySetPosition(block_.get(), cpv(256, 300));
  cpSpaceAddBody(space_.get(), block_.get());
  add_polygon(kTBar);
  add_polygon(kTStem);

  cpBodySetPosition(agent_.get(), cpv(start.agent.x, start.agent.y));
  if (!start.turned_last) cpBodySetAngle(block_.get(), start.block.angle);
  cpBodySetPosition(block_.get(), cpv(start.block.x, start.block.y));
  if (start.turned_last) cpBodySetAngle(block_.get(), start.block.angle);
  cpSpaceStep(space_.get(), kPushTSubStep);
}

PushTSpace::~PushTSpace() = default;

void PushTSpace::add(cpShape* shape) {
  shapes_.emplace_back(shape);
  cpShapeSetFriction(shape, 0);
  cpShapeSetElasticity(shape, 0);
  cpSpaceAddShape(space_.get(), shape);
}

void PushTSpace::add_polygon(const Rectangle& corners) {
  std::array<cpVect, 4> vertices;
  for (size_t i = 0; i < corners.size(); ++i) vertices[i] = cpv(corners[i].x, corners[i].y);
  add(cpPolyShapeNew(block_.get(), 4, vertices.data(), cpTransformIdentity, 0));
}

void PushTSpace::sub_step(Point target, Point force) {
  const cpVect position = cpBodyGetPosition(agent_.get()),
               velocity = cpBodyGetVelocity(agent_.get());
  const auto next = [](double goal, double now, double speed) {
    return speed + (kStiffness * (goal - now) + kDamping * -speed) * kPushTSubStep;
  };
  cpBodySetVelocity(agent_.get(), cpv(next(target.x, position.x, velocity.x),
                                      next(target.y, position.y, velocity.y)));
  // Chipmunk forgets forces after every step.
  cpBodySetForce(block_.get(), cpv(force.x, force.y));
  cpSpaceStep(space_.get(), kPushTSubStep);
}

bool PushTSpace::is_sound() const {
  const Point at = agent();
  const TPose pose = block();
  return within_push_t({at.x, at.y, pose.x, pose.y, pose.angle});
}

Point PushTSpace::agent() const {
  const cpVect position = cpBodyGetPosition(agent_.get());
  return {position.x, position.y};
}

Point PushTSpace::agent_velocity() const {
  const cpVect velocity = cpBodyGetVelocity(agent_.get());
  return {velocity.x, velocity.y};
}

TPose PushTSpace::block() const {
  const cpVect position = cpBodyGetPosition(block_.get());
  return {position.x, position.y, cpBodyGetAngle(block_.get())};
}

}  // namespace darp
