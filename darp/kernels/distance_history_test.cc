#include "darp/kernels/distance_history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "darp/core/rng.h"
#include "darp/kernels/recursive_history.h"
#include "tests/simd_levels.h"

namespace darp::kernels {
namespace {

/// Random distances of `times` steps to rows in random episodes.
struct Story {
  int64_t rows = 0, times = 0, lookback = 0;
  std::vector<int64_t> ends;
  std::vector<std::vector<float>> distance;  // [time][row]

  Story(Rng& rng, int64_t longest) {
    const int64_t episodes = 1 + static_cast<int64_t>(rng.below(6));
    for (int64_t e = 0; e < episodes; ++e)
      ends.push_back(rows += 1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(longest))));
    times = 1 + static_cast<int64_t>(rng.below(90));
    lookback = 1 + static_cast<int64_t>(rng.below(40));
    for (int64_t t = 0; t < times; ++t) {
      distance.emplace_back(rows);
      for (float& x : distance.back()) x = static_cast<float>(std::abs(rng.normal()));
    }
  }
  int64_t terms(int64_t time, int64_t row) const {
    int64_t begin = 0;
    for (const int64_t end : ends)
      if (end <= row) begin = end;
    return std::min({lookback, time + 1, row - begin + 1});
  }
};

DistanceRow row_of(const std::vector<float>& values) {
  DistanceRow row(static_cast<int64_t>(values.size()));
  std::copy(values.begin(), values.end(), row.data());
  return row;
}

TEST(DistanceHistory, HasTheSameBitsAsThePlainSumOnEveryLevel) {
  on_every_simd_level([] {
    Rng rng(1);
    for (int round = 0; round < 60; ++round) {
      const Story story(rng, round % 3 == 0 ? 3 : 60);
      std::vector<float> weight, weight_sum;
      for (int64_t n = 0; n < story.lookback; ++n) {
        weight.push_back(static_cast<float>(rng.uniform()));
        weight_sum.push_back(weight.back() + (n > 0 ? weight_sum.back() : 0));
      }
      const HistoryWeights weights{weight, weight_sum, round % 2 == 0};
      DistanceHistory history(story.rows, story.lookback - 1, story.ends, story.rows);
      DistanceRow all(story.rows);
      for (int64_t t = 0; t < story.times; ++t) {
        const DistanceRow now = row_of(story.distance[t]);
        std::vector<float> expected(story.rows);
        std::vector<int32_t> some;
        for (int64_t i = 0; i < story.rows; ++i) {
          const int64_t terms = story.terms(t, i);
          float sum = weight[0] * story.distance[t][i];
          for (int64_t n = 1; n < terms; ++n) {
            const float term = weight[n] * story.distance[t - n][i - n];
            sum += term;
          }
          expected[i] = weights.renormalize ? sum / weight_sum[terms - 1] : sum;
          if (rng.uniform() < 0.3) some.push_back(static_cast<int32_t>(i));
        }
        history.sums_of_all(now, t, weights, all);
        ASSERT_EQ(std::memcmp(expected.data(), all.data(), expected.size() * sizeof(float)), 0);
        std::vector<float> sums(some.size());
        history.sums(now, t, weights, some, sums);
        for (size_t j = 0; j < some.size(); ++j) ASSERT_EQ(sums[j], expected[some[j]]);
        history.store(now, t);
      }
    }
  });
}

TEST(RecursiveHistory, IsTheRoundedSumOnEveryLevel) {
  on_every_simd_level([] {
    Rng rng(2);
    for (int round = 0; round < 60; ++round) {
      const Story story(rng, round % 3 == 0 ? 3 : 60);
      const double rate = round % 4 == 0 ? 0 : rng.uniform(0, 1);
      const bool renormalize = round % 2 == 0;
      RecursiveHistory history(story.rows, story.lookback, rate, renormalize, story.ends);
      DistanceRow got(story.rows);
      // A second pass over the same steps must not remember the first.
      for (int pass = 0; pass < 2; ++pass)
        for (int64_t t = 0; t < story.times; ++t) {
          history.advance(row_of(story.distance[t]), t, got);
          for (int64_t i = 0; i < story.rows; ++i) {
            double sum = 0, used = 0;
            for (int64_t n = 0; n < story.terms(t, i); ++n) {
              const double weight = std::exp(-rate * static_cast<double>(n));
              sum += weight * static_cast<double>(story.distance[t - n][i - n]);
              used += weight;
            }
            if (renormalize) sum /= used;
            // One rounding to float, and what the subtractions leave behind.
            ASSERT_NEAR(got.data()[i], sum, sum * 0x1p-24 + 1e-12);
          }
        }
    }
  });
}

}  // namespace
}  // namespace darp::kernels
