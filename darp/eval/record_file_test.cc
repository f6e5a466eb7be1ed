#include "darp/eval/record_file.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "darp/core/rng.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

EvaluationSubject hopper_subject() {
  return {"hopper",       "time_limit: 0\n",    "p.darp", "abc",
          "runtime fp32", SeedPurpose::kReport, {0, 9}};
}

EpisodeRecord some_record(uint64_t seed) {
  Rng rng(seed);
  EpisodeRecord record;
  record.seed = seed;
  record.episode_return = rng.normal() * 1e3;
  record.length = static_cast<int64_t>(rng.below(1000));
  record.success = rng.below(2) == 0;
  record.end = static_cast<EpisodeEnd>(1 + rng.below(kEpisodeEnds - 1));
  if (record.end == EpisodeEnd::kPolicyFailed) record.problem = "step: \"why\"\nnobody knows";
  record.worst_novelty = static_cast<float>(rng.uniform(-1, 3));
  return record;
}

std::string text_of(const std::filesystem::path& path) {
  return std::string(as_text(MappedFile(path).bytes()));
}

class RecordFiles : public ::testing::Test {
 protected:
  const std::filesystem::path path_ = test_folder() / "episodes.jsonl";
};

TEST_F(RecordFiles, GivesBackEveryBit) {
  {
    RecordFile file(path_, hopper_subject());
    EXPECT_TRUE(file.records().empty());
    for (uint64_t seed = 0; seed < 10; ++seed) file.append(some_record(seed));
  }
  RecordFile again(path_, hopper_subject());
  ASSERT_EQ(again.records().size(), 10u);
  for (uint64_t seed = 0; seed < 10; ++seed) EXPECT_EQ(again.records()[seed], some_record(seed));
}

TEST_F(RecordFiles, TheSameEpisodesInAnyOrderMakeTheSameFile) {
  {
    RecordFile file(path_, hopper_subject());
    for (uint64_t seed : {3, 1, 2}) file.append(some_record(seed));
    file.finish();
  }
  const std::string once = text_of(path_);
  std::filesystem::remove(path_);
  { RecordFile(path_, hopper_subject()).append(some_record(2)); }  // interrupted
  RecordFile file(path_, hopper_subject());
  for (uint64_t seed : {1, 3}) file.append(some_record(seed));
  file.finish();
  EXPECT_EQ(text_of(path_), once);
}

TEST_F(RecordFiles, GoesOnAfterATornLineWhereverItTore) {
  {
    RecordFile file(path_, hopper_subject());
    for (uint64_t seed = 0; seed < 3; ++seed) file.append(some_record(seed));
  }
  const std::string whole = text_of(path_);
  for (size_t length = 0; length <= whole.size(); ++length) {
    write_file(path_, whole.substr(0, length));
    RecordFile file(path_, hopper_subject());
    const size_t kept = file.records().size();
    EXPECT_LE(kept, 3u);
    for (uint64_t seed = kept; seed < 3; ++seed) file.append(some_record(seed));
    EXPECT_EQ(text_of(path_), whole) << length;
  }
}

TEST_F(RecordFiles, RefusesAnotherEvaluationsFile) {
  { RecordFile(path_, hopper_subject()).append(some_record(0)); }
  EvaluationSubject other = hopper_subject();
  other.policy_hash = "def";
  EXPECT_SAYS(error_of([&] { RecordFile(path_, other); }), "give another file");
  other = hopper_subject(), other.seeds = {0, 10};
  EXPECT_SAYS(error_of([&] { RecordFile(path_, other); }), "give another file");
  write_file(path_, "notes of mine");
  EXPECT_SAYS(error_of([&] { RecordFile(path_, hopper_subject()); }), "give another file");
  EXPECT_EQ(text_of(path_), "notes of mine") << "nobody's file is overwritten";
}

TEST_F(RecordFiles, EveryChangedByteIsAnErrorOrAnotherRecord) {
  {
    RecordFile file(path_, hopper_subject());
    for (uint64_t seed = 0; seed < 2; ++seed) file.append(some_record(seed));
  }
  const std::string whole = text_of(path_);
  int64_t errors = 0;
  for (size_t i = 0; i < whole.size(); ++i)
    for (const char byte : {'\0', '\n', '"', '{', '9', '-', '\xff'}) {
      std::string changed = whole;
      changed[i] = byte;
      write_file(path_, changed);
      errors += error_of([&] { RecordFile(path_, hopper_subject()); }) != "no error";
    }
  EXPECT_GT(errors, 100);
}

TEST_F(RecordFiles, RefusesSeedsThatDoNotBelong) {
  {
    RecordFile file(path_, hopper_subject());
    file.append(some_record(4));
    file.append(some_record(4));
  }
  EXPECT_SAYS(error_of([&] { RecordFile(path_, hopper_subject()); }),
              "seed 4 does not belong there");
  std::filesystem::remove(path_);
  { RecordFile(path_, hopper_subject()).append(some_record(10)); }
  EXPECT_SAYS(error_of([&] { RecordFile(path_, hopper_subject()); }),
              "seed 10 does not belong there");
}

}  // namespace
}  // namespace darp
