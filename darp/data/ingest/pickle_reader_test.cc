#include "darp/data/ingest/pickle_reader.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"

namespace darp {
namespace {

std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(DARP_SOURCE_DIR "/tests/fixtures/pickle") / (name + ".pkl");
}

Dataset read_fixture(const std::string& name) {
  return read_pickle(fixture(name), {});
}

/// The message without the folder.
std::string error_of(const std::string& name, const ReadSettings& settings = {}) {
  try {
    read_pickle(MappedFile(fixture(name)).bytes(), "x.pkl", settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// The formulas of tools/make_pickle_fixtures.py.
double observation(int64_t e, int64_t t, int64_t d) {
  return double(e) + double(t) / 4 - double(d) / 2;
}
double action(int64_t e, int64_t t, int64_t d) {
  return -double(e) + double(t) / 2 + double(d) / 4 + 1;
}
double reward(int64_t e, int64_t t) {
  return double(e) - double(t) / 4;
}

void expect_formula_values(const Dataset& dataset) {
  ASSERT_EQ(dataset.episodes(), 2);
  EXPECT_EQ(dataset.parts(), (std::vector<ObservationPart>{{"observation", 0, 3}}));
  ASSERT_EQ(dataset.action_dim(), 2);
  for (int64_t e = 0; e < 2; ++e) {
    const Episode episode = dataset.episode(e);
    EXPECT_EQ(episode.name, fmt::format("demo_{}", e));
    ASSERT_EQ(episode.steps(), 3 + e);
    for (int64_t t = 0; t < episode.steps(); ++t) {
      for (int64_t d = 0; d < 3; ++d) EXPECT_EQ(episode.observations(t, d), observation(e, t, d));
      for (int64_t d = 0; d < 2; ++d) EXPECT_EQ(episode.actions(t, d), action(e, t, d));
    }
  }
}

class PickleFixture : public testing::TestWithParam<std::string> {};

TEST_P(PickleFixture, GivesTheValuesOfTheFormula) {
  expect_formula_values(read_fixture(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    EveryWriter, PickleFixture,
    testing::Values("protocol_0", "protocol_1", "protocol_2", "protocol_3", "protocol_4",
                    "protocol_5", "float64_protocol_0", "float64_protocol_1", "float64_protocol_2",
                    "float64_protocol_3", "float64_protocol_4", "float64_protocol_5", "float16",
                    "big_endian", "big_endian_float64_protocol_5", "fortran", "fortran_protocol_5",
                    "rewards", "rewards_of_one_episode", "numpy2_protocol_2", "numpy2_protocol_4",
                    "numpy2_protocol_5", "python2_protocol_0", "python2_protocol_2",
                    "extra_keys_protocol_0", "extra_keys_protocol_1", "extra_keys_protocol_2",
                    "extra_keys_protocol_3", "extra_keys_protocol_4", "extra_keys_protocol_5"),
    [](const auto& name) { return name.param; });

TEST(PickleReader, KeepsRewardsWhenAllEpisodesHaveThem) {
  const Dataset dataset = read_fixture("rewards");
  ASSERT_EQ(dataset.rewards().size(), 7u);
  for (int64_t row = 0; row < 7; ++row) {
    const int64_t e = dataset.episode_of(row);
    EXPECT_EQ(dataset.rewards()[row], reward(e, row - dataset.episode_begin(e)));
  }
  EXPECT_TRUE(read_fixture("rewards_of_one_episode").rewards().empty());
  EXPECT_TRUE(read_fixture("protocol_4").rewards().empty());
}

TEST(PickleReader, ReadsAnArrayThatEpisodesShare) {
  const Dataset dataset = read_fixture("shared");
  ASSERT_EQ(dataset.episodes(), 2);
  EXPECT_TRUE(same_bits(dataset.episode(0).observations, dataset.episode(1).observations));
  EXPECT_EQ(dataset.episode(1).actions(2, 1), action(1, 2, 1));
}

TEST(PickleReader, RefusesSharingWithoutLimit) {
  const std::string message = error_of("bad_shared_without_limit");
  EXPECT_NE(message.find("more than the file's 1272 bytes"), std::string::npos) << message;
}

TEST(PickleReader, NamesTheSourceInErrorsAndDataset) {
  EXPECT_EQ(read_fixture("protocol_4").source(), fixture("protocol_4").string());
  EXPECT_THROW(read_pickle(fixture("does_not_exist"), ReadSettings{}), Error);
}

struct BadFile {
  std::string name, message;
};

class BadPickle : public testing::TestWithParam<BadFile> {};

TEST_P(BadPickle, IsRefusedWithFileAndPlace) {
  const std::string message = error_of(GetParam().name);
  EXPECT_TRUE(message.starts_with("x.pkl: " + GetParam().message)) << message;
}

INSTANTIATE_TEST_SUITE_P(
    EveryFlaw, BadPickle,
    testing::Values(
        BadFile{"bad_system",
                "byte 30: refuses to load 'posix.system': only lists, dicts, "
                "strings, numbers and numpy arrays are read"},
        BadFile{"bad_eval", "byte 5: refuses to load '__builtin__.eval'"},
        BadFile{"bad_ordered_dict", "byte 41: refuses to load 'collections.OrderedDict'"},
        BadFile{"bad_set", "byte 278: refuses opcode EMPTY_SET (0x8f)"},
        BadFile{"bad_object_array",
                "byte 132: holds an array of Python objects (dtype object); only numbers"},
        BadFile{"bad_structure", "byte 246: has elements of type '=V4'"},
        BadFile{"bad_cycle", "episode 0: is a list, not a dict"},
        BadFile{"bad_root", "is a dict, not a list"}, BadFile{"bad_empty", "holds no episodes"},
        BadFile{"bad_no_actions",
                "episode 1: has no key 'actions'; its keys are: observations, acts"},
        BadFile{"bad_widths", "episode 1: actions: has 5 entries per step, episode 0 has 2"},
        BadFile{"bad_lengths", "episode 1: actions: has 9 steps, observations have 4"},
        BadFile{"bad_rewards_length", "episode 0: rewards: has 9 steps, observations have 3"},
        BadFile{"bad_rank", "episode 0: actions: has 1 dimensions, expected 2"},
        BadFile{"bad_list_of_numbers", "episode 0: actions: is a list, not a numpy array"},
        BadFile{"bad_empty_episode", "episode 1: is empty"},
        BadFile{"bad_no_columns", "episode 0: observations: has rows without entries"},
        BadFile{"bad_integers", "episode 0: actions: holds <i4 elements"}),
    [](const auto& file) { return file.param.name; });

TEST(PickleReader, HasOneObservationPart) {
  ReadSettings settings;
  settings.observation_keys = {"observation"};
  EXPECT_EQ(error_of("protocol_4", settings), "no error");
  settings.observation_keys = {"observation", "images"};
  EXPECT_NE(error_of("protocol_4", settings).find("no observation key 'images'"),
            std::string::npos);
}

}  // namespace
}  // namespace darp
