#include "darp/report/report.h"

#include <fmt/ranges.h>

#include "darp/core/error.h"
#include "darp/report/html_page.h"
#include "darp/report/pictures.h"
#include "darp/report/report_sections.h"
#include "darp/report/study_report.h"

namespace darp {
namespace {

std::string title_of(const ReportRequest& request, const ReportInputs& inputs,
                     const std::vector<EnvironmentGroup>& groups) {
  if (!request.title.empty()) return request.title;
  if (inputs.studies.size() == 1) return inputs.studies[0].set.title;
  if (groups.empty() && inputs.studies.empty()) return "Training report";
  std::vector<std::string> names;
  for (const StudyInput& study : inputs.studies) names.push_back(study.set.study);
  for (const EnvironmentGroup& group : groups) names.push_back(group.title);
  return fmt::format("Report on {}", fmt::join(names, ", "));
}

Markup pictures_body(const ReportRequest& request) {
  Markup body;
  for (const LabelledPath& strip : request.pictures)
    body += picture_strip(strip.label, strip.path, request.pictures_of_folder);
  std::vector<Markup> videos;
  for (const LabelledPath& video : request.videos)
    videos.push_back(video_figure(video.label, video.path));
  return videos.empty() ? body : body + side_by_side(videos);
}

/// Losses alone do not say how good a policy is.
Markup run_findings(const std::vector<RunInput>& runs) {
  std::vector<std::string> names;
  for (const RunInput& run : runs) names.push_back(run.label);
  return finding(fmt::format("Training runs: {}", fmt::join(names, ", ")),
                 "How good they are takes rollouts: darp eval RUN --env NAME --json FILE.");
}

std::vector<ExhibitSet> all_exhibits(const ReportInputs& inputs,
                                     const std::vector<EnvironmentGroup>& groups) {
  std::vector<ExhibitSet> sets;
  for (const StudyInput& study : inputs.studies) sets.push_back(study.set);
  if (!inputs.evaluations.empty() || !inputs.runs.empty())
    sets.push_back(exhibits_of(inputs, groups));
  return sets;
}

}  // namespace

Report make_report(const ReportRequest& request) {
  if (request.inputs.empty())
    throw Error("darp report", "has nothing to report on",
                "give folders of darp study, run directories of darp train and files of darp eval "
                "--json");
  const ReportInputs inputs = read_report_inputs(request.inputs);
  const std::vector<EnvironmentGroup> groups = group_by_environment(inputs.evaluations);

  const bool alone = request.inputs.size() == 1 && request.title.empty();
  Markup studies, first, body;
  for (size_t i = 0; i < inputs.studies.size(); ++i) {
    const StudyInput& study = inputs.studies[i];
    const Markup part = study_body(study.set, study.folder, fmt::format("s{}", i + 1));
    studies += alone ? part : section(study.set.title, part);
  }
  for (const EnvironmentGroup& group : groups) {
    const std::vector<GroupComparison> comparisons = compare_with_first(group);
    first += findings(group, comparisons);
    body += section(group.title, returns_section(group) + comparison_section(comparisons));
  }
  if (groups.empty() && !inputs.runs.empty()) first += run_findings(inputs.runs);
  if (!request.videos.empty() || !request.pictures.empty())
    body += section("Pictures", pictures_body(request));
  if (!inputs.runs.empty()) body += section("Learning curves", training_section(inputs.runs));
  body += section("How it was made", provenance_section(inputs, request.command));

  Report report;
  if (request.exhibits) report.exhibits = all_exhibits(inputs, groups);
  report.html = html_page(title_of(request, inputs, groups), studies + first + body,
                          fmt::format("Made by darp report, version {}.", request.version));
  if (report.html.size() > kLargePage)
    report.warnings.push_back(
        fmt::format("the page has {} MB: slow to open and to send; embed fewer or smaller videos",
                    report.html.size() >> 20));
  return report;
}

}  // namespace darp
