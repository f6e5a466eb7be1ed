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

TEST(Recipe, AsksForNoMoreNeighborsThanAFifthOfTheSteps) {
  const auto neighbors = [](int64_t steps) {
    TrainConfig config = recipe();
    fit_to(config, steps);
    return config.policy.retrieval()->k;
  };
  EXPECT_EQ(neighbors(1'000'000), 200);
  EXPECT_EQ(neighbors(1000), 200);
  EXPECT_EQ(neighbors(100), 20);
  EXPECT_EQ(neighbors(3), 1);
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
