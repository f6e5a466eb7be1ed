#include "darp/env/environment.h"

#include "darp/core/error.h"
#include "darp/core/finite.h"
#include "darp/core/suggest.h"

namespace darp {
namespace {

constexpr std::array<std::string_view, kEpisodeEnds> kEndNames = {"running",
                                                                  "terminated",
                                                                  "time limit",
                                                                  "unstable simulation",
                                                                  "action of the wrong size",
                                                                  "action not finite",
                                                                  "policy failed"};

}  // namespace

std::string_view name_of(EpisodeEnd end) {
  return kEndNames[static_cast<size_t>(end)];
}

EpisodeEnd episode_end_named(std::string_view name) {
  for (size_t i = 0; i < kEndNames.size(); ++i)
    if (kEndNames[i] == name) return static_cast<EpisodeEnd>(i);
  throw Error("", fmt::format("'{}' is no end of an episode", printable(name)),
              suggestion(name, std::vector<std::string>(kEndNames.begin(), kEndNames.end())));
}

Step Environment::step(std::span<const float> action) {
  if (static_cast<int64_t>(action.size()) != info().actions.dim())
    return {.end = EpisodeEnd::kActionSize};
  if (!all_finite(action)) return {.end = EpisodeEnd::kActionNotFinite};
  return advance(action);
}

std::vector<double> saved_state(const Environment& environment) {
  std::vector<double> state;
  environment.save(state);
  return state;
}

}  // namespace darp
