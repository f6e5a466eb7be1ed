#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "darp/cli/commands.h"
#include "darp/core/numbers.h"
#include "darp/env/registry.h"

namespace darp {
namespace {

void list_environments() {
  fmt::print("{:<14}{:>13}{:>9}{:>12}  {}\n", "name", "observations", "actions", "time limit", "");
  for (const std::string& name : environment_names()) {
    const EnvironmentInfo info = make_environment(name)->info();
    fmt::print("{:<14}{:>13}{:>9}{:>12}  {}\n", name, info.observations.dim(), info.actions.dim(),
               info.time_limit, info.title);
  }
}

void print_space(std::string_view title, const Space& space) {
  fmt::print("\n{}\n", title);
  for (size_t i = 0; i < space.names.size(); ++i)
    fmt::print("  {:>3}  {:<32}{:>8} to {}\n", i, space.names[i], space.low[i], space.high[i]);
}

void describe_environment(const std::string& name) {
  const EnvironmentInfo info = make_environment(name)->info();
  fmt::print("{}: {}\n", info.name, info.title);
  print_space("observations", info.observations);
  print_space("actions", info.actions);
  fmt::print("\nsteps of {:g} s, at most {}\n", info.step_seconds, grouped(info.time_limit));
  fmt::print("return: {}\n",
             info.score == EnvironmentInfo::Score::kSum ? "sum of rewards" : "best reward");
  if (info.scale)
    fmt::print("D4RL scale: 0 is {:g}, 100 is {:g}\n", info.scale->random, info.scale->expert);
  fmt::print("cameras: {}\nbodies to push: {}\n", fmt::join(info.cameras, ", "),
             fmt::join(info.bodies, ", "));
}

}  // namespace

void add_environments_command(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("environments", "What policies can be rolled out in");
  command->add_option("NAME", *name, "Tell all about this one");
  command->footer("Examples:\n  darp environments\n  darp environments hopper");
  command->callback([name] { name->empty() ? list_environments() : describe_environment(*name); });
}

}  // namespace darp
