#include "darp/data/dataset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "darp/data/summary.h"
#include "tests/random_dataset.h"

namespace darp {
namespace {

/// The message of the Error that `change` to valid contents provokes.
std::string error_after(const std::function<void(DatasetContents&)>& change) {
  DatasetContents contents = random_contents(1, {.episodes = 4, .rewards = true});
  contents.source = "demos.hdf5";
  change(contents);
  try {
    Dataset dataset(std::move(contents));
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

#define EXPECT_ERROR(text, ...) \
  EXPECT_NE(error_after(__VA_ARGS__).find(text), std::string::npos) << error_after(__VA_ARGS__)

TEST(Dataset, KnowsItsEpisodes) {
  const Dataset d = random_dataset(5, {.episodes = 7});
  int64_t rows = 0;
  for (int64_t i = 0; i < d.episodes(); ++i) {
    const Episode e = d.episode(i);
    EXPECT_EQ(e.first_row, rows);
    EXPECT_EQ(e.name, fmt::format("demo_{}", i));
    for (int64_t t = 0; t < e.steps(); ++t) {
      EXPECT_EQ(d.episode_of(rows + t), i);
      EXPECT_EQ(e.observations(t, 0), d.observations()(rows + t, 0));
      EXPECT_EQ(e.actions(t, 1), d.actions()(rows + t, 1));
    }
    rows += e.steps();
  }
  EXPECT_EQ(rows, d.steps());
}

TEST(Dataset, NamesColumnsByPart) {
  const Dataset d = random_dataset(5, {.parts = {{"pos", 3}, {"quat", 4}}});
  EXPECT_EQ(d.column_name(2), "pos[2]");
  EXPECT_EQ(d.column_name(3), "quat[0]");
}

TEST(Dataset, RefusesEveryInconsistencyWithOneClearLine) {
  EXPECT_ERROR("holds no demonstrations",
               [](auto& c) { c.episode_ends.clear(), c.episode_names.clear(); });
  EXPECT_ERROR("observations without entries", [](auto& c) {
    c.observations = Matrix::zeros(c.observations.rows(), 0), c.parts.clear();
  });
  EXPECT_ERROR("actions without entries",
               [](auto& c) { c.actions = Matrix::zeros(c.actions.rows(), 0); });
  EXPECT_ERROR("observations but",
               [](auto& c) { c.actions = Matrix::zeros(c.actions.rows() + 1, 2); });
  EXPECT_ERROR("rewards", [](auto& c) { c.rewards.pop_back(); });
  EXPECT_ERROR("episode names", [](auto& c) { c.episode_names = {"a"}; });
  EXPECT_ERROR("two of the episodes called 'b'", [](auto& c) {
    c.episode_names = {"a", "b", "c", "b"};
  });
  EXPECT_ERROR("without a name", [](auto& c) { c.episode_names = {"a", "", "c", "d"}; });
  EXPECT_ERROR("two of the observation parts called 'x'", [](auto& c) {
    c.parts = {{"x", 0, 2}, {"x", 2, 5}};
  });
  EXPECT_ERROR("names 4 of 5 observation columns", [](auto& c) { c.parts = {{"x", 0, 4}}; });
  EXPECT_ERROR("where column 2 comes next", [](auto& c) { c.parts = {{"x", 0, 2}, {"y", 3, 5}}; });
  EXPECT_ERROR("empty episode 'demo_1'", [](auto& c) { c.episode_ends[1] = c.episode_ends[0]; });
  EXPECT_ERROR("ending at row", [](auto& c) { c.episode_ends[1] = c.episode_ends[0] - 1; });
  EXPECT_ERROR("rows after the last episode's end", [](auto& c) { c.episode_ends.back() -= 1; });
  EXPECT_ERROR("filter 'train'", [](auto& c) { c.filters["train"] = {0, 9}; });
  EXPECT_ERROR("filter 'train'", [](auto& c) { c.filters["train"] = {2, 1}; });
}

TEST(Dataset, NamesThePlaceOfAValueThatIsNotFinite) {
  EXPECT_ERROR("demos.hdf5: episode demo_0, step 0: observation[3] is nan",
               [](auto& c) { c.observations(0, 3) = NAN; });
  EXPECT_ERROR("episode demo_1, step 0: action[1] is -inf",
               [](auto& c) { c.actions(c.episode_ends[0], 1) = -INFINITY; });
  EXPECT_ERROR("reward is inf", [](auto& c) { c.rewards.back() = INFINITY; });
}

TEST(Dataset, SelectsEpisodesWithTheirNamesAndFilters) {
  DatasetContents contents = random_contents(9, {.episodes = 5, .rewards = true});
  contents.filters = {{"train", {0, 1, 4}}, {"valid", {2}}};
  const Dataset all(std::move(contents));
  const Dataset some = all.select({4, 1});
  ASSERT_EQ(some.episodes(), 2);
  EXPECT_EQ(some.episode_name(0), "demo_4");
  EXPECT_TRUE(same_bits(some.episode(0).observations, all.episode(4).observations));
  EXPECT_TRUE(same_bits(some.episode(1).actions, all.episode(1).actions));
  EXPECT_EQ(some.rewards()[0], all.rewards()[all.episode_begin(4)]);
  EXPECT_EQ(some.filter("train"), (std::vector<int64_t>{0, 1}));
  EXPECT_THROW(some.filter("valid"), Error);
}

TEST(Dataset, SuggestsTheFilterThatWasMeant) {
  DatasetContents contents = random_contents(9, {.episodes = 2});
  contents.filters = {{"train", {0}}, {"valid", {1}}};
  try {
    Dataset(std::move(contents)).filter("trian");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'train'? valid: train, valid"),
              std::string::npos)
        << error.what();
  }
}

TEST(Dataset, HashChangesWithEveryKindOfContent) {
  const auto hash = [](const std::function<void(DatasetContents&)>& change) {
    DatasetContents c = random_contents(4);
    change(c);
    return Dataset(std::move(c)).content_hash();
  };
  const std::string base = hash([](auto&) {});
  EXPECT_EQ(base, hash([](auto& c) { c.source = "elsewhere", c.environment = "{}"; }));
  EXPECT_NE(base, hash([](auto& c) {
              c.observations(0, 0) = std::nextafter(c.observations(0, 0), 9.f);
            }));
  EXPECT_NE(base, hash([](auto& c) { c.actions(0, 0) += 1; }));
  EXPECT_NE(base, hash([](auto& c) { c.parts[0].name = "other"; }));
  EXPECT_NE(base, hash([](auto& c) { c.episode_ends.erase(c.episode_ends.begin()); }));
}

TEST(Split, IsSeededAndByWholeEpisodes) {
  const Dataset d = random_dataset(2, {.episodes = 20});
  const auto [training, validation] = split_episodes(d, 0.25, 7);
  EXPECT_EQ(validation.size(), 5u);
  std::vector<int64_t> both;
  std::merge(training.begin(), training.end(), validation.begin(), validation.end(),
             std::back_inserter(both));
  for (int64_t i = 0; i < 20; ++i) EXPECT_EQ(both[i], i);
  EXPECT_EQ(split_episodes(d, 0.25, 7).second, validation);
  EXPECT_NE(split_episodes(d, 0.25, 8).second, validation);
}

TEST(Split, KeepsAnEpisodeOnEachSide) {
  const Dataset d = random_dataset(2, {.episodes = 2});
  EXPECT_EQ(split_episodes(d, 0.01, 1).second.size(), 1u);
  EXPECT_EQ(split_episodes(d, 0.99, 1).first.size(), 1u);
  EXPECT_THROW(split_episodes(random_dataset(2, {.episodes = 1}), 0.5, 1), Error);
  for (const double fraction : {0.0, 1.0, -1.0, double{NAN}})
    EXPECT_THROW(split_episodes(d, fraction, 1), Error);
}

TEST(Summary, CountsWhatIsThere) {
  DatasetContents c;
  c.observations = Matrix::zeros(6, 2);
  c.actions = Matrix::zeros(6, 1);
  for (int64_t i = 0; i < 6; ++i) c.observations(i, 0) = static_cast<float>(i % 4);
  c.episode_ends = {1, 3, 6};
  ThreadPool pool(2);
  const DatasetSummary s = summarize(Dataset(std::move(c)), pool);
  EXPECT_EQ(s.duplicate_observations, 2);
  EXPECT_FALSE(s.observations[0].constant());
  EXPECT_TRUE(s.observations[1].constant());
  EXPECT_EQ(s.shortest_episode, 1);
  EXPECT_EQ(s.longest_episode, 3);
  EXPECT_EQ(s.median_episode, 2);
  EXPECT_EQ(s.mean_episode, 2);
}

TEST(Summary, DoesNotDependOnTheNumberOfThreads) {
  const Dataset d = random_dataset(11, {.episodes = 30});
  ThreadPool one(1), many(4);
  const DatasetSummary a = summarize(d, one), b = summarize(d, many);
  EXPECT_EQ(a.hash, b.hash);
  for (size_t j = 0; j < a.observations.size(); ++j)
    EXPECT_EQ(a.observations[j].mean, b.observations[j].mean);
}

}  // namespace
}  // namespace darp
