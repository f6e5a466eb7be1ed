#include "darp/study/tune/search_space.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/core/rng.h"
#include "tests/error_of.h"

namespace darp {
namespace {

constexpr std::string_view kAllKinds =
    "# what a space may have\n"
    "policy.retrieval.k: log integer 10 400   # both ends\n"
    "\n"
    "policy.retrieval.ratio: uniform 0.05 1\r\n"
    "policy.members: integer 1 4\n"
    "  train.optimizer.weight_decay : log 1e-6 0.3\n"
    "policy.network.hidden: choice [128, 128] | [256,256]|{a: b}";

TEST(SearchSpace, ReadsEveryKindAndSaysItAgain) {
  const SearchSpace space = parse_search_space(kAllKinds, "space.yaml");
  ASSERT_EQ(space.dimensions.size(), 5u);
  EXPECT_EQ(space.dimensions[4].choices,
            (std::vector<std::string>{"[128, 128]", "[256,256]", "{a: b}"}));
  std::string again;
  for (const SearchDimension& d : space.dimensions) again += d.path + ": " + d.text() + "\n";
  EXPECT_EQ(again,
            "policy.retrieval.k: log integer 10 400\n"
            "policy.retrieval.ratio: uniform 0.05 1\n"
            "policy.members: integer 1 4\n"
            "train.optimizer.weight_decay: log 1e-06 0.3\n"
            "policy.network.hidden: choice [128, 128] | [256,256] | {a: b}\n");
}

TEST(SearchSpace, SaysLineFaultAndRemedy) {
  const auto message = [](std::string_view line) {
    return error_of([&] { parse_search_space("a: uniform 0 1\n" + std::string(line), "s.yaml"); });
  };
  for (const auto& [line, part] : std::vector<std::pair<std::string, std::string>>{
           {"b", "s.yaml: line 2: is no 'setting: kind low high'"},
           {": uniform 0 1", "is no 'setting"},
           {"B c: uniform 0 1", "'B c' is no setting's path"},
           {"b: unifrom 0 1", "did you mean 'uniform'"},
           {"b:", "'' is no kind of range"},
           {"b: uniform 0", "has '' where a number belongs"},
           {"b: uniform 0 x", "has 'x' where a number belongs"},
           {"b: uniform 0 inf", "has 'inf' where"},
           {"b: uniform 0 1 2", "has '2' behind its range"},
           {"b: uniform 1 1", "goes from 1 to 1"},
           {"b: log 0 1", "has no logarithm at its lower end"},
           {"b: integer 0.5 2", "no whole numbers"},
           {"b: integer 0 1e300", "no whole numbers"},
           {"b: choice one", "two or more"},
           {"b: choice one | one", "two or more"},
           {"b: choice one | | two", "two or more"},
           {"a: uniform 0 1", "has 'a' a second time"}})
    EXPECT_SAYS(message(line), part);
  EXPECT_SAYS(error_of([] { parse_search_space("# nothing\n", "s.yaml"); }),
              "no setting to search");
  EXPECT_SAYS(error_of([] { read_search_space("no-such-space.yaml"); }), "no-such-space.yaml");
}

TEST(SearchSpace, PlacesAndValuesAreEachOthersInverse) {
  const SearchSpace space = parse_search_space(kAllKinds, "space.yaml");
  Rng rng(1);
  for (int i = 0; i < 2000; ++i)
    for (const SearchDimension& dimension : space.dimensions) {
      const double value = dimension.value_at(i < 2 ? i : rng.uniform());
      if (dimension.choices.empty()) {
        EXPECT_GE(value, dimension.low);
        EXPECT_LE(value, dimension.high);
        EXPECT_EQ(std::stod(dimension.value_text(value)), value);
      }
      EXPECT_EQ(dimension.value_at(dimension.unit_of(value)), value) << dimension.path;
    }
}

TEST(SearchSpace, GivesWholeNumbersAndChoicesEqualParts) {
  const SearchSpace space = parse_search_space("a: integer 1 4\nb: choice x | y | z", "");
  std::vector<int> whole(5), choices(3);
  for (int i = 0; i < 1200; ++i) {
    ++whole[static_cast<size_t>(space.dimensions[0].value_at((i + 0.5) / 1200))];
    ++choices[static_cast<size_t>(space.dimensions[1].value_at((i + 0.5) / 1200))];
  }
  EXPECT_EQ(whole, (std::vector<int>{0, 300, 300, 300, 300}));
  EXPECT_EQ(choices, (std::vector<int>{400, 400, 400}));
}

TEST(SearchSpace, WritesSettingsAsTheyArePasted) {
  const SearchSpace space = parse_search_space(kAllKinds, "space.yaml");
  SearchPoint point;
  for (const SearchDimension& dimension : space.dimensions)
    point.push_back(dimension.value_at(0.3));
  EXPECT_EQ(settings_at(space, point),
            (std::vector<std::string>{"policy.retrieval.k=29", "policy.retrieval.ratio=0.335",
                                      "policy.members=2", "train.optimizer.weight_decay=4.397e-05",
                                      "policy.network.hidden=[128, 128]"}));
}

}  // namespace
}  // namespace darp
