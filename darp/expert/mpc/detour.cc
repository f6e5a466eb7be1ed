#include "darp/expert/mpc/detour.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <numeric>

#include "darp/env/push_t/push_t_space.h"
#include "darp/expert/mpc/t_outline.h"

namespace darp {
namespace {

// Distances from the block to the agent's middle: on the way, and where ways turn.
constexpr double kClear = kAgentRadius + 5, kAround = kAgentRadius + 10;
// Nearer than kTouching the agent first steps off, to kOff.
constexpr double kTouching = kAgentRadius + 1, kOff = kAgentRadius + 3;
constexpr double kSample = 6;
// Of the fastest, where a way turns back; units a step, at the end.
constexpr double kSlowestTurn = 0.25, kCreep = 2;
constexpr std::array<Point, 6> kTurns = {{{-60 - kAround, -kAround},
                                          {60 + kAround, -kAround},
                                          {60 + kAround, 30 + kAround},
                                          {15 + kAround, 120 + kAround},
                                          {-15 - kAround, 120 + kAround},
                                          {-60 - kAround, 30 + kAround}}};

/// In the block's axes.
bool is_clear(Point from, Point to) {
  const double near = std::min({kClear, distance_to_t(from) - 0.5, distance_to_t(to) - 0.5});
  const double length = length_of(to - from);
  const int samples = static_cast<int>(length / kSample) + 1;
  for (int i = 1; i < samples; ++i)
    if (distance_to_t(from + (static_cast<double>(i) / samples) * (to - from)) < near) return false;
  return true;
}

/// Where to go from a place too near to the block; none from others. In the block's axes.
std::optional<Point> stepped_off(Point from) {
  if (distance_to_t(from) >= kTouching) return std::nullopt;
  for (double far = 2; far < 100; far += 2)
    for (int i = 0; i < 16; ++i) {
      const Point place = from + turned({far, 0}, i * std::numbers::pi / 8);
      if (distance_to_t(place) >= kOff) return place;
    }
  return std::nullopt;
}

/// Indices of the nodes on the shortest clear way from the first to the second, these included;
/// empty where there is none (Dijkstra). In the block's axes.
std::vector<size_t> shortest_way(const std::vector<Point>& nodes) {
  constexpr double far = std::numeric_limits<double>::infinity();
  std::vector<double> length(nodes.size(), far);
  std::vector<size_t> before(nodes.size(), 0), open(nodes.size());
  std::iota(open.begin(), open.end(), 0);
  length[0] = 0;
  while (true) {
    const auto nearest = std::min_element(
        open.begin(), open.end(), [&](size_t a, size_t b) { return length[a] < length[b]; });
    const size_t here = *nearest;
    if (length[here] == far) return {};
    if (here == 1) break;
    open.erase(nearest);
    for (const size_t next : open) {
      const double there = length[here] + length_of(nodes[next] - nodes[here]);
      if (there >= length[next] || !is_clear(nodes[here], nodes[next])) continue;
      length[next] = there;
      before[next] = here;
    }
  }
  std::vector<size_t> way = {1};
  while (way.back() != 0) way.push_back(before[way.back()]);
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace

std::optional<Way> way_around(const TPose& block, Point from, Point to) {
  std::vector<Point> nodes = {to_block(block, from), to_block(block, to)};
  if (const auto off = stepped_off(nodes[0])) {
    const Point first = to_room(block, *off);
    auto way = way_around(block, first, to);
    if (!way) return std::nullopt;
    way->points.insert(way->points.begin(), from);
    way->length += length_of(first - from);
    return way;
  }
  Way way{{from}, 0};
  if (!is_clear(nodes[0], nodes[1])) {
    for (const Point turn : kTurns)
      if (in_room(to_room(block, turn))) nodes.push_back(turn);
    const auto indices = shortest_way(nodes);
    if (indices.empty()) return std::nullopt;
    for (size_t i = 1; i + 1 < indices.size(); ++i)
      way.points.push_back(to_room(block, nodes[indices[i]]));
  }
  way.points.push_back(to);
  for (size_t i = 1; i < way.points.size(); ++i)
    way.length += length_of(way.points[i] - way.points[i - 1]);
  return way;
}

Walk::Walk(Way way, Pace pace, double speed) : way_(std::move(way)), pace_(pace), speed_(speed) {
  double gone = 0;
  const auto& points = way_.points;
  for (size_t i = 1; i < points.size(); ++i) {
    const Point leg = points[i] - points[i - 1];
    gone += length_of(leg);
    if (i + 1 == points.size()) break;
    const Point next = points[i + 1] - points[i];
    const double lengths = length_of(leg) * length_of(next);
    const double straight = lengths > 0 ? (1 + dot(leg, next) / lengths) / 2 : 1;
    marks_.push_back({gone, std::max(straight, kSlowestTurn) * pace.fastest});
  }
  way_.length = gone;
  marks_.push_back({gone, 0});
}

Point Walk::next() {
  speed_ = std::min(speed_ + pace_.faster, pace_.fastest);
  for (const auto& [gone, speed] : marks_) {
    if (gone < gone_) continue;
    // A little is left to go faster by in the next step.
    const double left = gone - gone_, slow = std::max(speed, kCreep);
    speed_ = std::min(
        speed_,
        std::max(std::sqrt(speed * speed + 2 * pace_.faster * left) - pace_.faster / 2, slow));
  }
  gone_ = std::min(way_.length, gone_ + speed_);
  double rest = gone_;
  for (size_t i = 1; i < way_.points.size(); ++i) {
    const Point leg = way_.points[i] - way_.points[i - 1];
    const double length = length_of(leg);
    if (rest <= length && length > 0) return way_.points[i - 1] + (rest / length) * leg;
    rest -= length;
  }
  return way_.points.back();
}

}  // namespace darp
