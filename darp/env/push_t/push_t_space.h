#pragma once
// The physics of Push-T: a room with four walls, a round agent that goes where it is told, and a
// block that slides only while it is pushed (Chipmunk).

#include <initializer_list>
#include <memory>
#include <vector>

#include "darp/env/push_t/t_shape.h"

struct cpBody;
struct cpShape;
struct cpSpace;

namespace darp {

inline constexpr double kPushTSubStep = 0.01;  // seconds
inline constexpr double kAgentRadius = 15, kWallRadius = 2, kRoomLow = 5, kRoomHigh = 506;

/// Chipmunk ends the process for numbers that are not finite: nothing beyond this may come near it.
inline constexpr double kPushTFarthest = 1e9;
/// Whether none is beyond that, nor NaN.
bool within_push_t(std::initializer_list<double> numbers);

/// Where an episode begins. `turned_last`: the block is first put at its place and then turned
/// about its center of gravity, which moves its origin; else the origin is where `block` says.
struct PushTStart {
  Point agent;
  TPose block;
  bool turned_last = false;
};

/// Two spaces with the same start and the same sub-steps are the same, bit for bit; nothing less
/// than their history says so, because Chipmunk keeps contacts and what they carried from sub-step
/// to sub-step.
class PushTSpace {
 public:
  /// A new room: all things put in place, then one sub-step in which what overlaps is moved apart.
  /// All numbers are within_push_t.
  explicit PushTSpace(const PushTStart& start);
  ~PushTSpace();

  /// One hundredth of a second: the agent's controller pulls it to `target`, `force` acts on the
  /// block's center of gravity. Both are within_push_t, and this is_sound.
  void sub_step(Point target, Point force);

  /// Whether nothing flew away.
  bool is_sound() const;
  Point agent() const;
  /// Units a second; 0 in a new room.
  Point agent_velocity() const;
  /// The angle is not wrapped.
  TPose block() const;

 private:
  struct Free {
    void operator()(cpSpace* space) const;
    void operator()(cpBody* body) const;
    void operator()(cpShape* shape) const;
  };
  /// From here on this owns the shape.
  void add(cpShape* shape);
  void add_polygon(const Rectangle& corners);

  // Destroyed from below: the space first, which knows all others.
  std::unique_ptr<cpBody, Free> agent_, block_;
  std::vector<std::unique_ptr<cpShape, Free>> shapes_;
  std::unique_ptr<cpSpace, Free> space_;
};

}  // namespace darp
