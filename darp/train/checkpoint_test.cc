#include "darp/train/checkpoint.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <functional>

#include "darp/core/rng.h"
#include "darp/data/safetensors.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

constexpr TrainLimits kLimits{
    .parameters = 10, .members = 3, .epochs = 20, .batches = 7, .averages = true};

std::vector<float> random_vector(Rng& rng, size_t size) {
  std::vector<float> numbers(size);
  for (float& number : numbers) number = static_cast<float>(rng.normal());
  return numbers;
}

TrainState random_state(uint64_t seed) {
  Rng rng(seed);
  TrainState state;
  state.member = 2;
  state.epoch = 11;
  state.batch = 3;
  state.step = 80;
  for (auto* numbers : {&state.parameters, &state.first_moments, &state.second_moments,
                        &state.averaged, &state.best})
    *numbers = random_vector(rng, 10);
  state.parameters[3] = -0.0F;
  state.second_moments[4] = 1e-40F;
  state.loss_sum = rng.normal() / 3;
  state.loss_count = 96;
  state.plateau = {.best = rng.normal(), .epochs_since = 4, .factor = 0.125};
  state.best_loss = rng.normal() / 7;
  state.best_epoch = 9;
  state.finished = {random_vector(rng, 10), random_vector(rng, 10)};
  state.metrics_bytes = (int64_t{1} << 53) + 1;  // no double holds it
  state.tensorboard_bytes = 4567;
  state.fingerprint = "train:\n  batch: 32\ndata: abc\n";
  return state;
}

class Checkpoint : public ::testing::Test {
 protected:
  const fs::path folder_ = test_folder();
  const fs::path path_ = folder_ / "checkpoint.safetensors";

  TrainState read(const TrainLimits& limits = kLimits,
                  std::string_view fingerprint = random_state(1).fingerprint) {
    return read_checkpoint(path_, limits, fingerprint);
  }
};

TEST_F(Checkpoint, KeepsEveryBit) {
  const TrainState state = random_state(1);
  write_checkpoint(path_, state);
  const TrainState back = read();
  EXPECT_EQ(back, state);
  EXPECT_EQ(std::bit_cast<uint64_t>(back.loss_sum), std::bit_cast<uint64_t>(state.loss_sum));
  EXPECT_TRUE(std::signbit(back.parameters[3]));
}

TEST_F(Checkpoint, KeepsTheVeryFirstStateWithItsInfinities) {
  TrainState state;
  state.parameters = state.first_moments = state.second_moments = std::vector<float>(10);
  state.fingerprint = random_state(1).fingerprint;
  write_checkpoint(path_, state);
  TrainLimits limits = kLimits;
  limits.averages = false;
  const TrainState back = read(limits);
  EXPECT_EQ(back, state);
  EXPECT_TRUE(std::isinf(back.best_loss) && std::isinf(back.plateau.best));
}

TEST_F(Checkpoint, ReplacesTheOneBefore) {
  write_checkpoint(path_, random_state(1));
  write_checkpoint(path_, random_state(2));
  EXPECT_EQ(read(), random_state(2));
}

TEST_F(Checkpoint, SaysWhatChangedWhenSettingsOrDataAreOthers) {
  write_checkpoint(path_, random_state(1));
  const auto message = [&](std::string_view now) { return error_of([&] { read(kLimits, now); }); };
  EXPECT_SAYS(message("train:\n  batch: 64\ndata: abc\n"), "train.batch was 32, is 64");
  EXPECT_SAYS(message("train:\n  batch: 32\ndata: xyz\n"), "data was abc, is xyz");
  EXPECT_SAYS(message("train:\n  batch: 64\ndata: abc\n"), "choose another --out");
  EXPECT_EQ(message("# other words\ntrain:\n  batch: 32\ndata: abc\n"), "no error");
}

TEST_F(Checkpoint, RefusesWeightsThatAreNotFinite) {
  write_checkpoint(path_, random_state(1));
  TrainState broken = random_state(2);
  broken.parameters[5] = std::nanf("");
  EXPECT_SAYS(error_of([&] { write_checkpoint(path_, broken); }), "parameters");
  EXPECT_EQ(read(), random_state(1));
}

