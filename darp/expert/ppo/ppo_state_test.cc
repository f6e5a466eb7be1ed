#include "darp/expert/ppo/ppo_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "darp/core/file.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

constexpr PpoLimits kPpoLimits{
    .parameters = 9, .observations = 4, .environments = 3, .iterations = 50};
constexpr const char* kPrint = "seed: 1\n";

template <class T>
void fill_randomly(std::vector<T>& to, size_t size, Rng& rng) {
  to.resize(size);
  for (T& x : to) x = static_cast<T>(rng.normal());
}

PpoState random_ppo_state(uint64_t seed) {
  Rng rng(seed);
  PpoState state;
  state.iteration = 41, state.gradients = (int64_t{1} << 53) + 1, state.metrics_bytes = 1234;
  state.seconds = rng.uniform() / 3, state.collecting = rng.uniform() / 7;
  state.report = {rng.normal(), rng.normal(), rng.normal(), rng.normal(), rng.normal()};
  state.reports = 17, state.episodes = 5, state.episode_returns = rng.normal();
  for (auto* v :
       {&state.parameters, &state.first_moments, &state.second_moments, &state.best_parameters})
    fill_randomly(*v, 9, rng);
  fill_randomly(state.best_shift, 4, rng);
  fill_randomly(state.best_scale, 4, rng);
  state.parameters[2] = -0.0f, state.parameters[3] = 1e-42f;
  state.best_return = -rng.uniform(), state.best_steps = 99;
  state.observations = RunningMoments(4);
  for (int i = 0; i < 7; ++i) {
    std::vector<double> row;
    fill_randomly(row, 4, rng);
    state.observations.add(std::span<const double>(row));
    state.returns.add(std::span<const double>(row).first(1));
  }
  for (size_t i = 0; i < 3; ++i) {
    ActorState& actor = state.actors.emplace_back();
    fill_randomly(actor.environment, 5 + i, rng);
    actor.discounted = rng.normal(), actor.episode_return = rng.normal();
    actor.episodes = 11 + static_cast<int64_t>(i);
  }
  return state;
}

class PpoStateFile : public ::testing::Test {
 protected:
  const std::filesystem::path path_ = test_folder() / "last.safetensors";

  PpoState read(const PpoLimits& limits = kPpoLimits, std::string_view print = kPrint) {
    return read_ppo_state(path_, limits, print);
  }
  void write(const PpoState& state) { write_ppo_state(path_, state, kPrint); }
  std::string content() { return std::string(as_text(MappedFile(path_).bytes())); }
};

TEST_F(PpoStateFile, KeepsEveryBit) {
  const PpoState state = random_ppo_state(1);
  write(state);
  const std::string first = content();
  const PpoState back = read();
  // Every field goes into the file; what comes back makes the same file.
  write(back);
  EXPECT_EQ(content(), first);
  EXPECT_EQ(back.iteration, 41);
  EXPECT_EQ(back.gradients, state.gradients);
  EXPECT_EQ(back.metrics_bytes, 1234);
  EXPECT_EQ(back.seconds, state.seconds);
  EXPECT_EQ(back.collecting, state.collecting);
  EXPECT_EQ(back.report.policy_loss, state.report.policy_loss);
  EXPECT_EQ(back.report.value_loss, state.report.value_loss);
  EXPECT_EQ(back.report.entropy, state.report.entropy);
  EXPECT_EQ(back.report.divergence, state.report.divergence);
  EXPECT_EQ(back.report.cut, state.report.cut);
  EXPECT_EQ(back.reports, 17);
  EXPECT_EQ(back.episodes, 5);
  EXPECT_EQ(back.episode_returns, state.episode_returns);
  EXPECT_EQ(back.parameters, state.parameters);
  EXPECT_TRUE(std::signbit(back.parameters[2]));
  EXPECT_EQ(back.first_moments, state.first_moments);
  EXPECT_EQ(back.second_moments, state.second_moments);
  EXPECT_EQ(back.best_parameters, state.best_parameters);
  EXPECT_EQ(back.best_shift, state.best_shift);
  EXPECT_EQ(back.best_scale, state.best_scale);
  EXPECT_EQ(back.best_return, state.best_return);
  EXPECT_EQ(back.best_steps, 99);
  EXPECT_EQ(back.observations.count, 7);
  EXPECT_EQ(back.observations.mean, state.observations.mean);
  EXPECT_EQ(back.observations.squares, state.observations.squares);
  EXPECT_EQ(back.returns.mean, state.returns.mean);
  EXPECT_EQ(back.returns.squares, state.returns.squares);
  ASSERT_EQ(back.actors.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(back.actors[i].environment, state.actors[i].environment);
    EXPECT_EQ(back.actors[i].discounted, state.actors[i].discounted);
    EXPECT_EQ(back.actors[i].episode_return, state.actors[i].episode_return);
    EXPECT_EQ(back.actors[i].episodes, state.actors[i].episodes);
  }
}

