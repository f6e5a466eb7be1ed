#pragma once
// The parts of a page. Plain text is foreign and gets escaped; Markup goes in as it is. A page
// needs no network, no script and no other file, and prints well.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "darp/report/markup.h"

namespace darp {

/// Whether a table's column is read across (text) or down (numbers: to the right, digits of equal
/// width).
enum class Column { kText, kNumber };

struct TableCell {
  Markup content;
  bool minor = false;            // grey: belongs to the cell before it
  bool best = false;             // bold
  std::string explanation = {};  // shown under the pointer

  static TableCell text(std::string_view text, bool minor = false) {
    return {escaped(text), minor, false, {}};
  }
};
struct HtmlTable {
  struct Head {
    std::string title;
    Column kind = Column::kNumber;
    std::string explanation = {};  // shown under the pointer
  };
  std::vector<Head> columns;
  std::vector<std::vector<TableCell>> rows;  // as long as columns
};

/// Columns in which no row has anything are left out.
Markup html_table(const HtmlTable& table);
/// Two columns: what it is, and what it says.
Markup fact_table(const std::vector<std::pair<std::string, Markup>>& facts);

Markup paragraph(std::string_view text);
/// Typewriter: commands, settings.
Markup code(std::string_view text);
Markup code_block(std::string_view text);
Markup note(std::string_view text);
/// The first thing to read: a line in bold and one that explains it.
Markup finding(std::string_view headline, std::string_view explanation);
/// The same for several sentences: a box with paragraphs.
Markup summary_box(const std::vector<std::string>& paragraphs);
Markup figure(const Markup& picture, std::string_view caption);
/// Side by side where there is room.
Markup side_by_side(const std::vector<Markup>& figures);
/// Closed until it is clicked on; open on paper it is not.
Markup details(std::string_view summary, const Markup& body);
Markup section(std::string_view title, const Markup& body);
Markup subsection(std::string_view title, const Markup& body);
/// A place that links lead to, and links to such places in one paragraph. Ids are a-z, 0-9, '-',
/// '_'.
Markup anchored(std::string_view id, const Markup& body);
Markup contents(const std::vector<std::pair<std::string, std::string>>& ids_and_titles);

/// A PNG picture and an mp4 film, inside the page.
Markup embedded_png(Bytes png, std::string_view description);
Markup embedded_mp4(Bytes mp4, std::string_view description);

/// The whole file. `footer` is the last line.
std::string html_page(std::string_view title, const Markup& body, std::string_view footer);

}  // namespace darp
