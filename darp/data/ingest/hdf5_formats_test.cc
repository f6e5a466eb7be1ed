// robomimic, D4RL and Minari files as their own tools write them (tools/make_hdf5_fixtures.py), and
// ones to refuse.

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "darp/data/ingest/read_dataset.h"
#include "darp/data/ingest/robomimic.h"
#include "tests/error_of.h"
#include "tests/random_dataset.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(DARP_SOURCE_DIR) / "tests/fixtures/hdf5";

Dataset read(const fs::path& path, const ReadSettings& settings = {}) {
  return read_dataset(path, settings).dataset;
}

/// The generator's formula.
float value(int64_t k) {
  return static_cast<float>(k % 97) / 4 - 7;
}

/// Whether the columns hold value(start), value(start + 1), ... row after row.
::testing::AssertionResult counts_up(MatrixView values, int64_t start) {
  for (int64_t i = 0; i < values.rows(); ++i)
    for (int64_t j = 0; j < values.cols(); ++j)
      if (values(i, j) != value(start + i * values.cols() + j))
        return ::testing::AssertionFailure() << "at " << i << ", " << j << ": " << values(i, j);
  return ::testing::AssertionSuccess();
}

MatrixView part(const Dataset& d, int64_t episode, size_t index) {
  return d.episode(episode).observations.cols_between(d.parts()[index].begin, d.parts()[index].end);
}

std::vector<std::string> part_names(const Dataset& d) {
  std::vector<std::string> names;
  for (const ObservationPart& p : d.parts()) names.push_back(p.name);
  return names;
}

