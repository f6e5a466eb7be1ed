#include "darp/env/push_t/push_t.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "darp/core/error.h"
#include "darp/env/push_t/push_t_drawing.h"
#include "darp/env/push_t/t_overlap.h"
#include "darp/env/random/numpy_random.h"

namespace darp {
namespace {

constexpr int kSubSteps = 10;
constexpr double kSolved = 0.95;
constexpr size_t kStartNumbers = 6, kDeedNumbers = 4;

EnvironmentInfo push_t_info() {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EnvironmentInfo info;
  info.name = "push_t";
  info.title = "A round agent that pushes a T onto a mark";
  info.observations.names = {"agent_x", "agent_y", "block_x", "block_y", "block_angle"};
  info.observations.low = {-infinity, -infinity, -infinity, -infinity, 0};
  info.observations.high = {infinity, infinity, infinity, infinity, 2 * std::numbers::pi_v<float>};
  info.actions = {.names = {"target_x", "target_y"}, .low = {0, 0}, .high = {512, 512}};
  info.time_limit = 200;
  info.step_seconds = kSubSteps * kPushTSubStep;
  info.score = EnvironmentInfo::Score::kBest;
  info.has_success = true;
  info.cameras = {"top"};
  info.bodies = {"block"};
  return info;
}

/// 0 to 2 pi, as Python's % has it.
double wrapped(double angle) {
  const double all_around = 2 * std::numbers::pi, rest = std::fmod(angle, all_around);
  return rest < 0 ? rest + all_around : rest;
}

PushTStart drawn_start(uint64_t seed, bool turned_last) {
  auto random = NumpyRandom::from_seed(static_cast<uint32_t>(seed));
  PushTStart start;
  start.turned_last = turned_last;
  start.agent.x = 50 + random.integer(399);
  start.agent.y = 50 + random.integer(399);
  start.block.x = 100 + random.integer(299);
  start.block.y = 100 + random.integer(299);
  start.block.angle = random.normal() * 2 * std::numbers::pi - std::numbers::pi;
  return start;
}

bool is_state(std::span<const double> state) {
  if (state.size() < kStartNumbers || (state.size() - kStartNumbers) % kDeedNumbers != 0)
    return false;
  if (state[0] != 0 && state[0] != 1) return false;
  if (!within_push_t({state[1], state[2], state[3], state[4], state[5]})) return false;
  for (auto rest = state.subspan(kStartNumbers); !rest.empty(); rest = rest.subspan(kDeedNumbers))
    if (!std::isfinite(rest[0]) || !std::isfinite(rest[1]) || !within_push_t({rest[2], rest[3]}))
      return false;
  return true;
}

}  // namespace

PushT::PushT(const PushTSettings& settings) : info_(push_t_info()), settings_(settings) {
  reset(0);
}

PushT::~PushT() = default;

void PushT::start(const PushTStart& at) {
  start_ = at;
  deeds_.clear();
  force_ = {};
  space_ = std::make_unique<PushTSpace>(at);
}

void PushT::reset(uint64_t seed) {
  start(drawn_start(seed, settings_.start == PushTSettings::Start::kLegacy));
}

void PushT::set_state(Point agent, const TPose& block) {
  if (!within_push_t({agent.x, agent.y, block.x, block.y, block.angle}))
    throw Error("push_t", "a state has a number that is not finite or out of all proportion",
                "pass places in the room of 512 units");
  start({.agent = agent, .block = block});
}

bool PushT::act(const Deed& deed) {
  deeds_.push_back(deed);
  // From numbers that are within reason ten sub-steps do not lead to any that are not finite.
  if (!within_push_t({deed.target.x, deed.target.y}) || !space_->is_sound()) return false;
  for (int i = 0; i < kSubSteps; ++i) space_->sub_step(deed.target, deed.force);
  return space_->is_sound();
}

Step PushT::advance(std::span<const float> action) {
  if (!act({.target = {action[0], action[1]}, .force = force_}))
    return {.end = EpisodeEnd::kUnstable};
  const double coverage = t_coverage(block());
  const bool solved = coverage > kSolved;
  return {.reward = std::clamp(coverage / kSolved, 0.0, 1.0),
          .end = solved ? EpisodeEnd::kTerminated : EpisodeEnd::kRunning,
          .success = solved};
}

void PushT::observe(std::span<float> observation) const {
  const Point at = agent();
  const TPose pose = block();
  const std::array<double, 5> numbers = {at.x, at.y, pose.x, pose.y, wrapped(pose.angle)};
  std::transform(numbers.begin(), numbers.end(), observation.begin(),
                 [](double number) { return static_cast<float>(number); });
}

void PushT::save(std::vector<double>& state) const {
  const TPose& block = start_.block;
  state.insert(state.end(), {start_.turned_last ? 1.0 : 0.0, start_.agent.x, start_.agent.y,
                             block.x, block.y, block.angle});
  for (const auto& [target, force] : deeds_)
    state.insert(state.end(), {target.x, target.y, force.x, force.y});
}

void PushT::restore(std::span<const double> state) {
  if (!is_state(state))
    throw Error("push_t", fmt::format("{} numbers that are no state of this task", state.size()),
                "restore only what save() gave in this task");
  start({.agent = {state[1], state[2]},
         .block = {state[3], state[4], state[5]},
         .turned_last = state[0] == 1});
  for (auto rest = state.subspan(kStartNumbers); !rest.empty(); rest = rest.subspan(kDeedNumbers))
    act({.target = {rest[0], rest[1]}, .force = {rest[2], rest[3]}});
}

void PushT::set_force(std::string_view body, std::array<double, 3> force) {
  if (body != "block")
    throw Error("push_t", fmt::format("there is no body '{}' to push", printable(body)),
                "push the body 'block'");
  if (!within_push_t({force[0], force[1], force[2]}))
    throw Error("push_t", "a force is not finite or out of all proportion", "push less");
  force_ = {force[0], force[1]};
}

Image PushT::render(std::string_view camera, int width, int height) {
  if (camera != "top")
    throw Error("push_t", fmt::format("there is no camera '{}'", printable(camera)),
                "use the camera 'top'");
  if (std::min(width, height) < 1 || std::max(width, height) > 4096)
    throw Error("push_t", fmt::format("a picture of {} x {} pixels", width, height),
                "ask for 1 to 4096 pixels each way");
  return draw_push_t(agent(), block(), width, height);
}

std::unique_ptr<Environment> make_push_t(const PushTSettings& settings) {
  return std::make_unique<PushT>(settings);
}

}  // namespace darp
