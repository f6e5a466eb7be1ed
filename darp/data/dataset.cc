#include "darp/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "darp/core/bytes.h"
#include "darp/core/finite.h"
#include "darp/core/hash.h"
#include "darp/core/rng.h"
#include "darp/core/suggest.h"

namespace darp {
namespace {

constexpr const char* kBroken =
    "the file is damaged or was written by a faulty tool: create it again";

/// The first entry that is NaN or infinite, as {row, column}, or {-1, -1}.
std::pair<int64_t, int64_t> first_non_finite(MatrixView values) {
  for (int64_t i = 0; i < values.rows(); ++i) {
    if (all_finite(values.row(i))) continue;
    for (int64_t j = 0; j < values.cols(); ++j)
      if (!std::isfinite(values(i, j))) return {i, j};
  }
  return {-1, -1};
}

void require_unique(const std::vector<std::string>& names, const char* kind,
                    const std::string& source) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty())
      throw Error(source, fmt::format("has {} without a name", kind), "give each one a name");
    if (!seen.insert(name).second)
      throw Error(source, fmt::format("has two of {} called '{}'", kind, name),
                  "give each one its own name");
  }
}

}  // namespace

Dataset::Dataset(DatasetContents contents) : contents_(std::move(contents)) {
  if (contents_.parts.empty()) contents_.parts = {{"observation", 0, observation_dim()}};
  if (contents_.episode_names.empty())
    for (int64_t i = 0; i < episodes(); ++i)
      contents_.episode_names.push_back(fmt::format("demo_{}", i));
  check();
}

void Dataset::check() const {
  const DatasetContents& c = contents_;
  const int64_t rows = steps();

  // Shapes first: later checks index by them.
  if (episodes() == 0 || rows == 0)
    throw Error(c.source, "holds no demonstrations", "record at least one episode");
  if (observation_dim() == 0)
    throw Error(c.source, "has observations without entries",
                "select at least one observation key");
  if (action_dim() == 0) throw Error(c.source, "has actions without entries", kBroken);
  if (c.actions.rows() != rows)
    throw Error(c.source, fmt::format("has {} observations but {} actions", rows, c.actions.rows()),
                "each step needs one of both");
  if (!c.rewards.empty() && static_cast<int64_t>(c.rewards.size()) != rows)
    throw Error(c.source, fmt::format("has {} steps but {} rewards", rows, c.rewards.size()),
                kBroken);

  // Names.
  if (static_cast<int64_t>(c.episode_names.size()) != episodes())
    throw Error(
        c.source,
        fmt::format("has {} episodes but {} episode names", episodes(), c.episode_names.size()),
        kBroken);
  require_unique(c.episode_names, "the episodes", c.source);
  std::vector<std::string> part_names;
  int64_t column = 0;
  for (const ObservationPart& part : c.parts) {
    if (part.begin != column || part.end <= part.begin)
      throw Error(
          c.source,
          fmt::format("has an observation part '{}' at columns {}..{} where column {} comes next",
                      part.name, part.begin, part.end, column),
          kBroken);
    column = part.end;
    part_names.push_back(part.name);
  }
  if (column != observation_dim())
    throw Error(c.source,
                fmt::format("names {} of {} observation columns", column, observation_dim()),
                kBroken);
  require_unique(part_names, "the observation parts", c.source);

  // Episodes.
  for (int64_t i = 0; i < episodes(); ++i) {
    if (episode_end(i) == episode_begin(i))
      throw Error(c.source, fmt::format("has an empty episode '{}'", c.episode_names[i]),
                  "remove it");
    if (episode_end(i) < episode_begin(i) || episode_end(i) > rows)
      throw Error(c.source,
                  fmt::format("has episode '{}' ending at row {} after row {} of {}",
                              c.episode_names[i], episode_end(i), episode_begin(i), rows),
                  kBroken);
  }
  if (c.episode_ends.back() != rows)
    throw Error(
        c.source,
        fmt::format("has {} rows after the last episode's end", rows - c.episode_ends.back()),
        kBroken);
  for (const auto& [key, members] : c.filters)
    for (size_t i = 0; i < members.size(); ++i)
      if (members[i] < 0 || members[i] >= episodes() || (i > 0 && members[i] <= members[i - 1]))
        throw Error(c.source,
                    fmt::format("has a filter '{}' that is not a sorted list of its episodes", key),
                    kBroken);

  // Values.
  const auto refuse = [&](int64_t row, const std::string& entry, float value) {
    const int64_t e = episode_of(row);
    throw Error(fmt::format("{}: episode {}, step {}", c.source, c.episode_names[e],
                            row - episode_begin(e)),
                fmt::format("{} is {}", entry, value),
                "repair that value or leave the episode out");
  };
  if (const auto [row, col] = first_non_finite(c.observations); row >= 0)
    refuse(row, column_name(col), c.observations(row, col));
  if (const auto [row, col] = first_non_finite(c.actions); row >= 0)
    refuse(row, fmt::format("action[{}]", col), c.actions(row, col));
  if (!all_finite(c.rewards)) {
    const auto bad =
        std::find_if(c.rewards.begin(), c.rewards.end(), [](float r) { return !std::isfinite(r); });
    refuse(bad - c.rewards.begin(), "reward", *bad);
  }
}

