#include "darp/report/html_page.h"

#include <gtest/gtest.h>

#include "tests/well_formed.h"

namespace darp {
namespace {

const std::string kHostilePageText = "\"><script src='//evil'></script><img onerror=x>&\x01\xc0";

bool page_has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(HtmlPage, EscapesEverythingThatIsForeign) {
  const std::string& h = kHostilePageText;
  const Bytes bytes = as_byte_span(h);
  const HtmlTable table{{{h, Column::kText, h}}, {{TableCell::text(h)}}};
  const Markup body = section(
      h, paragraph(h) + code_block(h) + note(h) + finding(h, h) +
             subsection(h, details(h, code(h))) + html_table(table) +
             fact_table({{h, escaped(h)}}) +
             side_by_side({figure(embedded_png(bytes, h), h), figure(embedded_mp4(bytes, h), h)}));
  const std::string page = html_page(h, body, h);
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_FALSE(page_has(page, "<script"));
  EXPECT_FALSE(page_has(page, "<img onerror"));
  EXPECT_FALSE(page_has(page, "http://"));
}

TEST(HtmlPage, NeedsNothingFromOutside) {
  const std::string page = html_page("t", paragraph("x"), "f");
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page_has(page, "default-src 'none'"));
  EXPECT_FALSE(page_has(page, "@import"));
  EXPECT_FALSE(page_has(page, "url("));
}

TEST(HtmlTable, LeavesOutColumnsWithoutEntries) {
  const HtmlTable table{{{"name", Column::kText}, {"success"}, {"mean"}},
                        {{TableCell::text("a"), TableCell::text(""), TableCell::text("1")},
                         {TableCell::text("b"), TableCell::text(""), TableCell::text("")}}};
  const std::string html = html_table(table).text;
  EXPECT_EQ(markup_problem(html), "");
  EXPECT_FALSE(page_has(html, "success"));
  EXPECT_TRUE(page_has(html, "<td class=\"number\">1</td>"));
  EXPECT_TRUE(page_has(html, "<td class=\"text\">b</td>"));
}

}  // namespace
}  // namespace darp
