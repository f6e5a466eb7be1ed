// Any bytes give an Error or an expert network that survives writing and reading bit for bit, and
// acts: its actions are within the limits, or no numbers where its weights are too large for any.
// The corpus has no checksums: nothing that is changed would get past one.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "darp/env/dummy/dummy.h"
#include "darp/expert/ppo/expert_network.h"

namespace {

using darp::ExpertNetwork;
using darp::SafetensorsFile;

void check_acting(const ExpertNetwork& network) {
  // The environment is only asked for its limits.
  static const auto environment = darp::make_dummy();
  const auto expert = darp::make_rl_expert(std::make_shared<const ExpertNetwork>(network));
  try {
    expert->start(*environment, darp::Rng(0));
  } catch (const darp::Error&) {
    return;
  }
  std::vector<float> observation(4), action(2);
  for (const float x : {0.0f, -1.5f, 1e30f, 1e-42f}) {
    std::ranges::fill(observation, x);
    expert->act(*environment, observation, action);
    for (const float a : action)
      DARP_CHECK(std::isnan(a) || (a >= -1 && a <= 1), "action is {}", a);
  }
}

void check_rewriting(const ExpertNetwork& network) {
  const auto parameters = static_cast<size_t>(network.shape.parameters());
  DARP_CHECK(network.parameters.size() == parameters, "{} parameters, not {}",
             network.parameters.size(), parameters);
  const auto written = darp::expert_network_bytes(network);
  const ExpertNetwork again = darp::read_expert_network(
      SafetensorsFile::parse(written, "written", {.require_checksum = true}));
  DARP_CHECK(darp::expert_network_bytes(again) == written, "writing twice gave different bytes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::optional<ExpertNetwork> network;
  try {
    network = darp::read_expert_network(
        SafetensorsFile::parse(std::as_bytes(std::span(data, size)), "input"));
  } catch (const darp::Error&) {
    return 0;
  }
  check_rewriting(*network);
  check_acting(*network);
  return 0;
}
