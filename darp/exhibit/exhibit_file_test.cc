#include "darp/exhibit/exhibit_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "darp/core/file.h"
#include "darp/core/rng.h"
#include "tests/error_of.h"
#include "tests/test_folder.h"

namespace darp {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string random_text(Rng& rng) {
  static const std::vector<std::string> kParts = {"a", "B c", "|", "<b>",  "\"",   "\\", "\n", "\t",
                                                  "±", "α",   ",", "\r\n", "\x01", "&",  "𝛼"};
  std::string text;
  for (uint64_t i = rng.below(5); i > 0; --i) text += kParts[rng.below(kParts.size())];
  return text;
}

double random_number(Rng& rng) {
  const double power = static_cast<double>(rng.below(600)) - 300;
  return rng.below(4) == 0 ? std::floor(rng.normal() * 100) : rng.normal() * std::pow(10.0, power);
}

std::vector<double> random_numbers(Rng& rng, size_t count) {
  std::vector<double> numbers;
  while (numbers.size() < count) numbers.push_back(random_number(rng));
  return numbers;
}

ExhibitTable random_table(Rng& rng) {
  ExhibitTable table;
  table.columns.resize(rng.below(4));
  for (auto& column : table.columns)
    column = {random_text(rng), rng.below(2) == 0, random_text(rng)};
  table.rows.resize(rng.below(4));
  for (auto& row : table.rows)
    for (size_t c = 0; c < table.columns.size(); ++c) {
      ExhibitCell cell{random_text(rng)};
      if (rng.below(2) == 0) cell.value = random_number(rng);
      if (rng.below(2) == 0) cell.interval = Interval{random_number(rng), random_number(rng)};
      cell.best = rng.below(2) == 0;
      cell.minor = rng.below(2) == 0;
      row.push_back(cell);
    }
  return table;
}

ExhibitCurves random_curves(Rng& rng) {
  ExhibitCurves curves;
  curves.x = {random_text(rng), rng.below(2) == 0};
  curves.y = {random_text(rng), rng.below(2) == 0};
  curves.series.resize(rng.below(3));
  for (auto& series : curves.series) {
    const size_t count = rng.below(5);
    series = {random_text(rng), random_numbers(rng, count), random_numbers(rng, count), {}, false};
    series.points = rng.below(2) == 0;
    if (rng.below(2) == 0) series.band.resize(count, {random_number(rng), random_number(rng)});
  }
  if (rng.below(2) == 0) curves.marks = {{random_number(rng), random_text(rng), rng.below(2) == 0}};
  return curves;
}

ExhibitBoxes random_boxes(Rng& rng) {
  ExhibitBoxes boxes;
  boxes.axis_title = random_text(rng);
  boxes.mark_title = random_text(rng);
  boxes.rows.resize(rng.below(4));
  for (auto& row : boxes.rows) {
    row = {random_text(rng),
           random_numbers(rng, rng.below(5)),
           {},
           random_text(rng),
           static_cast<int>(rng.below(kMostGroups))};
    if (rng.below(2) == 0) row.mark = random_number(rng);
  }
  return boxes;
}

ExhibitParallel random_parallel(Rng& rng) {
  ExhibitParallel parallel;
  parallel.score_title = random_text(rng);
  parallel.higher_is_better = rng.below(2) == 0;
  parallel.axes = {{random_text(rng), rng.below(2) == 0}, {random_text(rng), false, {"a", "b"}}};
  parallel.lines.resize(rng.below(4));
  for (auto& line : parallel.lines)
    line = {{random_number(rng), static_cast<double>(rng.below(2))}, random_number(rng)};
  return parallel;
}

Exhibit random_exhibit(Rng& rng) {
  switch (rng.below(5)) {
    case 0:
      return random_table(rng);
    case 1:
      return random_curves(rng);
    case 2:
      return random_boxes(rng);
    case 3:
      return random_parallel(rng);
    default:
      return ExhibitVideo{{}, "a film (1).mp4"};
  }
}

ExhibitSet random_set(uint64_t seed) {
  Rng rng(seed);
  ExhibitSet set{random_text(rng), random_text(rng), random_text(rng)};
  for (uint64_t i = rng.below(3); i > 0; --i)
    set.facts.emplace_back(random_text(rng), random_text(rng));
  for (uint64_t i = rng.below(5); i > 0; --i) {
    Exhibit exhibit = random_exhibit(rng);
    std::visit(
        [&](auto& one) {
          one.name = "name-" + std::to_string(i);
          one.title = random_text(rng);
          one.note = random_text(rng);
        },
        exhibit);
    set.exhibits.push_back(std::move(exhibit));
  }
  return set;
}

/// One of each kind, as JSON whose parts tests replace.
std::string sample_json() {
  ExhibitSet set{"s", "t", "u"};
  set.facts = {{"machine", "abacus"}};
  ExhibitTable table{{"table", "", ""}, {{"c"}}, {{{"1 ± 2", 1.5, Interval{0, 3}}}}};
  ExhibitCurves curves{
      {"curves", "", ""}, {"x"}, {"y"}, {{"line", {1, 2}, {3, 4}, {{0, 9}, {0, 8}}}}};
  ExhibitBoxes boxes{{"boxes", "", ""}, "axis", "paper", {{"row", {1, 2}, 5.0}}};
  ExhibitParallel parallel{
      {"parallel", "", ""}, {{"p", false, {"yes", "no"}}}, {{{1}, 7}}, "score"};
  set.exhibits = {table, curves, boxes, parallel, ExhibitVideo{{"video", "", ""}, "film.mp4"}};
  return exhibits_json(set);
}

std::string error_with(const std::string& part, const std::string& instead) {
  std::string text = sample_json();
  const size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part << " in\n" << text;
  if (at != std::string::npos) text.replace(at, part.size(), instead);
  return error_of([&] { parse_exhibits(text, "f"); });
}

TEST(Exhibits, AreReadAsTheyWereWritten) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const ExhibitSet set = random_set(seed);
    const std::string text = exhibits_json(set);
    EXPECT_EQ(parse_exhibits(text, "f"), set) << text;
    EXPECT_EQ(exhibits_json(parse_exhibits(text, "f")), text);
  }
}

