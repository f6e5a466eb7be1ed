#pragma once
// What is known of a source episode, and which parts of it are about which object.

#include <string>
#include <string_view>
#include <vector>

#include "darp/env/manipulation/pose.h"

namespace darp {

/// How a task's episodes are cut and chosen.
struct SegmentRule {
  std::string grasped, target;      // objects of the first and the second segment
  int64_t least_later, most_later;  // steps from the grasp to the end of the first
  enum class Choice { kNearestPerSegment, kNearestPerEpisode, kAny } choice;
};

struct SourceStep {
  Pose grip;    // as measured
  Pose target;  // where the action wanted it
  float gripper = 0;
  Pose grasped, target_object;
};

struct SourceEpisode {
  std::vector<SourceStep> steps;
  int64_t grasp = 0;  // the first step at which the object was held
};

/// Throws Error for tasks that have none.
SegmentRule segment_rule(std::string_view environment);
/// Made at the first call, by the scripted expert; any thread.
const std::vector<SourceEpisode>& source_episodes(const std::string& environment);

}  // namespace darp
