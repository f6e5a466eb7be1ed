// Exhibits for people: Markdown, and tables for the terminal.

#include <algorithm>

#include "darp/core/error.h"
#include "darp/core/utf8.h"
#include "darp/exhibit/exhibit_file.h"

namespace darp {
namespace {

/// Valid UTF-8 without control characters: they become spaces, what is no character U+FFFD.
std::string plain_text(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const size_t length = utf8_sequence_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0)
      plain += "\xEF\xBF\xBD";
    else if (first < 0x20 || first == 0x7F)
      plain += ' ';
    else
      plain += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return plain;
}

/// On one line, with a backslash before whatever Markdown could take for more than text.
std::string markdown_line(std::string_view text) {
  const std::string plain = plain_text(text);
  std::string escaped;
  for (const char c : plain) {
    if (std::string_view("\\`*_{}[]<>#|~&$!").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped.substr(std::min(escaped.find_first_not_of(' '), escaped.size()));
}

/// "- a", "1. a", "===" are lists and headings where a line begins with them.
std::string markdown_paragraph(std::string_view text) {
  std::string line = markdown_line(text);
  const size_t first = line.find_first_not_of("0123456789");
  if (first != std::string::npos &&
      std::string_view("-+=.)").find(line[first]) != std::string_view::npos)
    line.insert(first, "\\");
  return line;
}

std::string markdown_paragraphs(std::string_view text) {
  std::string all;
  for (const std::string& paragraph : paragraphs_of(text))
    all += markdown_paragraph(paragraph) + "\n\n";
  return all;
}

std::string markdown_table(const ExhibitTable& table) {
  if (table.columns.empty()) return "";
  std::string head = "|", rule = "|", rows;
  for (const ExhibitTable::Column& column : table.columns) {
    head += " " + markdown_line(column.title) + " |";
    rule += column.number ? "---:|" : "---|";
  }
  for (const auto& row : table.rows) {
    rows += "|";
    for (const ExhibitCell& cell : row) {
      const std::string text = markdown_line(cell.text);
      rows += cell.best && !text.empty() ? " **" + text + "** |" : " " + text + " |";
    }
    rows += "\n";
  }
  return head + "\n" + rule + "\n" + rows + "\n";
}

/// The target of a link: everything but plain letters by its number.
std::string link_target(std::string_view path) {
  std::string target;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_./").find(c) != std::string_view::npos;
    target += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return target;
}

std::string markdown_body(const Exhibit& exhibit, const std::optional<std::string>& prefix) {
  const ExhibitHeading& heading = heading_of(exhibit);
  if (const auto* table = std::get_if<ExhibitTable>(&exhibit)) return markdown_table(*table);
  if (const auto* video = std::get_if<ExhibitVideo>(&exhibit))
    return fmt::format("[{}]({})\n\n", markdown_line(video->file), link_target(video->file));
  if (!prefix) return "";
  return fmt::format("![{}]({})\n\n", markdown_line(heading.title),
                     link_target(*prefix + heading.name + ".svg"));
}

std::string to_width(const std::string& text, size_t width, bool to_the_right) {
  const size_t columns = utf8_columns(text);
  const std::string spaces(width > columns ? width - columns : 0, ' ');
  return to_the_right ? spaces + text : text + spaces;
}

}  // namespace

std::string exhibits_markdown(const ExhibitSet& set,
                              const std::optional<std::string>& picture_prefix) {
  std::string text =
      fmt::format("# {}\n\n", markdown_line(set.title)) + markdown_paragraphs(set.summary);
  for (const Exhibit& exhibit : set.exhibits) {
    const ExhibitHeading& heading = heading_of(exhibit);
    text += fmt::format("## {}\n\n", markdown_line(heading.title));
    text += markdown_body(exhibit, picture_prefix);
    text += markdown_paragraphs(heading.note);
  }
  if (set.facts.empty()) return text;
  text += "## How it was made\n\n| what | |\n|---|---|\n";
  for (const auto& [name, value] : set.facts)
    text += fmt::format("| {} | {} |\n", markdown_line(name), markdown_line(value));
  return text + "\n";
}

std::string exhibit_text(const ExhibitTable& table) {
  // Lines of words: the heading, then the rows.
  std::vector<std::vector<std::string>> lines(1);
  for (const ExhibitTable::Column& column : table.columns)
    lines[0].push_back(plain_text(column.title));
  for (const auto& row : table.rows) {
    std::vector<std::string>& words = lines.emplace_back();
    for (const ExhibitCell& cell : row)
      words.push_back(plain_text(cell.text) + (cell.best ? "*" : ""));
  }
  std::vector<size_t> widths(table.columns.size(), 0);
  for (const auto& words : lines)
    for (size_t c = 0; c < words.size(); ++c)
      widths[c] = std::max(widths[c], utf8_columns(words[c]));

  std::string text = plain_text(table.title) + "\n";
  for (const auto& words : lines) {
    std::string line;
    for (size_t c = 0; c < words.size(); ++c)
      line += "  " + to_width(words[c], widths[c], table.columns[c].number);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return table.note.empty() ? text : text + plain_text(table.note) + "\n";
}

}  // namespace darp
