// The front door over every format, and over the paper's own files where they are at hand.

#include "darp/data/ingest/read_dataset.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "tests/error_of.h"
#include "tests/random_dataset.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

const fs::path kFixtures = fs::path(DARP_SOURCE_DIR) / "tests/fixtures";

fs::path temporary(const std::string& name) {
  return fs::path(::testing::TempDir()) / ("read_dataset_" + name);
}

#define EXPECT_ERROR(text, call) \
  EXPECT_NE(error_of([&] { call; }).find(text), std::string::npos) << error_of([&] { call; })

TEST(ReadDataset, RecognisesEveryFormatByContent) {
  const std::pair<const char*, const char*> cases[] = {
      {"hdf5/robomimic.hdf5", "robomimic"},
      {"hdf5/d4rl.hdf5", "d4rl"},
      {"hdf5/minari_box", "minari"},
      {"hdf5/minari_box/data", "minari"},
      {"hdf5/minari_box/data/main_data.hdf5", "minari"},
      {"zarr/pusht.zarr", "zarr"},
      {"npz/savez.npz", "npz"},
      {"pickle/protocol_4.pkl", "pickle"},
      {"pickle/protocol_0.pkl", "pickle"}};
  for (const auto& [file, format] : cases)
    EXPECT_EQ(read_dataset(kFixtures / file).format, format) << file;
}

TEST(ReadDataset, ReadsAZippedZarrLikeItsFolder) {
  EXPECT_TRUE(identical(read_dataset(kFixtures / "zarr/pusht.zarr").dataset,
                        read_dataset(kFixtures / "zarr/pusht.zarr.zip").dataset));
}

TEST(ReadDataset, CutsColumnRangesOutOfParts) {
  ReadSettings settings;
  settings.observation_keys = {"object[2:5]", "robot0_eef_pos", "object[0:1]"};
  const Dataset cut = read_dataset(kFixtures / "hdf5/robomimic.hdf5", settings).dataset;
  settings.observation_keys = {"object", "robot0_eef_pos"};
  const Dataset whole = read_dataset(kFixtures / "hdf5/robomimic.hdf5", settings).dataset;
  EXPECT_EQ(cut.parts(),
            (std::vector<ObservationPart>{
                {"object[2:5]", 0, 3}, {"robot0_eef_pos", 3, 6}, {"object[0:1]", 6, 7}}));
  EXPECT_TRUE(
      same_bits(cut.observations().cols_between(0, 3), whole.observations().cols_between(2, 5)));
  EXPECT_TRUE(
      same_bits(cut.observations().cols_between(6, 7), whole.observations().cols_between(0, 1)));
  EXPECT_TRUE(same_bits(cut.actions(), whole.actions()));
  EXPECT_EQ(cut.filters(), whole.filters());
}

TEST(ReadDataset, RefusesRangesThatMakeNoSense) {
  for (const char* key : {"object[", "object[1]", "object[3:3]", "object[5:2]", "object[-1:2]",
                          "object[a:b]", "[0:2]", "object[0:2]x"}) {
    ReadSettings settings;
    settings.observation_keys = {key};
    EXPECT_ERROR("is not a key", read_dataset(kFixtures / "hdf5/robomimic.hdf5", settings));
  }
  ReadSettings settings;
  settings.observation_keys = {"object[5:11]"};
  EXPECT_ERROR("'object' has 10 columns, not 11",
               read_dataset(kFixtures / "hdf5/robomimic.hdf5", settings));
}

TEST(ReadDataset, KeepsOnlyTheEpisodesOfAFilter) {
  for (const char* file : {"hdf5/robomimic.hdf5", "npz/parts.npz"}) {
    ReadSettings settings;
    settings.filter_key = "valid";
    const Dataset all = read_dataset(kFixtures / file).dataset,
                  some = read_dataset(kFixtures / file, settings).dataset;
    ASSERT_EQ(some.episodes(), 1) << file;
    EXPECT_EQ(some.episode_name(0), all.episode_name(1));
    EXPECT_TRUE(same_bits(some.observations(), all.episode(1).observations));
    settings.filter_key = "vlaid";
    EXPECT_ERROR("did you mean 'valid'?", read_dataset(kFixtures / file, settings));
  }
  ReadSettings settings;
  settings.filter_key = "train";
  EXPECT_ERROR("no filter keys at all", read_dataset(kFixtures / "zarr/pusht.zarr", settings));
}

TEST(ReadDataset, KeepsOnlyTheFirstEpisodes) {
  ReadSettings settings;
  settings.episodes = 1;
  const Dataset all = read_dataset(kFixtures / "hdf5/robomimic.hdf5").dataset,
                one = read_dataset(kFixtures / "hdf5/robomimic.hdf5", settings).dataset;
  ASSERT_GT(all.episodes(), 1);
  ASSERT_EQ(one.episodes(), 1);
  EXPECT_EQ(one.episode_name(0), all.episode_name(0));
  EXPECT_TRUE(same_bits(one.observations(), all.episode(0).observations));
  // Of those that a filter leaves.
  settings.filter_key = "valid";
  EXPECT_EQ(read_dataset(kFixtures / "hdf5/robomimic.hdf5", settings).dataset.episode_name(0),
            all.episode_name(1));
  settings.episodes = 1000;
  EXPECT_ERROR("not 1000", read_dataset(kFixtures / "hdf5/robomimic.hdf5", settings));
}