TEST_F(Checkpoint, RefusesNumbersThatDoNotFitTheRun) {
  const std::vector<std::function<void(TrainState&)>> changes = {
      [](TrainState& s) { s.member = 4, s.finished.resize(4, s.best); },
      [](TrainState& s) { s.epoch = 21; },
      [](TrainState& s) { s.epoch = -1; },
      [](TrainState& s) { s.batch = 8; },
      [](TrainState& s) { s.step = 141; },
      [](TrainState& s) { s.step = std::numeric_limits<int64_t>::min(); },
      [](TrainState& s) { s.loss_count = -1; },
      [](TrainState& s) { s.plateau.epochs_since = -1; },
      [](TrainState& s) { s.best_epoch = 20; },
      [](TrainState& s) { s.best_epoch = -2; },
      [](TrainState& s) { s.best_epoch = -1; },  // but there are best weights
      [](TrainState& s) { s.best.clear(); },
      [](TrainState& s) { s.metrics_bytes = -1; },
      [](TrainState& s) { s.tensorboard_bytes = -1; },
      [](TrainState& s) { s.parameters.push_back(1); },
      [](TrainState& s) { s.first_moments.pop_back(); },
      [](TrainState& s) { s.second_moments.clear(); },
      [](TrainState& s) { s.averaged.clear(); },
      [](TrainState& s) { s.finished[1].pop_back(); },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    TrainState state = random_state(1);
    changes[i](state);
    write_checkpoint(path_, state);
    EXPECT_SAYS(error_of([&] { read(); }), path_.string()) << "change " << i;
  }
  write_checkpoint(path_, random_state(1));
  TrainLimits limits = kLimits;
  limits.parameters = 11;
  EXPECT_SAYS(error_of([&] { read(limits); }), "10 numbers where this network has 11");
  limits = kLimits;
  limits.averages = false;
  EXPECT_SAYS(error_of([&] { read(limits); }), "averaged");
}

TEST_F(Checkpoint, RefusesOtherTensorsUnderAValidChecksum) {
  write_checkpoint(path_, random_state(1));
  const SafetensorsFile file = SafetensorsFile::open(path_);
  for (size_t i = 0; i < file.tensors().size(); ++i) {
    // Left out, of another type, of another shape.
    auto missing = file.tensors(), retyped = missing, reshaped = missing;
    missing.erase(missing.begin() + static_cast<ptrdiff_t>(i));
    retyped[i].dtype = retyped[i].dtype == Dtype::kF32 ? Dtype::kI32 : Dtype::kF64;
    reshaped[i].shape = {1, reshaped[i].elements() + 1};
    const std::vector<std::byte> more(reshaped[i].data.size() + dtype_size(reshaped[i].dtype));
    reshaped[i].data = more;
    for (const auto& tensors : {missing, retyped, reshaped}) {
      // Not every integer's bits are a finite double: those are refused when writing.
      if (error_of([&] { write_safetensors(path_, file.metadata(), tensors); }) != "no error")
        continue;
      EXPECT_SAYS(error_of([&] { read(); }), path_.string()) << file.tensors()[i].name;
    }
  }
  auto extra = file.tensors();
  extra.push_back({"surprise", Dtype::kF32, {0}, {}});
  write_safetensors(path_, file.metadata(), extra);
  EXPECT_SAYS(error_of([&] { read(); }), "tensors where");
  auto metadata = file.metadata();
  metadata["darp.kind"] = "policy";
  write_safetensors(path_, metadata, file.tensors());
  EXPECT_SAYS(error_of([&] { read(); }), "is no checkpoint");
}

TEST_F(Checkpoint, NoticesEveryCutAndEveryFlippedByte) {
  write_checkpoint(path_, random_state(1));
  std::string whole;
  {
    const MappedFile file(path_);
    whole = as_text(file.bytes());
  }
  for (size_t size = 0; size < whole.size(); size += 13) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    EXPECT_SAYS(error_of([&] { read(); }), path_.string()) << size;
  }
  for (size_t place = 0; place < whole.size(); place += 7) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    // White space after the header is no content: there a byte may become what reads the same.
    if (whole[place] == ' ') continue;
    std::ofstream(path_, std::ios::binary) << damaged;
    EXPECT_SAYS(error_of([&] { read(); }), path_.string()) << place;
  }
  fs::remove(path_);
  EXPECT_SAYS(error_of([&] { read(); }), "cannot be opened");
}

}  // namespace
}  // namespace darp
