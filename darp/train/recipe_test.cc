#include "darp/train/recipe.h"

#include <gtest/gtest.h>

namespace darp {
namespace {

TEST(Recipe, IsTheConfigThatStudiesUse) {
  EXPECT_EQ(write_yaml(recipe()),
            write_yaml(read_train_config(DARP_SOURCE_DIR "/configs/recipe/darp.yaml")));
}

TEST(Recipe, IsTheSameForBehaviourCloningInAllThatBothHave) {
  TrainConfig cloning = recipe();
  apply_override("policy.kind=bc", cloning);
  EXPECT_EQ(write_yaml(cloning),
            write_yaml(read_train_config(DARP_SOURCE_DIR "/configs/recipe/bc.yaml")));
  EXPECT_EQ(cloning.train, recipe().train);
  EXPECT_EQ(cloning.policy.members, recipe().policy.members);
}

/// Columns of ones and minus ones times these spreads.
TrainConfig recipe_for(int64_t steps, const std::vector<float>& spreads = {1}) {
  DatasetContents contents;
  contents.observations = Matrix::zeros(steps, std::ssize(spreads));
  for (int64_t i = 0; i < steps; ++i)
    for (size_t j = 0; j < spreads.size(); ++j)
      contents.observations.row(i)[j] = i % 2 == 0 ? spreads[j] : -spreads[j];
  contents.actions = Matrix::zeros(steps, 1);
  contents.episode_ends = {steps};
  TrainConfig config = recipe();
  fit_to(config, Dataset(std::move(contents)));
  return config;
}

TEST(Recipe, AsksForNoMoreNeighborsThanAFifthOfTheSteps) {
  const auto neighbors = [](int64_t steps) { return recipe_for(steps).policy.retrieval()->k; };
  EXPECT_EQ(neighbors(10'000), 200);
  EXPECT_EQ(neighbors(1000), 200);
  EXPECT_EQ(neighbors(100), 20);
  EXPECT_EQ(neighbors(3), 1);
}

TEST(Recipe, FlattensHalfOfTheNumbersAtMost) {
  const auto floor = [](const std::vector<float>& spreads) {
    return recipe_for(10, spreads).policy.observation_floor;
  };
  EXPECT_EQ(floor({1, 5, 0.001f, 0.3f}), 0.02);
  EXPECT_NEAR(floor({1e-4f, 3e-4f, 5e-4f, 0}), 3e-4, 1e-9);  // of what is not constant
  EXPECT_EQ(floor({0, 0}), 0.02);
}

TEST(TrainSettings, CountEpochsByQueriesWhereTheyAreNotGiven) {
  TrainSettings settings = recipe().train;
  EXPECT_EQ(settings.epochs_for(1000), 100);
  EXPECT_EQ(settings.epochs_for(2000), 50);
  EXPECT_EQ(settings.epochs_for(1'000'000), 20);
  settings.epochs = 7;
  EXPECT_EQ(settings.epochs_for(1000), 7);
}

}  // namespace
}  // namespace darp
