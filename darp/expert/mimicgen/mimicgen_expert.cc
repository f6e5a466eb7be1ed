#include "darp/expert/mimicgen/mimicgen_expert.h"

#include <algorithm>
#include <optional>

#include "darp/core/error.h"
#include "darp/expert/mimicgen/source_episodes.h"
#include "darp/expert/scripted/script.h"

namespace darp {
namespace {

constexpr int kBridge = 5;  // poses between segments
constexpr double kNoise = 0.05, kSmallTurn = 0.05;
constexpr size_t kNearest = 3;

struct Waypoint {
  Pose pose;
  float gripper = 0;
  bool bridge = false;
};

/// `part` of the way from one pose to another; turns that are small are made at once.
Pose between(const Pose& from, const Pose& to, double part) {
  const Vec3 turn = turn_of(to.rotation * transposed(from.rotation));
  return {from.position + part * (to.position - from.position),
          length(turn) < kSmallTurn ? to.rotation : rotation_of(part * turn) * from.rotation};
}

/// Of object poses: metres and radians.
double distance(const Pose& a, const Pose& b) {
  return length(a.position - b.position) + length(turn_of(a.rotation * transposed(b.rotation)));
}

class MimicgenExpert final : public Expert {
 public:
  void start(const Environment& environment, Rng rng) override {
    const ManipulationTask& task = arm_task(environment, "mimicgen");
    rng_ = rng;
    rule_ = segment_rule(task.info().name);
    sources_ = &source_episodes(task.info().name);
    later_.clear();
    for (size_t i = 0; i < sources_->size(); ++i)
      later_.push_back(rule_->least_later + static_cast<int64_t>(rng_.below(static_cast<uint64_t>(
                                                rule_->most_later - rule_->least_later + 1))));
    waypoints_.clear();
    next_ = 0;
    segment_ = 0;
    source_ = 0;
  }

  void act(const Environment& environment, std::span<const float>,
           std::span<float> action) override {
    const ManipulationTask& task = arm_task(environment, "mimicgen");
    if (next_ == waypoints_.size() && segment_ < 2) begin_segment(task);
    const Waypoint& to = waypoints_[std::min(next_, waypoints_.size() - 1)];
    if (next_ < waypoints_.size()) ++next_;
    servo(task.grip(), to.pose, action);
    action[6] = to.gripper;
    for (int i = 0; i < 6 && !to.bridge; ++i)
      action[i] = static_cast<float>(
          std::clamp(static_cast<double>(action[i]) + kNoise * rng_.normal(), -1.0, 1.0));
  }

 private:
  /// The second segment's first step in that source.
  int64_t cut(size_t source) const {
    const SourceEpisode& episode = (*sources_)[source];
    return std::min(episode.grasp + 1 + later_[source], std::ssize(episode.steps) - 1);
  }

  const Pose& object_at_start(size_t source, int segment) const {
    const SourceEpisode& episode = (*sources_)[source];
    return segment == 0 ? episode.steps.front().grasped : episode.steps[cut(source)].target_object;
  }

  size_t chosen(const Pose& object) {
    using Choice = SegmentRule::Choice;
    if (segment_ == 1 && rule_->choice != Choice::kNearestPerSegment) return source_;
    if (rule_->choice == Choice::kAny) return rng_.below(sources_->size());
    std::vector<size_t> order(sources_->size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {},
                      [&](size_t i) { return distance(object, object_at_start(i, segment_)); });
    return order[rng_.below(kNearest)];
  }

  void begin_segment(const ManipulationTask& task) {
    const Pose object = task.body(segment_ == 0 ? rule_->grasped : rule_->target);
    source_ = chosen(object);
    const SourceEpisode& episode = (*sources_)[source_];
    const int64_t begin = segment_ == 0 ? 0 : cut(source_),
                  end = segment_ == 0 ? cut(source_) : std::ssize(episode.steps);
    const Pose moved = object * inverse(object_at_start(source_, segment_));

    std::vector<Waypoint> segment;
    if (segment_ == 0)
      segment.push_back({moved * episode.steps.front().grip, episode.steps.front().gripper});
    for (int64_t i = begin; i < end; ++i)
      segment.push_back({moved * episode.steps[i].target, episode.steps[i].gripper});
    const Pose from = segment_ == 0 ? task.grip() : waypoints_.back().pose;
    for (int i = 1; i <= kBridge; ++i)
      waypoints_.push_back({between(from, segment.front().pose, i / (kBridge + 1.0)),
                            segment.front().gripper, /*bridge=*/true});
    waypoints_.insert(waypoints_.end(), segment.begin(), segment.end());
    ++segment_;
  }

  Rng rng_{0};
  std::optional<SegmentRule> rule_;
  const std::vector<SourceEpisode>* sources_ = nullptr;
  std::vector<int64_t> later_;  // of each source
  std::vector<Waypoint> waypoints_;
  size_t next_ = 0, source_ = 0;
  int segment_ = 0;  // that begins next
};

}  // namespace

std::unique_ptr<Expert> make_mimicgen_expert() {
  return std::make_unique<MimicgenExpert>();
}

}  // namespace darp
