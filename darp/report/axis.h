#pragma once
// A range of values laid along a line, and the round numbers to mark on it.

#include <optional>
#include <string>
#include <vector>

#include "darp/eval/statistics/estimates.h"

namespace darp {

/// Larger values are not drawn, so that no difference of two is infinite.
inline constexpr double kLargestDrawn = 1e100;

enum class AxisScale { kLinear, kLogarithmic };

/// Finite, not too large, and above 0 where the scale asks for it.
bool can_draw(double value, AxisScale scale = AxisScale::kLinear);

struct Tick {
  double value = 0;
  std::string label;
  bool operator==(const Tick&) const = default;
};

/// Immutable.
class Axis {
 public:
  /// Holds the values that can be drawn, with a little room at both ends; 0 to 1 (linear) or 0.1 to
  /// 10 (logarithmic) if there are none, and a range about the value if there is but one.
  Axis(const std::vector<double>& values, AxisScale scale = AxisScale::kLinear);

  Interval range() const { return range_; }
  /// 0 at the low end, 1 at the high end. `value` can be drawn.
  double position(double value) const;
  /// From low to high, at least one, about `wanted`: multiples of 1, 2 or 5 times a power of ten,
  /// all with the same number of decimals; on a logarithmic axis that holds two powers of ten
  /// those, and where they are few also two and five times them.
  std::vector<Tick> ticks(int wanted = 5) const;

 private:
  AxisScale scale_;
  Interval range_;
};

}  // namespace darp
