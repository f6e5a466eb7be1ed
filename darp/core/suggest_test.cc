#include "darp/core/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace darp {
namespace {

const std::vector<std::string> kNames = {"lookback", "ratio", "epochs", "learning_rate"};

TEST(Suggest, FindsTheNearestName) {
  EXPECT_EQ(nearest_name("lokback", kNames), "lookback");
  EXPECT_EQ(nearest_name("epochss", kNames), "epochs");
  EXPECT_EQ(nearest_name("raito", kNames), "ratio");  // a swap is one slip
  EXPECT_EQ(nearest_name("learningrate", kNames), "learning_rate");
  EXPECT_EQ(nearest_name("ratio", kNames), "ratio");
}

TEST(Suggest, FarNamesHaveNoNeighbour) {
  EXPECT_EQ(nearest_name("temperature", kNames), "");
  EXPECT_EQ(nearest_name("ratio", {}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), kNames), "");
}

TEST(Suggest, TheFirstOfEquallyNearNamesWins) {
  EXPECT_EQ(nearest_name("ab", std::vector<std::string>{"ac", "ad"}), "ac");
}

TEST(Suggest, ListsTheValidNames) {
  EXPECT_EQ(suggestion("raito", kNames),
            "did you mean 'ratio'? valid: lookback, ratio, epochs, learning_rate");
  EXPECT_EQ(suggestion("temperature", kNames), "valid: lookback, ratio, epochs, learning_rate");
}

TEST(Suggest, LongListsAreCut) {
  std::vector<std::string> many;
  for (int i = 0; i < 32; ++i) many.push_back("name" + std::to_string(i));
  const std::string text = suggestion("zzzzzzzzzzzz", many);
  EXPECT_TRUE(text.ends_with("name28, name29 and 2 more")) << text;
}

}  // namespace
}  // namespace darp
