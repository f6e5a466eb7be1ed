#pragma once
// Experts by name.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "darp/expert/expert.h"

namespace darp {

/// Which expert.
struct ExpertChoice {
  std::string environment;  // a name of env/registry.h
  std::string expert;  // "rl", "planner", "mpc", "scripted", "mimicgen", "human"; empty: the one
                       // for the environment
  std::filesystem::path network;  // of rl, and of no other; empty: bundled_network()
};

/// Those that know the environment, the usual one first; empty for none.
std::vector<std::string> expert_names(std::string_view environment);

/// demos/experts/<environment>/expert.safetensors: found where the program runs in the project's
/// own folder.
std::filesystem::path bundled_network(std::string_view environment);

/// The choice with its gaps filled in. Throws Error for environments without experts and names that
/// do not fit, saying which do.
ExpertChoice resolved(ExpertChoice choice);

/// Throws Error as resolved() and when the network cannot be read. Each call gives another one, for
/// a thread of its own.
std::unique_ptr<Expert> make_expert(const ExpertChoice& choice);

}  // namespace darp
