#include "darp/cli/collect_report.h"

#include <algorithm>

#include "darp/core/numbers.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/eval/evaluation.h"

namespace darp {
namespace {

std::string success_text(const std::vector<EpisodeRecord>& records) {
  const auto trials = static_cast<int64_t>(records.size());
  const int64_t successes = std::count_if(records.begin(), records.end(),
                                          [](const EpisodeRecord& r) { return r.success; });
  const Interval interval = wilson_interval(successes, trials);
  return fmt::format("{:.0f} % [{:.0f}, {:.0f}]",
                     100 * static_cast<double>(successes) / static_cast<double>(trials),
                     100 * interval.low, 100 * interval.high);
}

std::string return_text(const std::vector<EpisodeRecord>& records,
                        const std::optional<ScoreScale>& scale) {
  std::vector<double> returns;
  for (const EpisodeRecord& record : records) returns.push_back(record.episode_return);
  const ReturnSummary summary = summarize_returns(returns, scale);
  std::string text = fmt::format("{:.6g} [{:.6g}, {:.6g}] (95 %), lowest {:.6g}, highest {:.6g}",
                                 summary.mean, summary.mean_bootstrap.low,
                                 summary.mean_bootstrap.high, summary.lowest, summary.highest);
  if (summary.normalized) text += fmt::format(", score {:.1f}", *summary.normalized);
  return text;
}

std::string length_text(const std::vector<EpisodeRecord>& records) {
  const auto by_length = [](const EpisodeRecord& a, const EpisodeRecord& b) {
    return a.length < b.length;
  };
  const auto [low, high] = std::minmax_element(records.begin(), records.end(), by_length);
  int64_t steps = 0;
  for (const EpisodeRecord& record : records) steps += record.length;
  if (low->length == high->length)
    return fmt::format("{} each, {} in all", counted(low->length, "step"), grouped(steps));
  return fmt::format("{} to {} steps, {} in all", grouped(low->length), grouped(high->length),
                     grouped(steps));
}

}  // namespace

void print_collection(const Collection& collection, const EnvironmentInfo& info,
                      const std::filesystem::path& file) {
  const auto line = [](std::string_view label, const std::string& text) {
    fmt::print("  {:<13}{}\n", label, printable(text));
  };
  // Reading it shows that others can, and the hash is the one that darp info prints.
  const Dataset dataset = read_dataset(file).dataset;
  const bool all = collection.kept.size() == collection.tried.size();
  fmt::print("{}\n", printable(file.string()));
  line("kept", fmt::format("{} of {} tried, seeds {} to {}",
                           counted(static_cast<int64_t>(collection.kept.size()), "episode"),
                           grouped(static_cast<int64_t>(collection.tried.size())),
                           collection.tried.front().seed, collection.tried.back().seed));
  line("return", return_text(collection.kept, info.scale));
  if (!all) line("return, all", return_text(collection.tried, info.scale));
  if (info.has_success)
    line("success", success_text(collection.kept) +
                        (all ? "" : "; of all tried " + success_text(collection.tried)));
  const auto mishaps = std::count_if(collection.tried.begin(), collection.tried.end(),
                                     [](const EpisodeRecord& r) { return is_mishap(r.end); });
  if (mishaps > 0)
    line("mishaps", fmt::format("{} of those tried; none is kept", grouped(mishaps)));
  line("length", length_text(collection.kept));
  line("size",
       fmt::format("{:.2f} MB", static_cast<double>(std::filesystem::file_size(file)) / 1e6));
  line("hash", dataset.content_hash());
  line("next", fmt::format("darp info {0}, or darp train CONFIG --data {0}", file.string()));
}

}  // namespace darp
