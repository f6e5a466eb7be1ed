#include "darp/expert/mpc/push.h"

#include <algorithm>

#include "darp/env/push_t/push_t_space.h"
#include "darp/env/push_t/t_overlap.h"

namespace darp {
namespace {

// Between agent and block before a push; how far the agent's target is ahead of it; where a push
// that leads away ends.
constexpr double kGap = 4, kLead = 24, kWorse = 50;
constexpr double kMostTurn = 0.75, kLongest = 220;
constexpr double kSolvedWithMargin = 0.953;

}  // namespace

PushLine line_of(const Push& push, const TPose& block) {
  const TFace& face = t_face(push.face);
  const Point contact = face.from + push.along * (face.to - face.from);
  const Point start = contact + (kAgentRadius + kGap) * face.normal;
  return {to_room(block, start), turned(-1.0 * face.normal, block.angle + push.turn)};
}

Push random_push(Rng& rng, std::optional<int> face) {
  Push push;
  push.face = face ? *face : static_cast<int>(rng.below(kTFaces));
  push.along = rng.uniform();
  push.turn = std::clamp(0.3 * rng.normal(), -kMostTurn, kMostTurn);
  push.length = kLongest;
  return push;
}

Push similar_push(const Push& push, double deviation, Rng& rng) {
  Push other = push;
  other.along = std::clamp(push.along + deviation * rng.normal(), 0.0, 1.0);
  other.turn = std::clamp(push.turn + deviation * rng.normal(), -kMostTurn, kMostTurn);
  other.length =
      std::clamp(push.length + deviation * (10 + push.length) * rng.normal(), kGap, kLongest);
  return other;
}

std::optional<PushTrace> traced(const Push& push, const PushTState& from) {
  PushTrace trace{.line = line_of(push, from.block), .moments = {}};
  const auto& [start, direction] = trace.line;
  if (!in_room(start) || distance_to_t(to_block(from.block, start)) < kAgentRadius + kGap - 0.6)
    return std::nullopt;
  const auto way = way_around(from.block, from.agent, start);
  if (!way) return std::nullopt;
  trace.approach = way->length;

  PushTSpace space({.agent = start, .block = from.block});
  double nearest = goal_distance(from.block);
  while (true) {
    const Point agent = space.agent();
    const double gone = dot(agent - start, direction), now = goal_distance(space.block());
    trace.moments.push_back({gone, space.block()});
    nearest = std::min(nearest, now);
    if (gone >= push.length || !in_room(agent) || now > nearest + kWorse) return trace;
    if (now < 4 && is_solved(space.block())) return trace;
    space.sub_step(agent + kLead * direction, {});
  }
}

double goal_distance(const TPose& block) {
  return pose_distance(block, kTGoal);
}

bool is_solved(const TPose& block) {
  return t_coverage(block) > kSolvedWithMargin;
}

}  // namespace darp
