#include "darp/data/ingest/observation_keys.h"

#include <algorithm>
#include <charconv>

#include "darp/core/suggest.h"

namespace darp {
namespace {

/// "0:14" -> {0, 14}; nothing else.
std::optional<std::pair<int64_t, int64_t>> parse_range(std::string_view text) {
  std::pair<int64_t, int64_t> range;
  const char* end = text.data() + text.size();
  const auto [colon, first_error] = std::from_chars(text.data(), end, range.first);
  if (first_error != std::errc() || colon == end || *colon != ':') return std::nullopt;
  const auto [last, second_error] = std::from_chars(colon + 1, end, range.second);
  if (second_error != std::errc() || last != end || range.first < 0 || range.first >= range.second)
    return std::nullopt;
  return range;
}

}  // namespace

ObservationKey parse_observation_key(std::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return {std::string(text), std::nullopt};
  const auto range = text.ends_with(']')
                         ? parse_range(text.substr(bracket + 1, text.size() - bracket - 2))
                         : std::nullopt;
  if (!range || bracket == 0)
    throw Error("observation_keys", fmt::format("'{}' is not a key", text),
                "write name or name[first:end], e.g. object[0:14]");
  return {std::string(text.substr(0, bracket)), range};
}

void require_keys(const std::vector<std::string>& wanted, const std::vector<std::string>& available,
                  const std::string& source) {
  for (const std::string& key : wanted)
    if (std::find(available.begin(), available.end(), key) == available.end())
      throw Error(source, fmt::format("has no observation key '{}'", key),
                  suggestion(key, available));
}

void require_single_part(const std::vector<std::string>& wanted, const std::string& source) {
  const std::vector<std::string> available = {"observation"};
  require_keys(wanted, available, source);
}

Dataset select_columns(const Dataset& dataset, const std::vector<ObservationKey>& keys) {
  // Where each key's columns come from.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  DatasetContents c;
  int64_t width = 0;
  for (const ObservationKey& key : keys) {
    const auto part = std::find_if(dataset.parts().begin(), dataset.parts().end(),
                                   [&](const ObservationPart& p) { return p.name == key.name; });
    DARP_CHECK(part != dataset.parts().end(), "no part '{}'", key.name);
    const auto [first, end] = key.columns.value_or(std::pair{int64_t{0}, part->width()});
    if (end > part->width())
      throw Error(dataset.source(),
                  fmt::format("'{}' has {} columns, not {}", key.name, part->width(), end),
                  "shorten the range");
    const bool whole = first == 0 && end == part->width();
    c.parts.push_back({whole ? key.name : fmt::format("{}[{}:{}]", key.name, first, end), width,
                       width + end - first});
    ranges.emplace_back(part->begin + first, part->begin + end);
    width += end - first;
  }

  c.observations = Matrix::uninitialized(dataset.steps(), width);
  for (size_t i = 0; i < ranges.size(); ++i)
    copy(dataset.observations().cols_between(ranges[i].first, ranges[i].second),
         c.observations.mutable_view().cols_between(c.parts[i].begin, c.parts[i].end));
  c.actions = Matrix::copy_of(dataset.actions());
  c.episode_names = dataset.episode_names();
  c.episode_ends = dataset.episode_ends();
  c.rewards = dataset.rewards();
  c.filters = dataset.filters();
  c.environment = dataset.environment();
  c.source = dataset.source();
  c.notes = dataset.notes();
  return Dataset(std::move(c));
}

}  // namespace darp
