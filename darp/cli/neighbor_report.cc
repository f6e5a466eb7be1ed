#include "darp/cli/neighbor_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "darp/core/numbers.h"

namespace darp {
namespace {

nlohmann::json spread_json(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    if (values.empty()) return 0.0f;
    return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
  };
  return {{"p05", at(0.05)}, {"p50", at(0.5)}, {"p95", at(0.95)}};
}

std::string spread_text(const nlohmann::json& spread) {
  return fmt::format("{:.4g}   (5 %: {:.4g}, 95 %: {:.4g})", spread["p50"].get<double>(),
                     spread["p05"].get<double>(), spread["p95"].get<double>());
}

}  // namespace

std::string place_of(const Dataset& dataset, int64_t row) {
  const int64_t episode = dataset.episode_of(row);
  return fmt::format("{}:{}", episode, row - dataset.episode_begin(episode));
}

nlohmann::json table_json(const NeighborTable& table, const Dataset& dataset) {
  std::vector<float> nearest, last;
  std::vector<int64_t> lists(dataset.steps());  // that a row is in
  int64_t links = 0, same_episode = 0, short_lists = 0;
  for (int64_t i = 0; i < table.queries(); ++i) {
    short_lists += table.count(i) < table.width() ? 1 : 0;
    if (table.count(i) == 0) continue;
    nearest.push_back(table.distances(i).front());
    last.push_back(table.distances(i).back());
    const int64_t episode = dataset.episode_of(i), begin = dataset.episode_begin(episode),
                  end = dataset.episode_end(episode);
    for (const int32_t row : table.rows(i)) {
      ++lists[row];
      same_episode += row >= begin && row < end ? 1 : 0;
    }
    links += table.count(i);
  }
  const auto most = std::max_element(lists.begin(), lists.end());
  return {{"queries", table.queries()},
          {"neighbors", table.width()},
          {"short_lists", short_lists},
          {"nearest", spread_json(std::move(nearest))},
          {"last", spread_json(std::move(last))},
          {"same_episode",
           static_cast<double>(same_episode) / static_cast<double>(std::max<int64_t>(links, 1))},
          {"most_used_row", most - lists.begin()},
          {"most_used_lists", *most},
          {"never_used_rows", std::count(lists.begin(), lists.end(), 0)}};
}

void print_table(const nlohmann::json& s, const Dataset& dataset) {
  const int64_t most_used = s["most_used_row"], short_lists = s["short_lists"];
  fmt::print("  nearest at     {}\n", spread_text(s["nearest"]));
  fmt::print("  last at        {}\n", spread_text(s["last"]));
  if (short_lists > 0)
    fmt::print("  short lists    {} with fewer than {} neighbours\n", counted(short_lists, "row"),
               grouped(s["neighbors"]));
  fmt::print("  same episode   {:.1f} % of the neighbours\n",
             100 * s["same_episode"].get<double>());
  fmt::print("  most used      step {} (row {}): in {}; {} in none\n", place_of(dataset, most_used),
             grouped(most_used), counted(s["most_used_lists"], "list"),
             counted(s["never_used_rows"], "row"));
}

nlohmann::json neighbors_json(const Neighbors& neighbors, const Dataset& dataset) {
  nlohmann::json list = nlohmann::json::array();
  for (size_t i = 0; i < neighbors.rows.size(); ++i) {
    const int64_t row = neighbors.rows[i], episode = dataset.episode_of(row);
    const auto action = dataset.actions().row(row);
    list.push_back({{"row", row},
                    {"episode", episode},
                    {"step", row - dataset.episode_begin(episode)},
                    {"distance", neighbors.distances[i]},
                    {"action", std::vector<float>(action.begin(), action.end())}});
  }
  return list;
}

void print_neighbors(const Neighbors& neighbors, const Dataset& dataset, int64_t most) {
  const auto shown = std::min<size_t>(neighbors.rows.size(), static_cast<size_t>(most));
  fmt::print("\n  {:>4}  {:>12}  {:>10}  {:>10}  action\n", "rank", "episode:step", "row",
             "distance");
  for (size_t i = 0; i < shown; ++i) {
    constexpr int64_t kColumns = 8;
    const int64_t row = neighbors.rows[i];
    std::string action;
    for (int64_t j = 0; j < std::min(kColumns, dataset.action_dim()); ++j)
      action += fmt::format("{:8.3f}", dataset.actions()(row, j));
    fmt::print("  {:>4}  {:>12}  {:>10}  {:>10.4g}  {}{}\n", i + 1, place_of(dataset, row),
               grouped(row), neighbors.distances[i], action,
               dataset.action_dim() > kColumns ? " ..." : "");
  }
  if (shown < neighbors.rows.size())
    fmt::print("  and {} more (--show {})\n",
               grouped(static_cast<int64_t>(neighbors.rows.size() - shown)), neighbors.rows.size());
}

}  // namespace darp
