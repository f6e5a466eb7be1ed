#pragma once
// Ways around the block, and how to walk along them.

#include <optional>
#include <vector>

#include "darp/expert/mpc/point_arithmetic.h"

namespace darp {

/// Where the agent's middle may be.
inline constexpr double kAgentLow = 12, kAgentHigh = 500;
inline bool in_room(Point p) {
  return p.x >= kAgentLow && p.x <= kAgentHigh && p.y >= kAgentLow && p.y <= kAgentHigh;
}

struct Way {
  std::vector<Point> points;  // two or more
  double length = 0;
};

/// The shortest way that keeps off the block, or comes no nearer than its ends are; none where
/// walls leave no gap.
std::optional<Way> way_around(const TPose& block, Point from, Point to);

/// How fast places on a way follow each other, in units a step.
struct Pace {
  double fastest = 0, faster = 0;  // the most, and the most that it grows or shrinks in a step
};

/// Places on a way, one a step: from the speed that one has to the fastest, slower where the way
/// turns, because who follows would cut the corner, and slowly at the end.
class Walk {
 public:
  Walk(Way way, Pace pace, double speed);

  Point next();
  bool is_over() const { return gone_ >= way_.length; }
  Point end() const { return way_.points.back(); }

 private:
  /// A point of the way: how far it is and how fast one may be there.
  struct Mark {
    double gone = 0, speed = 0;
  };

  Way way_;
  Pace pace_;
  std::vector<Mark> marks_;
  double speed_, gone_ = 0;
};

}  // namespace darp
