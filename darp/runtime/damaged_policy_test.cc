// Damaged policy files: refused with a reason, or acted upon as if nothing had happened.

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "darp/runtime/realtime_policy.h"
#include "tests/random_matrix.h"
#include "tests/random_policy.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

std::vector<std::byte> small_policy(uint64_t seed) {
  return PolicyArchive(
             random_policy(
                 seed,
                 {.observation_dim = 3, .action_dim = 2, .episodes = 2, .longest = 6, .widest = 4}))
      .bytes();
}

/// What the policy does along a rollout.
std::vector<float> actions_of(const std::shared_ptr<const RealtimeModel>& model) {
  Rng rng(1);
  const Matrix rollout = random_matrix(rng, 5, 3);
  RealtimePolicy policy(model);
  std::vector<float> all, action(2);
  for (int64_t step = 0; step < rollout.rows(); ++step) {
    policy.act(rollout.row(step), action);
    all.insert(all.end(), action.begin(), action.end());
    all.push_back(policy.novelty());
  }
  return all;
}

/// Nothing where the bytes are refused; the refusal must say something.
template <class Load>
std::optional<std::vector<float>> actions_unless_refused(const Load& load) {
  try {
    return actions_of(load());
  } catch (const Error& error) {
    EXPECT_GT(std::string_view(error.what()).size(), 20u) << error.what();
    return std::nullopt;
  }
}

std::optional<std::vector<float>> actions_of_bytes(std::span<const std::byte> bytes) {
  return actions_unless_refused([&] {
    const auto file = SafetensorsFile::parse(bytes, "policy.darp", {.require_checksum = true});
    return std::make_shared<const RealtimeModel>(PolicyArchive::from(file));
  });
}

std::optional<std::vector<float>> actions_of_file(const std::filesystem::path& path,
                                                  std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return actions_unless_refused([&] { return RealtimeModel::load(path); });
}

TEST(DamagedPolicy, WithAnyByteChangedIsRefusedOrActsAsBefore) {
  for (const uint64_t seed : {2, 3}) {
    const std::vector<std::byte> whole = small_policy(seed);
    const auto expected = actions_of_bytes(whole);
    ASSERT_TRUE(expected.has_value());
    std::vector<std::byte> damaged = whole;
    for (size_t i = 0; i < whole.size(); ++i)
      for (const unsigned change : {0x01u, 0x80u, 0xFFu}) {
        damaged[i] = whole[i] ^ static_cast<std::byte>(change);
        ASSERT_EQ(actions_of_bytes(damaged).value_or(*expected), *expected)
            << "byte " << i << " changed by " << change;
        damaged[i] = whole[i];
      }
  }
}

TEST(DamagedPolicy, CutShortOrTooLongIsRefused) {
  const auto path = test_folder() / "policy.darp";
  const std::vector<std::byte> whole = small_policy(2);
  for (size_t size = 0; size < whole.size(); ++size)
    ASSERT_FALSE(actions_of_file(path, std::span(whole).first(size))) << size << " bytes";
  std::vector<std::byte> longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(actions_of_file(path, whole));
  EXPECT_FALSE(actions_of_file(path, longer));
}

}  // namespace
}  // namespace darp
