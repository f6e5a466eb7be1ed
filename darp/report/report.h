#pragma once
// Studies, runs and evaluations in, one HTML file out: what was found, who is better and how sure
// that is, learning curves, pictures, and how to make it all again. docs/reports.md is the guide.

#include <filesystem>
#include <string>
#include <vector>

#include "darp/report/report_inputs.h"

namespace darp {

struct LabelledPath {
  std::string label;
  std::filesystem::path path;
};

struct ReportRequest {
  std::vector<InputPath> inputs = {};
  std::string title = {};                   // empty: made from what is in it
  std::vector<LabelledPath> videos = {};    // mp4 files
  std::vector<LabelledPath> pictures = {};  // folders of PNG pictures
  int pictures_of_folder = 6;               // at most
  bool exhibits = false;                    // wanted beside the page
  std::string command = {};                 // that asked for it, to be told in the report
  std::string version = {};                 // of the program
};

struct Report {
  std::string html;
  /// Where wanted, the same to be written as Markdown, CSV and SVG (study_report.h): the sets of
  /// studies, then one of all evaluations and runs.
  std::vector<ExhibitSet> exhibits;
  std::vector<std::string> warnings;  // for people
};

/// Pages beyond it are slow to open and to send.
inline constexpr size_t kLargePage = size_t{20} << 20;

/// Reads everything and writes nothing. The same files give the same bytes: there is no time in
/// them. Throws Error for nothing to report on and for files that cannot be read.
Report make_report(const ReportRequest& request);

}  // namespace darp
