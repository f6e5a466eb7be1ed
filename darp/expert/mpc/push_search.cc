#include "darp/expert/mpc/push_search.h"

#include <algorithm>
#include <limits>

namespace darp {
namespace {

// What a step is worth in units of distance, how far the agent comes in one while it walks and
// while it pushes, and the steps that a push takes beside.
constexpr double kStepCost = 0.12, kWalking = 20, kPushing = 11, kStopping = 5;
constexpr double kSolvedBonus = 6;
constexpr double kUnlike = 2;  // states nearer to each other than that are one
constexpr double kNever = std::numeric_limits<double>::infinity();

/// A state that pushes lead to.
struct PushNode {
  PushTState state;
  PushPlan plan;
  double steps = 0;
  bool solved = false;
};

/// The node after a push that ends at one of its moments.
PushNode after(const PushNode& node, Push push, const PushTrace& trace, size_t moment) {
  const auto& [gone, block] = trace.moments[moment];
  push.length = gone;
  PushNode next{.state = {trace.line.start + gone * trace.line.direction, block},
                .plan = node.plan,
                .steps = node.steps + trace.approach / kWalking + gone / kPushing + kStopping};
  const double left = goal_distance(block);
  next.solved = left < 4 && is_solved(block);
  next.plan.pushes.push_back(push);
  next.plan.cost = left + kStepCost * next.steps - (next.solved ? kSolvedBonus : 0);
  return next;
}

size_t best_moment(const PushTrace& trace) {
  size_t best = 0;
  double least = kNever;
  for (size_t i = 0; i < trace.moments.size(); ++i) {
    const double cost =
        goal_distance(trace.moments[i].block) + kStepCost * trace.moments[i].gone / kPushing;
    if (cost < least) least = cost, best = i;
  }
  // A push that solves it ends there.
  return is_solved(trace.moments.back().block) ? trace.moments.size() - 1 : best;
}

bool cheaper(const PushNode& a, const PushNode& b) {
  return a.plan.cost < b.plan.cost;
}

/// The cheapest that are not alike.
std::vector<PushNode> selected(std::vector<PushNode> nodes, size_t count) {
  std::sort(nodes.begin(), nodes.end(), cheaper);
  std::vector<PushNode> kept;
  for (PushNode& node : nodes) {
    if (kept.size() == count) break;
    if (std::none_of(kept.begin(), kept.end(), [&](const PushNode& other) {
          return pose_distance(other.state.block, node.state.block) < kUnlike;
        }))
      kept.push_back(std::move(node));
  }
  return kept;
}

/// Adds what `tries` random pushes lead to: to the moment that is best by itself, and to another
/// that may be better for what follows.
void expand(const PushNode& node, size_t tries, std::optional<int> face, Rng& rng,
            std::vector<PushNode>& nodes) {
  for (size_t i = 0; i < tries; ++i) {
    const Push push = random_push(rng, face);
    const auto trace = traced(push, node.state);
    if (!trace) continue;
    nodes.push_back(after(node, push, *trace, best_moment(*trace)));
    nodes.push_back(after(node, push, *trace, rng.below(trace->moments.size())));
  }
}

/// What a sequence leads to; the last push ends where it is best. None where it cannot be done.
std::optional<PushNode> played(const PushTState& from, const std::vector<Push>& pushes) {
  PushNode node{.state = from, .plan = {}};
  for (size_t i = 0; i < pushes.size() && !node.solved; ++i) {
    const bool last = i + 1 == pushes.size();
    Push push = pushes[i];
    if (last) push.length = 1.3 * push.length + 10;
    const auto trace = traced(push, node.state);
    if (!trace) return std::nullopt;
    node = after(node, push, *trace, last ? best_moment(*trace) : trace->moments.size() - 1);
  }
  return node;
}

void polish(const PushTState& from, int64_t tries, Rng& rng, PushNode& best) {
  for (int64_t i = 0; i < tries; ++i) {
    const double deviation =
        0.12 * std::pow(0.1, static_cast<double>(i) / static_cast<double>(tries));
    std::vector<Push> pushes = best.plan.pushes;
    for (Push& push : pushes) push = similar_push(push, deviation, rng);
    const auto node = played(from, pushes);
    if (node && cheaper(*node, best)) best = *node;
  }
}

}  // namespace

PushPlan best_plan(const PushTState& from, const PushSearchSettings& settings,
                   const std::vector<Push>& earlier, std::optional<int> face, Rng& rng) {
  const auto kept = static_cast<size_t>(settings.kept),
             candidates = static_cast<size_t>(settings.candidates);
  std::vector<PushNode> level = {{.state = from, .plan = {}}}, found;
  for (int64_t depth = 0; depth < settings.pushes && !level.empty(); ++depth) {
    std::vector<PushNode> next;
    const size_t tries =
        depth == 0 ? candidates : std::max<size_t>(1, 4 * candidates / level.size());
    for (const PushNode& node : level)
      expand(node, tries, depth == 0 ? face : std::nullopt, rng, next);
    level = selected(std::move(next), kept);
    for (size_t i = 0; i < std::min<size_t>(level.size(), 3); ++i) found.push_back(level[i]);
    std::erase_if(level, [](const PushNode& node) { return node.solved; });
  }
  if (!earlier.empty())
    if (const auto node = played(from, earlier)) found.push_back(*node);
  if (found.empty()) return {};
  found = selected(std::move(found), 3);
  for (PushNode& node : found) polish(from, settings.polish, rng, node);
  return std::min_element(found.begin(), found.end(), cheaper)->plan;
}

std::vector<double> face_costs(const PushTState& from, const PushSearchSettings& settings,
                               Rng& rng) {
  std::vector<double> costs;
  for (int face = 0; face < kTFaces; ++face) {
    std::vector<PushNode> nodes;
    expand({.state = from, .plan = {}}, static_cast<size_t>(settings.candidates) / kTFaces, face,
           rng, nodes);
    const auto best = std::min_element(nodes.begin(), nodes.end(), cheaper);
    costs.push_back(best == nodes.end() ? kNever : best->plan.cost);
  }
  return costs;
}

}  // namespace darp
