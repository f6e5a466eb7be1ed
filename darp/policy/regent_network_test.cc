#include "darp/policy/regent_network.h"

#include <gtest/gtest.h>

#include "darp/policy/policy_parameters.h"
#include "tests/error_of.h"

namespace darp {
namespace {

TEST(RegentNetwork, HasTheLongerOfStateAndActionAsItsToken) {
  EXPECT_EQ(regent_token_width({}, 11, 3), 12);
  EXPECT_EQ(regent_token_width({}, 2, 7), 7);
  RegentSpec spec;
  spec.token_width = 513;
  EXPECT_EQ(regent_token_width(spec, 11, 3), 513);
  spec.token_width = 11;
  EXPECT_EQ(error_of([&] { regent_token_width(spec, 11, 3); }),
            "token_width: is 11, and a token must hold 12 numbers: an observation and a reward, or "
            "an action; choose that or more, or 0");
}

TEST(RegentNetwork, HasAsManyNumbersAsItsPartsSay) {
  PolicySpec policy;
  RegentSpec spec;
  spec.transformer = {.layers = 3, .heads = 2, .width = 8};
  spec.retrieval.k = 19;
  policy.kind = spec;
  const int64_t token = 6, width = 8, places = 40;
  const int64_t block = 2 * 2 * width + 4 * width * width + width + 8 * width * width + 5 * width;
  EXPECT_EQ(parameter_count(policy_parameters(policy, 5, 2)),
            (token + 1) * width + places * width + 3 * block + 2 * width + (width + 1) * token);
}

}  // namespace
}  // namespace darp
