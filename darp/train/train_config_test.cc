#include "darp/train/train_config.h"

#include <gtest/gtest.h>

namespace darp {
namespace {

/// What records of studies and journals of searches tell trainings apart by.
TEST(TrainConfig, WhatChangesInEveryConfigOfTheTreeLeadsBackToIt) {
  int configs = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(DARP_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++configs;
    const TrainConfig config = read_train_config(entry.path());
    TrainConfig again;
    for (const std::string& change : changed_settings(config)) apply_override(change, again);
    EXPECT_EQ(write_yaml(again), write_yaml(config)) << entry.path();
  }
  EXPECT_GE(configs, 12);
}

TEST(TrainConfig, SettingsOfAnotherKindAreChangesOnlyWhereTheyAreNotUsual) {
  TrainConfig config;
  config.policy.kind = LwrSpec{.fit = LwrSpec::Fit::kLinear, .ridge = 0.5};
  config.train.smoothness.weight = 1;
  EXPECT_EQ(changed_settings(config),
            (std::vector<std::string>{"policy.kind=lwr", "policy.fit=linear", "policy.ridge=0.5",
                                      "train.smoothness.weight=1"}));
}

}  // namespace
}  // namespace darp
