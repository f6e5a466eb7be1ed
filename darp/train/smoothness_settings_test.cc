#include "darp/train/smoothness_settings.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "darp/policy/policy_archive.h"
#include "darp/train/trainer.h"
#include "tests/error_of.h"
#include "tests/random_dataset.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

TrainConfig small_cloning() {
  TrainConfig config;
  BcSpec cloning;
  cloning.network.hidden = {12, 8};
  config.policy.kind = cloning;
  config.policy.members = 2;
  config.train.epochs = 4;
  config.train.batch = 8;
  config.train.query_noise = 0.1;
  return config;
}

Dataset smooth_demonstrations() {
  Rng rng(5);
  DatasetContents contents;
  contents.observations = Matrix::zeros(60, 3);
  contents.actions = Matrix::zeros(60, 2);
  contents.episode_ends = {20, 45, 60};
  for (int64_t i = 0; i < 60; ++i) {
    for (float& x : contents.observations.row(i)) x = static_cast<float>(rng.normal());
    for (float& x : contents.actions.row(i)) x = static_cast<float>(rng.normal());
  }
  return Dataset(std::move(contents));
}

std::vector<std::vector<float>> trained(const TrainConfig& config, const std::string& name) {
  TrainerOptions options;
  options.out = test_folder() / name;
  options.threads = 1;
  const TrainOutcome outcome = train(config, smooth_demonstrations(), options);
  EXPECT_TRUE(outcome.finished);
  return PolicyArchive::read(outcome.policy).members();
}

TEST(Smoothness, OfWeightZeroIsBehaviorCloningToTheBit) {
  const TrainConfig plain = small_cloning();
  TrainConfig zero = plain;
  zero.train.smoothness.kernel = GraphKernel::kUniform;
  zero.train.smoothness.retrieval.k = 3;
  const auto expected = trained(plain, "plain");
  EXPECT_EQ(trained(zero, "zero"), expected);
  zero.train.smoothness.weight = 1;
  EXPECT_NE(trained(zero, "one"), expected);
}

TEST(Smoothness, BringsItsSettingsAlongWithItsWeight) {
  SmoothnessSettings settings;
  EXPECT_EQ(write_yaml(settings).find("kernel:"), std::string::npos);
  read_yaml("{retrieval: {k: 3}, kernel: uniform, weight: 0.1}", "test.yaml", settings);
  EXPECT_EQ(settings.retrieval.k, 3);
  SmoothnessSettings again;
  read_yaml(write_yaml(settings), "test.yaml", again);
  EXPECT_EQ(again, settings);
  EXPECT_SAYS(error_of([] {
                SmoothnessSettings without;
                read_yaml("kernel: uniform", "test.yaml", without);
              }),
              "kernel");
}

TEST(Smoothness, IsForBehaviorCloningWithOneAnswer) {
  TrainConfig config = small_cloning();
  config.train.smoothness.weight = 0.1;
  EXPECT_EQ(error_of([&] { config.train.check(config.policy); }), "no error");
  std::get<BcSpec>(config.policy.kind).head.kind = HeadSettings::Kind::kGmm;
  EXPECT_SAYS(error_of([&] { config.train.check(config.policy); }), "set policy.head.kind to l2");
  config.policy.kind.emplace<DarpSpec>();
  EXPECT_SAYS(error_of([&] { config.train.check(config.policy); }), "set policy.kind to bc");
  config.train.smoothness.weight = 0;
  EXPECT_EQ(error_of([&] { config.train.check(config.policy); }), "no error");
}

TEST(Smoothness, IsDocumentedAsItIs) {
  const MappedFile guide(DARP_SOURCE_DIR "/docs/training.md");
  SmoothnessSettings wanted;
  wanted.weight = 1;
  const std::string all = markdown_table(wanted);
  // The weight is in the table of all settings, retrieval's fields are those of docs/retrieval.md.
  const size_t begin = all.find("| `kernel`"), end = all.find("| `retrieval.k`");
  ASSERT_LT(begin, end);
  const std::string table = all.substr(begin, end - begin);
  EXPECT_NE(as_text(guide.bytes()).find(table), std::string::npos)
      << "put this into docs/training.md:\n"
      << table;
}

}  // namespace
}  // namespace darp
