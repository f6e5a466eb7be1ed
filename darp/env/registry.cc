#include "darp/env/registry.h"

#include "darp/core/error.h"
#include "darp/core/suggest.h"
#include "darp/env/ant/ant.h"
#include "darp/env/dummy/dummy.h"
#include "darp/env/half_cheetah/half_cheetah.h"
#include "darp/env/hopper/hopper.h"
#include "darp/env/manipulation/kitchen_tasks.h"
#include "darp/env/manipulation/table_tasks.h"
#include "darp/env/maze/maze.h"
#include "darp/env/push_t/push_t.h"
#include "darp/env/walker2d/walker2d.h"
#include "darp/env/wrappers/clip_actions.h"
#include "darp/env/wrappers/noise.h"
#include "darp/env/wrappers/push.h"
#include "darp/env/wrappers/time_limit.h"

namespace darp {
namespace {

struct Entry {
  std::string name;
  std::unique_ptr<Environment> (*make)(const EnvironmentSettings&);
};

/// Every environment there is: a new one is a line here.
const std::vector<Entry>& entries() {
  using S = EnvironmentSettings;
  static const std::vector<Entry> all = {
      {"hopper", [](const S&) { return make_hopper(); }},
      {"walker2d", [](const S&) { return make_walker2d(); }},
      {"half_cheetah", [](const S&) { return make_half_cheetah(); }},
      {"ant", [](const S& s) { return make_ant(s.ant); }},
      {"maze_umaze", [](const S& s) { return make_maze_umaze(s.maze); }},
      {"maze_long", [](const S& s) { return make_maze_long(s.maze); }},
      {"push_t", [](const S& s) { return make_push_t(s.push_t); }},
      {"stack", [](const S&) { return make_stack(); }},
      {"square", [](const S&) { return make_square(); }},
      {"threading", [](const S&) { return make_threading(); }},
      {"one_leg", [](const S&) { return make_one_leg(); }},
      {"close_drawer", [](const S&) { return make_close_drawer(); }},
      {"close_door", [](const S&) { return make_close_door(); }},
      {"turn_on_stove", [](const S&) { return make_turn_on_stove(); }},
      {"turn_off_stove", [](const S&) { return make_turn_off_stove(); }},
      {"dummy", [](const S&) { return make_dummy(); }},
  };
  return all;
}

/// A setting that would change nothing is a mistake.
void check_settings_fit(std::string_view name, const EnvironmentSettings& settings) {
  const auto check = [&](bool changed, std::string_view group) {
    if (changed && !name.starts_with(group))
      throw Error(group, fmt::format("settings mean nothing to the environment {}", name),
                  "leave them out");
  };
  const EnvironmentSettings usual;
  check(settings.ant != usual.ant, "ant");
  check(settings.maze != usual.maze, "maze");
  check(settings.push_t != usual.push_t, "push_t");
}

}  // namespace

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) names.push_back(entry.name);
  return names;
}

std::unique_ptr<Environment> make_environment(std::string_view name,
                                              const EnvironmentSettings& settings) {
  const auto found = std::find_if(entries().begin(), entries().end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  if (found == entries().end())
    throw Error("environment", fmt::format("'{}' is none", printable(name)),
                suggestion(name, environment_names()));
  check_settings_fit(name, settings);

  // From the robot outward: what others do to it, what becomes of actions, what is seen, and when
  // it ends.
  std::unique_ptr<Environment> made = found->make(settings);
  if (!settings.push.body.empty()) made = std::make_unique<Push>(std::move(made), settings.push);
  if (settings.clip_actions) made = std::make_unique<ClipActions>(std::move(made));
  if (settings.action_noise > 0)
    made = std::make_unique<ActionNoise>(std::move(made), settings.action_noise);
  if (settings.observation_noise > 0)
    made = std::make_unique<ObservationNoise>(std::move(made), settings.observation_noise);
  const int64_t limit = settings.time_limit > 0 ? settings.time_limit : made->info().time_limit;
  return std::make_unique<TimeLimit>(std::move(made), limit);
}

}  // namespace darp
