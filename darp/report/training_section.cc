#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "darp/core/numbers.h"
#include "darp/report/html_page.h"
#include "darp/report/report_sections.h"
#include "darp/report/svg_canvas.h"
#include "darp/report/svg_plot.h"

namespace darp {
namespace {

using Losses = std::vector<double> LearningCurve::*;

/// Losses that span more than this are drawn on a logarithmic axis.
constexpr double kWideSpan = 20;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// Mean over members by epoch, with a band from the lowest to the highest where there are several.
LineSeries series_of(const RunInput& run, Losses losses) {
  struct OfEpoch {
    double sum = 0, count = 0, lowest = 0, highest = 0;
  };
  std::map<double, OfEpoch> epochs;
  for (const LearningCurve& curve : run.curves)
    for (size_t i = 0; i < curve.epoch.size(); ++i) {
      if (!can_draw(curve.epoch[i])) continue;
      OfEpoch& epoch = epochs[curve.epoch[i]];
      const double loss = (curve.*losses)[i];
      if (!can_draw(loss)) continue;
      epoch.lowest = epoch.count == 0 ? loss : std::min(epoch.lowest, loss);
      epoch.highest = epoch.count == 0 ? loss : std::max(epoch.highest, loss);
      epoch.sum += loss;
      ++epoch.count;
    }
  LineSeries series{run.label, run.style, {}, {}};
  for (const auto& [number, epoch] : epochs) {
    series.x.push_back(number + 1);  // people count from 1
    series.y.push_back(epoch.count > 0 ? epoch.sum / epoch.count : kNoNumber);
    if (run.curves.size() > 1) series.band.push_back({epoch.lowest, epoch.highest});
  }
  return series;
}

std::optional<LineChart> loss_chart(const std::vector<RunInput>& runs, Losses losses,
                                    const std::string& title) {
  LineChart chart;
  chart.x.title = "epoch";
  double lowest = INFINITY, highest = -INFINITY;
  for (const RunInput& run : runs) {
    LineSeries series = series_of(run, losses);
    bool any = false;
    for (const double y : series.y) {
      if (!std::isfinite(y)) continue;
      any = true;
      lowest = std::min(lowest, y);
      highest = std::max(highest, y);
    }
    if (any) chart.series.push_back(std::move(series));
  }
  if (chart.series.empty()) return std::nullopt;
  const bool wide = lowest > 0 && highest > kWideSpan * lowest;
  chart.y = {wide ? title + " (logarithmic)" : title,
             wide ? AxisScale::kLogarithmic : AxisScale::kLinear};
  return chart;
}

/// Mean over members of what `pick` takes from each one's losses.
template <class Pick>
std::string over_members(const RunInput& run, Losses losses, Pick pick) {
  double sum = 0, count = 0;
  for (const LearningCurve& curve : run.curves) {
    std::vector<double> finite;
    for (const double loss : curve.*losses)
      if (can_draw(loss)) finite.push_back(loss);
    if (finite.empty()) continue;
    sum += pick(finite);
    ++count;
  }
  return count == 0 ? "" : fmt::format("{:.4g}", sum / count);
}

std::string duration_text(double seconds) {
  if (seconds <= 0) return "";
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

HtmlTable runs_table(const std::vector<RunInput>& runs) {
  HtmlTable table;
  table.columns = {{"run", Column::kText},
                   {"policy", Column::kText},
                   {"members", Column::kNumber, "Networks of the policy"},
                   {"epochs"},
                   {"last training loss"},
                   {"best validation loss", Column::kNumber,
                    "On episodes kept from learning; mean over members"},
                   {"training time"},
                   {"state", Column::kText}};
  for (const RunInput& run : runs) {
    size_t epochs = 0;
    for (const LearningCurve& curve : run.curves) epochs = std::max(epochs, curve.epoch.size());
    table.rows.push_back(
        {{style_key(run.style) + escaped(run.label)},
         TableCell::text(run.kind),
         TableCell::text(grouped(static_cast<int64_t>(run.curves.size()))),
         TableCell::text(grouped(static_cast<int64_t>(epochs))),
         TableCell::text(over_members(run, &LearningCurve::train_loss,
                                      [](const auto& losses) { return losses.back(); })),
         TableCell::text(
             over_members(run, &LearningCurve::validation_loss,
                          [](const auto& losses) { return *std::ranges::min_element(losses); })),
         TableCell::text(duration_text(run.seconds)),
         TableCell::text(run.policy_hash.empty() ? "not finished" : "finished")});
  }
  return table;
}

}  // namespace

Markup training_section(const std::vector<RunInput>& runs) {
  const bool several = std::any_of(runs.begin(), runs.end(),
                                   [](const RunInput& run) { return run.curves.size() > 1; });
  const std::string members =
      several ? " Lines: mean over members; bands: from the lowest to the highest." : "";
  std::vector<Markup> figures;
  if (const auto chart = loss_chart(runs, &LearningCurve::train_loss, "training loss"))
    figures.push_back(
        figure(line_chart(*chart),
               "Mean over each epoch's training queries, with the noise and dropout of training." +
                   members));
  if (const auto chart = loss_chart(runs, &LearningCurve::validation_loss, "validation loss"))
    figures.push_back(
        figure(line_chart(*chart),
               "After each epoch, on episodes that were kept from learning." + members));
  Markup body = html_table(runs_table(runs));
  return body + (figures.empty() ? note("No epoch is finished yet.") : side_by_side(figures));
}

std::vector<Exhibit> training_exhibits(const std::vector<RunInput>& runs) {
  std::vector<Exhibit> exhibits;
  for (const auto& [losses, name, title] :
       {std::tuple(&LearningCurve::train_loss, "training-loss", "training loss"),
        std::tuple(&LearningCurve::validation_loss, "validation-loss", "validation loss")}) {
    const std::optional<LineChart> chart = loss_chart(runs, losses, title);
    if (!chart) continue;
    ExhibitCurves curves{{name, fmt::format("Learning curves: {}", title), ""},
                         {"epoch"},
                         {chart->y.title, chart->y.scale == AxisScale::kLogarithmic},
                         {}};
    for (const LineSeries& series : chart->series)
      curves.series.push_back({series.name, series.x, series.y, series.band});
    exhibits.push_back(std::move(curves));
  }
  return exhibits;
}

}  // namespace darp
