#include "darp/runtime/realtime_member.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/random_matrix.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

using Kind = AggregationSettings::Kind;

/// A policy whose neighbours' answers are joined in this way, and its rows, standardised.
struct Joined {
  Joined(Kind kind, uint64_t seed) : rows(random_matrix(rng(seed), 40, 6)) {
    PolicyContents c = random_policy(2 * seed, {.longest = 30});
    auto& darp = std::get<DarpSpec>(c.spec.kind);
    darp = {.network = {.hidden = {16}}, .aggregation = {.kind = kind, .features = 5}};
    darp.retrieval.k = 9;
    c.spec.members = 1;
    const auto parameters = policy_parameters(c.spec, 4, 2);
    c.members = {std::vector<float>(static_cast<size_t>(parameter_count(parameters)))};
    initialize_parameters(parameters, Rng(seed), c.members[0]);
    member.emplace(PolicyArchive(std::move(c)), 0, rows, false);
  }
  static Rng& rng(uint64_t seed) {
    static Rng generator(0);
    return generator = Rng(seed);
  }
  std::vector<float> answer(std::span<const int32_t> neighbors) {
    MemberMemory memory(*member);
    std::vector<float> out(2);
    const std::vector<float> query = {0.3f, -0.2f, 0.5f, 1};
    member->answer({.state = query, .rows = neighbors}, memory, out);
    return out;
  }

  Matrix rows;
  std::optional<RealtimeMember> member;
};

double apart(const std::vector<float>& a, const std::vector<float>& b) {
  return std::hypot(static_cast<double>(a[0] - b[0]), static_cast<double>(a[1] - b[1]));
}

TEST(RealtimeMember, DoesNotMindTheOrderOfNeighborsUnlessItConcatenatesThem) {
  for (uint64_t seed = 1; seed < 20; ++seed)
    for (const Kind kind :
         {Kind::kMean, Kind::kDeepSets, Kind::kSetTransformer, Kind::kConcatenation}) {
      Joined policy(kind, seed);
      std::vector<int32_t> neighbors(9);
      std::iota(neighbors.begin(), neighbors.end(), 3);
      const std::vector<float> before = policy.answer(neighbors);
      std::ranges::reverse(neighbors);
      const double change = apart(policy.answer(neighbors), before);
      if (kind == Kind::kConcatenation)
        EXPECT_GT(change, 1e-3);
      else
        EXPECT_LT(change, 2e-6) << static_cast<int>(kind);
      // It is the neighbours that are answered for, not something else.
      neighbors[4] = 30;
      EXPECT_GT(apart(policy.answer(neighbors), before), 1e-5) << static_cast<int>(kind);
    }
}

TEST(RealtimeMember, HasAPlaceForEachNeighborItConcatenates) {
  Joined policy(Kind::kConcatenation, 1);
  const std::vector<int32_t> nine = {1, 2, 3, 4, 5, 6, 7, 8, 9}, four = {1, 2, 3, 4};
  const std::vector<float> few = policy.answer(four);
  policy.answer(nine);
  EXPECT_EQ(policy.answer(four), few);  // nothing is left of those that are missing now
  EXPECT_NE(policy.answer(nine), few);
}

}  // namespace
}  // namespace darp
