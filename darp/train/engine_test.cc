#include "darp/train/engine.h"

#include <gtest/gtest.h>

#include "tests/error_of.h"

namespace darp {
namespace {

using Device = GraphOptions::Device;
using Precision = TrainSettings::Precision;

TEST(Engine, PrecisionAutoIsWhateverTheEngineHas) {
  PolicySpec spec, attention;
  spec.kind = DarpSpec{};
  DarpSpec set_transformer;
  set_transformer.aggregation.kind = AggregationSettings::Kind::kSetTransformer;
  attention.kind = set_transformer;
  TrainSettings settings;
  settings.precision = Precision::kAuto;
  EXPECT_EQ(engine_name(spec, settings, Device::kCpu), "fused engine, bf16");
  EXPECT_EQ(engine_name(attention, settings, Device::kCpu), "LibTorch graph");
  EXPECT_EQ(engine_name(spec, settings, Device::kCuda), "LibTorch graph on CUDA");
  settings.precision = Precision::kFloat;
  EXPECT_EQ(engine_name(spec, settings, Device::kCpu), "fused engine");
  settings.precision = Precision::kBfloat16;
  EXPECT_EQ(engine_name(spec, settings, Device::kCpu), "fused engine, bf16");
  EXPECT_SAYS(error_of([&] { engine_name(attention, settings, Device::kCpu); }),
              "set train.precision to fp32");
}

}  // namespace
}  // namespace darp
