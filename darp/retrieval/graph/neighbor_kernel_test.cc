#include "darp/retrieval/neighbor_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "darp/retrieval/graph/tables_for_tests.h"
#include "tests/error_of.h"

namespace darp {
namespace {

constexpr GraphKernel kAllKernels[] = {GraphKernel::kGaussian, GraphKernel::kUniform,
                                       GraphKernel::kExponential};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<float> weights(std::vector<float> distances, GraphKernel kernel, double bandwidth) {
  std::vector<float> out(distances.size());
  neighbor_weights(distances, kernel, bandwidth, out);
  return out;
}

TEST(GraphSettings, ComeBackFromYaml) {
  const GraphSettings settings{GraphKernel::kExponential, 0.25, GraphSettings::Edges::kMutual};
  GraphSettings read;
  read_yaml(write_yaml(settings), "settings", read);
  EXPECT_EQ(read, settings);
  EXPECT_NE(read, GraphSettings{});
  EXPECT_THROW(apply_override("bandwidth=-1", read), Error);
}

TEST(MedianLastDistance, TakesTheMiddleAndSkipsQueriesWithoutNeighbors) {
  EXPECT_EQ(median_last_distance(table_of({{{1, 1}, {2, 9}}, {{0, 2}}, {{0, 4}}})), 4);
  EXPECT_EQ(median_last_distance(table_of({{{1, 1}, {2, 9}}, {}, {{0, 2}}})), 5.5);
  EXPECT_EQ(median_last_distance(table_of({{{1, 8}}, {{0, 2}}, {{0, 4}}, {{0, 6}}})), 5);
  EXPECT_EQ(median_last_distance(table_of({{{1, 3}}, {}})), 3);
}

TEST(MedianLastDistance, SaysWhyThereIsNone) {
  EXPECT_EQ(error_of([] {
              median_last_distance(table_of({{{1, 1}}, {{0, 1}}}, false));
            }),
            "neighbour table: holds no distances; build it with distances, or use the uniform "
            "kernel");
  EXPECT_EQ(error_of([] {
              median_last_distance(table_of({{}, {}}));
            }),
            "neighbour table: gives no query a neighbour; use more data, or exclude less from the "
            "search");
  EXPECT_THROW(median_last_distance(table_of({})), Error);
  for (const float bad : {kNaN, kInfinity, -1.0F})
    EXPECT_THROW(median_last_distance(table_of({{{1, 1}}, {{0, bad}}})), Error);
}

TEST(ResolveBandwidth, PrefersTheSettingOverTheMedian) {
  const NeighborTable table = table_of({{{1, 3}}, {{0, 3}}});
  EXPECT_EQ(resolve_bandwidth(table, {}), 3);
  EXPECT_EQ(resolve_bandwidth(table, {.bandwidth = 0.5}), 0.5);
}

TEST(ResolveBandwidth, RefusesWhatIsNotPositive) {
  const NeighborTable copies = table_of({{{1, 0}}, {{0, 0}}});
  EXPECT_EQ(error_of([&] { resolve_bandwidth(copies, {}); }),
            "graph bandwidth: is 0: for most rows even the last neighbour is a copy; set a "
            "bandwidth, use more neighbours or the uniform kernel, or remove copies");
  for (const double bad : {-1.0, double{kInfinity}, double{kNaN}})
    EXPECT_THROW(resolve_bandwidth(copies, {.bandwidth = bad}), Error);
  EXPECT_EQ(resolve_bandwidth(copies, {.bandwidth = 2}), 2);
}

TEST(ResolveBandwidth, NeedsDistancesUnlessTheKernelIsUniform) {
  const NeighborTable table = table_of({{{1, 1}}, {{0, 1}}}, false);
  EXPECT_THROW(resolve_bandwidth(table, {.bandwidth = 1}), Error);
  EXPECT_EQ(resolve_bandwidth(table, {.kernel = GraphKernel::kUniform}), 1);
}

TEST(KernelWeight, FollowsItsFormula) {
  EXPECT_DOUBLE_EQ(kernel_weight(3, GraphKernel::kGaussian, 2), std::exp(-9.0 / 8));
  EXPECT_DOUBLE_EQ(kernel_weight(3, GraphKernel::kExponential, 2), std::exp(-1.5));
  EXPECT_EQ(kernel_weight(3, GraphKernel::kUniform, 2), 1);
  for (const GraphKernel kernel : kAllKernels) EXPECT_EQ(kernel_weight(0, kernel, 2), 1);
  EXPECT_EQ(kernel_weight(1e30, GraphKernel::kGaussian, 1e-300), 0);
}

TEST(NeighborWeights, FollowTheKernelAndSumToOne) {
  const double near = std::exp(-0.5), far = std::exp(-2.0);
  const auto gaussian = weights({1, 2}, GraphKernel::kGaussian, 1);
  EXPECT_FLOAT_EQ(gaussian[0], static_cast<float>(near / (near + far)));
  EXPECT_FLOAT_EQ(gaussian[1], static_cast<float>(far / (near + far)));
  const auto exponential = weights({1, 3}, GraphKernel::kExponential, 2);
  EXPECT_FLOAT_EQ(exponential[0] / exponential[1], static_cast<float>(std::exp(1.0)));
  EXPECT_EQ(weights({1, 2, 3, 4}, GraphKernel::kUniform, 0), std::vector<float>(4, 0.25F));
  EXPECT_EQ(weights({7}, GraphKernel::kGaussian, 1), std::vector<float>{1});
  EXPECT_TRUE(weights({}, GraphKernel::kGaussian, 1).empty());
}

TEST(NeighborWeights, SumToOneForRandomDistancesOfAnySize) {
  Rng rng(3);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<float> distances(1 + rng.below(50));
    const double size = std::pow(10, rng.uniform(-30, 30));
    for (float& d : distances) d = static_cast<float>(size * rng.uniform());
    for (const GraphKernel kernel : kAllKernels) {
      const auto found = weights(distances, kernel, std::pow(10, rng.uniform(-300, 300)));
      EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), 1, 1e-5);
      for (size_t i = 1; i < found.size(); ++i) {
        EXPECT_GE(found[i], 0);
        EXPECT_TRUE(distances[i] < distances[0] || found[i] <= found[0]);
      }
    }
  }
}