TEST_F(PpoStateFile, NeedNotHaveABestNetworkYet) {
  PpoState state = random_ppo_state(2);
  state.best_parameters.clear(), state.best_shift.clear(), state.best_scale.clear();
  write(state);
  EXPECT_TRUE(read().best_parameters.empty());
}

TEST_F(PpoStateFile, IsForOneRunOnly) {
  write(random_ppo_state(1));
  EXPECT_SAYS(error_of([&] { read(kPpoLimits, "seed: 2\n"); }), "with other settings");
  EXPECT_SAYS(error_of([&] { read(kPpoLimits, "seed: 2\n"); }), "seed was 1, is 2; resume with");
  PpoLimits limits = kPpoLimits;
  limits.parameters = 10;
  EXPECT_SAYS(error_of([&] { read(limits); }), "'parameters' is not 10 numbers");
  limits = kPpoLimits, limits.observations = 5;
  EXPECT_SAYS(error_of([&] { read(limits); }), "'observation_moments' is not 11 numbers");
  limits = kPpoLimits, limits.environments = 2;
  EXPECT_SAYS(error_of([&] { read(limits); }), "'actors.discounted' is not 2 numbers");
  limits = kPpoLimits, limits.iterations = 40;
  EXPECT_SAYS(error_of([&] { read(limits); }), "has 41 updates, but the run 40");
}

TEST_F(PpoStateFile, RefusesNumbersThatMakeNoSense) {
  const std::vector<std::function<void(PpoState&)>> changes = {
      [](PpoState& s) { s.iteration = -1; },
      [](PpoState& s) { s.gradients = -1; },
      [](PpoState& s) { s.metrics_bytes = -1; },
      [](PpoState& s) { s.best_steps = -1; },
      [](PpoState& s) { s.reports = -1; },
      [](PpoState& s) { s.episodes = -1; },
      [](PpoState& s) { s.actors[1].episodes = -1; },
      [](PpoState& s) { s.observations.count = -1; },
      [](PpoState& s) { s.observations.squares[3] = -1e-9; },
      [](PpoState& s) { s.returns.squares[0] = -1; },
      [](PpoState& s) { s.first_moments.pop_back(); },
      [](PpoState& s) { s.second_moments.push_back(1); },
      [](PpoState& s) { s.best_parameters.pop_back(); },
      [](PpoState& s) { s.best_shift.clear(); },
      [](PpoState& s) { s.best_scale.push_back(1); },
      [](PpoState& s) { s.best_parameters.clear(); },
      [](PpoState& s) { s.actors.pop_back(); },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    PpoState state = random_ppo_state(1);
    changes[i](state);
    write(state);
    EXPECT_SAYS(error_of([&] { read(); }), path_.string()) << "change " << i;
  }
}

TEST_F(PpoStateFile, IsNotWrittenOverByWhatIsNotFinite) {
  write(random_ppo_state(1));
  const std::string before = content();
  PpoState broken = random_ppo_state(2);
  broken.parameters[5] = std::nanf("");
  EXPECT_SAYS(error_of([&] { write(broken); }), "parameters");
  EXPECT_EQ(content(), before);
}

TEST_F(PpoStateFile, RefusesOtherTensorsUnderAValidChecksum) {
  write(random_ppo_state(1));
  const SafetensorsFile file = SafetensorsFile::open(path_);
  for (size_t i = 0; i < file.tensors().size(); ++i) {
    auto missing = file.tensors(), reshaped = missing, retyped = missing;
    missing.erase(missing.begin() + static_cast<ptrdiff_t>(i));
    reshaped[i].shape = {1, reshaped[i].elements()};
    const std::vector<std::byte> zeros(2 * retyped[i].elements());
    retyped[i].dtype = Dtype::kF16;
    retyped[i].data = zeros;
    for (const auto& tensors : {missing, reshaped, retyped}) {
      write_safetensors(path_, file.metadata(), tensors);
      EXPECT_SAYS(error_of([&] { read(); }), path_.string()) << file.tensors()[i].name;
    }
  }
  auto metadata = file.metadata();
  metadata["kind"] = "darp expert network 1";
  write_safetensors(path_, metadata, file.tensors());
  EXPECT_SAYS(error_of([&] { read(); }), "is no checkpoint of an expert's training");
}

TEST_F(PpoStateFile, NoticesEveryCutAndEveryFlippedByte) {
  write(random_ppo_state(1));
  const std::string whole = content();
  for (size_t size = 0; size < whole.size(); size += 7) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    EXPECT_SAYS(error_of([&] { read(); }), path_.string()) << size;
  }
  for (size_t place = 0; place < whole.size(); place += 5) {
    // White space after the header is no content: there a byte may become what reads the same.
    if (whole[place] == ' ') continue;
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    std::ofstream(path_, std::ios::binary) << damaged;
    EXPECT_SAYS(error_of([&] { read(); }), path_.string()) << place;
  }
  std::filesystem::remove(path_);
  EXPECT_SAYS(error_of([&] { read(); }), "cannot be opened");
}

}  // namespace
}  // namespace darp
