#pragma once
// A trained policy as a function of the state, asked where it was shown what to do and beside it.

#include <filesystem>
#include <memory>
#include <span>

#include "darp/data/dataset.h"
#include "darp/data/normalizer.h"
#include "darp/policy/policy.h"

namespace darp {

/// A policy that answers the same to the same observation and past.
struct PolicyFunction {
  std::unique_ptr<Policy> policy;
  int64_t past = 0;  // steps before the present one that its answers depend on
};

/// A policy file as training asked it: the likeliest action of a distribution, and a demonstrated
/// step does not find itself if training left it out (by the distance zero, since in use nothing
/// else is known of it). Throws Error as PolicyArchive::read, for policies that carry out several
/// actions before they are asked again and for those whose training left out whole episodes.
PolicyFunction policy_function(const std::filesystem::path& file);

/// The actions at every demonstrated state, each after its own past; as the environment takes them.
Matrix actions_at_demonstrations(const PolicyFunction& function, const Dataset& dataset);

/// |f(s + e) - f(s)| / |e|, e normal with standard deviation `noise` in every number of the state;
/// states and actions in units of their standard deviation, by the normalizers.
struct SlopeSettings {
  double noise = 0.1;
  int64_t most_states = 1000;  // evenly chosen
  int64_t draws = 2;           // for each state
  uint64_t seed = 0;
};
/// One for each state and draw, ascending. The past stays as it was demonstrated.
std::vector<double> local_slopes(const PolicyFunction& function, const Dataset& dataset,
                                 const Normalizer& states, const Normalizer& actions,
                                 const SlopeSettings& settings);

}  // namespace darp
