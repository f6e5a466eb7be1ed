// The published networks, imported, give the actions that the authors' program gave. The network
// is computed by plain loops here: this tests the import and the definition of its input.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "darp/data/ingest/read_dataset.h"
#include "darp/policy/import_reference.h"
#include "darp/policy/neighbor_features.h"
#include "darp/retrieval/retrieval_session.h"
#include "tests/random_policy.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

/// The first member's answer to one input.
std::vector<double> answer(const PolicyArchive& policy, std::span<const float> input) {
  std::vector<double> values(input.begin(), input.end());
  const auto& parameters = policy.parameters();
  const auto numbers = [&](size_t i, int64_t j) {
    return static_cast<double>(policy.members()[0][parameters[i].offset + j]);
  };
  for (size_t i = 0; i < parameters.size();) {
    std::vector<double> next;
    const int64_t width = std::ssize(values);
    for (int64_t u = 0; u < parameters[i].shape[0]; ++u) {
      next.push_back(numbers(i + 1, u));
      for (int64_t j = 0; j < width; ++j) next[u] += numbers(i, u * width + j) * values[j];
    }
    i += 2;
    if (i < parameters.size()) {
      const auto units = static_cast<double>(next.size());
      double mean = 0, variance = 0;
      for (const double x : next) mean += x / units;
      for (const double x : next) variance += (x - mean) * (x - mean) / units;
      for (int64_t u = 0; u < std::ssize(next); ++u)
        next[u] = std::max(
            0.0, (next[u] - mean) / std::sqrt(variance + 1e-5) * numbers(i, u) + numbers(i + 1, u));
      i += 2;
    }
    values = next;
  }
  return values;
}

/// The mean answer to the neighbours of the last observation.
std::vector<double> answer(const PolicyArchive& policy, RetrievalSession& session, MatrixView rows,
                           MatrixView actions, std::span<const float> query) {
  const FeatureLayout layout(policy.spec().darp()->input, policy.observation_dim(),
                             policy.action_dim());
  std::vector<float> features(static_cast<size_t>(layout.width));
  std::vector<double> mean(static_cast<size_t>(policy.action_dim()));
  const Neighbors near = session.neighbors();
  for (const int32_t row : near.rows) {
    neighbor_features(layout, rows.row(row), actions.row(row), query, features);
    const std::vector<double> one = answer(policy, features);
    for (size_t j = 0; j < mean.size(); ++j)
      mean[j] += one[j] / static_cast<double>(near.rows.size());
  }
  return mean;
}

void expect_published_actions(const std::string& task, const std::string& kind,
                              const std::string& demos, double tolerance) {
  const auto folder = reference_dir();
  const std::string name = task + "-" + kind;
  const auto network = SafetensorsFile::open(folder / "weights" / (name + ".safetensors"));
  const auto golden = SafetensorsFile::open(folder / "weights" / (name + "-golden.safetensors"));
  const PolicyArchive policy(
      import_reference(network, read_dataset(folder / "demos" / demos).dataset));
  const auto bytes = policy.bytes();
  EXPECT_TRUE(identical(policy, PolicyArchive::from(SafetensorsFile::parse(bytes, name))));

  const Matrix rows = policy.observations().apply(policy.demonstrations().observations),
               actions = policy.actions().apply(policy.demonstrations().actions);
  std::unique_ptr<RetrievalSession> session;
  if (const DarpSpec* darp = policy.spec().darp())
    session = std::make_unique<RetrievalSession>(std::make_shared<const Retriever>(
        rows, policy.demonstrations().episode_ends, darp->retrieval));
  const auto histories = golden.floats("history"), expected = golden.floats("action");
  const auto lookback = static_cast<int64_t>(golden.get("history").shape[1]);
  std::vector<int64_t> lengths(golden.get("history_length").elements());
  std::memcpy(lengths.data(), golden.get("history_length").data.data(), lengths.size() * 8);
  const int64_t width = policy.observation_dim();
  std::vector<float> query(static_cast<size_t>(width)), action(policy.action_dim());
  for (int64_t i = 0; i < std::ssize(lengths); ++i) {
    if (session) session->reset();
    for (int64_t t = lookback - lengths[i]; t < lookback; ++t) {
      policy.observations().apply(histories.subspan((i * lookback + t) * width, width), query);
      if (session) session->push(query);
    }
    const std::vector<double> z =
        session ? answer(policy, *session, rows, actions, query) : answer(policy, query);
    std::vector<float> rounded(z.begin(), z.end());
    policy.actions().invert(rounded, action);
    for (int64_t j = 0; j < policy.action_dim(); ++j)
      EXPECT_NEAR(action[j], expected[i * policy.action_dim() + j], tolerance)
          << name << ", query " << i << ", action " << j;
  }
}

// The authors' program rounds to float at every step; ours here only at the end.
TEST(PolicyGolden, HopperActionsAreThePublishedOnes) {
  DARP_REQUIRE_REFERENCE("weights/hopper-darp-golden.safetensors");
  expect_published_actions("hopper", "bc", "hopper-expert-v2_1.hdf5", 1e-5);
  expect_published_actions("hopper", "darp", "hopper-expert-v2_1.hdf5", 5e-6);
}

TEST(PolicyGolden, WalkerActionsAreThePublishedOnes) {
  DARP_REQUIRE_REFERENCE("weights/walker-darp-golden.safetensors");
  expect_published_actions("walker", "bc", "walker2d-expert-v2_1.hdf5", 1e-5);
  expect_published_actions("walker", "darp", "walker2d-expert-v2_1.hdf5", 5e-6);
}

TEST(PolicyGolden, NetworksRefuseTheDemonstrationsOfAnotherTask) {
  DARP_REQUIRE_REFERENCE("weights/hopper-darp.safetensors");
  const auto network =
      SafetensorsFile::open(reference_dir() / "weights" / "hopper-darp.safetensors");
  const Dataset walker = read_dataset(reference_dir() / "demos/walker2d-expert-v2_1.hdf5").dataset;
  try {
    import_reference(network, walker);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("takes 25 numbers and gives 3"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("needs 40 and 6"), std::string::npos);
  }
}

}  // namespace
}  // namespace darp
