#include "darp/report/html_page.h"

#include <fmt/format.h>

#include "darp/core/error.h"

namespace darp {
namespace {

/// Screen and paper. Nothing is loaded: fonts are those of the reader's machine.
constexpr std::string_view kStyleSheet = R"(
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #222; line-height: 1.5; font-size: 15.5px;
  font-family: 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif; }
main { max-width: 1064px; margin: 0 auto; padding: 36px 32px 64px; }
h1 { font-size: 29px; line-height: 1.2; margin: 0 0 22px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 21px; margin: 44px 0 4px; padding-top: 16px; border-top: 1px solid #ddd; overflow-wrap: anywhere; }
h3 { font-size: 16.5px; margin: 26px 0 4px; overflow-wrap: anywhere; }
p { margin: 8px 0; max-width: 54em; overflow-wrap: anywhere; }
.finding { border-left: 5px solid #0072B2; background: #f4f8fb; padding: 13px 20px; margin: 0 0 12px;
  break-inside: avoid; overflow-wrap: anywhere; }
.finding b { display: block; font-size: 19px; line-height: 1.35; }
.finding span { color: #444; }
.finding p { margin: 0 0 8px; }
.finding p:last-child { margin: 0; }
.contents { font-size: 14px; max-width: none; }
.contents a { display: inline-block; margin-right: 20px; }
a { color: #0b5c8c; }
.note { color: #555; font-size: 14px; }
table { border-collapse: collapse; margin: 6px 0 12px; font-size: 14.5px; }
th, td { padding: 6px 14px 6px 0; text-align: left; vertical-align: baseline; border-bottom: 1px solid #e6e6e6; }
th { font-weight: 600; color: #555; font-size: 13px; border-bottom: 1px solid #999; }
th[title] { cursor: help; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; padding-left: 14px; }
td.minor { color: #666; padding-left: 0; }
td.best { font-weight: 700; }
td[title] { cursor: help; }
td.text { overflow-wrap: break-word; }
.wide td.text:first-child { min-width: 9em; }
table.facts { width: 100%; }
table.facts th { width: 10em; color: #555; border-bottom: 1px solid #e6e6e6; font-weight: 400; }
.key { vertical-align: -2px; margin-right: 6px; }
.wide { overflow-x: auto; }
figure { margin: 14px 0 18px; break-inside: avoid; min-width: 0; }
figure svg, figure img, figure video { display: block; max-width: 100%; height: auto; }
figcaption { color: #555; font-size: 13.5px; margin-top: 6px; max-width: 54em; overflow-wrap: anywhere; }
.row { display: flex; flex-wrap: wrap; gap: 0 24px; align-items: flex-start; }
.row > figure { flex: 1 1 380px; }
figure video { width: 520px; }
.strip { display: flex; gap: 4px; }
.strip img { flex: 1 1 0; min-width: 0; border: 1px solid #ddd; }
code, pre { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 12.5px; }
code { overflow-wrap: anywhere; }
pre { background: #f6f6f6; border: 1px solid #e4e4e4; padding: 11px 14px; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: 6px 0 14px; }
summary { cursor: pointer; color: #0b5c8c; }
footer { margin-top: 48px; color: #777; font-size: 13px; }
@media print {
  @page { margin: 14mm; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  tr { break-inside: avoid; }
  table { font-size: 8.5pt; }
  .wide { overflow: visible; }
  .contents { display: none; }
  .finding { background: none; }
  details:not([open]) { display: none; }
}
)";

bool is_used(const HtmlTable& table, size_t column) {
  for (const auto& row : table.rows)
    if (!row[column].content.text.empty()) return true;
  return false;
}

std::string class_of(Column kind, bool minor, bool best) {
  return fmt::format("class=\"{}{}{}\"", kind == Column::kNumber ? "number" : "text",
                     minor ? " minor" : "", best ? " best" : "");
}

std::string title_attribute(std::string_view explanation) {
  return explanation.empty() ? "" : fmt::format(" title=\"{}\"", escaped(explanation).text);
}

Markup element(std::string_view name, std::string_view attributes, const Markup& body) {
  return {fmt::format("<{0}{1}{2}>{3}</{0}>\n", name, attributes.empty() ? "" : " ", attributes,
                      body.text)};
}

}  // namespace

Markup html_table(const HtmlTable& table) {
  std::vector<bool> used;
  Markup head, body;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    used.push_back(is_used(table, c));
    if (!used[c]) continue;
    const HtmlTable::Head& column = table.columns[c];
    head += element("th", class_of(column.kind, false, false) + title_attribute(column.explanation),
                    escaped(column.title));
  }
  for (const auto& row : table.rows) {
    DARP_CHECK(row.size() == table.columns.size(), "a row of {} in a table of {} columns",
               row.size(), table.columns.size());
    Markup cells;
    for (size_t c = 0; c < row.size(); ++c)
      if (used[c])
        cells += element("td",
                         class_of(table.columns[c].kind, row[c].minor, row[c].best) +
                             title_attribute(row[c].explanation),
                         row[c].content);
    body += element("tr", "", cells);
  }
  const Markup whole = element(
      "table", "", element("thead", "", element("tr", "", head)) + element("tbody", "", body));
  return element("div", "class=\"wide\"", whole);
}

Markup fact_table(const std::vector<std::pair<std::string, Markup>>& facts) {
  Markup rows;
  for (const auto& [name, value] : facts)
    rows += element(
        "tr", "",
        element("th", "scope=\"row\"", escaped(name)) + element("td", "class=\"text\"", value));
  return element("table", "class=\"facts\"", element("tbody", "", rows));
}

Markup paragraph(std::string_view text) {
  return element("p", "", escaped(text));
}

Markup code(std::string_view text) {
  return {fmt::format("<code>{}</code>", escaped(text).text)};
}

Markup code_block(std::string_view text) {
  return element("pre", "", escaped(text));
}

Markup note(std::string_view text) {
  return element("p", "class=\"note\"", escaped(text));
}

Markup finding(std::string_view headline, std::string_view explanation) {
  return element("div", "class=\"finding\"",
                 element("b", "", escaped(headline)) + element("span", "", escaped(explanation)));
}

Markup summary_box(const std::vector<std::string>& paragraphs) {
  Markup body;
  for (const std::string& one : paragraphs) body += paragraph(one);
  return paragraphs.empty() ? Markup{} : element("div", "class=\"finding\"", body);
}

Markup figure(const Markup& picture, std::string_view caption) {
  return element(
      "figure", "",
      picture + (caption.empty() ? Markup{} : element("figcaption", "", escaped(caption))));
}

Markup side_by_side(const std::vector<Markup>& figures) {
  Markup all;
  for (const Markup& one : figures) all += one;
  return element("div", "class=\"row\"", all);
}

Markup details(std::string_view summary, const Markup& body) {
  return element("details", "", element("summary", "", escaped(summary)) + body);
}

Markup section(std::string_view title, const Markup& body) {
  return element("section", "", element("h2", "", escaped(title)) + body);
}

Markup subsection(std::string_view title, const Markup& body) {
  return element("h3", "", escaped(title)) + body;
}

Markup anchored(std::string_view id, const Markup& body) {
  return element("div", fmt::format("id=\"{}\"", escaped(id).text), body);
}

Markup contents(const std::vector<std::pair<std::string, std::string>>& ids_and_titles) {
  Markup links;
  for (const auto& [id, title] : ids_and_titles)
    links += element("a", fmt::format("href=\"#{}\"", escaped(id).text), escaped(title));
  return element("p", "class=\"contents\"", links);
}

Markup embedded_png(Bytes png, std::string_view description) {
  return {fmt::format("<img alt=\"{}\" src=\"{}\"/>\n", escaped(description).text,
                      data_uri("image/png", png))};
}

Markup embedded_mp4(Bytes mp4, std::string_view description) {
  return {fmt::format(
      "<video controls=\"controls\" muted=\"muted\" loop=\"loop\" preload=\"auto\" title=\"{}\" "
      "src=\"{}\"></video>\n",
      escaped(description).text, data_uri("video/mp4", mp4))};
}

std::string html_page(std::string_view title, const Markup& body, std::string_view footer) {
  const std::string name = escaped(title).text;
  // The policy forbids what a page of ours never needs, should anything slip through.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:; media-src data:\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n{2}"
      "<footer>{3}</footer>\n</main>\n</body>\n</html>\n",
      name, kStyleSheet, body.text, escaped(footer).text);
}

}  // namespace darp
