#include "darp/study/runtime_exhibits.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "darp/core/numbers.h"

namespace darp {
namespace {

constexpr std::string_view kPaperNote = "The paper's numbers are of an NVIDIA L40 GPU.";

const PaperTiming* paper_timing(std::span<const PaperTiming> paper, const std::string& task,
                                const std::string& row) {
  const auto found = std::ranges::find_if(
      paper, [&](const PaperTiming& p) { return p.task == task && p.row == row; });
  return found == paper.end() ? nullptr : &*found;
}

/// Three digits: times differ by less from run to run.
ExhibitCell time_cell(double value) {
  return std::isfinite(value) ? ExhibitCell{fmt::format("{:.3g}", value), value} : ExhibitCell{};
}

ExhibitCell ratio_cell(double paper, double ours) {
  const double ratio = paper / ours;
  if (!std::isfinite(ratio)) return {};
  return {fmt::format("{:.{}f}x", ratio, ratio < 1 ? 2 : ratio < 10 ? 1 : 0), ratio};
}

std::string epoch_words(const RuntimeRecord& record) {
  const size_t count = record.one_thread.size();
  return count > 1 ? fmt::format("median of {} after a first one", count) : "one alone";
}

ExhibitTable runtime_table(const std::string& task, const std::string& about,
                           std::span<const RuntimeRow> rows, std::span<const PaperTiming> paper) {
  const int64_t threads = rows.front().record.threads;
  ExhibitTable table;
  table.name = task + "-timings";
  table.title = fmt::format("{}: seconds per epoch, milliseconds per step", task);
  table.note = fmt::format(
      "{}. Epochs: {}; steps: {} one after the other on one core, the "
      "policy alone, without the simulator. {} Ratios above 1: faster here.",
      about, epoch_words(rows.front().record), grouped(rows.front().record.steps), kPaperNote);
  table.columns = {{"", false, "Behaviour cloning, or DARP's k, all of them kept."},
                   {"s/epoch, 1 thread"},
                   {fmt::format("s/epoch, {}", counted(threads, "thread"))},
                   {"paper"},
                   {"ratio", true, "Paper over all threads."},
                   {"neighbours, s", true, "Finding them for all rows, once before training."},
                   {"ms/step, median"},
                   {"ms/step, 99 %"},
                   {"paper"},
                   {"ratio", true, "Paper over median."}};
  for (const RuntimeRow& row : rows) {
    const RuntimeRecord& r = row.record;
    const PaperTiming* published = paper_timing(paper, task, row.label);
    const double epoch = published ? published->epoch : std::nan("");
    const double step = published ? 1e3 * published->step : std::nan("");
    table.rows.push_back({{row.label},
                          time_cell(r.one_thread_median()),
                          time_cell(r.all_threads_median()),
                          time_cell(epoch),
                          ratio_cell(epoch, r.all_threads_median()),
                          row.k > 0 ? time_cell(r.table_seconds) : ExhibitCell{},
                          time_cell(1e-3 * r.step_median),
                          time_cell(1e-3 * r.step_p99),
                          time_cell(step),
                          ratio_cell(step, 1e-3 * r.step_median)});
  }
  return table;
}

using RowNumber = std::function<double(const RuntimeRow&)>;

/// Over k; rows without neighbours are lines across.
void add_series(const std::string& name, std::span<const RuntimeRow> rows, const RowNumber& number,
                bool points, ExhibitCurves& curves) {
  ExhibitCurves::Series series{.name = name, .x = {}, .y = {}, .points = points};
  for (const RuntimeRow& row : rows) {
    const double y = number(row);
    if (!std::isfinite(y)) continue;
    if (row.k == 0) {
      curves.marks.push_back({y, fmt::format("{}, {}", row.label, name), true});
      continue;
    }
    series.x.push_back(static_cast<double>(row.k));
    series.y.push_back(y);
  }
  if (!series.x.empty()) curves.series.push_back(std::move(series));
}

}  // namespace

PaperTiming parse_paper_timing(const std::string& line) {
  std::istringstream words(line);
  PaperTiming out;
  std::string more;
  if (!(words >> out.task >> out.row >> out.epoch >> out.step) || words >> more ||
      !(out.epoch > 0 && out.step > 0))
    throw Error(fmt::format("paper '{}'", printable(line)), "is no timing",
                "write `task k seconds-per-epoch seconds-per-step`");
  return out;
}

std::vector<Exhibit> runtime_exhibits(const std::string& task, const std::string& about,
                                      std::span<const RuntimeRow> rows,
                                      std::span<const PaperTiming> paper) {
  const auto published = [&](double PaperTiming::*number, double unit) {
    return [&, number, unit](const RuntimeRow& row) {
      const PaperTiming* p = paper_timing(paper, task, row.label);
      return p ? unit * (p->*number) : std::nan("");
    };
  };
  ExhibitCurves epochs, steps;
  epochs.name = task + "-epochs";
  epochs.title = fmt::format("{}: training over k", task);
  epochs.x = {"k", false};
  epochs.y = {"seconds per epoch", true};
  epochs.note = steps.note = kPaperNote;
  add_series(
      "1 thread", rows, [](const auto& r) { return r.record.one_thread_median(); }, false, epochs);
  add_series(
      counted(rows.front().record.threads, "thread"), rows,
      [](const auto& r) { return r.record.all_threads_median(); }, false, epochs);
  add_series("paper", rows, published(&PaperTiming::epoch, 1), true, epochs);

  steps.name = task + "-steps";
  steps.title = fmt::format("{}: a step over k", task);
  steps.x = {"k", false};
  steps.y = {"milliseconds per step", true};
  add_series(
      "median", rows, [](const auto& r) { return 1e-3 * r.record.step_median; }, false, steps);
  add_series(
      "99 %", rows, [](const auto& r) { return 1e-3 * r.record.step_p99; }, false, steps);
  add_series("paper", rows, published(&PaperTiming::step, 1e3), true, steps);
  return {runtime_table(task, about, rows, paper), std::move(epochs), std::move(steps)};
}

}  // namespace darp
