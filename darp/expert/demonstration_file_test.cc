#include "darp/expert/demonstration_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "darp/core/file.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/env/registry.h"
#include "tests/error_of.h"
#include "tests/stand_in_experts.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

constexpr uint64_t kHopperSeed = kFirstDemonstrationSeed + 5;

/// Three episodes that fall soon.
std::vector<Demonstration> falling_hopper(double noise) {
  const auto environment = make_environment("hopper");
  ConstantExpert expert(0.3f);
  std::vector<Demonstration> all;
  for (uint64_t i = 0; i < 3; ++i) {
    all.push_back(demonstrate(*environment, expert, kHopperSeed + i, noise));
    all.back().record.seconds = -1;
  }
  return all;
}

Provenance hopper_provenance(double noise) {
  Provenance provenance;
  provenance.subject = {"hopper",   {"time_limit=300", "push.body=torso", "push.force=[1,0,0]"},
                        "constant", "abc",
                        noise,      "1.2.3"};
  provenance.choice = {.episodes = 3, .seeds = {kHopperSeed, kHopperSeed + 9}, .min_return = 0.1};
  provenance.tried = 4;
  provenance.command = "darp collect --env hopper";
  return provenance;
}

void write_hopper(const std::filesystem::path& path, const std::vector<Demonstration>& all,
                  StoredStates states = StoredStates::kEvery) {
  DemonstrationWriter writer(path, make_environment("hopper")->info(), states);
  for (const Demonstration& made : all) writer.add(made);
  writer.finish(hopper_provenance(0.1));
}

TEST(DemonstrationFile, GivesBackEveryBit) {
  for (const double noise : {0.0, 0.1}) {
    const auto path = test_folder() / "hopper.hdf5";
    const std::vector<Demonstration> all = falling_hopper(noise);
    write_hopper(path, all);
    const DemonstrationReader reader(path);
    ASSERT_EQ(reader.episodes(), 3);
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(reader.demonstration(i), all[static_cast<size_t>(i)]);
      EXPECT_EQ(reader.record(i), all[static_cast<size_t>(i)].record);
    }
  }
}

TEST(DemonstrationFile, AStoredStateAndTheStoredActionsGiveTheSameObservations) {
  const auto path = test_folder() / "hopper.hdf5";
  write_hopper(path, falling_hopper(0.1));
  const Demonstration stored = DemonstrationReader(path).demonstration(1);
  const auto environment = make_environment("hopper");
  const size_t width = stored.initial_state.size(), from = 7;
  ASSERT_GT(stored.record.length, 12);
  environment->reset(1);
  environment->restore(std::span(stored.states).subspan(from * width, width));
  std::vector<float> seen(11);
  for (size_t t = from; t < stored.rewards.size(); ++t) {
    environment->observe(seen);
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(),
                           stored.observations.begin() + static_cast<int64_t>(11 * t)));
    EXPECT_EQ(environment->step(std::span(stored.executed).subspan(3 * t, 3)).reward,
              stored.rewards[t]);
  }
}

TEST(DemonstrationFile, IsReadAsAnyOther) {
  const auto path = test_folder() / "hopper.hdf5";
  const std::vector<Demonstration> all = falling_hopper(0.1);
  write_hopper(path, all);
  const ReadResult read = read_dataset(path);
  EXPECT_EQ(read.format, "robomimic");
  const Dataset& dataset = read.dataset;
  ASSERT_EQ(dataset.episodes(), 3);
  EXPECT_EQ(dataset.parts(), (std::vector<ObservationPart>{{"flat", 0, 11}}));
  EXPECT_EQ(dataset.action_dim(), 3);
  // What is learned is what the expert wanted.
  EXPECT_EQ(dataset.episode(2).actions.row(1)[0], all[2].actions[3]);
  EXPECT_EQ(dataset.episode(2).observations.row(1)[4], all[2].observations[11 + 4]);
  EXPECT_EQ(dataset.rewards()[0], static_cast<float>(all[0].rewards[0]));
  const auto env_args = nlohmann::json::parse(dataset.environment());
  EXPECT_EQ(env_args["env_name"], "hopper");
  EXPECT_EQ(env_args["type"], 2);
  EXPECT_EQ(env_args["env_kwargs"],
            nlohmann::json::parse(
                R"({"time_limit": 300, "push": {"body": "torso", "force": [1, 0, 0]}})"));
}

TEST(DemonstrationFile, SaysWhereItComesFrom) {
  const auto path = test_folder() / "hopper.hdf5";
  write_hopper(path, falling_hopper(0));
  const auto json = nlohmann::json::parse(DemonstrationReader(path).provenance());
  EXPECT_EQ(json["expert"], "constant");
  EXPECT_EQ(json["network_hash"], "abc");
  EXPECT_EQ(json["min_return"], 0.1);
  EXPECT_EQ(json["success_only"], false);
  EXPECT_EQ(json["seeds"], "1000005..1000014");
  EXPECT_EQ(json["tried"], 4);
  EXPECT_EQ(json["kept"], 3);
  EXPECT_EQ(json["version"], "1.2.3");
  EXPECT_EQ(json["command"], "darp collect --env hopper");
}

TEST(DemonstrationFile, HasTheSameBytesEachTime) {
  const auto folder = test_folder();
  write_hopper(folder / "a.hdf5", falling_hopper(0.1));
  write_hopper(folder / "b.hdf5", falling_hopper(0.1));
  EXPECT_EQ(as_text(MappedFile(folder / "a.hdf5").bytes()),
            as_text(MappedFile(folder / "b.hdf5").bytes()));
}

TEST(DemonstrationFile, IsSmallerWithFirstStatesOnly) {
  const auto folder = test_folder();
  const std::vector<Demonstration> all = falling_hopper(0);
  write_hopper(folder / "every.hdf5", all);
  write_hopper(folder / "first.hdf5", all, StoredStates::kFirst);
  EXPECT_LT(std::filesystem::file_size(folder / "first.hdf5"),
            std::filesystem::file_size(folder / "every.hdf5"));
  const Demonstration stored = DemonstrationReader(folder / "first.hdf5").demonstration(2);
  EXPECT_TRUE(stored.states.empty());
  EXPECT_EQ(stored.initial_state, all[2].initial_state);
}

TEST(DemonstrationFile, LeavesTheOldFileUnlessFinished) {
  const auto path = test_folder() / "hopper.hdf5";
  write_file(path, "old");
  {
    DemonstrationWriter writer(path, make_environment("hopper")->info(), StoredStates::kEvery);
    writer.add(falling_hopper(0)[0]);
  }
  EXPECT_EQ(as_text(MappedFile(path).bytes()), "old");
}

TEST(DemonstrationFile, FilesOfOthersAreErrors) {
  const auto path = test_folder() / "other.hdf5";
  {
    Hdf5Output out(path);
    out.floats("/data/demo_0/actions", std::vector<float>{1, 2});
    out.attribute("/data/demo_0", "seed", 1.5);
    out.finish();
  }
  const DemonstrationReader reader(path);
  EXPECT_SAYS(error_of([&] { reader.record(0); }), "/data/demo_0@seed: is not one number");
  EXPECT_SAYS(error_of([&] { reader.provenance(); }), "has no attribute 'provenance'");
}

}  // namespace
}  // namespace darp
