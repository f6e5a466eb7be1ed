// Any bytes give an Error or a policy that survives writing and reading bit for bit, and acts: on
// good observations and bad ones its actions are finite. The corpus has no checksums: nothing that
// is changed would get past one.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "darp/policy/import_reference.h"
#include "darp/runtime/realtime_policy.h"
#include "tests/random_dataset.h"
#include "tests/random_policy.h"

namespace {

using darp::PolicyArchive;
using darp::SafetensorsFile;

void check_rewriting(const PolicyArchive& policy) {
  const auto written = policy.bytes();
  const auto file = SafetensorsFile::parse(written, "written", {.require_checksum = true});
  const PolicyArchive again = PolicyArchive::from(file);
  DARP_CHECK(identical(policy, again), "writing and reading changed the policy");
  DARP_CHECK(again.bytes() == written, "writing twice gave different bytes");
}

/// Too many steps of the past would only take long.
bool is_quick(const PolicyArchive& policy) {
  const auto* retrieval = policy.spec().retrieval();
  return retrieval == nullptr || retrieval->history.lookback <= 100;
}

void check_acting(const PolicyArchive& archive, darp::Precision precision) {
  std::optional<darp::RealtimePolicy> policy;
  try {
    policy.emplace(std::make_shared<const darp::RealtimeModel>(archive, precision));
  } catch (const darp::Error&) {
    return;
  }
  std::vector<float> observation(archive.observation_dim()), action(archive.action_dim());
  std::vector<darp::ExplainedNeighbor> neighbors(policy->model().most_neighbors());
  std::vector<float> proposals(neighbors.size() * action.size());
  policy->warm_up();
  for (const float x : {0.0f, -1.5f, 1e30f, std::numeric_limits<float>::quiet_NaN(), 1e-42f}) {
    std::ranges::fill(observation, x);
    policy->act(observation, action);
    for (size_t j = 0; j < action.size(); ++j)
      DARP_CHECK(std::isfinite(action[j]) && action[j] >= archive.lowest_action()[j] &&
                     action[j] <= archive.highest_action()[j],
                 "action {} is {}", j, action[j]);
    DARP_CHECK(std::isfinite(policy->novelty()), "novelty is {}", policy->novelty());
    policy->explain(neighbors, proposals);
  }
}

/// What the call gives, unless it is an Error.
template <class Call>
std::optional<PolicyArchive> attempt(const Call& call) {
  try {
    return call();
  } catch (const darp::Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const darp::Dataset demonstrations = darp::random_dataset(1);
  std::optional<SafetensorsFile> file;
  try {
    file = SafetensorsFile::parse(std::as_bytes(std::span(data, size)), "input");
  } catch (const darp::Error&) {
    return 0;
  }
  // The bytes may be a policy, or one of the paper's networks.
  if (const auto policy = attempt([&] { return PolicyArchive::from(*file); })) {
    check_rewriting(*policy);
    if (is_quick(*policy))
      for (const auto precision : {darp::Precision::kFloat32, darp::Precision::kBfloat16})
        check_acting(*policy, precision);
  }
  if (const auto policy =
          attempt([&] { return PolicyArchive(darp::import_reference(*file, demonstrations)); }))
    check_rewriting(*policy);
  return 0;
}