TEST(Exhibits, AreWrittenAsTheirDocumentationShows) {
  const std::filesystem::path root = DARP_SOURCE_DIR;
  const MappedFile sample(root / "tests/fuzz/corpus/exhibits/one"),
      page(root / "docs/formats/exhibits.md");
  const std::string text(as_text(sample.bytes()));
  EXPECT_EQ(exhibits_json(parse_exhibits(text, "one")), text);
  EXPECT_NE(as_text(page.bytes()).find(text), std::string_view::npos);
}

TEST(Exhibits, AreReadFromAFileAndFromItsFolder) {
  const ExhibitSet set = parse_exhibits(sample_json(), "f");
  const auto folder = test_folder();
  write_exhibits(folder / kExhibitFile, set);
  EXPECT_EQ(read_exhibits(folder), set);
  EXPECT_EQ(read_exhibits(folder / kExhibitFile), set);
  EXPECT_SAYS(error_of([&] { read_exhibits(folder / "no.json"); }), "no.json");
}

TEST(Exhibits, KeepNumbersThatAreNone) {
  ExhibitSet set;
  set.exhibits = {ExhibitCurves{{"c", "", ""}, {}, {}, {{"s", {1}, {kNone}, {{kNone, INFINITY}}}}},
                  ExhibitTable{{"t", "", ""}, {{"c"}}, {{{"", kNone, Interval{kNone, 1}}}}}};
  const ExhibitSet again = parse_exhibits(exhibits_json(set), "f");
  const auto& series = std::get<ExhibitCurves>(again.exhibits[0]).series[0];
  EXPECT_TRUE(std::isnan(series.y[0]));
  EXPECT_TRUE(std::isnan(series.band[0].low) && std::isnan(series.band[0].high));
  const ExhibitCell& cell = std::get<ExhibitTable>(again.exhibits[1]).rows[0][0];
  EXPECT_TRUE(cell.value && std::isnan(*cell.value));
  EXPECT_TRUE(std::isnan(cell.interval->low));
  EXPECT_EQ(cell.interval->high, 1);
}