TEST(NeighborWeights, DoNotVanishForAQueryFarFromItsNeighbors) {
  EXPECT_EQ(weights({1000, 1000}, GraphKernel::kGaussian, 1), std::vector<float>(2, 0.5F));
  EXPECT_EQ(weights({1000, 2000}, GraphKernel::kGaussian, 1), (std::vector<float>{1, 0}));
}

TEST(NeighborWeights, RefuseBadBandwidthsAndDistances) {
  EXPECT_EQ(error_of([] { weights({1}, GraphKernel::kGaussian, 0); }),
            "graph bandwidth: is 0, not a positive number; set it to a typical distance between "
            "neighbours");
  for (const double bad : {-1.0, double{kInfinity}, double{kNaN}})
    EXPECT_THROW(weights({1}, GraphKernel::kExponential, bad), Error);
  for (const float bad : {kNaN, kInfinity, -1.0F})
    for (const GraphKernel kernel : kAllKernels) EXPECT_THROW(weights({1, bad}, kernel, 1), Error);
}

TEST(GraphSettings, AreDocumentedAsTheyAre) {
  const MappedFile guide(DARP_SOURCE_DIR "/docs/retrieval.md");
  EXPECT_NE(as_text(guide.bytes()).find(markdown_table(GraphSettings{})), std::string::npos)
      << "put this into docs/retrieval.md:\n"
      << markdown_table(GraphSettings{});
}

}  // namespace
}  // namespace darp
