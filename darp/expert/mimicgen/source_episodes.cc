#include "darp/expert/mimicgen/source_episodes.h"

#include <map>
#include <mutex>

#include "darp/core/error.h"
#include "darp/env/manipulation/manipulation_task.h"
#include "darp/env/registry.h"
#include "darp/expert/scripted/scripted_expert.h"

namespace darp {
namespace {

constexpr size_t kSources = 10;
constexpr uint64_t kFirstSeed = 2'000'000;  // neither reports, searches nor demonstrations have it

Pose wanted_by(const Pose& grip, std::span<const float> action) {
  const auto part = [&](int first, double most) {
    return Vec3{most * double{action[first]}, most * double{action[first + 1]},
                most * double{action[first + 2]}};
  };
  return {grip.position + part(0, ManipulationTask::kFarthestStep),
          rotation_of(part(3, ManipulationTask::kLargestTurn)) * grip.rotation};
}

/// Empty if it did not succeed.
SourceEpisode source_episode(Environment& environment, const SegmentRule& rule, uint64_t seed) {
  const auto& task = dynamic_cast<const ManipulationTask&>(environment.task());
  const auto expert = make_scripted_expert();
  environment.reset(seed);
  expert->start(environment, Rng(seed));
  SourceEpisode episode;
  std::vector<float> action(7);
  for (Step step; step.end == EpisodeEnd::kRunning;) {
    expert->act(environment, {}, action);
    episode.steps.push_back({task.grip(), wanted_by(task.grip(), action), action[6],
                             task.body(rule.grasped), task.body(rule.target)});
    if (episode.grasp == 0 && task.holds(rule.grasped))
      episode.grasp = std::ssize(episode.steps) - 1;
    step = environment.step(action);
    if (step.end != EpisodeEnd::kRunning && !step.success) return {};
  }
  return episode;
}

}  // namespace

SegmentRule segment_rule(std::string_view environment) {
  using Choice = SegmentRule::Choice;
  if (environment == "stack") return {"cube_a", "cube_b", 10, 20, Choice::kNearestPerSegment};
  if (environment == "square") return {"nut", "peg", 10, 20, Choice::kNearestPerEpisode};
  if (environment == "threading") return {"needle", "tripod", 5, 10, Choice::kAny};
  throw Error("expert mimicgen", fmt::format("does not know {}", printable(environment)),
              "use another expert");
}

const std::vector<SourceEpisode>& source_episodes(const std::string& environment) {
  static std::mutex making;
  static std::map<std::string, std::vector<SourceEpisode>, std::less<>> known;
  const std::lock_guard lock(making);
  std::vector<SourceEpisode>& sources = known[environment];
  const SegmentRule rule = segment_rule(environment);
  const auto made = make_environment(environment);
  for (uint64_t seed = kFirstSeed; sources.size() < kSources; ++seed)
    if (SourceEpisode episode = source_episode(*made, rule, seed); !episode.steps.empty())
      sources.push_back(std::move(episode));
  return sources;
}

}  // namespace darp
