#include "darp/cli/dataset_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "darp/core/numbers.h"

namespace darp {
namespace {

std::vector<std::string> column_names(const Dataset& dataset) {
  std::vector<std::string> names;
  for (int64_t j = 0; j < dataset.observation_dim(); ++j)
    names.push_back(printable(dataset.column_name(j)));
  for (int64_t j = 0; j < dataset.action_dim(); ++j) names.push_back(fmt::format("action[{}]", j));
  return names;
}

std::vector<ColumnStatistics> all_statistics(const DatasetSummary& summary) {
  std::vector<ColumnStatistics> all = summary.observations;
  all.insert(all.end(), summary.actions.begin(), summary.actions.end());
  return all;
}

void print_columns(const std::vector<std::string>& names,
                   const std::vector<ColumnStatistics>& columns, bool all) {
  constexpr size_t kMost = 40;
  const size_t shown = all ? names.size() : std::min(names.size(), kMost);
  size_t width = 6;
  for (size_t j = 0; j < shown; ++j) width = std::max(width, names[j].size());
  fmt::print("\n  {:{}}  {:>11}  {:>11}  {:>11}  {:>11}\n", "column", width, "min", "max", "mean",
             "std");
  for (size_t j = 0; j < shown; ++j)
    fmt::print("  {:{}}  {:>11.5g}  {:>11.5g}  {:>11.5g}  {:>11.5g}{}\n", names[j], width,
               columns[j].min, columns[j].max, columns[j].mean, columns[j].population_std(),
               columns[j].constant() ? "  constant" : "");
  if (shown < names.size())
    fmt::print("  and {} more columns (--all-columns shows them)\n", names.size() - shown);
}

nlohmann::json statistics_json(const std::vector<ColumnStatistics>& columns) {
  nlohmann::json json = {{"min", nlohmann::json::array()},
                         {"max", nlohmann::json::array()},
                         {"mean", nlohmann::json::array()},
                         {"std", nlohmann::json::array()}};
  for (const ColumnStatistics& column : columns) {
    json["min"].push_back(column.min);
    json["max"].push_back(column.max);
    json["mean"].push_back(column.mean);
    json["std"].push_back(column.population_std());
  }
  return json;
}

}  // namespace

void print_dataset(const ReadResult& read, const DatasetSummary& summary, bool all_columns) {
  const Dataset& d = read.dataset;
  const std::vector<std::string> names = column_names(d);
  const std::vector<ColumnStatistics> statistics = all_statistics(summary);
  const auto line = [](std::string_view label, const std::string& text) {
    fmt::print("  {:<13}{}\n", label, printable(text));
  };

  fmt::print("{} ({})\n", printable(d.source()), read.format);
  line("episodes",
       summary.shortest_episode == summary.longest_episode
           ? fmt::format("{}, {} long", grouped(d.episodes()),
                         counted(summary.longest_episode, "step"))
           : fmt::format("{}, {} to {} steps long (median {}, mean {:.1f})", grouped(d.episodes()),
                         grouped(summary.shortest_episode), grouped(summary.longest_episode),
                         summary.median_episode, summary.mean_episode));
  line("steps", grouped(d.steps()));
  std::vector<std::string> parts;
  for (const ObservationPart& part : d.parts())
    parts.push_back(fmt::format("{} ({})", part.name, part.width()));
  line("observation",
       fmt::format("{}: {}", counted(d.observation_dim(), "dim"), fmt::join(parts, ", ")));
  line("action", counted(d.action_dim(), "dim"));
  line("rewards", d.rewards().empty() ? "none" : "yes");
  if (!d.environment().empty()) line("environment", d.environment());
  for (const auto& [key, members] : d.filters())
    line("filter",
         fmt::format("{}: {}", key, counted(static_cast<int64_t>(members.size()), "episode")));
  line("duplicates", fmt::format("{} repeat an earlier observation exactly",
                                 counted(summary.duplicate_observations, "step")));
  line("hash", summary.hash);
  for (const std::string& note : d.notes()) line("note", note);
  print_columns(names, statistics, all_columns);
}

nlohmann::json dataset_json(const ReadResult& read, const DatasetSummary& summary) {
  const Dataset& d = read.dataset;
  nlohmann::json parts = nlohmann::json::array(), lengths = nlohmann::json::array(),
                 filters = nlohmann::json::object(), constant = nlohmann::json::array();
  for (const ObservationPart& part : d.parts())
    parts.push_back({{"name", part.name}, {"begin", part.begin}, {"end", part.end}});
  for (int64_t i = 0; i < d.episodes(); ++i)
    lengths.push_back(d.episode_end(i) - d.episode_begin(i));
  for (const auto& [key, members] : d.filters()) filters[key] = members.size();
  const std::vector<std::string> names = column_names(d);
  const std::vector<ColumnStatistics> statistics = all_statistics(summary);
  for (size_t j = 0; j < names.size(); ++j)
    if (statistics[j].constant()) constant.push_back(names[j]);
  return {{"file", d.source()},
          {"kind", "demonstrations"},
          {"format", read.format},
          {"episodes", d.episodes()},
          {"steps", d.steps()},
          {"observation_dim", d.observation_dim()},
          {"action_dim", d.action_dim()},
          {"parts", parts},
          {"observation", statistics_json(summary.observations)},
          {"action", statistics_json(summary.actions)},
          {"episode_lengths", lengths},
          {"episode_length",
           {{"min", summary.shortest_episode},
            {"max", summary.longest_episode},
            {"median", summary.median_episode},
            {"mean", summary.mean_episode}}},
          {"constant_dimensions", constant},
          {"duplicate_rows", summary.duplicate_observations},
          {"rewards", !d.rewards().empty()},
          {"filters", filters},
          {"environment", d.environment()},
          {"notes", d.notes()},
          {"hash", summary.hash}};
}

}  // namespace darp
