#include "darp/expert/ppo/expert_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include "darp/core/file.h"
#include "darp/env/registry.h"
#include "tests/error_of.h"
#include "tests/plain_network.h"
#include "tests/random_expert.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

class ExpertNetworkFile : public ::testing::Test {
 protected:
  const std::filesystem::path path_ = test_folder() / "expert.safetensors";

  std::string content() { return std::string(as_text(MappedFile(path_).bytes())); }

  /// What reading says of a good network with changed tensors, under a valid checksum.
  std::string message(
      const std::function<void(std::vector<TensorView>&, SafetensorsMetadata&)>& change) {
    write_expert_network(path_, random_expert("dummy", {4, 6, 5, 2}, 1));
    const SafetensorsFile file = SafetensorsFile::open(path_);
    auto tensors = file.tensors();
    auto metadata = file.metadata();
    change(tensors, metadata);
    write_safetensors(path_, metadata, tensors);
    return error_of([&] { read_expert_network(path_); });
  }
  static TensorView& named(std::vector<TensorView>& tensors, const std::string& name) {
    return *std::ranges::find(tensors, name, &TensorView::name);
  }
};

TEST_F(ExpertNetworkFile, KeepsEveryBit) {
  for (const auto& widths : {std::vector<int64_t>{4, 2}, {4, 6, 5, 2}, {11, 64, 64, 3}}) {
    const ExpertNetwork network = random_expert("dummy", widths, 1);
    write_expert_network(path_, network);
    const std::string first = content();
    const ExpertNetwork back = read_expert_network(path_);
    EXPECT_EQ(back.environment, "dummy");
    EXPECT_EQ(back.shape.widths, widths);
    EXPECT_EQ(back.parameters, network.parameters);
    EXPECT_EQ(back.shift, network.shift);
    EXPECT_EQ(back.scale, network.scale);
    EXPECT_EQ(back.log_std, network.log_std);
    EXPECT_EQ(back.about, network.about);
    write_expert_network(path_, back);
    EXPECT_EQ(content(), first);
  }
}

TEST_F(ExpertNetworkFile, OfTheTreeAreRead) {
  for (const char* name : {"hopper", "walker2d", "half_cheetah", "ant"}) {
    const auto network = std::make_shared<const ExpertNetwork>(
        read_expert_network(std::filesystem::path(DARP_SOURCE_DIR) / "demos" / "experts" / name /
                            "expert.safetensors"));
    EXPECT_EQ(network->environment, name);
    const auto environment = make_environment(name);
    environment->reset(0);
    EXPECT_EQ(error_of([&] { make_rl_expert(network)->start(*environment, Rng(0)); }), "no error");
  }
}

TEST_F(ExpertNetworkFile, NeedsLayersThatFitEachOther) {
  using Tensors = std::vector<TensorView>;
  using Metadata = SafetensorsMetadata;
  EXPECT_EQ(message([](Tensors&, Metadata&) {}), "no error");
  EXPECT_SAYS(message([](Tensors& t, Metadata&) {
                named(t, "layers.1.weight").shape = {6, 5};
              }),
              "'layers.1.weight' does not fit the layer before it");
  EXPECT_SAYS(message([](Tensors& t, Metadata&) { named(t, "layers.1.weight").shape = {30}; }),
              "'layers.1.weight' is no table of weights");
  EXPECT_SAYS(message([](Tensors& t, Metadata&) {
                named(t, "layers.2.weight").shape = {0, 5};
                named(t, "layers.2.weight").data = {};
              }),
              "'layers.2.weight' is no table of weights");
  // The last layer with the widths of another number of actions.
  EXPECT_SAYS(message([](Tensors& t, Metadata&) {
                named(t, "layers.2.weight").shape = {1, 5};
                named(t, "layers.2.weight").data = named(t, "layers.2.weight").data.first(20);
              }),
              "'log_std' has 2 numbers, not 1");
  EXPECT_SAYS(message([](Tensors& t, Metadata&) {
                named(t, "layers.0.bias").shape = {5};
                named(t, "layers.0.bias").data = named(t, "layers.0.bias").data.first(20);
              }),
              "'layers.0.bias' has 5 numbers, not 6");
  for (const char* name : {"observation_shift", "observation_scale"})
    EXPECT_SAYS(message([&](Tensors& t, Metadata&) {
                  named(t, name).shape = {3};
                  named(t, name).data = named(t, name).data.first(12);
                }),
                "has 3 numbers, not 4");
}

TEST_F(ExpertNetworkFile, NeedsAllItsTensorsAndNoOthers) {
  write_expert_network(path_, random_expert("dummy", {4, 6, 5, 2}, 1));
  std::vector<std::string> names;
  const SafetensorsFile file = SafetensorsFile::open(path_);
  for (const TensorView& tensor : file.tensors()) names.push_back(tensor.name);
  ASSERT_EQ(names.size(), 9u);
  for (const std::string& name : names) {
    EXPECT_SAYS(message([&](auto& t, auto&) {
                  std::erase_if(t, [&](const TensorView& v) { return v.name == name; });
                }),
                path_.string())
        << name;
    EXPECT_SAYS(message([&](auto& t, auto&) {
                  TensorView& tensor = named(t, name);
                  tensor.dtype = Dtype::kI32;
                }),
                path_.string())
        << name;
  }
  EXPECT_SAYS(message([](auto& t, auto&) {
                std::erase_if(t, [](const TensorView& v) { return v.name == "layers.0.weight"; });
              }),
              "has no layers");
  EXPECT_SAYS(message([](auto& t, auto&) {
                t.push_back({"surprise", Dtype::kF32, {0}, {}});
              }),
              "has 10 tensors, but 3 layers from the first on make 9");
}

