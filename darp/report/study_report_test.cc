#include "darp/report/study_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/core/file.h"
#include "darp/core/rng.h"
#include "darp/exhibit/exhibit_file.h"
#include "darp/report/svg_canvas.h"
#include "darp/report/svg_plot.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"
#include "tests/well_formed.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

const std::string kHostileText = "</svg><script>alert('x')</script>&amp;\x1b\xff \"--><b>";

size_t times(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++count;
  return count;
}

std::string sound_svg(const Exhibit& exhibit) {
  const std::string svg = exhibit_svg(exhibit);
  EXPECT_EQ(markup_problem(svg), "");
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_EQ(svg.find("=\"nan"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  EXPECT_EQ(exhibit_svg(exhibit), svg);
  return svg;
}

/// A set with one of each kind, all of whose text is `text` and whose numbers come from `number`.
template <class Number>
ExhibitSet set_with(const std::string& text, Number number) {
  const auto numbers = [&](size_t count) {
    std::vector<double> all;
    while (all.size() < count) all.push_back(number());
    return all;
  };
  ExhibitTable table{{"t", text, text}, {{text, false, text}, {text}}, {}};
  table.rows = {{{text}, {text, number(), Interval{number(), number()}, true}},
                {{text, {}, {}, false, true}, {}}};
  ExhibitCurves curves{{"c", text, text}, {text, true}, {text}, {}};
  curves.series = {{text, numbers(4), numbers(4), {{number(), number()}, {}, {}, {}}},
                   {text, numbers(3), numbers(3), {{}, {number(), number()}, {}}, true}};
  curves.marks = {
      {number(), text}, {number(), text}, {number(), text, true}, {number(), text, true}};
  ExhibitBoxes boxes{{"b", text, text}, text, text, {}};
  boxes.rows = {{text, numbers(6), number(), text, 3}, {text, numbers(2), {}, "", 9}, {text, {}}};
  ExhibitParallel parallel{{"p", text, text}, {{text, true}, {text, false, {text, "b"}}}, {}, text};
  for (int i = 0; i < 5; ++i) parallel.lines.push_back({{number(), i % 2 * 1.0}, number()});
  ExhibitSet set{text, text, text};
  set.facts = {{text, text}};
  set.exhibits = {table, curves, boxes, parallel, ExhibitVideo{{"v", text, text}, "film.mp4"}};
  return set;
}

TEST(ExhibitSvg, IsThereForFiguresOnly) {
  EXPECT_EQ(exhibit_svg(ExhibitTable{}), "");
  EXPECT_EQ(exhibit_svg(ExhibitVideo{}), "");
  for (const Exhibit& empty :
       {Exhibit(ExhibitCurves{}), Exhibit(ExhibitBoxes{}), Exhibit(ExhibitParallel{}),
        Exhibit(ExhibitBoxes{{}, "", "", {{"a", {}}}})})
    EXPECT_NE(sound_svg(empty).find("no data"), std::string::npos);
}

TEST(ExhibitSvg, TakesAnyNumbersAndAnyText) {
  Rng rng(5);
  for (int round = 0; round < 100; ++round) {
    const auto any = [&] {
      const double power = static_cast<double>(rng.below(640)) - 330;
      return rng.below(5) == 0 ? std::nan("") : rng.normal() * std::pow(10.0, power);
    };
    for (const Exhibit& exhibit : set_with(kHostileText, any).exhibits)
      if (is_figure(exhibit)) sound_svg(exhibit);
  }
}

TEST(BoxChart, DrawsDotsBoxesMediansAndMarks) {
  const ExhibitBoxes boxes{{"b", "t", ""},
                           "return",
                           "the paper",
                           {{"a", {1, 2, 3, 4, 5}, 4.5, "words"}, {"few", {1, 2}}}};
  const std::string svg = sound_svg(boxes);
  EXPECT_EQ(times(svg, "<circle"), 7u + 1u);  // values, and the key
  EXPECT_EQ(times(svg, "<rect"),
            1u + 1u + 1u);  // and the background; of two values there is no box
  EXPECT_EQ(times(svg, "stroke=\"#222\" stroke-width=\"3\""), 2u + 1u);
  EXPECT_EQ(times(svg, "fill=\"#fff\" stroke=\"#222\""), 1u + 1u);
  for (const char* part : {">the paper<", ">words<", ">median<"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
}

TEST(BoxChart, PutsRowsOfAGroupTogether) {
  const std::string svg = sound_svg(ExhibitBoxes{
      {}, "", "", {{"one", {1}, {}, "", 4}, {"two", {2}, {}, "", 1}, {"three", {3}, {}, "", 4}}});
  EXPECT_LT(svg.find(">three<"), svg.find(">two<"));
}

TEST(CurvesChart, DrawsMarksWithWordsThatDoNotMeet) {
  ExhibitCurves curves{{}, {"step"}, {"y"}, {{"a", {0, 100}, {0, 1}}}};
  const std::string plain = sound_svg(curves);
  curves.marks = {{50, "the first of two"}, {51, "the second of two"}, {0.5, "level", true}};
  const std::string svg = sound_svg(curves);
  EXPECT_EQ(times(svg, "stroke-dasharray=\"6 3\""), 3u);
  const auto line_of = [&](const std::string& text) {
    const size_t begin = svg.rfind("<text", svg.find(text));
    return svg.substr(svg.find(" y=", begin), 8);
  };
  EXPECT_NE(line_of(">the first of two<"), line_of(">the second of two<"));
  // An axis holds its marks.
  curves.marks = {{1000, "far"}};
  EXPECT_NE(sound_svg(curves).find(">1,000<"), std::string::npos);
}

TEST(CurvesChart, DrawsPointsWithoutALine) {
  ExhibitCurves curves{{}, {}, {}, {{"a", {1, 2, 3}, {1, 2, 3}, {}, true}}};
  EXPECT_EQ(times(sound_svg(curves), "<polyline"), 0u);
  EXPECT_EQ(times(sound_svg(curves), "<circle"), 3u + 1u);
}

TEST(ParallelChart, TellsBetterFromWorseByColourWidthAndDashes) {
  ExhibitParallel parallel{
      {}, {{"rate", true}, {"kind", false, {"mlp", "unet"}}}, {}, "loss", false};
  for (int i = 1; i <= 40; ++i)
    parallel.lines.push_back(
        {{std::pow(10.0, -i / 10.0), i == 7 ? std::nan("") : i % 2 * 1.0}, 1.0 * i});
  const std::string svg = sound_svg(parallel);
  // The best of them has a rim, and a marker on each of three axes and in the key.
  EXPECT_EQ(times(svg, "<polyline"), 40u + 1u);
  EXPECT_EQ(times(svg, "<polygon"), 3u + 1u);
  EXPECT_EQ(times(svg, "stroke-dasharray=\"4 3\""), 20u + 1u);
  for (const char* part : {"lower is better", ">best: 1<", ">unet<", ">none<", ">loss<"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_LT(svg.find("stroke-dasharray=\"4 3\""), svg.find("#08306B"));
}

TEST(StudyReport, WritesAllItsFilesTwiceTheSame) {
  const ExhibitSet set = set_with("Some words.", [i = 0]() mutable { return 1.0 + i++; });
  const fs::path folder = test_folder() / "new" / "study";
  const auto all_text = [&] {
    std::string text;
    for (const char* name : {"exhibits.json", "report.html", "report.md", "csv/t.csv", "csv/c.csv",
                             "csv/b.csv", "csv/p.csv", "svg/c.svg", "svg/b.svg", "svg/p.svg"})
      text += as_text(MappedFile(folder / name).bytes());
    return text;
  };
  write_study_report(folder, set);
  const std::string text = all_text();
  EXPECT_EQ(read_exhibits(folder), set);
  write_study_report(folder, set);
  EXPECT_EQ(all_text(), text);
  EXPECT_FALSE(fs::exists(folder / "csv" / "v.csv"));
  EXPECT_FALSE(fs::exists(folder / "svg" / "t.svg"));
  EXPECT_SAYS(error_of([&] { write_study_report(folder / "report.md" / "x", set); }), "report.md");
}

TEST(StudyReport, EscapesHostileText) {
  ExhibitSet set = set_with(kHostileText, [] { return 2.0; });
  const Markup body = study_body(set, test_folder(), "s1");
  EXPECT_EQ(markup_problem(body.text), "");
  EXPECT_EQ(body.text.find("<script"), std::string::npos);
  EXPECT_NE(body.text.find("The film is not shown"), std::string::npos);
}

TEST(StudyReport, ShowsTheBestInBoldAndWhatIsMinorInGrey) {
  const Markup body = study_body(set_with("words", [] { return 2.0; }), test_folder(), "s1");
  EXPECT_NE(body.text.find("<td class=\"number best\" title=\"2 to 2\">words"), std::string::npos);
  EXPECT_NE(body.text.find("<td class=\"text minor\">words"), std::string::npos);
  // Links lead to what is there.
  EXPECT_NE(body.text.find("href=\"#s1-b\""), std::string::npos);
  EXPECT_NE(body.text.find("id=\"s1-b\""), std::string::npos);
}

TEST(DrawnFiles, OfSeveralStudiesHaveTheirNamesInFront) {
  const ExhibitSet set{"My Study", "", "", {}, {ExhibitBoxes{{"b", "", ""}, "", "", {}}}};
  const DrawnFiles files = draw_files({set, set}, "../svg");
  ASSERT_EQ(files.svg.size(), 2u);
  EXPECT_EQ(files.svg[0].name, "my-study-b.svg");
  EXPECT_EQ(files.svg[1].name, "my-study-2-b.svg");
  EXPECT_NE(files.markdown.find("(../svg/my-study-2-b.svg)"), std::string::npos);
}

}  // namespace
}  // namespace darp
