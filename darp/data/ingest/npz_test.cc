#include "darp/data/ingest/npz.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <functional>

#include "darp/core/rng.h"
#include "darp/data/ingest/npy.h"
#include "tests/error_of.h"

namespace darp {
namespace {

std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(DARP_SOURCE_DIR) / "tests/fixtures/npz" / (name + ".npz");
}

/// The formula of tools/make_npz_fixtures.py.
float value(int64_t k) {
  return static_cast<float>(k * 37 % 101 - 50) / 16;
}

void expect_values(MatrixView values, int64_t first) {
  for (int64_t i = 0; i < values.rows(); ++i)
    for (int64_t j = 0; j < values.cols(); ++j)
      EXPECT_EQ(values(i, j), value(first + i * values.cols() + j)) << i << ", " << j;
}

ReadSettings with_keys(const std::vector<std::string>& keys) {
  ReadSettings settings;
  settings.observation_keys = keys;
  return settings;
}

#define EXPECT_MESSAGE(call, part) \
  EXPECT_NE(error_of([&] { call; }).find(part), std::string::npos) << error_of([&] { call; })

/// Builds NPZ files in memory, array by array.
class Npz {
 public:
  Npz() : writer_([this](Bytes bytes) { bytes_.append(bytes); }) {}

  template <class T>
  Npz& add(const std::string& name, const char* type, const std::vector<uint64_t>& shape,
           const std::vector<T>& values) {
    std::string member = npy_header(parse_element_type(type, name), shape);
    member += as_text(std::as_bytes(std::span(values)));
    writer_.add(name + ".npy", as_byte_span(member));
    return *this;
  }
  Npz& floats(const std::string& name, const std::vector<uint64_t>& shape) {
    size_t size = 1;
    for (const uint64_t n : shape) size *= n;
    std::vector<float> values(size);
    for (size_t k = 0; k < size; ++k) values[k] = value(static_cast<int64_t>(k));
    return add(name, "<f4", shape, values);
  }
  Npz& integers(const std::string& name, const std::vector<int64_t>& values) {
    return add(name, "<i8", {values.size()}, values);
  }
  Dataset read(const ReadSettings& settings = {}) {
    if (!finished_) writer_.finish();
    finished_ = true;
    return read_npz(bytes_.bytes(), "test.npz", settings);
  }

 private:
  ByteWriter bytes_;
  ZipWriter writer_;
  bool finished_ = false;
};

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) /
         fmt::format("npz_test_{}_{}", ::getpid(), name);
}

Dataset random_dataset(Rng& rng) {
  DatasetContents c;
  const int64_t parts = 1 + static_cast<int64_t>(rng.below(3));
  int64_t column = 0;
  for (int64_t p = 0; p < parts; ++p) {
    const int64_t width = 1 + static_cast<int64_t>(rng.below(20));
    c.parts.push_back(
        {p == 0 ? "observation" : fmt::format("part/{}\u00e9", p), column, column + width});
    column += width;
  }
  if (rng.below(3) == 0) c.parts[0].name = "robot0_eef_pos";
  const int64_t episodes = 1 + static_cast<int64_t>(rng.below(6));
  int64_t rows = 0;
  for (int64_t i = 0; i < episodes; ++i)
    c.episode_ends.push_back(rows += 1 + static_cast<int64_t>(rng.below(9)));
  for (int64_t i = 0; i < episodes && parts > 1; ++i)
    c.episode_names.push_back(
        fmt::format("{}-\u20ac\U0001F600{}", std::string(rng.below(9), 'n'), i));
  c.observations = Matrix::zeros(rows, column);
  c.actions = Matrix::zeros(rows, 1 + static_cast<int64_t>(rng.below(9)));
  const auto fill = [&](std::span<float> numbers) {
    for (float& x : numbers) x = static_cast<float>(rng.normal());
  };
  for (int64_t i = 0; i < rows; ++i) fill(c.observations.row(i)), fill(c.actions.row(i));
  c.observations(0, 0) = -0.0f;
  c.actions(0, 0) = 1e-44f;
  if (rng.below(2) == 0) c.rewards.resize(static_cast<size_t>(rows)), fill(c.rewards);
  if (rng.below(2) == 0) c.filters = {{"train", {0}}, {"none", {}}, {"last", {episodes - 1}}};
  if (rng.below(2) == 0) c.environment = "{\"env_name\": \"Lift \u00e9\"}";
  return Dataset(std::move(c));
}

