// The paper's published networks in our environments, beside what an independent evaluator measured
// for them on the same 100 seeds.

#include <gtest/gtest.h>

#include "darp/data/ingest/read_dataset.h"
#include "darp/env/registry.h"
#include "darp/eval/evaluator.h"
#include "darp/eval/seeds.h"
#include "darp/eval/statistics/estimates.h"
#include "darp/policy/import_reference.h"
#include "darp/runtime/realtime_policy.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

struct Published {
  std::string network, demonstrations, environment;
  double mean, half_width;  // of a 95 % interval

  friend void PrintTo(const Published& p, std::ostream* out) { *out << p.network; }
};

class PublishedReturns : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedReturns, AgreeWithAnIndependentEvaluator) {
  const auto& [network, demonstrations, environment, mean_there, half_width] = GetParam();
  const std::string weights = "weights/" + network + ".safetensors",
                    demos = "demos/" + demonstrations + ".hdf5";
  DARP_REQUIRE_REFERENCE(weights);
  const PolicyArchive archive(import_reference(SafetensorsFile::open(reference_dir() / weights),
                                               read_dataset(reference_dir() / demos).dataset));
  const auto model = std::make_shared<const RealtimeModel>(archive);
  ThreadPool pool;
  const auto records = evaluate([&] { return make_environment(environment); },
                                [&] { return make_realtime_policy(model); },
                                default_seeds(SeedPurpose::kReport).seeds(), pool);
  std::vector<double> returns;
  for (const EpisodeRecord& record : records) {
    EXPECT_FALSE(is_mishap(record.end)) << name_of(record.end) << " " << record.problem;
    returns.push_back(record.episode_return);
  }
  ASSERT_EQ(returns.size(), 100u);
  const Interval ours = normal_interval(returns);
  RecordProperty("mean", std::to_string(mean(returns)));
  EXPECT_LE(ours.low, mean_there + half_width) << mean(returns);
  EXPECT_GE(ours.high, mean_there - half_width) << mean(returns);
}

INSTANTIATE_TEST_SUITE_P(
    Networks, PublishedReturns,
    ::testing::Values(Published{"hopper-bc", "hopper-expert-v2_1", "hopper", 2748, 205},
                      Published{"hopper-darp", "hopper-expert-v2_1", "hopper", 3469, 54},
                      Published{"walker-bc", "walker2d-expert-v2_1", "walker2d", 926, 161},
                      Published{"walker-darp", "walker2d-expert-v2_1", "walker2d", 1686, 394}),
    [](const auto& each) {
      std::string name = each.param.network;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace darp