Episode Dataset::episode(int64_t index) const {
  DARP_CHECK(index >= 0 && index < episodes(), "episode {} of {}", index, episodes());
  const int64_t begin = episode_begin(index), end = episode_end(index);
  return {contents_.episode_names[index], begin, observations().rows_between(begin, end),
          actions().rows_between(begin, end)};
}

int64_t Dataset::episode_of(int64_t row) const {
  DARP_CHECK(row >= 0 && row < steps(), "row {} of {}", row, steps());
  const auto& ends = contents_.episode_ends;
  return std::upper_bound(ends.begin(), ends.end(), row) - ends.begin();
}

std::string Dataset::column_name(int64_t column) const {
  for (const ObservationPart& part : contents_.parts)
    if (column >= part.begin && column < part.end)
      return fmt::format("{}[{}]", part.name, column - part.begin);
  DARP_CHECK(false, "column {} of {}", column, observation_dim());
}

Dataset Dataset::select(const std::vector<int64_t>& episode_indices) const {
  DatasetContents c;
  int64_t rows = 0;
  std::map<int64_t, int64_t> new_index;
  for (const int64_t i : episode_indices) {
    DARP_CHECK(i >= 0 && i < episodes(), "episode {} of {}", i, episodes());
    new_index[i] = static_cast<int64_t>(c.episode_ends.size());
    c.episode_ends.push_back(rows += episode_end(i) - episode_begin(i));
    c.episode_names.push_back(contents_.episode_names[i]);
  }
  c.observations = Matrix::uninitialized(rows, observation_dim());
  c.actions = Matrix::uninitialized(rows, action_dim());
  int64_t row = 0;
  for (const int64_t i : episode_indices) {
    const Episode e = episode(i);
    copy(e.observations, c.observations.mutable_view().rows_between(row, row + e.steps()));
    copy(e.actions, c.actions.mutable_view().rows_between(row, row + e.steps()));
    if (!rewards().empty())
      c.rewards.insert(c.rewards.end(), rewards().begin() + episode_begin(i),
                       rewards().begin() + episode_end(i));
    row += e.steps();
  }
  for (const auto& [key, members] : contents_.filters) {
    std::vector<int64_t> kept;
    for (const int64_t member : members)
      if (const auto it = new_index.find(member); it != new_index.end()) kept.push_back(it->second);
    std::sort(kept.begin(), kept.end());
    if (!kept.empty()) c.filters[key] = std::move(kept);
  }
  c.parts = contents_.parts;
  c.environment = contents_.environment;
  c.source = contents_.source;
  c.notes = contents_.notes;
  return Dataset(std::move(c));
}

const std::vector<int64_t>& Dataset::filter(const std::string& key) const {
  const auto it = contents_.filters.find(key);
  if (it != contents_.filters.end()) return it->second;
  std::vector<std::string> keys;
  for (const auto& [name, members] : contents_.filters) keys.push_back(name);
  throw Error(contents_.source, fmt::format("has no filter key '{}'", key),
              keys.empty() ? "the file has no filter keys at all: leave the option out"
                           : suggestion(key, keys));
}

std::string Dataset::content_hash() const {
  Hasher hasher;
  hasher.add("darp dataset 1");
  hasher.add(static_cast<uint64_t>(steps()));
  for (const ObservationPart& part : parts())
    hasher.add(part.name).add(static_cast<uint64_t>(part.width()));
  hasher.add(static_cast<uint64_t>(action_dim()));
  for (const int64_t end : contents_.episode_ends) hasher.add(static_cast<uint64_t>(end));
  for (const MatrixView values : {observations(), actions()})
    for (int64_t i = 0; i < steps(); ++i) hasher.add(std::as_bytes(values.row(i)));
  return hasher.hex();
}

bool identical(const Dataset& a, const Dataset& b) {
  const auto one_row = [](const std::vector<float>& values) {
    const auto count = static_cast<int64_t>(values.size());
    return MatrixView(values.data(), 1, count, count);
  };
  return same_bits(a.observations(), b.observations()) && same_bits(a.actions(), b.actions()) &&
         same_bits(one_row(a.rewards()), one_row(b.rewards())) && a.parts() == b.parts() &&
         a.episode_ends() == b.episode_ends() && a.episode_names() == b.episode_names() &&
         a.filters() == b.filters() && a.environment() == b.environment();
}

std::pair<std::vector<int64_t>, std::vector<int64_t>> split_episodes(const Dataset& dataset,
                                                                     double validation_fraction,
                                                                     uint64_t seed) {
  if (!(validation_fraction > 0 && validation_fraction < 1))
    throw Error(
        dataset.source(),
        fmt::format("cannot be split with a validation fraction of {}", validation_fraction),
        "use a number between 0 and 1, for example 0.1");
  if (dataset.episodes() < 2)
    throw Error(dataset.source(), "has a single episode and cannot be split by episodes",
                "train without a validation set");
  std::vector<int64_t> order(dataset.episodes());
  std::iota(order.begin(), order.end(), int64_t{0});
  Rng(seed).shuffle(std::span(order));
  const auto wanted =
      static_cast<int64_t>(std::llround(validation_fraction * static_cast<double>(order.size())));
  const auto held_out = std::clamp<int64_t>(wanted, 1, dataset.episodes() - 1);
  std::vector<int64_t> validation(order.begin(), order.begin() + held_out),
      training(order.begin() + held_out, order.end());
  std::sort(validation.begin(), validation.end());
  std::sort(training.begin(), training.end());
  return {training, validation};
}

}  // namespace darp