TEST(Npz, KeepsEveryBitInARoundTrip) {
  Rng rng(3);
  const std::filesystem::path path = temporary("round_trip.npz");
  for (int round = 0; round < 40; ++round) {
    const Dataset dataset = random_dataset(rng);
    write_npz(dataset, path);
    ASSERT_TRUE(identical(dataset, read_npz(path))) << round;
  }
  std::filesystem::remove(path);
}

TEST(Npz, WritesTheSameBytesForTheSameDataset) {
  Rng rng(4);
  const Dataset dataset = random_dataset(rng);
  const auto first = temporary("first.npz"), second = temporary("second.npz");
  write_npz(dataset, first);
  write_npz(read_npz(first), second);
  EXPECT_EQ(as_text(MappedFile(first).bytes()), as_text(MappedFile(second).bytes()));
  std::filesystem::remove(first);
  std::filesystem::remove(second);
}

TEST(Npz, LeavesNothingBehindWhenATextCannotBeStored) {
  const auto path = temporary("text.npz");
  for (const std::string& name :
       {std::string("\xff"), std::string("a\0", 2), std::string(65537, 'a')}) {
    DatasetContents c;
    c.observations = Matrix::zeros(1, 1);
    c.actions = Matrix::zeros(1, 1);
    c.episode_ends = {1};
    c.episode_names = {name};
    const Dataset dataset(std::move(c));
    EXPECT_THROW(write_npz(dataset, path), Error);
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(Npz, ReadsWhatNumpyWritesInEveryForm) {
  for (const char* name :
       {"savez", "compressed", "streamed", "fortran", "float64", "float16", "big_endian"}) {
    SCOPED_TRACE(name);
    const Dataset dataset = read_npz(fixture(name));
    ASSERT_EQ(dataset.steps(), 7);
    ASSERT_EQ(dataset.observation_dim(), 3);
    ASSERT_EQ(dataset.action_dim(), 2);
    expect_values(dataset.observations(), 0);
    expect_values(dataset.actions(), 100);
    ASSERT_EQ(dataset.rewards().size(), 7u);
    expect_values({dataset.rewards().data(), 7, 1, 1}, 200);
    EXPECT_EQ(dataset.episode_ends(), (std::vector<int64_t>{4, 7}));
    EXPECT_EQ(dataset.episode_name(1), "demo_1");
    EXPECT_EQ(dataset.parts(), (std::vector<ObservationPart>{{"observation", 0, 3}}));
  }
}

TEST(Npz, EndsEpisodesAtTerminalsAndTimeouts) {
  for (const char* name : {"terminals", "terminals_fortran"}) {
    SCOPED_TRACE(name);
    const Dataset finished = read_npz(fixture(name));
    EXPECT_EQ(finished.episode_ends(), (std::vector<int64_t>{3, 5}));
    expect_values(finished.observations(), 0);
    expect_values(finished.actions(), 100);
    expect_values({finished.rewards().data(), 5, 1, 1}, 200);
    ReadSettings kept;
    kept.keep_unfinished = true;
    const Dataset all = read_npz(fixture(name), kept);
    EXPECT_EQ(all.episode_ends(), (std::vector<int64_t>{3, 5, 7}));
    expect_values(all.observations(), 0);
  }
}

TEST(Npz, ReadsPartsNamesFiltersAndEnvironment) {
  const Dataset dataset = read_npz(fixture("parts"));
  EXPECT_EQ(dataset.parts(),
            (std::vector<ObservationPart>{{"position", 0, 3}, {"pose", 3, 7}, {"gripper", 7, 8}}));
  expect_values(dataset.observations().cols_between(0, 3), 0);
  expect_values(dataset.observations().cols_between(3, 7), 300);
  expect_values(dataset.observations().cols_between(7, 8), 400);
  EXPECT_TRUE(dataset.rewards().empty());
  EXPECT_EQ(dataset.episode_name(1), "gr\u00fcn \U0001F600");
  EXPECT_EQ(dataset.filter("train"), std::vector<int64_t>{0});
  EXPECT_EQ(dataset.filter("valid"), std::vector<int64_t>{1});
  EXPECT_EQ(dataset.environment(), "{\"env_name\": \"Lift\"}");
}

TEST(Npz, SelectsAndOrdersParts) {
  const Dataset dataset = read_npz(fixture("parts"), with_keys({"gripper", "position"}));
  EXPECT_EQ(dataset.parts(), (std::vector<ObservationPart>{{"gripper", 0, 1}, {"position", 1, 4}}));
  expect_values(dataset.observations().cols_between(1, 4), 0);
  EXPECT_MESSAGE(read_npz(fixture("parts"), with_keys({"positoin"})), "did you mean 'position'?");
  EXPECT_EQ(read_npz(fixture("savez"), with_keys({"observation"})).observation_dim(), 3);
}

TEST(Npz, RefusesWhatIsNotPlainNumbers) {
  EXPECT_MESSAGE(read_npz(fixture("objects")), "objects.npz: actions: holds Python objects");
  EXPECT_MESSAGE(read_npz(fixture("structured")), "structures of several fields");
  EXPECT_MESSAGE(read_npz(fixture("images")), "holds |u1 elements in 4 dimensions");
  EXPECT_MESSAGE(read_npz(fixture("images")), "observation_keys");
}

TEST(Npz, NeverGuessesWhereEpisodesEnd) {
  Npz npz;
  npz.floats("observations", {4, 2}).floats("actions", {4, 1});
  EXPECT_MESSAGE(npz.read(), "add episode_ends=np.array([len(observations)])");
}

TEST(Npz, AcceptsOtherCommonNames) {
  for (const char* observations : {"observations", "obs", "states", "state"})
    for (const char* actions : {"actions", "action"}) {
      Npz npz;
      npz.floats(observations, {4, 2})
          .floats(actions, {4})
          .add<uint8_t>("dones", "|b1", {4}, {0, 1, 0, 1});
      EXPECT_EQ(npz.read().episode_ends(), (std::vector<int64_t>{2, 4}));
      EXPECT_EQ(npz.read().action_dim(), 1);
    }
}

TEST(Npz, PrefersTheProperNameAndRefusesToChooseBetweenOthers) {
  Npz proper, unclear, both;
  proper.floats("states", {4, 5}).floats("observations", {4, 2});
  EXPECT_EQ(proper.floats("actions", {4, 1}).integers("episode_ends", {4}).read().observation_dim(),
            2);
  unclear.floats("states", {4, 5}).floats("obs", {4, 2}).floats("actions", {4, 1});
  EXPECT_MESSAGE(unclear.read(), "has both 'obs' and 'states'; call the one that is meant");
  both.floats("observations", {4, 5}).floats("obs/x", {4, 2}).floats("actions", {4, 1});
  EXPECT_MESSAGE(both.read(), "has both 'observations' and 'obs/x'");
}

TEST(Npz, ListsItsArraysWhenOneIsMissing) {
  Npz no_actions, no_observations;
  no_actions.floats("observations", {4, 2}).floats("acts", {4, 2});
  EXPECT_MESSAGE(no_actions.read(), "has no actions; its arrays are: observations, acts");
  EXPECT_MESSAGE(no_observations.floats("actions", {4, 2}).read(), "has no observations");
}

TEST(Npz, NamesBothArraysWhenLengthsDiffer) {
  Npz actions, rewards, flags, parts;
  actions.floats("observations", {4, 2}).floats("actions", {5, 2});
  EXPECT_MESSAGE(actions.read(), "'actions' has 5 rows but 'observations' has 4");
  rewards.floats("obs/a", {4, 2}).floats("actions", {4, 2}).floats("rewards", {3});
  EXPECT_MESSAGE(rewards.read(), "'rewards' has 3 rows but 'obs/a' has 4");
  flags.floats("obs/a", {4, 2}).floats("actions", {4, 2}).integers("terminals", {1});
  EXPECT_MESSAGE(flags.read(), "has 4 rows but 1 end-of-episode flags");
  EXPECT_MESSAGE(parts.floats("obs/a", {4, 2}).floats("obs/b", {3, 2}).read(),
                 "'obs/b' has 3 rows but 'obs/a' has 4");
}

TEST(Npz, RefusesShapesWithoutMeaning) {
  const auto with = [](const std::vector<uint64_t>& observations,
                       const std::vector<uint64_t>& actions, const std::vector<uint64_t>& rewards) {
    Npz npz;
    npz.floats("observations", observations).floats("actions", actions).floats("rewards", rewards);
    return error_of([&] { npz.integers("episode_ends", {2}).read(); });
  };
  EXPECT_EQ(with({2, 3, 2}, {2, 2}, {2, 1}), "no error");
  EXPECT_NE(with({}, {2, 2}, {2}).find("observations: has 0 dimensions"), std::string::npos);
  EXPECT_NE(with({0, 3}, {0, 2}, {0}).find("has no rows"), std::string::npos);
  EXPECT_NE(with({2, 0}, {2, 2}, {2}).find("without entries"), std::string::npos);
  EXPECT_NE(with({2, 3}, {2, 0}, {2}).find("without entries"), std::string::npos);
  EXPECT_NE(with({2, 3}, {2, 2, 2}, {2}).find("actions: has 3 dimensions"), std::string::npos);
  EXPECT_NE(with({2, 3}, {2, 2}, {2, 2}).find("rewards: has 2 entries"), std::string::npos);
  EXPECT_NE(with({2, 84, 84, 3}, {2, 2}, {2}).find("like images"), std::string::npos);
}

TEST(Npz, RefusesEpisodeEndsThatDoNotFit) {
  for (const std::vector<int64_t>& ends :
       {std::vector<int64_t>{}, {0, 4}, {3}, {5}, {2, 2, 4}, {3, 2, 4}, {-1, 4}, {INT64_MIN, 4}}) {
    Npz npz;
    npz.floats("observations", {4, 2}).floats("actions", {4, 2}).integers("episode_ends", ends);
    EXPECT_MESSAGE(npz.read(), "test.npz: episode_ends: ends ");
  }
}

TEST(Npz, RefusesFlagsThatDoNotFit) {
  const auto with = [](const std::vector<float>& flags) {
    Npz npz;
    npz.floats("observations", {4, 2}).floats("actions", {4, 2}).add("timeouts", "<f4", {4}, flags);
    return error_of([&] { npz.read(); });
  };
  EXPECT_EQ(with({0, 0, 0, 1}), "no error");
  EXPECT_NE(with({0, 2, 0, 1}).find("the end-of-episode flag 2 at row 1"), std::string::npos);
  EXPECT_NE(with({0, 0.5f, 0, 1}).find("entry 1 is 0.5"), std::string::npos);
  EXPECT_NE(with({0, 0, 0, 0}).find("marks no episode's end"), std::string::npos);
}

TEST(Npz, RefusesNamesAndFiltersThatDoNotFit) {
  const auto with = [](const std::function<void(Npz&)>& add) {
    Npz npz;
    npz.floats("observations", {4, 2}).floats("actions", {4, 2}).integers("episode_ends", {1, 4});
    add(npz);
    return error_of([&] { npz.read(); });
  };
  using Text = std::vector<char>;
  EXPECT_EQ(with([](Npz& n) { n.add("episode_names", "|S1", {2}, Text{'a', 'b'}); }), "no error");
  const auto expect = [&](const std::string& message, const std::function<void(Npz&)>& add) {
    EXPECT_NE(with(add).find(message), std::string::npos) << with(add);
  };
  expect("1 names for 2", [](Npz& n) { n.add("episode_names", "|S1", {1}, Text{'a'}); });
  expect("two of the episodes called 'a'", [](Npz& n) {
    n.add("episode_names", "|S1", {2}, Text{'a', 'a'});
  });
  expect("text is needed", [](Npz& n) { n.integers("episode_names", {1, 2}); });
  expect("mask/x: names episode 2 of 2", [](Npz& n) { n.integers("mask/x", {0, 2}); });
  expect("mask/x: names episode -1", [](Npz& n) { n.integers("mask/x", {-1}); });
  expect("'b' that does not exist", [](Npz& n) { n.add("mask/x", "|S1", {1}, Text{'b'}); });
  expect("np.flatnonzero", [](Npz& n) { n.add("mask/x", "|b1", {2}, Text{0, 1}); });
  expect("env_args: holds 2 texts", [](Npz& n) { n.add("env_args", "|S1", {2}, Text{'a', 'b'}); });
}

TEST(Npz, NamesFileEpisodeAndStepOfANumberThatIsNone) {
  Npz npz;
  npz.floats("observations", {3, 1}).add<float>("actions", "<f4", {3, 1}, {0, 0, NAN});
  EXPECT_MESSAGE(npz.integers("episode_ends", {1, 3}).read(), "test.npz: episode demo_1, step 1");
}

TEST(Npz, RefusesFilesThatAreNone) {
  EXPECT_MESSAGE(read_npz(temporary("missing.npz")), "cannot be opened");
  EXPECT_MESSAGE(read_npz(Bytes{}, "empty.npz"), "empty.npz: is not a ZIP archive");
  EXPECT_MESSAGE(Npz().read(), "has no observations");
}

}  // namespace
}  // namespace darp
