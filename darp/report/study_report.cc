#include "darp/report/study_report.h"

#include <set>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/exhibit/exhibit_file.h"
#include "darp/report/exhibit_charts.h"
#include "darp/report/html_page.h"
#include "darp/report/pictures.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

/// Beyond it a page begins with links to its parts.
constexpr size_t kFewExhibits = 4;

Markup chart_of(const ExhibitCurves& curves) {
  return curves_chart(curves);
}
Markup chart_of(const ExhibitBoxes& boxes) {
  return box_chart(boxes);
}
Markup chart_of(const ExhibitParallel& parallel) {
  return parallel_chart(parallel);
}
template <class NoFigure>
Markup chart_of(const NoFigure&) {
  return {};
}

Markup table_of(const ExhibitTable& table) {
  if (table.rows.empty()) return note("There are no rows.");
  HtmlTable html;
  for (const ExhibitTable::Column& column : table.columns)
    html.columns.push_back(
        {column.title, column.number ? Column::kNumber : Column::kText, column.explanation});
  for (const auto& row : table.rows) {
    auto& cells = html.rows.emplace_back();
    for (const ExhibitCell& cell : row)
      cells.push_back(
          {escaped(cell.text), cell.minor, cell.best,
           cell.interval ? fmt::format("{:.6g} to {:.6g}", cell.interval->low, cell.interval->high)
                         : ""});
  }
  return html_table(html);
}

/// A page is better without a film than not there at all.
Markup film_of(const ExhibitVideo& video, const fs::path& folder) {
  try {
    return video_figure(video.title, folder / video.file);
  } catch (const Error& error) {
    return note(fmt::format("The film is not shown: {}", error.what()));
  }
}

Markup exhibit_body(const Exhibit& exhibit, const fs::path& folder) {
  const ExhibitHeading& heading = heading_of(exhibit);
  if (const auto* table = std::get_if<ExhibitTable>(&exhibit))
    return table_of(*table) + (heading.note.empty() ? Markup{} : note(heading.note));
  if (const auto* video = std::get_if<ExhibitVideo>(&exhibit))
    return film_of(*video, folder) + (heading.note.empty() ? Markup{} : note(heading.note));
  return figure({exhibit_svg(exhibit)}, heading.note);
}

Markup facts_of(const ExhibitSet& set) {
  std::vector<std::pair<std::string, Markup>> facts;
  for (const auto& [name, value] : set.facts)
    facts.emplace_back(name, name == "command" ? code(value) : escaped(value));
  return subsection("How it was made", fact_table(facts));
}

/// "mujoco-table" as it is; of other text what a file's name may have.
std::string file_name_of(const std::string& study) {
  std::string name;
  for (const char c : study) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    name += is_exhibit_name(std::string_view(&small, 1)) ? small : '-';
  }
  return name.empty() ? "study" : name.substr(0, 60);
}

/// What stands before the names of each set's files.
std::vector<std::string> prefixes_of(const std::vector<ExhibitSet>& sets) {
  if (sets.size() == 1) return {""};
  std::vector<std::string> prefixes;
  std::set<std::string> taken;
  for (const ExhibitSet& set : sets) {
    std::string prefix = file_name_of(set.study) + "-";
    for (int i = 2; !taken.insert(prefix).second; ++i)
      prefix = fmt::format("{}-{}-", file_name_of(set.study), i);
    prefixes.push_back(prefix);
  }
  return prefixes;
}

}  // namespace

std::string exhibit_svg(const Exhibit& exhibit) {
  return std::visit([](const auto& one) { return chart_of(one).text; }, exhibit);
}

Markup study_body(const ExhibitSet& set, const fs::path& folder, std::string_view place) {
  Markup body = summary_box(paragraphs_of(set.summary));
  std::vector<std::pair<std::string, std::string>> places;
  Markup parts;
  for (const Exhibit& exhibit : set.exhibits) {
    const ExhibitHeading& heading = heading_of(exhibit);
    places.emplace_back(fmt::format("{}-{}", place, heading.name), heading.title);
    parts +=
        anchored(places.back().first, subsection(heading.title, exhibit_body(exhibit, folder)));
  }
  if (places.size() > kFewExhibits) body += contents(places);
  body += parts;
  return set.facts.empty() ? body : body + facts_of(set);
}

DrawnFiles draw_files(const std::vector<ExhibitSet>& sets,
                      const std::optional<std::string>& svg_folder) {
  DrawnFiles files;
  const std::vector<std::string> prefixes = prefixes_of(sets);
  for (size_t i = 0; i < sets.size(); ++i) {
    std::optional<std::string> pictures;
    if (svg_folder) pictures = *svg_folder + "/" + prefixes[i];
    files.markdown += exhibits_markdown(sets[i], pictures);
    for (const Exhibit& exhibit : sets[i].exhibits) {
      const std::string name = prefixes[i] + heading_of(exhibit).name;
      if (std::string csv = exhibit_csv(exhibit); !csv.empty())
        files.csv.push_back({name + ".csv", std::move(csv)});
      if (std::string svg = exhibit_svg(exhibit); !svg.empty())
        files.svg.push_back({name + ".svg", std::move(svg)});
    }
  }
  return files;
}

void write_drawn(const fs::path& folder, const std::vector<DrawnFile>& files) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    throw Error(folder.string(), fmt::format("cannot be made: {}", failure.message()),
                "give a folder that can be written to");
  for (const DrawnFile& file : files) write_file(folder / file.name, file.text);
}

void write_study_report(const fs::path& folder, const ExhibitSet& set) {
  const DrawnFiles files = draw_files({set}, "svg");
  const std::string page =
      html_page(set.title, study_body(set, folder, "s1"), "Made by darp study.");
  write_drawn(folder, {});
  write_exhibits(folder / kExhibitFile, set);
  write_drawn(folder / "csv", files.csv);
  write_drawn(folder / "svg", files.svg);
  write_file(folder / "report.md", files.markdown);
  write_file(folder / "report.html", page);
}

}  // namespace darp