TEST(Exhibits, WithListsOfUnequalLengthsAreRefused) {
  EXPECT_SAYS(error_with("\"x\": [1.0,2.0]", "\"x\": [1.0]"), "y: has 2 entries where x has 1");
  EXPECT_SAYS(error_with("\"low\": [0.0,0.0]", "\"low\": [0.0]"),
              "high: has 2 entries where low has 1");
  EXPECT_SAYS(error_with("\"values\": [[1.0]]", "\"values\": [[1.0,1.0]]"), "where axes has 1");
  EXPECT_SAYS(error_with("\"scores\": [7.0]", "\"scores\": []"), "where scores has 0");
  EXPECT_SAYS(error_with("\"rows\": [[{", "\"rows\": [[{\"text\":\"\"},{"), "where columns has 1");
  EXPECT_SAYS(error_with("[0.0,3.0]", "[0.0]"), "is not [low, high]");
}

TEST(Exhibits, WithNamesThatAreNoneAreRefused) {
  for (const char* name : {"", "A", "a b", "../a", "a.svg", "ä"})
    EXPECT_SAYS(error_with("\"name\": \"boxes\"", fmt::format("\"name\": \"{}\"", name)),
                "exhibits[2].name");
  EXPECT_SAYS(error_with("\"name\": \"boxes\"", "\"name\": \"table\""), "that of another exhibit");
  EXPECT_SAYS(error_with("\"name\": \"boxes\"", "\"name\": \"" + std::string(101, 'a') + "\""),
              "is no name");
  for (const char* file : {"", ".mp4", "../film.mp4", "/etc/x.mp4", "a\\\\b.mp4", "film.html",
                           "film.mp4\\u0000", "a\\nb.mp4"})
    EXPECT_SAYS(error_with("film.mp4", file), "is no name of an mp4 file");
}

