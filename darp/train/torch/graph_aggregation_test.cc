#include "darp/train/torch/graph_aggregation.h"

#include <gtest/gtest.h>

#include "darp/data/safetensors.h"
#include "darp/policy/set_transformer.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

constexpr const char* kFile = "modules/set_transformer-golden.safetensors";

at::Tensor tensor_of(const SafetensorsFile& file, const std::string& name) {
  const TensorView& view = file.get(name);
  const std::vector<float> numbers = file.read_floats(name);
  return at::tensor(at::ArrayRef<float>(numbers))
      .view(std::vector<int64_t>(view.shape.begin(), view.shape.end()));
}

/// The authors' module with its parameters as one vector.
struct GoldenTransformer {
  explicit GoldenTransformer(const SafetensorsFile& file)
      : settings{.kind = AggregationSettings::Kind::kSetTransformer,
                 .width = std::stoll(file.metadata().at("width")),
                 .heads = std::stoll(file.metadata().at("heads")),
                 .inducing = std::stoll(file.metadata().at("inducing"))},
        input(tensor_of(file, "input")),
        output(tensor_of(file, "output")),
        layout(parameters_of(settings, input.size(2), output.size(1))) {
    std::vector<at::Tensor> parts;
    for (const Parameter& p : layout.parameters())
      parts.push_back(tensor_of(file, "weights." + p.name).flatten());
    flat = at::cat(parts);
  }
  static ParameterLayout parameters_of(const AggregationSettings& settings, int64_t inputs,
                                       int64_t outputs) {
    std::vector<Parameter> parameters;
    append_set_transformer(parameters, "", settings, inputs, outputs);
    return ParameterLayout(std::move(parameters));
  }
  at::Tensor answers(const at::Tensor& sets, const NeighborMask& mask = {}) const {
    return graph_set_transformer(settings, NamedTensors(layout, flat), "", sets, mask);
  }

  AggregationSettings settings;
  at::Tensor input, output;
  ParameterLayout layout;
  at::Tensor flat;
};

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(GraphAggregation, SetTransformerAnswersAreThoseOfTheAuthorsModule) {
  DARP_REQUIRE_REFERENCE(kFile);
  const GoldenTransformer golden(SafetensorsFile::open(reference_dir() / kFile));
  ASSERT_EQ(golden.output.dim(), 2);
  EXPECT_LT(largest_difference(golden.answers(golden.input), golden.output), 1e-5);
}

TEST(GraphAggregation, SetTransformerDoesNotSeePlacesWithoutANeighbor) {
  DARP_REQUIRE_REFERENCE(kFile);
  const GoldenTransformer golden(SafetensorsFile::open(reference_dir() / kFile));
  // What stands behind the neighbours is not theirs.
  const at::Tensor longer = at::constant_pad_nd(golden.input, {0, 0, 0, 3}, 7.0);
  NeighborMask mask{at::ones({longer.size(0), longer.size(1)}, at::kBool),
                    at::full({longer.size(0), 1}, static_cast<double>(golden.input.size(1)))};
  mask.own.narrow(1, golden.input.size(1), 3).fill_(false);
  EXPECT_LT(largest_difference(golden.answers(longer, mask), golden.output), 1e-5);
  EXPECT_GT(largest_difference(golden.answers(longer), golden.output), 1e-5);
}

}  // namespace
}  // namespace darp
