#pragma once
// Sets of exhibits as pages, pictures and files beside them. docs/reports.md is the guide.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "darp/exhibit/exhibit.h"
#include "darp/report/markup.h"

namespace darp {

/// A whole SVG file; empty for tables and films.
std::string exhibit_svg(const Exhibit& exhibit);

/// The set as part of a page: summary, exhibits, facts. Films lie in `folder`; one that is missing
/// or cannot be shown becomes a note that says so. `place` (a-z, 0-9, '-') tells sets of one page
/// apart.
Markup study_body(const ExhibitSet& set, const std::filesystem::path& folder,
                  std::string_view place);

/// A file's name and what is in it.
struct DrawnFile {
  std::string name, text;
};
struct DrawnFiles {
  std::string markdown;
  std::vector<DrawnFile> csv;  // of each exhibit but films
  std::vector<DrawnFile> svg;  // of each figure
};
/// Of all sets. Where there are several, files have the study's name before theirs. The Markdown
/// shows SVG files in `svg_folder`, as seen from it; none where there is no such folder.
DrawnFiles draw_files(const std::vector<ExhibitSet>& sets,
                      const std::optional<std::string>& svg_folder);
/// Writes each into the folder, which is made if need be. Throws Error where that fails.
void write_drawn(const std::filesystem::path& folder, const std::vector<DrawnFile>& files);

/// Everything about one study, each file replaced atomically: exhibits.json, report.html,
/// report.md, csv/NAME.csv, svg/NAME.svg. The folder is made if need be; films of the set lie in it
/// already. The same set and films give the same bytes. Throws Error for a set that
/// write_exhibits refuses and for files that cannot be written.
void write_study_report(const std::filesystem::path& folder, const ExhibitSet& set);

}  // namespace darp