TEST_F(ExpertNetworkFile, WithoutALayerInTheMiddleIsNoSmallerNetwork) {
  // Without layers.1 it would look like a network whose first layer acts.
  write_expert_network(path_, random_expert("dummy", {4, 2, 2, 2}, 1));
  const SafetensorsFile file = SafetensorsFile::open(path_);
  auto tensors = file.tensors();
  std::erase_if(tensors, [](const TensorView& v) { return v.name.starts_with("layers.1."); });
  write_safetensors(path_, file.metadata(), tensors);
  EXPECT_SAYS(error_of([&] { read_expert_network(path_); }), "has 7 tensors, but 1 layers");
}

TEST_F(ExpertNetworkFile, HasNotMoreLayersThanAnyoneTrains) {
  write_expert_network(path_, random_expert("dummy", std::vector<int64_t>(17, 2), 1));
  EXPECT_EQ(read_expert_network(path_).shape.layers(), 16);
  write_expert_network(path_, random_expert("dummy", std::vector<int64_t>(18, 2), 1));
  EXPECT_SAYS(error_of([&] { read_expert_network(path_); }), "has more than 16 layers");
}

TEST_F(ExpertNetworkFile, SaysWhatItIs) {
  EXPECT_SAYS(message([](auto&, auto& m) { m.erase("kind"); }), "is no expert network");
  EXPECT_SAYS(message([](auto&, auto& m) { m["kind"] = "darp policy"; }), "is no expert network");
  EXPECT_SAYS(message([](auto&, auto& m) { m.erase("environment"); }), "is no expert network");
}

TEST_F(ExpertNetworkFile, NeverHoldsWhatIsNotFinite) {
  ExpertNetwork network = random_expert("dummy", {4, 6, 2}, 1);
  network.parameters[7] = std::numeric_limits<float>::infinity();
  EXPECT_SAYS(error_of([&] { write_expert_network(path_, network); }), "layers.0.weight");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ExpertNetworkFile, NoticesEveryCutAndEveryFlippedByte) {
  write_expert_network(path_, random_expert("dummy", {4, 6, 2}, 1));
  const std::string whole = content();
  for (size_t size = 0; size < whole.size(); size += 3) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    EXPECT_SAYS(error_of([&] { read_expert_network(path_); }), path_.string()) << size;
  }
  for (size_t place = 0; place < whole.size(); place += 3) {
    if (whole[place] == ' ') continue;  // the header's padding is no content
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x20);
    std::ofstream(path_, std::ios::binary) << damaged;
    EXPECT_SAYS(error_of([&] { read_expert_network(path_); }), path_.string()) << place;
  }
}

TEST(RlExpert, ActsAsItsNetworkWithinTheLimits) {
  for (const char* name : {"dummy", "hopper"}) {
    const auto environment = make_environment(name);
    const int64_t inputs = environment->info().observations.dim(),
                  outputs = environment->info().actions.dim();
    const auto network =
        std::make_shared<const ExpertNetwork>(random_expert(name, {inputs, 16, 8, outputs}, 3));
    const std::vector<double> exact(network->parameters.begin(), network->parameters.end());
    const auto expert = make_rl_expert(network);
    environment->reset(0);
    expert->start(*environment, Rng(0));
    std::vector<float> observation(static_cast<size_t>(inputs)), seen(observation.size()),
        action(static_cast<size_t>(outputs));
    Rng rng(4);
    int inside = 0, at_limits = 0;
    for (int trial = 0; trial < 200; ++trial) {
      // Also far beyond what it knows.
      for (float& x : observation)
        x = static_cast<float>(rng.normal() * (trial % 10 == 0 ? 1e6 : 2));
      for (size_t i = 0; i < seen.size(); ++i)
        seen[i] =
            std::clamp((observation[i] - network->shift[i]) * network->scale[i], -10.0f, 10.0f);
      expert->act(*environment, observation, action);
      const auto expected = plain_network(network->shape, exact, seen);
      for (size_t j = 0; j < action.size(); ++j) {
        const double low = environment->info().actions.low[j],
                     high = environment->info().actions.high[j];
        EXPECT_NEAR(action[j], std::clamp(expected[j], low, high), 1e-4);
        EXPECT_GE(action[j], low);
        EXPECT_LE(action[j], high);
        (action[j] == low || action[j] == high ? at_limits : inside) += 1;
      }
    }
    EXPECT_GT(inside, 20);
    EXPECT_GT(at_limits, 20);
  }
}

TEST(RlExpert, RefusesEnvironmentsOfOtherSizes) {
  const auto expert =
      make_rl_expert(std::make_shared<const ExpertNetwork>(random_expert("hopper", {11, 4, 3}, 1)));
  const std::string message = error_of([&] { expert->start(*make_environment("dummy"), Rng(0)); });
  EXPECT_SAYS(message, "expert rl of hopper: has 11 observations and 3 actions, but dummy has 4");
  const auto half =
      make_rl_expert(std::make_shared<const ExpertNetwork>(random_expert("hopper", {4, 4, 3}, 1)));
  EXPECT_SAYS(error_of([&] { half->start(*make_environment("dummy"), Rng(0)); }), "3 actions");
}

}  // namespace
}  // namespace darp