TEST(Exhibits, ThatAreSomethingElseAreRefused) {
  EXPECT_SAYS(error_with("darp exhibits", "darp evaluation"), "is not 'darp exhibits'");
  EXPECT_SAYS(error_with("\"version\": 1", "\"version\": 2"), "is not 1");
  EXPECT_SAYS(error_with("\"kind\": \"boxes\"", "\"kind\": \"pie\""), "is no kind of exhibit");
  EXPECT_SAYS(error_with("\"study\"", "\"studdy\""), "has");
  EXPECT_SAYS(error_with("\"mark_title\": \"paper\"", "\"mark_title\": 5"), "where text belongs");
  EXPECT_SAYS(error_with("\"group\": 0", "\"group\": 1000"), "from 0 to 999");
  EXPECT_SAYS(error_with("\"group\": 0", "\"group\": -1"), "from 0 to 999");
  EXPECT_SAYS(error_with("\"values\": [[1.0]]", "\"values\": [[2.0]]"), "none of 2 choices");
  EXPECT_SAYS(error_with("\"values\": [[1.0]]", "\"values\": [[0.5]]"), "none of 2 choices");
  EXPECT_SAYS(error_of([] { parse_exhibits(std::string(100'000, '['), "f"); }), "too deeply");
  EXPECT_SAYS(error_of([] { parse_exhibits("[]", "f"); }), "an object belongs");
  const std::string whole = sample_json();
  for (size_t size = 0; size + 2 < whole.size(); size += 7)
    EXPECT_NE(error_of([&] { parse_exhibits(whole.substr(0, size), "f"); }), "no error");
}

TEST(Exhibits, ThatCouldNotBeReadAgainAreNotWritten) {
  const auto file = test_folder() / "x.json";
  ExhibitSet set;
  set.exhibits = {ExhibitVideo{{"v", "", ""}, "a/b.mp4"}};
  EXPECT_SAYS(error_of([&] { write_exhibits(file, set); }), "no name of an mp4");
  ExhibitTable table{{"t", "", ""}, {{"c"}}, {}};
  table.rows.resize(60'000, {{"x"}});
  set.exhibits = {table};
  EXPECT_SAYS(error_of([&] { write_exhibits(file, set); }), "too many objects");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(ExhibitMarkdown, HasTablesPicturesAndFilms) {
  ExhibitSet set{"s", "A *title*", "One.\nStill one.\n\n- two"};
  set.facts = {{"command", "darp study x | tee"}};
  set.exhibits = {ExhibitTable{{"t", "Table", "a\nnote"},
                               {{"who", false}, {"score"}},
                               {{{"a|b"}, {"1.5", 1.5, {}, true}}}},
                  ExhibitCurves{{"c", "Curves [1]", ""}, {}, {}, {}},
                  ExhibitVideo{{"v", "Film", ""}, "a b).mp4"}};
  EXPECT_EQ(exhibits_markdown(set),
            "# A \\*title\\*\n\nOne. Still one.\n\n\\- two\n\n## Table\n\n"
            "| who | score |\n|---|---:|\n| a\\|b | **1.5** |\n\na note\n\n"
            "## Curves \\[1\\]\n\n![Curves \\[1\\]](svg/c.svg)\n\n"
            "## Film\n\n[a b).mp4](a%20b%29.mp4)\n\n"
            "## How it was made\n\n| what | |\n|---|---|\n| command | darp study x \\| tee |\n\n");
  EXPECT_EQ(exhibits_markdown(set, std::nullopt).find(".svg"), std::string::npos);
  set.title = "<script>\x1b[2J\xff";
  EXPECT_TRUE(exhibits_markdown(set).starts_with("# \\<script\\> \\[2J\xEF\xBF\xBD\n"));
}

TEST(ExhibitCsv, HasALineForEachNumber) {
  EXPECT_EQ(exhibit_csv(ExhibitTable{
                {},
                {{"who, what", false}, {"score"}},
                {{{"a \"b\""}, {"2 ± 1", 2.125, Interval{1, 3}}}, {{"c"}, {"none", kNone}}}}),
            "\"who, what\",score,score low,score high\r\n\"a \"\"b\"\"\",2.125,1,3\r\nc,,,\r\n");
  EXPECT_EQ(exhibit_csv(ExhibitCurves{
                {},
                {},
                {},
                {{"a", {1, 2}, {3, kNone}, {{0, 1}, {0, 2}}}, {"b", {5}, {6}, {}, true}},
                {{7, "m", true}, {8, "n"}}}),
            "kind,name,x,y,low,high\r\nline,a,1,3,0,1\r\nline,a,2,,0,2\r\npoint,b,5,6,,\r\n"
            "mark,m,,7,,\r\nmark,n,8,,,\r\n");
  EXPECT_EQ(exhibit_csv(ExhibitBoxes{{}, "", "", {{"r", {1, 2}, 3.0, "", 4}}}),
            "kind,name,group,value\r\nvalue,r,4,1\r\nvalue,r,4,2\r\nmark,r,4,3\r\n");
  EXPECT_EQ(
      exhibit_csv(ExhibitParallel{
          {}, {{"rate", true}, {"kind", false, {"x", "y"}}}, {{{0.1, 1}, 9}, {{kNone, 0}, 8}}, ""}),
      "rate,kind,score\r\n0.1,y,9\r\n,x,8\r\n");
  EXPECT_EQ(exhibit_csv(ExhibitVideo{}), "");
}

TEST(ExhibitText, IsAligned) {
  const ExhibitTable table{{"t", "Title", "Note."},
                           {{"method", false}, {"score"}},
                           {{{"bc"}, {"1 ± 0"}}, {{"darp"}, {"12", 12, {}, true}}}};
  EXPECT_EQ(exhibit_text(table),
            "Title\n  method  score\n  bc      1 ± 0\n  darp      12*\nNote.\n");
  EXPECT_EQ(exhibit_text({}), "\n\n");
  EXPECT_EQ(exhibit_text({{"t", "\x1b[2J", ""}, {}, {}}), " [2J\n\n");
}

}  // namespace
}  // namespace darp
