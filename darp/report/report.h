#pragma once
// Runs and evaluations in, one HTML file out: who is better and how sure that is, learning curves,
// pictures, and how to make it all again. docs/reports.md is the guide.

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
  std::string command = {};                 // that asked for it, to be told in the report
  std::string version = {};                 // of the program
};

struct Report {
  std::string html;
  std::vector<std::string> warnings;  // for people
};

/// Pages beyond it are slow to open and to send.
inline constexpr size_t kLargePage = size_t{20} << 20;

/// Reads everything and writes nothing. The same files give the same bytes: there is no time in
/// them. Throws Error for nothing to report on and for files that cannot be read.
Report make_report(const ReportRequest& request);

}  // namespace darp
