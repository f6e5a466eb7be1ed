#include "darp/expert/mpc/push_t_mpc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "darp/env/push_t/push_t.h"
#include "darp/env/push_t/t_overlap.h"
#include "darp/env/registry.h"
#include "tests/error_of.h"
#include "tests/observation_of.h"

namespace darp {
namespace {

/// Less thorough than usual, to be quick.
PushTMpcSettings quick() {
  PushTMpcSettings settings;
  settings.search = {.pushes = 2, .candidates = 160, .kept = 8, .polish = 40};
  return settings;
}

struct PushTRun {
  double best = 0;  // coverage
  bool success = false;
  std::vector<float> actions;
  double farthest = 0, largest_change = 0;  // target from agent, and from the last target
};

PushTRun pushed(Environment& environment, Expert& expert, uint64_t seed, Rng rng, int steps = 200) {
  const auto& task = dynamic_cast<const PushT&>(environment.task());
  environment.reset(seed);
  expert.start(environment, rng);
  PushTRun run;
  Point last = task.agent();
  std::array<float, 2> action{};
  for (int i = 0; i < steps && !run.success; ++i) {
    expert.act(environment, observation_of(environment), action);
    const Point target = {action[0], action[1]};
    for (const float number : action) EXPECT_TRUE(number >= 0 && number <= 512);
    run.actions.insert(run.actions.end(), action.begin(), action.end());
    run.farthest = std::max(run.farthest, length_of(target - task.agent()));
    run.largest_change = std::max(run.largest_change, length_of(target - last));
    last = target;
    run.success = environment.step(action).success;
    run.best = std::max(run.best, t_coverage(task.block()));
  }
  return run;
}

TEST(PushTMpc, PutsTheBlockOntoItsMark) {
  const auto push_t = make_environment("push_t");
  const auto expert = make_push_t_mpc(quick());
  int solved = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const PushTRun run = pushed(*push_t, *expert, 1'000'000 + seed, Rng(seed));
    EXPECT_GT(run.best, 0.8) << seed;
    EXPECT_LT(run.farthest, 100) << seed;
    EXPECT_LT(run.largest_change, 50) << seed;
    solved += run.success ? 1 : 0;
  }
  EXPECT_GE(solved, 5);
}

TEST(PushTMpc, DependsOnItsRandomNumbersAlone) {
  const auto push_t = make_environment("push_t");
  const auto expert = make_push_t_mpc(quick()), other = make_push_t_mpc(quick());
  // What went before leaves nothing.
  pushed(*push_t, *other, 3, Rng(8), 25);
  const auto actions = pushed(*push_t, *expert, 7, Rng(5), 60).actions;
  EXPECT_EQ(actions, pushed(*push_t, *other, 7, Rng(5), 60).actions);
  EXPECT_NE(actions, pushed(*push_t, *other, 7, Rng(6), 60).actions);
}

/// Which face was touched first, and how the block turned in the five steps after that.
struct FirstContact {
  int face = -1;
  double turned = 0;
};

FirstContact first_contact(Environment& environment, Expert& expert, uint64_t seed, Rng rng) {
  const auto& task = dynamic_cast<const PushT&>(environment.task());
  environment.reset(seed);
  expert.start(environment, rng);
  FirstContact contact;
  double angle = task.block().angle;
  int left = 60;
  std::array<float, 2> action{};
  while (left-- > 0) {
    expert.act(environment, observation_of(environment), action);
    if (contact.face < 0) angle = task.block().angle;
    if (environment.step(action).end != EpisodeEnd::kRunning) break;
    contact.turned = task.block().angle - angle;
    const Point at = to_block(task.block(), task.agent());
    if (contact.face >= 0 || distance_to_t(at) > 15.3) continue;
    for (int face = 0; face < kTFaces; ++face) {
      const auto& [from, to, normal] = t_face(face);
      if (std::abs(dot(at - from, normal) - 15) < 1 && dot(at - from, to - from) >= -100 &&
          dot(at - to, from - to) >= -100)
        contact.face = face, left = 5;
    }
  }
  return contact;
}

TEST(PushTMpc, TakesDifferentSidesFromTheSameStart) {
  const auto push_t = make_environment("push_t");
  PushTMpcSettings settings;
  settings.search = {.pushes = 1, .candidates = 160, .kept = 4, .polish = 10};
  const auto expert = make_push_t_mpc(settings);
  int both_turns = 0;
  for (const uint64_t seed : {1'000'004, 1'000'012, 1'000'013, 1'000'015}) {
    std::set<std::pair<double, double>> sides;
    bool left = false, right = false;
    for (uint64_t i = 0; i < 8; ++i) {
      const auto [face, angle] = first_contact(*push_t, *expert, seed, Rng(seed, i));
      ASSERT_GE(face, 0) << seed << ", " << i;
      sides.insert({t_face(face).normal.x, t_face(face).normal.y});
      left |= angle < -0.05;
      right |= angle > 0.05;
    }
    EXPECT_GE(sides.size(), 2u) << seed;
    both_turns += left && right ? 1 : 0;
  }
  EXPECT_GE(both_turns, 1);
}

TEST(PushTMpc, GoesOnWhenTheBlockIsCarriedOff) {
  const auto owned = make_push_t({});
  auto& task = dynamic_cast<PushT&>(*owned);
  const auto expert = make_push_t_mpc(quick());
  pushed(task, *expert, 11, Rng(1), 20);
  task.set_state(task.agent(), {300, 330, 1.5});
  std::array<float, 2> action{};
  double best = 0;
  Step step;
  for (int i = 0; i < 200 && step.end == EpisodeEnd::kRunning; ++i) {
    expert->act(task, observation_of(task), action);
    step = task.step(action);
    best = std::max(best, t_coverage(task.block()));
  }
  EXPECT_GT(best, 0.8);
}

TEST(PushTMpc, KnowsNothingElse) {
  const auto expert = make_push_t_mpc();
  EXPECT_SAYS(error_of([&] { expert->start(*make_environment("hopper"), Rng(0)); }), "not Push-T");
}

TEST(PushTMpcSettings, KeepTheirValuesInYaml) {
  const PushTMpcSettings settings = quick();
  PushTMpcSettings read;
  read_yaml(write_yaml(settings), "settings", read);
  EXPECT_EQ(read, settings);
}

}  // namespace
}  // namespace darp