TEST(Robomimic, ReadsDefaultKeysInTheirOrderAndEpisodesByNumber) {
  const Dataset d = read(kFixtures / "robomimic.hdf5");
  EXPECT_EQ(part_names(d), (std::vector<std::string>{"robot0_eef_pos", "robot0_eef_quat",
                                                     "robot0_gripper_qpos", "object"}));
  ASSERT_EQ(d.episodes(), 3);
  const int64_t numbers[] = {0, 2, 10}, lengths[] = {2, 3, 5};
  for (int64_t e = 0; e < 3; ++e) {
    EXPECT_EQ(d.episode_name(e), fmt::format("demo_{}", numbers[e]));
    ASSERT_EQ(d.episode(e).steps(), lengths[e]);
    EXPECT_TRUE(counts_up(d.episode(e).actions, 1000 * numbers[e]));
    EXPECT_TRUE(counts_up(part(d, e, 3), numbers[e]));          // object
    EXPECT_TRUE(counts_up(part(d, e, 0), 10000 + numbers[e]));  // robot0_eef_pos
    EXPECT_EQ(d.rewards()[d.episode_begin(e)], value(500 * numbers[e]));
  }
  EXPECT_EQ(d.filter("train"), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(d.filter("valid"), (std::vector<int64_t>{1}));
  EXPECT_NE(d.environment().find("Lift"), std::string::npos);
}

TEST(Robomimic, ReadsChosenKeysInTheChosenOrder) {
  ReadSettings settings;
  settings.observation_keys = {"robot0_joint_pos", "object"};
  const Dataset d = read(kFixtures / "robomimic.hdf5", settings);
  EXPECT_EQ(part_names(d), settings.observation_keys);
  EXPECT_TRUE(counts_up(part(d, 1, 0), 40002));
}

TEST(Robomimic, SuggestsTheKeyThatWasMeant) {
  ReadSettings settings;
  settings.observation_keys = {"robot0_ee_pos"};
  EXPECT_NE(error_of([&] {
              read(kFixtures / "robomimic.hdf5", settings);
            }).find("did you mean 'robot0_eef_pos'"),
            std::string::npos);
  settings.observation_keys = {"agentview_image"};
  EXPECT_NE(error_of([&] { read(kFixtures / "robomimic.hdf5", settings); }).find("uint8"),
            std::string::npos);
}

TEST(Robomimic, UnpacksCompressedChunksThatCutRowsAndColumns) {
  const Dataset d = read(kFixtures / "robomimic_packed.hdf5");
  EXPECT_EQ(part_names(d), (std::vector<std::string>{"joints", "tool"}));
  ASSERT_EQ(d.steps(), 100);
  for (int64_t e = 0; e < 2; ++e) {
    EXPECT_TRUE(counts_up(part(d, e, 0), e));
    EXPECT_TRUE(counts_up(part(d, e, 1), 10000 + e));
    EXPECT_TRUE(counts_up(d.episode(e).actions, 1000 * e));
  }
}

TEST(Robomimic, ReadsHalfPrecision) {
  EXPECT_TRUE(counts_up(read(kFixtures / "robomimic_half.hdf5").observations(), 0));
}

TEST(Robomimic, RoundTripsKeepEveryBit) {
  const fs::path path = fs::path(::testing::TempDir()) / "round_trip.hdf5";
  for (uint64_t seed = 0; seed < 30; ++seed) {
    RandomDatasetShape shape{.episodes = 1 + static_cast<int64_t>(seed % 7),
                             .longest = 1 + static_cast<int64_t>(seed * 3 % 40),
                             .rewards = seed % 2 == 0};
    if (seed % 3 == 0) shape.parts = {{"z_last", 16}, {"a/nested", 1}, {"object", 17}};
    DatasetContents contents = random_contents(seed, shape);
    if (seed % 4 == 0) contents.filters = {{"train", {0}}, {"none", {}}};
    if (seed % 5 == 0) contents.environment = "{\"env_name\": \"Caf\u00e9\"}";
    const Dataset written(std::move(contents));
    write_robomimic(written, path);
    const Dataset back = read(path);
    ASSERT_TRUE(identical(written, back)) << seed;
  }
}

TEST(Robomimic, WritesTheSameBytesForTheSameDataset) {
  const auto bytes = [](const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
  };
  const fs::path a = fs::path(::testing::TempDir()) / "a.hdf5",
                 b = fs::path(::testing::TempDir()) / "b.hdf5";
  write_robomimic(random_dataset(3), a);
  write_robomimic(random_dataset(3), b);
  EXPECT_EQ(bytes(a), bytes(b));
  EXPECT_FALSE(bytes(a).empty());
}

TEST(Robomimic, RenamesEpisodesThatItCannotName) {
  DatasetContents contents = random_contents(3);
  contents.episode_names = {"episode_5", "x", "demo_1"};
  const fs::path path = fs::path(::testing::TempDir()) / "names.hdf5";
  write_robomimic(Dataset(std::move(contents)), path);
  EXPECT_EQ(read(path).episode_name(0), "demo_0");
}

TEST(D4rl, EndsEpisodesAtTerminalsAndTimeoutsAndDropsTheUnfinished) {
  const Dataset d = read(kFixtures / "d4rl.hdf5");
  EXPECT_EQ(d.episode_ends(), (std::vector<int64_t>{10, 20}));
  EXPECT_TRUE(counts_up(d.observations(), 0));
  EXPECT_TRUE(counts_up(d.actions(), 50));
  EXPECT_EQ(d.rewards()[3], value(10));
  ASSERT_EQ(d.notes().size(), 1u);
  EXPECT_NE(d.notes()[0].find("left out 10 rows"), std::string::npos);
}

TEST(D4rl, KeepsTheUnfinishedEpisodeWhenAsked) {
  ReadSettings settings;
  settings.keep_unfinished = true;
  EXPECT_EQ(read(kFixtures / "d4rl.hdf5", settings).episode_ends(),
            (std::vector<int64_t>{10, 20, 30}));
}

TEST(D4rl, WithoutTimeoutsEpisodesEndAtTheStepLimit) {
  ReadSettings settings;
  settings.max_episode_steps = 8;
  const Dataset d = read(kFixtures / "d4rl_columns.hdf5", settings);
  EXPECT_EQ(d.episode_ends(), (std::vector<int64_t>{8, 10, 18, 26}));
  EXPECT_EQ(d.rewards()[25], value(32));
}

TEST(D4rl, PutsInfosInFrontOfTheObservationWhenAsked) {
  ReadSettings settings;
  settings.observation_keys = {"infos/goal", "observation"};
  const Dataset d = read(kFixtures / "d4rl.hdf5", settings);
  EXPECT_EQ(d.observation_dim(), 6);
  EXPECT_TRUE(counts_up(d.observations().cols_between(0, 2), 300));
  EXPECT_TRUE(counts_up(d.observations().cols_between(2, 6), 0));
}

TEST(Minari, LeavesOutTheLastObservation) {
  const Dataset d = read(kFixtures / "minari_box");
  ASSERT_EQ(d.episodes(), 3);
  const int64_t numbers[] = {0, 1, 10}, lengths[] = {3, 4, 2};
  for (int64_t e = 0; e < 3; ++e) {
    ASSERT_EQ(d.episode(e).steps(), lengths[e]);
    EXPECT_EQ(d.episode_name(e), fmt::format("episode_{}", numbers[e]));
    EXPECT_TRUE(counts_up(d.episode(e).observations, 10 * numbers[e]));
    EXPECT_TRUE(counts_up(d.episode(e).actions, 20));
  }
  EXPECT_NE(d.environment().find("Walk-v4"), std::string::npos);
}

TEST(Minari, FlattensDictionariesAndTuples) {
  const Dataset d = read(kFixtures / "minari_dict" / "data");
  EXPECT_EQ(part_names(d), (std::vector<std::string>{"achieved_goal", "pose/position"}));
  EXPECT_EQ(d.action_dim(), 3);
  EXPECT_TRUE(counts_up(part(d, 2, 1), 110));
  EXPECT_TRUE(counts_up(d.episode(1).actions.cols_between(1, 3), 30));
  ReadSettings settings;
  settings.observation_keys = {"pose/position"};
  EXPECT_EQ(read(kFixtures / "minari_dict", settings).observation_dim(), 3);
}

TEST(Hdf5, RefusesWhatItMustWithPlaceAndRemedy) {
  const std::pair<const char*, const char*> d4rl[] = {
      {"lzf", "filter 32000"},
      {"integers", "/actions: holds int64 entries"},
      {"text", "/actions: holds text entries"},
      {"short_actions", "/actions: has 3 rows where 4 are expected"},
      {"nan", "episode demo_0, step 2: action[0] is nan"},
      {"overflow", "step 1: action[0] is inf"},
      {"never_written", "bytes but stores only 0"},
      {"no_flags", "neither terminals nor timeouts"},
      {"no_end", "marks no episode's end in 4 rows"},
      {"virtual", "virtual dataset"},
      {"external_storage", "keeps its data in another file"}};
  for (const auto& [name, text] : d4rl) {
    const std::string message =
        error_of([&, file = name] { read(kFixtures / "refused" / fmt::format("{}.hdf5", file)); });
    EXPECT_NE(message.find(text), std::string::npos) << name << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  const std::pair<const char*, const char*> robomimic[] = {
      {"ragged_width", "/data/demo_1/obs/state: is 3 wide where 2 is expected"},
      {"ragged_length", "/data/demo_1/obs/state: has 2 rows where 3"},
      {"empty_episode", "empty episode 'demo_1'"},
      {"mask_of_nothing", "'demo_7' that does not exist"},
      {"no_obs", "/data/demo_0: has no group obs"}};
  for (const auto& [name, text] : robomimic) {
    const std::string message =
        error_of([&, file = name] { read(kFixtures / "refused" / fmt::format("{}.hdf5", file)); });
    EXPECT_NE(message.find(text), std::string::npos) << name << ": " << message;
  }
}

TEST(Hdf5, SaysSoWhenAFileIsNotHdf5) {
  const fs::path path = fs::path(::testing::TempDir()) / "not.hdf5";
  std::ofstream(path) << "\x89HDF\r\n\x1a\nhello";
  EXPECT_NE(error_of([&] { read(path); }).find("cannot be opened as HDF5"), std::string::npos);
}

}  // namespace
}  // namespace darp
