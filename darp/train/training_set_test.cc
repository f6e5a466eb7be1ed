#include "darp/train/training_set.h"

#include <gtest/gtest.h>

#include "darp/policy/novelty.h"
#include "tests/error_of.h"
#include "tests/random_dataset.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

PolicySpec small_darp() {
  DarpSpec darp;
  darp.retrieval.k = 5;
  PolicySpec spec;
  spec.kind = darp;
  return spec;
}

Dataset tame_dataset(uint64_t seed, int64_t episodes) {
  DatasetContents contents = random_contents(seed, {.episodes = episodes, .longest = 30});
  Rng rng(seed);
  for (int64_t i = 0; i < contents.observations.rows(); ++i)
    for (float& x : contents.observations.row(i)) x = static_cast<float>(rng.normal());
  return Dataset(std::move(contents));
}

TEST(TrainingSet, KeepsValidationEpisodesFromLearningAndRetrieval) {
  const Dataset dataset = tame_dataset(1, 8);
  TrainSettings settings;
  settings.validation.fraction = 0.25;
  TrainingSet set(dataset, small_darp(), settings);
  ThreadPool pool(1);
  set.find_neighbors(test_folder(), pool);
  EXPECT_EQ(set.training_rows() + set.validation_rows(), dataset.steps());
  EXPECT_GT(set.validation_rows(), 0);
  EXPECT_EQ(set.validation().neighbors->queries(), set.validation_rows());
  for (int64_t q = 0; q < set.validation_rows(); ++q)
    for (const int32_t row : set.validation().neighbors->rows(q))
      EXPECT_LT(row, set.training_rows());

  // The policy keeps exactly the rows that were learned from, scaled by them alone.
  const PolicyContents contents = set.contents();
  const Dataset learned =
      dataset.select(split_episodes(dataset, 0.25, static_cast<uint64_t>(settings.seed)).first);
  EXPECT_TRUE(same_bits(contents.demonstrations.observations, learned.observations()));
  EXPECT_EQ(contents.observations,
            Normalizer::fit(NormalizerKind::kStandardSample, learned.observations()));
  EXPECT_EQ(contents.distance_quantiles, distance_quantiles(contents.spec, contents.observations,
                                                            contents.demonstrations, pool));
  EXPECT_GT(contents.distance_quantiles.front(), 0);
}

TEST(TrainingSet, RefusesRowsWithoutNeighbors) {
  // All rows are the same, and rows at distance 0 are left out.
  DatasetContents contents;
  contents.observations = Matrix::zeros(12, 2);
  contents.actions = Matrix::zeros(12, 1);
  contents.episode_ends = {6, 12};
  const Dataset dataset(std::move(contents));
  PolicySpec spec = small_darp();
  std::get<DarpSpec>(spec.kind).retrieval.exclude = RetrievalSettings::Exclude::kZero;
  TrainingSet set(dataset, spec, {});
  ThreadPool pool(1);
  EXPECT_SAYS(error_of([&] { set.find_neighbors(test_folder(), pool); }), "has no neighbours");
}

TEST(TrainingSet, SaysWhatCannotWork) {
  const Dataset dataset = tame_dataset(2, 1);
  TrainSettings settings;
  PolicySpec spec = small_darp();
  std::get<DarpSpec>(spec.kind).retrieval.k = 1000;
  EXPECT_SAYS(error_of([&] { TrainingSet set(dataset, spec, settings); }), "k");
  PolicySpec limited = small_darp();
  limited.limits.high = {1, 2, 3};
  EXPECT_SAYS(error_of([&] { TrainingSet set(dataset, limited, settings); }),
              "limits.high: has 3 numbers for 2 action dimensions");
  settings.validation.fraction = 0.5;
  EXPECT_SAYS(error_of([&] { TrainingSet set(dataset, small_darp(), settings); }), "episode");
  settings.validation.fraction = 0;
  settings.validation.filter = "valid";
  EXPECT_SAYS(error_of([&] { TrainingSet set(dataset, small_darp(), settings); }), "valid");
}

}  // namespace
}  // namespace darp
