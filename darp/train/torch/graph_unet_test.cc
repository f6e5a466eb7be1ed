#include "darp/train/torch/graph_unet.h"

#include <gtest/gtest.h>

#include <cstring>

#include "darp/data/safetensors.h"
#include "darp/policy/unet.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

constexpr const char* kGolden = "modules/unet1d-golden.safetensors";
constexpr std::string_view kWeights = "weights.";

/// The authors' network, its input and what it gave.
struct GoldenUnet {
  SafetensorsFile file = SafetensorsFile::open(reference_dir() / kGolden);
  UnetSettings settings{.channels = {32, 64, 128}, .kernel = 5, .groups = 8, .step_width = 32};
  std::vector<Parameter> parameters;

  GoldenUnet() { append_unet(parameters, "", settings, 3, 10); }

  at::Tensor tensor(std::string_view name) const {
    const TensorView& view = file.get(name);
    const bool whole = name == "timestep";
    at::Tensor out =
        at::empty({static_cast<int64_t>(view.elements())}, whole ? at::kLong : at::kFloat);
    std::memcpy(out.data_ptr(), view.data.data(), view.data.size());
    return out.view(std::vector<int64_t>(view.shape.begin(), view.shape.end()));
  }
};

TEST(GraphUnet, HasTheAuthorsParametersByNameAndShape) {
  DARP_REQUIRE_REFERENCE(kGolden);
  const GoldenUnet golden;
  std::map<std::string, std::vector<int64_t>> expected, own;
  for (const TensorView& tensor : golden.file.tensors())
    if (tensor.name.starts_with(kWeights))
      expected[std::string(tensor.name.substr(kWeights.size()))] = {tensor.shape.begin(),
                                                                    tensor.shape.end()};
  for (const Parameter& parameter : golden.parameters) own[parameter.name] = parameter.shape;
  EXPECT_EQ(own, expected);
}

TEST(GraphUnet, GivesWhatTheAuthorsNetworkGave) {
  DARP_REQUIRE_REFERENCE(kGolden);
  const GoldenUnet golden;
  std::vector<at::Tensor> flat;
  for (const Parameter& p : golden.parameters)
    flat.push_back(golden.tensor(std::string(kWeights) + p.name).flatten());
  const ParameterLayout layout(golden.parameters);
  const NamedTensors parameters(layout, at::cat(flat));
  const at::Tensor expected = golden.tensor("output");
  const at::Tensor given = graph_unet(golden.settings, parameters, "", golden.tensor("sample"),
                                      golden.tensor("timestep"), golden.tensor("condition"));
  ASSERT_EQ(given.sizes(), expected.sizes());
  EXPECT_GT(expected.abs().max().item<float>(), 0.1f);
  EXPECT_LT((given - expected).abs().max().item<float>(), 1e-5f);
}

// Nothing is halved or joined: a chunk of any length will do.
TEST(GraphUnet, WorksWithASingleLevel) {
  const UnetSettings settings{.channels = {4}, .kernel = 3, .groups = 2, .step_width = 4};
  std::vector<Parameter> list;
  append_unet(list, "unet.", settings, 1, 2);
  const ParameterLayout layout(list);
  std::vector<float> numbers(layout.count());
  initialize_parameters(list, Rng(1), numbers);
  const NamedTensors parameters(layout, at::tensor(numbers));
  const at::Tensor step = at::tensor({0, 7}, at::kLong);
  const at::Tensor given =
      graph_unet(settings, parameters, "unet.", at::ones({2, 3, 1}), step, at::ones({2, 2}));
  ASSERT_EQ(given.sizes(), at::IntArrayRef({2, 3, 1}));
  // The step is seen: all else is the same.
  EXPECT_FALSE(given[0].equal(given[1]));
}

}  // namespace
}  // namespace darp
