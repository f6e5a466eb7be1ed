#include "darp/study/sweep_exhibits.h"

#include <algorithm>
#include <cmath>

#include "darp/core/numbers.h"
#include "darp/eval/comparison.h"
#include "darp/eval/return_text.h"

namespace darp {
namespace {

/// Values that span more than this are shown on a logarithmic axis.
constexpr double kLogarithmicSpan = 20;

struct ScoredPoint {
  const SweepPoint* point;
  std::vector<Evaluation> evaluations;
  SweepScore score;
};
struct ScoredLine {
  const SweepLine* line;
  std::vector<ScoredPoint> points;
};

std::vector<ScoredLine> scored(const TaskSweep& sweep, std::span<const StudyRunResult> results) {
  std::vector<ScoredLine> lines;
  for (const SweepLine& line : sweep.lines) {
    ScoredLine& out = lines.emplace_back(ScoredLine{&line, {}});
    for (const SweepPoint& point : line.points) {
      std::vector<Evaluation> evaluations;
      for (const size_t run : point.runs)
        evaluations.push_back(results[run].evaluations.at(point.evaluation));
      const SweepScore score = sweep_score(evaluations);
      out.points.push_back({&point, std::move(evaluations), score});
    }
  }
  return lines;
}

/// The trainings' mean return from each start, as if it were one policy's.
Evaluation mean_over_trainings(std::span<const Evaluation> evaluations) {
  Evaluation mean = evaluations.front();
  mean.has_success = false;
  for (size_t i = 0; i < mean.records.size(); ++i) {
    double sum = 0;
    for (const Evaluation& evaluation : evaluations) sum += evaluation.records[i].episode_return;
    mean.records[i].episode_return = sum / static_cast<double>(evaluations.size());
  }
  return mean;
}

/// What a value is compared with: the baseline at the same value, or its only point.
const ScoredPoint* baseline_at(const std::vector<ScoredLine>& lines, const std::string& baseline,
                               const std::string& value) {
  for (const ScoredLine& line : lines) {
    if (line.line->method != baseline) continue;
    for (const ScoredPoint& point : line.points)
      if (!line.line->varies || point.point->value == value) return &point;
  }
  return nullptr;
}

std::string interval_words(const ReturnText& text, const Interval& interval) {
  return fmt::format("[{}, {}]", text(interval.low), text(interval.high));
}

std::string p_words(double p) {
  return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

ReturnText return_words(const std::vector<ScoredLine>& lines) {
  double largest = 0;
  for (const ScoredLine& line : lines)
    for (const ScoredPoint& point : line.points)
      largest = std::max(largest, std::abs(point.score.mean));
  return ReturnText(largest);
}

std::string sweep_file_name(const TaskSweep& sweep, std::string_view what) {
  return fmt::format("{}-{}-{}", sweep.task, sweep.sweep.slug(), what);
}

std::string band_words(const std::vector<ScoredLine>& lines) {
  const int64_t trainings = lines.front().points.front().score.trainings;
  return trainings > 1
             ? fmt::format(
                   "Mean over {} trainings; bands are 95 % intervals over trainings (BCa), which "
                   "are narrow for so few.",
                   trainings)
             : "One training; bands are 95 % intervals over its episodes (BCa), and say nothing "
               "about training again.";
}

ExhibitCurves::Series sweep_series(const ScoredLine& line, std::span<const double> axis) {
  ExhibitCurves::Series series{.name = line.line->method, .x = {}, .y = {}};
  const auto add = [&](double x, const SweepScore& score) {
    series.x.push_back(x);
    series.y.push_back(score.mean);
    series.band.push_back(score.interval);
  };
  if (!line.line->varies) {
    // The same for every value: a level line.
    add(*std::ranges::min_element(axis), line.points.front().score);
    add(*std::ranges::max_element(axis), line.points.front().score);
    return series;
  }
  std::vector<size_t> order(axis.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return axis[i]; });
  for (const size_t i : order) add(axis[i], line.points[i].score);
  return series;
}

std::optional<ExhibitCurves> sweep_curves(const TaskSweep& sweep,
                                          const std::vector<ScoredLine>& lines) {
  std::vector<double> axis;
  for (const std::string& value : sweep.sweep.values) {
    const std::optional<double> place = axis_place(value);
    if (!place) return std::nullopt;
    axis.push_back(*place);
  }
  const auto [low, high] = std::ranges::minmax(axis);
  ExhibitCurves curves;
  curves.name = sweep_file_name(sweep, "curves");
  curves.title = fmt::format("{}: return over {}", sweep.task, sweep.sweep.title());
  curves.note = band_words(lines);
  for (const ScoredLine& line : lines)
    if (!line.line->varies)
      curves.note += fmt::format(" {} does not have the setting: a level line.", line.line->method);
  curves.x = {sweep.sweep.title(), low > 0 && high / low > kLogarithmicSpan};
  curves.y = {"mean return", false};
  for (const ScoredLine& line : lines) curves.series.push_back(sweep_series(line, axis));
  return curves;
}

bool shows_neighbors(const Sweep& sweep) {
  return sweep.setting == "policy.retrieval.k" || sweep.setting == "policy.retrieval.ratio";
}

ExhibitTable empty_table(const TaskSweep& sweep, const std::vector<ScoredLine>& lines,
                         const std::string& baseline) {
  ExhibitTable table;
  table.name = sweep_file_name(sweep, "table");
  table.title = fmt::format("{}: {}", sweep.task, sweep.sweep.title());
  table.note = band_words(lines);
  table.columns = {{"method", false}, {sweep.sweep.title(), true}};
  if (shows_neighbors(sweep.sweep))
    table.columns.push_back(
        {"neighbours", true, "That a query gets: k, or the kept part of k candidates."});
  table.columns.insert(table.columns.end(), {{"trainings", true},
                                             {"mean return", true},
                                             {"95 %", true},
                                             {"median", true, "Of the trainings' means."},
                                             {"lowest", true},
                                             {"highest", true}});
  if (baseline.empty()) return table;
  table.columns.insert(
      table.columns.end(),
      {{fmt::format("against {}", baseline), true, "Difference of the means."},
       {"95 %", true, "Of the difference: these networks from other starts, paired by seed."},
       {"p, starts", true, "Sign flips of the paired differences."},
       {"p, trainings", true, "Divisions of the trained policies: about training again."}});
  table.note += fmt::format(
      " Differences against {}: returns from the same start (averaged over trainings) are paired; "
      "whether the method is better when both are trained again is what the last column says.",
      baseline);
  return table;
}

void add_difference_cells(const ScoredPoint* against, const ScoredPoint& point,
                          const ReturnText& text, std::vector<ExhibitCell>& row) {
  if (against == nullptr || against == &point) {
    row.resize(row.size() + 4);
    return;
  }
  const SweepDifference d = sweep_difference(against->evaluations, point.evaluations);
  row.push_back(
      {.text = text.with_sign(d.difference), .value = d.difference, .interval = d.interval});
  row.push_back({.text = fmt::format("[{}, {}]", text.with_sign(d.interval.low),
                                     text.with_sign(d.interval.high)),
                 .minor = true});
  row.push_back({.text = p_words(d.p_starts), .value = d.p_starts});
  row.push_back(d.p_trainings ? ExhibitCell{.text = p_words(*d.p_trainings), .value = d.p_trainings}
                              : ExhibitCell{});
}

/// Whether no other is better: at this value where the world varies, of all where the method does.
bool is_best(const TaskSweep& sweep, const std::vector<ScoredLine>& lines,
             const ScoredPoint& point) {
  for (const ScoredLine& line : lines)
    for (const ScoredPoint& other : line.points) {
      const bool rival = !sweep.sweep.of_environment || other.point->value == point.point->value;
      if (rival && other.score.mean > point.score.mean) return false;
    }
  return true;
}

ExhibitTable sweep_table(const TaskSweep& sweep, const std::vector<ScoredLine>& lines,
                         const std::string& baseline) {
  ExhibitTable table = empty_table(sweep, lines, baseline);
  const ReturnText text = return_words(lines);
  for (const ScoredLine& line : lines)
    for (const ScoredPoint& point : line.points) {
      const SweepScore& score = point.score;
      auto& row = table.rows.emplace_back();
      row.push_back({line.line->method});
      row.push_back({point.point->value, axis_place(point.point->value)});
      if (shows_neighbors(sweep.sweep))
        row.push_back(point.point->neighbors > 0
                          ? ExhibitCell{grouped(point.point->neighbors),
                                        static_cast<double>(point.point->neighbors)}
                          : ExhibitCell{});
      row.push_back({grouped(score.trainings), static_cast<double>(score.trainings)});
      row.push_back({.text = text(score.mean),
                     .value = score.mean,
                     .interval = score.interval,
                     .best = is_best(sweep, lines, point)});
      row.push_back({.text = interval_words(text, score.interval), .minor = true});
      for (const double value : {score.median, score.lowest, score.highest})
        row.push_back({text(value), value});
      if (!baseline.empty())
        add_difference_cells(baseline_at(lines, baseline, point.point->value), point, text, row);
    }
  return table;
}

std::string point_words(const ReturnText& text, const ScoredPoint& point) {
  return fmt::format("{} {}", text(point.score.mean), interval_words(text, point.score.interval));
}

/// A config's setting: where each method is best.
std::string best_words(const TaskSweep& sweep, const std::vector<ScoredLine>& lines) {
  const ReturnText text = return_words(lines);
  std::string words = fmt::format("{}, {}:", sweep.task, sweep.sweep.title());
  for (const ScoredLine& line : lines) {
    const auto best = std::ranges::max_element(line.points, {},
                                               [](const ScoredPoint& p) { return p.score.mean; });
    words += line.line->varies
                 ? fmt::format(" {} is best at {} with {};", line.line->method, best->point->value,
                               point_words(text, *best))
                 : fmt::format(" {} has {};", line.line->method, point_words(text, *best));
  }
  words.back() = '.';
  return words;
}

/// The environment's setting: first and last value of each method.
std::string loss_words(const TaskSweep& sweep, const std::vector<ScoredLine>& lines) {
  const ReturnText text = return_words(lines);
  std::string words = fmt::format("{}, {} from {} to {}:", sweep.task, sweep.sweep.title(),
                                  sweep.sweep.values.front(), sweep.sweep.values.back());
  for (const ScoredLine& line : lines)
    words +=
        fmt::format(" {} goes from {} to {};", line.line->method,
                    point_words(text, line.points.front()), point_words(text, line.points.back()));
  words.back() = '.';
  return words;
}

}  // namespace

SweepScore sweep_score(std::span<const Evaluation> evaluations) {
  const ReturnSummary summary = evaluations.size() > 1 ? summarize_policies(evaluations)
                                                       : summarize(evaluations.front()).returns;
  const std::vector<double> means = mean_returns_of(evaluations);
  const auto [lowest, highest] = std::ranges::minmax(means);
  return {std::ssize(evaluations), summary.mean, summary.mean_bootstrap,
          median(means),           lowest,       highest};
}

SweepDifference sweep_difference(std::span<const Evaluation> baseline,
                                 std::span<const Evaluation> method) {
  SweepDifference out;
  const Evaluation a = mean_over_trainings(baseline), b = mean_over_trainings(method);
  out.difference = mean(returns_of(b)) - mean(returns_of(a));
  out.interval = {out.difference, out.difference};
  if (a.records.size() > 1) {
    const Comparison starts = compare(a, b);
    out.interval = starts.interval;
    out.p_starts = starts.p_value;
  }
  if (baseline.size() > 1 && method.size() > 1)
    out.p_trainings = compare_methods(baseline, method).p_value;
  return out;
}

SweepFindings sweep_findings(const TaskSweep& sweep, std::span<const StudyRunResult> results,
                             const std::string& baseline) {
  const std::vector<ScoredLine> lines = scored(sweep, results);
  SweepFindings out;
  if (auto curves = sweep_curves(sweep, lines)) out.exhibits.push_back(*std::move(curves));
  out.exhibits.push_back(sweep_table(sweep, lines, baseline));
  out.summary = sweep.sweep.of_environment ? loss_words(sweep, lines) : best_words(sweep, lines);
  return out;
}

}  // namespace darp
