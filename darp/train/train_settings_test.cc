#include "darp/train/train_settings.h"

#include <gtest/gtest.h>

#include "darp/core/file.h"
#include "tests/error_of.h"

namespace darp {
namespace {

TrainSettings read(std::string_view yaml) {
  TrainSettings settings;
  read_yaml(yaml, "test.yaml", settings);
  return settings;
}

TEST(TrainSettings, ReadBackAsTheyWereWritten) {
  TrainSettings settings;
  settings.epochs = 7;
  settings.batch = 100;
  settings.seed = 12;
  settings.optimizer = {.learning_rate = 3e-4,
                        .weight_decay = 0.1,
                        .beta1 = 0.95,
                        .beta2 = 0.99,
                        .epsilon = 1e-7,
                        .clip = 0};
  settings.schedule = {.kind = ScheduleSettings::Kind::kPlateau,
                       .warmup = 500,
                       .final_rate = 0.1,
                       .factor = 0.3,
                       .patience = 2};
  settings.ema = 0.999;
  settings.ema_power = 0.75;
  settings.query_noise = 0.05;
  settings.smoothness.weight = 0.25;
  settings.smoothness.kernel = GraphKernel::kExponential;
  settings.smoothness.bandwidth = 0.5;
  settings.smoothness.retrieval.k = 7;
  settings.validation = {.fraction = 0.2, .filter = "valid", .patience = 9};
  settings.stop_above = 5;
  settings.engine = TrainSettings::Engine::kGraph;
  settings.precision = TrainSettings::Precision::kBfloat16;
  EXPECT_EQ(read(write_yaml(settings)), settings);
  EXPECT_EQ(read(""), TrainSettings());
}

TEST(TrainSettings, RefuseNumbersThatCannotTrain) {
  for (const std::string_view yaml :
       {"epochs: -1", "batch: 0", "seed: -1", "optimizer: {learning_rate: -1}",
        "optimizer: {beta1: 1}", "optimizer: {beta2: 1}", "optimizer: {epsilon: 0}",
        "optimizer: {clip: -1}", "ema: 1", "ema_power: -1", "query_noise: -0.1",
        "validation: {fraction: 1}", "schedule: {patience: 0}", "schedule: {final_rate: 2}",
        "engine: fast"})
    EXPECT_SAYS(error_of([&] { read(yaml); }), "test.yaml") << yaml;
}

TEST(TrainSettings, SayWhatToSetWhenTheyContradictEachOther) {
  EXPECT_EQ(error_of([] { TrainSettings().check(); }), "no error");

  TrainSettings both;
  both.validation = {.fraction = 0.1, .filter = "valid", .patience = 0};
  EXPECT_SAYS(error_of([&] { both.check(); }), "set validation.fraction to 0");

  TrainSettings plateau;
  plateau.schedule.kind = ScheduleSettings::Kind::kPlateau;
  EXPECT_SAYS(error_of([&] { plateau.check(); }), "schedule.kind");
  plateau.validation.filter = "valid";
  EXPECT_EQ(error_of([&] { plateau.check(); }), "no error");

  TrainSettings patient;
  patient.validation.patience = 3;
  EXPECT_SAYS(error_of([&] { patient.check(); }), "set validation.fraction, for example to 0.1");
  patient.validation.fraction = 0.1;
  EXPECT_EQ(error_of([&] { patient.check(); }), "no error");

  TrainSettings not_averaging;
  not_averaging.ema_power = 0.75;
  EXPECT_SAYS(error_of([&] { not_averaging.check(); }), "set ema, for example to 0.999");
  not_averaging.ema = 0.9;
  EXPECT_EQ(error_of([&] { not_averaging.check(); }), "no error");

  TrainSettings decaying;
  decaying.optimizer.learning_rate = 0.1;
  decaying.optimizer.weight_decay = 10;
  EXPECT_SAYS(error_of([&] { decaying.check(); }), "below 1");
}

TEST(TrainSettings, AreDocumentedAsTheyAre) {
  const MappedFile guide(DARP_SOURCE_DIR "/docs/training.md");
  EXPECT_NE(as_text(guide.bytes()).find(markdown_table(TrainSettings{})), std::string::npos)
      << "put this into docs/training.md:\n"
      << markdown_table(TrainSettings{});
}

}  // namespace
}  // namespace darp
