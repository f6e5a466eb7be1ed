#include "darp/expert/collection_journal.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "darp/env/registry.h"
#include "darp/expert/collect_to_file.h"
#include "tests/error_of.h"
#include "tests/stand_in_experts.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

constexpr double kNoise = 0.3;

std::unique_ptr<Environment> ice() {
  return make_environment("dummy");
}

DemonstrationSubject ice_subject() {
  return {"dummy", {}, "puck", "", kNoise, "1"};
}

CollectionJournal ice_journal(const fs::path& out) {
  return {CollectionJournal::path_for(out), ice_subject(), ice()->info()};
}

FilePlan ice_plan(const fs::path& out) {
  FilePlan plan;
  plan.out = out;
  plan.provenance.subject = ice_subject();
  plan.provenance.choice = {.episodes = 8, .seeds = {kFirstDemonstrationSeed, 1'000'099}};
  plan.provenance.choice.min_return = -45;
  plan.provenance.command = "darp collect";
  return plan;
}

Collection collect_ice(const fs::path& out, int threads, const std::atomic<bool>* stop = nullptr) {
  FilePlan plan = ice_plan(out);
  CollectionJournal journal = ice_journal(out);
  ThreadPool pool(threads);
  return collect_to_file(plan, journal, ice, [] { return std::make_unique<PuckExpert>(); }, pool,
                         {.stop = stop});
}

std::string file_text(const fs::path& path) {
  return std::string(as_text(MappedFile(path).bytes()));
}

/// A journal with the first episodes, as an interrupted collection leaves it.
std::string journal_of(const fs::path& out, uint64_t episodes) {
  CollectionJournal journal = ice_journal(out);
  const auto environment = ice();
  PuckExpert expert;
  for (uint64_t i = 0; i < episodes; ++i)
    journal.append(demonstrate(*environment, expert, kFirstDemonstrationSeed + i, kNoise));
  return file_text(CollectionJournal::path_for(out));
}

TEST(CollectToFile, GivesTheSameBytesForAnyNumberOfThreads) {
  const fs::path folder = test_folder();
  std::string first;
  for (const int threads : {1, 2, 4}) {
    const Collection collection = collect_ice(folder / "ice.hdf5", threads);
    EXPECT_EQ(collection.kept.size(), 8u);
    EXPECT_GT(collection.tried.size(), 8u);
    EXPECT_FALSE(fs::exists(folder / "ice.hdf5.partial"));
    if (first.empty()) first = file_text(folder / "ice.hdf5");
    EXPECT_EQ(file_text(folder / "ice.hdf5"), first);
  }
}

TEST(CollectToFile, GivesTheSameBytesWhereverItWasInterrupted) {
  const fs::path folder = test_folder(), out = folder / "ice.hdf5";
  collect_ice(out, 2);
  const std::string whole = file_text(out), journal = journal_of(out, 12);
  Rng rng(1);
  for (int trial = 0; trial < 25; ++trial) {
    fs::remove(out);
    std::string torn = journal.substr(0, rng.below(journal.size() + 1));
    if (trial % 3 == 0 && torn.size() > 300)  // and something flipped, as on a bad disk
      torn[300 + rng.below(torn.size() - 300)] ^= static_cast<char>(1 << rng.below(8));
    write_file(CollectionJournal::path_for(out), torn);
    collect_ice(out, 1 + trial % 2);
    EXPECT_EQ(file_text(out), whole) << "cut at " << torn.size();
    EXPECT_FALSE(fs::exists(CollectionJournal::path_for(out)));
  }
}

TEST(CollectToFile, WritesNothingWhenStopped) {
  const fs::path out = test_folder() / "ice.hdf5";
  write_file(out, "old");
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(collect_ice(out, 2, &stop).complete);
  EXPECT_EQ(file_text(out), "old");
  EXPECT_TRUE(fs::exists(CollectionJournal::path_for(out)));
}

TEST(CollectionJournal, GivesBackEveryBit) {
  const fs::path out = test_folder() / "ice.hdf5";
  journal_of(out, 5);
  const CollectionJournal journal = ice_journal(out);
  ASSERT_EQ(journal.records().size(), 5u);
  const auto environment = ice();
  PuckExpert expert;
  for (const EpisodeRecord& record : journal.records()) {
    Demonstration made = demonstrate(*environment, expert, record.seed, kNoise);
    made.record.seconds = -1;
    EXPECT_EQ(journal.read(record.seed), made);
    EXPECT_EQ(record, made.record);
  }
}

TEST(CollectionJournal, IsForOneSubjectButAnyFilter) {
  const fs::path folder = test_folder(), out = folder / "ice.hdf5";
  journal_of(out, 12);
  for (const auto& change : std::vector<std::function<void(DemonstrationSubject&)>>{
           [](auto& s) { s.noise = 0.31; }, [](auto& s) { s.expert = "rl"; },
           [](auto& s) { s.network_hash = "a"; }, [](auto& s) { s.version = "2"; },
           [](auto& s) { s.environment_settings = {"time_limit=3"}; },
           [](auto& s) { s.environment = "hopper"; }}) {
    DemonstrationSubject other = ice_subject();
    change(other);
    const std::string message = error_of(
        [&] { CollectionJournal(CollectionJournal::path_for(out), other, ice()->info()); });
    EXPECT_SAYS(message, "ice.hdf5.partial: holds episodes of another collection");
  }
  // Twelve are done; without the filter that is more than enough.
  FilePlan plan = ice_plan(out);
  plan.provenance.choice.min_return.reset();
  CollectionJournal journal = ice_journal(out);
  ThreadPool pool(2);
  const ExpertFactory nobody = []() -> std::unique_ptr<Expert> {
    throw Error("expert", "is not needed", "");
  };
  EXPECT_EQ(collect_to_file(plan, journal, ice, nobody, pool).tried.size(), 8u);
}

TEST(CollectionJournal, IsOneCollectionsAtATime) {
  const fs::path out = test_folder() / "ice.hdf5";
  const auto first = ice_journal(out);
  EXPECT_SAYS(error_of([&] { ice_journal(out); }), "is in use: another collection");
}

TEST(CollectionJournal, OtherFilesAreLeftAlone) {
  const fs::path out = test_folder() / "ice.hdf5", path = CollectionJournal::path_for(out);
  write_file(path, "a diary\n");
  EXPECT_SAYS(error_of([&] { ice_journal(out); }), "another collection");
  EXPECT_EQ(file_text(path), "a diary\n");
  EXPECT_SAYS(error_of([&] { ice_journal(test_folder() / "none" / "x.hdf5"); }),
              "check that the folder exists");
}

}  // namespace
}  // namespace darp
