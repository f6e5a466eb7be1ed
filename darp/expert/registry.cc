#include "darp/expert/registry.h"

#include <algorithm>

#include "darp/core/suggest.h"
#include "darp/env/registry.h"
#include "darp/expert/mimicgen/mimicgen_expert.h"
#include "darp/expert/mpc/push_t_mpc.h"
#include "darp/expert/planner/maze_planner.h"
#include "darp/expert/ppo/expert_network.h"
#include "darp/expert/scripted/scripted_expert.h"

namespace darp {
namespace {

struct KnownExpert {
  std::string_view environment, expert;
};

/// The first of an environment is its usual one.
constexpr KnownExpert kKnownExperts[] = {
    {"hopper", "rl"},
    {"walker2d", "rl"},
    {"half_cheetah", "rl"},
    {"ant", "rl"},
    {"maze_umaze", "planner"},
    {"maze_long", "planner"},
    {"push_t", "mpc"},
    {"stack", "scripted"},
    {"square", "scripted"},
    {"threading", "scripted"},
    {"one_leg", "scripted"},
    {"close_drawer", "scripted"},
    {"close_door", "scripted"},
    {"turn_on_stove", "scripted"},
    {"turn_off_stove", "scripted"},
    {"stack", "mimicgen"},
    {"square", "mimicgen"},
    {"threading", "mimicgen"},
    {"stack", "human"},
    {"square", "human"},
    {"threading", "human"},
    {"one_leg", "human"},
};

}  // namespace

std::vector<std::string> expert_names(std::string_view environment) {
  std::vector<std::string> names;
  for (const KnownExpert& known : kKnownExperts)
    if (known.environment == environment) names.emplace_back(known.expert);
  return names;
}

ExpertChoice resolved(ExpertChoice choice) {
  const auto environments = environment_names();
  if (std::ranges::find(environments, choice.environment) == environments.end())
    throw Error("environment", fmt::format("'{}' is none", printable(choice.environment)),
                suggestion(choice.environment, environments));
  const auto names = expert_names(choice.environment);
  if (names.empty())
    throw Error("expert", fmt::format("nobody knows {}", choice.environment),
                "write one: docs/experts.md says how");
  if (choice.expert.empty()) choice.expert = names.front();
  if (std::ranges::find(names, choice.expert) == names.end())
    throw Error("expert",
                fmt::format("'{}' does not know {}", printable(choice.expert), choice.environment),
                suggestion(choice.expert, names));
  const bool learned = choice.expert == "rl";
  if (!learned && !choice.network.empty())
    throw Error("--network", fmt::format("is for expert rl, not for {}", choice.expert),
                "leave it out");
  if (learned && choice.network.empty()) {
    choice.network = bundled_network(choice.environment);
    if (!std::filesystem::exists(choice.network))
      throw Error(
          choice.network.string(), "is not there",
          "run darp in its own folder, where the bundled networks are, or give --network FILE");
  }
  return choice;
}

std::filesystem::path bundled_network(std::string_view environment) {
  return std::filesystem::path("demos") / "experts" / environment / "expert.safetensors";
}

std::unique_ptr<Expert> make_expert(const ExpertChoice& choice) {
  const ExpertChoice full = resolved(choice);
  if (full.expert == "planner") return make_maze_planner();
  if (full.expert == "mpc") return make_push_t_mpc();
  if (full.expert == "scripted") return make_scripted_expert();
  if (full.expert == "human") return make_human_like_expert();
  if (full.expert == "mimicgen") return make_mimicgen_expert();
  const auto network = std::make_shared<const ExpertNetwork>(read_expert_network(full.network));
  if (network->environment != full.environment)
    throw Error(full.network.string(),
                fmt::format("is an expert for {}, not for {}", printable(network->environment),
                            full.environment),
                "give one for this environment");
  return make_rl_expert(network);
}

}  // namespace darp
