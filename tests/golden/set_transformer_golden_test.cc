// The set transformer of the paper's code, by plain loops, which tests the definition, and in the
// runtime. darp/train/torch has the same test of the LibTorch version.

#include <gtest/gtest.h>

#include "darp/data/safetensors.h"
#include "darp/runtime/realtime_set_transformer.h"
#include "tests/direct_set_transformer.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

constexpr const char* kFile = "modules/set_transformer-golden.safetensors";

TEST(SetTransformerGolden, AnswersAreThoseOfTheAuthorsModule) {
  DARP_REQUIRE_REFERENCE(kFile);
  const auto file = SafetensorsFile::open(reference_dir() / kFile);
  const auto setting = [&](const char* name) { return std::stoll(file.metadata().at(name)); };
  AggregationSettings settings;
  settings.kind = AggregationSettings::Kind::kSetTransformer;
  settings.width = setting("width");
  settings.heads = setting("heads");
  settings.inducing = setting("inducing");
  const auto& shape = file.get("input").shape;
  const auto sets = static_cast<int64_t>(shape[0]), neighbors = static_cast<int64_t>(shape[1]),
             inputs = static_cast<int64_t>(shape[2]),
             outputs = static_cast<int64_t>(file.get("output").shape[1]);
  std::vector<Parameter> parameters;
  append_set_transformer(parameters, "", settings, inputs, outputs);
  std::vector<float> numbers;
  for (const Parameter& p : parameters) {
    const auto part = file.floats("weights." + p.name);
    ASSERT_EQ(std::ssize(part), p.size) << p.name;
    numbers.insert(numbers.end(), part.begin(), part.end());
  }

  const DirectSetTransformer direct(settings, parameters, "", numbers);
  const RealtimeSetTransformer runtime(settings, inputs, outputs, parameters, "", numbers);
  SetTransformerMemory memory(runtime, neighbors);
  const auto input = file.floats("input"), output = file.floats("output");
  ASSERT_GT(sets, 0);
  for (int64_t set = 0; set < sets; ++set) {
    const MatrixView features(input.data() + set * neighbors * inputs, neighbors, inputs, inputs);
    const std::vector<double> loops = direct.answer(features);
    std::vector<float> in_time(outputs);
    runtime.answer(features, memory, in_time);
    for (int64_t j = 0; j < outputs; ++j) {
      const float expected = output[set * outputs + j];
      EXPECT_NEAR(loops[j], expected, 1e-5) << "set " << set << ", entry " << j;
      EXPECT_NEAR(in_time[j], expected, 1e-5) << "set " << set << ", entry " << j;
    }
  }
}

}  // namespace
}  // namespace darp
