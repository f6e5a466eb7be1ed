#include "darp/policy/action_chooser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darp/policy/action_chunks.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

/// Behaviour cloning of one action number, standardised as it is.
PolicyContents one_number(HeadSettings head, ChunkSettings chunk, int64_t members = 1) {
  PolicyContents c;
  c.spec.kind = BcSpec{{{}, MlpSettings::Norm::kNone, 0}, head};
  c.spec.chunk = chunk;
  c.spec.members = members;
  const auto parameters = policy_parameters(c.spec, 1, 1);
  c.members.assign(static_cast<size_t>(members),
                   std::vector<float>(static_cast<size_t>(parameter_count(parameters))));
  return c;
}

TEST(ActionChooser, CarriesOutPartOfAChunkBeforeItAsksAgain) {
  ActionChooser chooser(PolicyArchive(one_number({}, {.length = 3, .execute = 2})));
  std::vector<float> done;
  float action = 0;
  for (int step = 0; step < 5; ++step) {
    EXPECT_EQ(chooser.wants_answers(), step % 2 == 0) << step;
    if (chooser.wants_answers()) {
      for (int64_t j = 0; j < 3; ++j)
        chooser.answers()(0, j) = static_cast<float>(10 * step + static_cast<int>(j));
      ASSERT_TRUE(chooser.choose());
    }
    chooser.next({&action, 1});
    done.push_back(action);
  }
  EXPECT_EQ(done, (std::vector<float>{0, 1, 20, 21, 40}));
  chooser.reset(0);
  EXPECT_TRUE(chooser.wants_answers());
}

TEST(ActionChooser, AveragesMembersAndKeepsLimits) {
  PolicyContents c = one_number({}, {}, 2);
  c.spec.limits.high = {2};
  ActionChooser chooser{PolicyArchive(std::move(c))};
  float action = 0;
  chooser.answers()(0, 0) = 1;
  chooser.answers()(1, 0) = 2;
  ASSERT_TRUE(chooser.choose());
  chooser.next({&action, 1});
  EXPECT_EQ(action, 1.5f);
  chooser.answers()(1, 0) = 9;
  ASSERT_TRUE(chooser.choose());
  chooser.next({&action, 1});
  EXPECT_EQ(action, 2);
}

TEST(ActionChooser, MultipliesActionsInTheirOwnUnitsThenLimitsThem) {
  PolicyContents c = one_number({}, {});
  c.actions = Normalizer({10}, {2});
  c.spec.gain = 0.5;
  c.spec.limits.high = {8};
  ActionChooser chooser{PolicyArchive(std::move(c))};
  const auto acted = [&](float answer) {
    float action = 0;
    chooser.answers()(0, 0) = answer;
    EXPECT_TRUE(chooser.choose());
    chooser.next({&action, 1});
    return action;
  };
  EXPECT_EQ(acted(1), 0.5f * (2 * 1 + 10));
  EXPECT_EQ(acted(-20), 0.5f * (2 * -20 + 10));
  EXPECT_EQ(acted(9), 8);
}

TEST(ActionChooser, RefusesWhatIsNotFiniteAndStaysAsItWas) {
  for (const auto kind : {HeadSettings::Kind::kL2, HeadSettings::Kind::kGaussian}) {
    ActionChooser chooser(PolicyArchive(one_number({.kind = kind}, {})));
    chooser.answers()(0, 0) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(chooser.choose());
    EXPECT_TRUE(chooser.wants_answers());
  }
}

TEST(ActionChooser, DrawsByTheSeedAndTheStepAlone) {
  const PolicyArchive archive(one_number({.kind = HeadSettings::Kind::kGaussian}, {}));
  const auto episode = [&](uint64_t seed) {
    ActionChooser chooser(archive);
    chooser.reset(99);
    chooser.choose();  // what was before does not matter
    chooser.reset(seed);
    std::vector<float> actions(4);
    for (float& action : actions) {
      chooser.choose();
      chooser.next({&action, 1});
    }
    return actions;
  };
  EXPECT_EQ(episode(5), episode(5));
  EXPECT_NE(episode(5), episode(6));
  EXPECT_NE(episode(5)[0], episode(5)[1]);
}

TEST(ActionChunks, StopAtTheEndsOfEpisodes) {
  Matrix rows = Matrix::zeros(5, 1);
  for (int64_t i = 0; i < 5; ++i) rows(i, 0) = static_cast<float>(i);
  const Matrix chunks = action_chunks(rows, {3, 5}, 3);
  const Matrix stacked = stacked_observations(rows, {3, 5}, 2);
  const auto row = [](const Matrix& m, int64_t i) {
    return std::vector<float>(m.row(i).begin(), m.row(i).end());
  };
  EXPECT_EQ(row(chunks, 0), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(row(chunks, 1), (std::vector<float>{1, 2, 2}));
  EXPECT_EQ(row(chunks, 4), (std::vector<float>{4, 4, 4}));
  EXPECT_EQ(row(stacked, 0), (std::vector<float>{0, 0}));
  EXPECT_EQ(row(stacked, 2), (std::vector<float>{1, 2}));
  EXPECT_EQ(row(stacked, 3), (std::vector<float>{3, 3}));
}

}  // namespace
}  // namespace darp
