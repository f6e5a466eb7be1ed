#include "darp/report/svg_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "darp/core/rng.h"
#include "darp/report/plot_frame.h"
#include "darp/report/svg_canvas.h"
#include "tests/well_formed.h"

namespace darp {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                 kInfinite = std::numeric_limits<double>::infinity();
const std::string kHostile = "</svg><script>alert(\"x\")</script>&amp;\x1b\xff";

size_t count_of(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++count;
  return count;
}

LineChart line_of(std::vector<double> y) {
  LineSeries series{"a", 0, {}, std::move(y)};
  for (size_t i = 0; i < series.y.size(); ++i) series.x.push_back(static_cast<double>(i));
  return {{"epoch"}, {"loss"}, {series}};
}

/// Well-formed, and no coordinate is NaN or infinite.
void expect_sound(const Markup& svg) {
  EXPECT_EQ(markup_problem(svg.text), "");
  EXPECT_EQ(svg.text.find("nan"), std::string::npos) << svg.text;
  EXPECT_EQ(svg.text.find("inf"), std::string::npos) << svg.text;
}

TEST(LineChart, DrawsALineMarksAndALegend) {
  const Markup svg = line_chart(line_of({3, 2, 1}));
  expect_sound(svg);
  EXPECT_EQ(count_of(svg.text, "<polyline"), 1u);
  EXPECT_NE(svg.text.find(">loss<"), std::string::npos);
  EXPECT_NE(svg.text.find(">epoch<"), std::string::npos);
  EXPECT_EQ(line_chart(line_of({3, 2, 1})).text, svg.text);
}

TEST(LineChart, SaysThatThereIsNoData) {
  for (const LineChart& chart : {LineChart{}, line_of({}), line_of({kNan, kInfinite})}) {
    const Markup svg = line_chart(chart);
    expect_sound(svg);
    EXPECT_NE(svg.text.find("no data"), std::string::npos);
  }
}

TEST(LineChart, DrawsOnePointAndConstants) {
  const std::string one = line_chart(line_of({5})).text;
  expect_sound({one});
  EXPECT_EQ(count_of(one, "<polyline"), 0u);
  EXPECT_GE(count_of(one, "<circle"), 1u);
  expect_sound(line_chart(line_of({5, 5, 5})));
  expect_sound(line_chart(line_of({0, 0})));
}

TEST(LineChart, BreaksWhereAValueCannotBeDrawn) {
  EXPECT_EQ(count_of(line_chart(line_of({1, 2, kNan, 3, 4})).text, "<polyline"), 2u);
  LineChart logarithmic = line_of({1, 2, 0, 3, 4});
  logarithmic.y.scale = AxisScale::kLogarithmic;
  expect_sound(line_chart(logarithmic));
  EXPECT_EQ(count_of(line_chart(logarithmic).text, "<polyline"), 2u);
}

TEST(LineChart, ThinsLongLinesAndKeepsTheirPeaks) {
  std::vector<double> y(200'000, 1);
  y[77'777] = 100;
  const Markup svg = line_chart(line_of(y));
  EXPECT_LT(svg.text.size(), 60'000u);
  // One point is far above the others: the smallest y of the line is near the area's top.
  const size_t begin = svg.text.find("<polyline points=\"") + 18;
  std::istringstream points(svg.text.substr(begin, svg.text.find('"', begin) - begin));
  double top = kInfinite;
  for (std::string point; points >> point;)
    top = std::min(top, std::stod(point.substr(point.find(',') + 1)));
  EXPECT_LT(top, 60);
  y[77'777] = kNan;
  EXPECT_EQ(count_of(line_chart(line_of(y)).text, "<polyline"), 2u);
}

TEST(LineChart, DrawsBands) {
  LineChart chart = line_of({1, 2, 3});
  const size_t without = count_of(line_chart(chart).text, "<polygon");
  chart.series[0].band = {{0, 2}, {1, 3}, {kNan, 4}};
  expect_sound(line_chart(chart));
  EXPECT_EQ(count_of(line_chart(chart).text, "<polygon"), without + 1);
}

TEST(IntervalChart, DrawsRowsDotsAndTheReference) {
  const IntervalChart chart{"return",
                            {{"a", 0, 1, {0, 2}, "1 [0, 2]", {0, 1, 1, 1, 2}}, {"b", 1, 3, {2, 4}}},
                            0,
                            "worse",
                            "better"};
  const Markup svg = interval_chart(chart);
  expect_sound(svg);
  EXPECT_EQ(count_of(svg.text, "<circle"), 6u);
  EXPECT_NE(svg.text.find("← worse"), std::string::npos);
  EXPECT_EQ(interval_chart(chart).text, svg.text);
}

TEST(IntervalChart, LeavesOutWhatCannotBeDrawn) {
  const Markup svg = interval_chart(
      {"return",
       {{"a", 0, kNan, {0, 2}}, {"b", 0, 1, {-kInfinite, 2}}, {"c", 0, 1, {1, 1}, "", {kNan}}},
       {}});
  expect_sound(svg);
  EXPECT_EQ(count_of(svg.text, "<circle"), 1u);
  EXPECT_NE(svg.text.find(">a<"), std::string::npos);
  EXPECT_NE(interval_chart({}).text.find("no data"), std::string::npos);
}

TEST(IntervalChart, DrawsNoMoreDotsThanItMay) {
  const std::vector<double> many(50'000, 1.5);
  const Markup svg = interval_chart({"return", {{"a", 0, 1, {0, 2}, "", many}}, {}});
  EXPECT_EQ(count_of(svg.text, "<circle"), kMostDots + 1);
}

TEST(PairChart, TellsTheSidesOfTheDiagonalApart) {
  PairChart chart{"x", "y", "above", "below", 1, 0, {1, 2, 3, kNan}, {2, 1, 4, 5}};
  const Markup svg = pair_chart(chart);
  expect_sound(svg);
  EXPECT_EQ(count_of(svg.text, "<circle"), 1u + 1u);   // below, and its key
  EXPECT_EQ(count_of(svg.text, "<polygon"), 2u + 1u);  // above, and their key
  EXPECT_NE(pair_chart({}).text.find("no data"), std::string::npos);
}

TEST(Charts, EscapeHostileNames) {
  LineChart line = line_of({1, 2});
  line.series[0].name = line.x.title = line.y.title = kHostile;
  const Interval interval{0, 2};
  for (const Markup& svg :
       {line_chart(line),
        interval_chart({kHostile, {{kHostile, 0, 1, interval, kHostile}}, 0, kHostile, kHostile}),
        pair_chart({kHostile, kHostile, kHostile, kHostile, 0, 1, {1}, {2}})}) {
    expect_sound(svg);
    EXPECT_EQ(svg.text.find("<script"), std::string::npos);
  }
}

TEST(Charts, TakeAnyNumbers) {
  Rng rng(3);
  for (int round = 0; round < 300; ++round) {
    const auto any = [&] {
      const double power = static_cast<double>(rng.below(640)) - 330;
      return rng.below(8) == 0 ? kNan : rng.normal() * std::pow(10.0, power);
    };
    std::vector<double> a, b;
    for (uint64_t i = 0, n = rng.below(6); i < n; ++i) {
      a.push_back(any());
      b.push_back(any());
    }
    LineChart chart{{"x"},
                    {"y", round % 2 == 0 ? AxisScale::kLinear : AxisScale::kLogarithmic},
                    {{"s", 1, a, b}}};
    expect_sound(line_chart(chart));
    expect_sound(pair_chart({"x", "y", "a", "b", 0, 1, a, b}));
    expect_sound(interval_chart({"v", {{"r", 0, any(), {any(), any()}, "", a}}, any(), "l", "r"}));
  }
}

TEST(Styles, DifferInColourInDashesAndInShape) {
  std::set<std::string> colors, dashes, shapes;
  for (int style = 0; style < kStyles; ++style) {
    colors.emplace(style_color(style));
    dashes.emplace(style_dashes(style));
    std::string shape = style_key(style).text;
    shape.erase(shape.find("fill"), 14);
    shapes.insert(shape);
  }
  EXPECT_EQ(colors.size(), static_cast<size_t>(kStyles));
  EXPECT_EQ(dashes.size(), static_cast<size_t>(kStyles));
  EXPECT_EQ(shapes.size(), static_cast<size_t>(kStyles));
}

TEST(EvenlyChosen, HasBothEndsAndNothingTwice) {
  EXPECT_TRUE(evenly_chosen(0, 5).empty());
  EXPECT_EQ(evenly_chosen(3, 5), (std::vector<size_t>{0, 1, 2}));
  EXPECT_EQ(evenly_chosen(101, 5), (std::vector<size_t>{0, 25, 50, 75, 100}));
  EXPECT_EQ(evenly_chosen(9, 1), (std::vector<size_t>{0}));
}

}  // namespace
}  // namespace darp
