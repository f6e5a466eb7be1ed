#include "darp/train/training_set.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(TrainingSet, NumbersThatHardlyMoveAreNotBlownUp) {
  const Dataset dataset = tame_dataset(1, 8);
  PolicySpec spec = small_darp();
  const auto scale = [&] {
    return TrainingSet(dataset, spec, TrainSettings()).contents().observations.scale()[0];
  };
  const float free = scale();
  spec.observation_floor = 2 * double{free};
  EXPECT_EQ(scale(), 2 * free);
  spec.observation_floor = -1;
  EXPECT_SAYS(error_of([&] { scale(); }), "observation_floor: is -1");
}

TEST(TrainingSet, SamplesAreDrawnFromAllThatAreRanked) {
  const Dataset dataset = tame_dataset(2, 8);
  PolicySpec spec = small_darp();
  TrainSettings settings;
  settings.validation.fraction = 0.25;
  ThreadPool pool(1);
  const auto places = [&](int64_t stride, int64_t sample) {
    std::get<DarpSpec>(spec.kind).retrieval.stride = stride;
    settings.neighbor_sample = sample;
    TrainingSet set(dataset, spec, settings);
    set.find_neighbors(test_folder(), pool);
    return std::pair(set.training().neighbors->width(), set.validation().neighbors->width());
  };
  EXPECT_EQ(places(1, 2), std::pair(int64_t{5}, int64_t{5}));
  EXPECT_EQ(places(2, 0), std::pair(int64_t{3}, int64_t{3}));
  // What is validated is the policy as it is used.
  EXPECT_EQ(places(2, 2), std::pair(int64_t{5}, int64_t{3}));
}

TEST(TrainingSet, ValidatesOnTheEndOfASingleEpisode) {
  const Dataset dataset = tame_dataset(4, 1);
  TrainSettings settings;
  settings.validation.fraction = 0.25;
  const int64_t end = std::llround(0.25 * static_cast<double>(dataset.steps()));
  ASSERT_GT(end, 1);
  TrainingSet set(dataset, small_darp(), settings);
  ThreadPool pool(1);
  set.find_neighbors(test_folder(), pool);
  EXPECT_EQ(set.validation_rows(), end);
  EXPECT_EQ(set.training_rows(), dataset.steps() - end);
  // What is held out is neither learned from nor retrieved from.
  EXPECT_TRUE(same_bits(set.contents().demonstrations.observations,
                        dataset.observations().rows_between(0, dataset.steps() - end)));
  const TrainingSplit split = split_for_training(dataset, settings);
  EXPECT_TRUE(same_bits(split.validation->actions(),
                        dataset.actions().rows_between(dataset.steps() - end, dataset.steps())));

  const Dataset one_step = Dataset(random_contents(1, {.episodes = 1, .longest = 1}));
  EXPECT_SAYS(error_of([&] { split_for_training(one_step, settings); }), "1 steps");
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

TEST(TrainingSet, WeighsNeighborsForSmoothnessAndLeavesValidationAlone) {
  const Dataset dataset = tame_dataset(3, 8);
  TrainSettings settings;
  settings.validation.fraction = 0.25;
  settings.smoothness.weight = 0.5;
  settings.smoothness.retrieval.k = 4;
  PolicySpec spec;
  spec.kind = BcSpec{};
  for (const GraphKernel kernel :
       {GraphKernel::kGaussian, GraphKernel::kUniform, GraphKernel::kExponential}) {
    settings.smoothness.kernel = kernel;
    TrainingSet set(dataset, spec, settings);
    ThreadPool pool(1);
    set.find_neighbors(test_folder(), pool);
    const Examples training = set.training();
    EXPECT_EQ(training.neighbors, nullptr);
    EXPECT_EQ(set.validation().smoothness, nullptr);
    ASSERT_NE(training.smoothness, nullptr);
    EXPECT_EQ(training.smoothness->weight, 0.5);
    const NeighborTable& table = *training.smoothness->neighbors;
    ASSERT_EQ(table.queries(), set.training_rows());
    ASSERT_EQ(table.width(), 4);
    const double bandwidth = median_last_distance(table);
    for (int64_t q = 0; q < table.queries(); ++q) {
      double sum = 0;
      for (int64_t i = 0; i < 4; ++i)
        sum += kernel_weight(table.distances(q)[i], kernel, bandwidth);
      for (int64_t i = 0; i < 4; ++i) {
        EXPECT_NE(table.rows(q)[i], q);
        EXPECT_NEAR(training.smoothness->weights[q * 4 + i],
                    kernel_weight(table.distances(q)[i], kernel, bandwidth) / sum, 1e-6);
      }
    }
    // The policy in use is behaviour cloning: it keeps no demonstrations.
    EXPECT_EQ(set.contents().demonstrations.observations.rows(), 0);
  }
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
  settings.validation.filter = "valid";
  EXPECT_SAYS(error_of([&] { TrainingSet set(dataset, small_darp(), settings); }), "valid");
}

}  // namespace
}  // namespace darp