TEST(ReadDataset, SaysWhatIsWrongWithWhatItCannotRead) {
  const fs::path empty = temporary("empty.hdf5"), text = temporary("text.txt"),
                 parquet = temporary("x.parquet"), lerobot = temporary("lerobot");
  std::ofstream{empty};
  std::ofstream(text) << "hello world";
  std::ofstream(parquet) << "PAR1....";
  fs::create_directories(lerobot / "meta");
  std::ofstream(lerobot / "meta" / "info.json") << "{}";
  EXPECT_ERROR("does not exist", read_dataset("/nonexistent/file.npz"));
  EXPECT_ERROR("is empty", read_dataset(empty));
  EXPECT_ERROR("is of no known format", read_dataset(text));
  EXPECT_ERROR("Arrow library", read_dataset(parquet));
  EXPECT_ERROR("numpy.savez", read_dataset(lerobot));
  EXPECT_ERROR("is a folder, but neither", read_dataset(kFixtures));
  EXPECT_ERROR("neither robomimic", read_dataset(kFixtures / "hdf5/refused/unknown_layout.hdf5"));
  EXPECT_ERROR("neither robomimic", read_dataset(kFixtures / "hdf5/refused/external_link.hdf5"));
}

TEST(WriteDataset, TakesTheFormatFromNameOrOption) {
  const Dataset dataset = random_dataset(1);
  for (const auto& [name, option, format] : {std::tuple{"a.hdf5", "", "robomimic"},
                                             {"a.h5", "", "robomimic"},
                                             {"a.npz", "", "npz"},
                                             {"a.dat", "npz", "npz"},
                                             {"b.npz", "robomimic", "robomimic"}}) {
    write_dataset(dataset, temporary(name), option);
    const ReadResult back = read_dataset(temporary(name));
    EXPECT_EQ(back.format, format);
    EXPECT_TRUE(identical(back.dataset, dataset));
  }
  EXPECT_ERROR("does not tell the format", write_dataset(dataset, temporary("a.dat")));
  EXPECT_ERROR("did you mean 'robomimic'?", write_dataset(dataset, temporary("a.dat"), "robomimc"));
}

TEST(WriteDataset, ConvertsBetweenFormatsWithoutLoss) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    DatasetContents contents = random_contents(
        seed, {.episodes = 4, .parts = {{"b", 3}, {"a", 1}}, .rewards = seed % 2 == 0});
    contents.filters = {{"train", {0, 2}}};
    contents.environment = "{\"env_name\": \"x\"}";
    const Dataset original(std::move(contents));
    write_dataset(original, temporary("1.npz"));
    write_dataset(read_dataset(temporary("1.npz")).dataset, temporary("2.hdf5"));
    write_dataset(read_dataset(temporary("2.hdf5")).dataset, temporary("3.npz"));
    ASSERT_TRUE(identical(read_dataset(temporary("3.npz")).dataset, original)) << seed;
  }
}

TEST(Reference, EveryDemonstrationFileOpens) {
  DARP_REQUIRE_REFERENCE("demos");
  struct Expected {
    const char* file;
    int64_t episodes, steps, observation_dim, action_dim;
  };
  const Expected files[] = {{"ant-expert-v2-clean_2.hdf5", 2, 2000, 27, 8},
                            {"halfcheetah-expert-v2_2.hdf5", 2, 2000, 17, 6},
                            {"hopper-expert-v2_1.hdf5", 1, 1000, 11, 3},
                            {"hopper-expert-v2_1.pkl", 1, 1000, 11, 3},
                            {"maze2d-umaze-v1_1.hdf5", 1, 113, 6, 2},
                            {"maze2d-umaze-v1_1.pkl", 1, 113, 6, 2},
                            {"push_t.hdf5", 206, 25650, 5, 2},
                            {"walker2d-expert-v2_1.hdf5", 1, 1000, 17, 6}};
  for (const Expected& e : files) {
    const Dataset d = read_dataset(reference_dir() / "demos" / e.file).dataset;
    EXPECT_EQ(d.episodes(), e.episodes) << e.file;
    EXPECT_EQ(d.steps(), e.steps) << e.file;
    EXPECT_EQ(d.observation_dim(), e.observation_dim) << e.file;
    EXPECT_EQ(d.action_dim(), e.action_dim) << e.file;
  }
}

TEST(Reference, PicklesConvertToTheBitsOfTheirTwins) {
  DARP_REQUIRE_REFERENCE("demos");
  for (const char* name : {"hopper-expert-v2_1", "maze2d-umaze-v1_1"}) {
    const fs::path demos = reference_dir() / "demos",
                   converted = temporary(std::string(name) + ".hdf5");
    write_dataset(read_dataset(demos / (std::string(name) + ".pkl")).dataset, converted);
    const ReadResult ours = read_dataset(converted);
    const Dataset twin = read_dataset(demos / (std::string(name) + ".hdf5")).dataset;
    EXPECT_EQ(ours.format, "robomimic");
    EXPECT_TRUE(same_bits(ours.dataset.observations(), twin.observations())) << name;
    EXPECT_TRUE(same_bits(ours.dataset.actions(), twin.actions())) << name;
    EXPECT_EQ(ours.dataset.episode_ends(), twin.episode_ends());
    EXPECT_EQ(ours.dataset.content_hash(), twin.content_hash());
  }
}

}  // namespace
}  // namespace darp
