#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "darp/data/ingest/hdf5_output.h"
#include "darp/data/ingest/robomimic.h"

namespace darp {
namespace {

/// demo_<number> in increasing order, which readers restore; other names cannot be kept.
bool names_fit(const Dataset& dataset) {
  int64_t previous = -1;
  for (int64_t i = 0; i < dataset.episodes(); ++i) {
    const std::string& name = dataset.episode_name(i);
    int64_t number = -1;
    if (!name.starts_with("demo_")) return false;
    const auto [end, error] = std::from_chars(name.data() + 5, name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size() || number <= previous ||
        name != fmt::format("demo_{}", number))
      return false;
    previous = number;
  }
  return true;
}

/// HDF5 would silently read "a//b", "./a" or a zero byte as something else.
void check_name(const std::string& name, const Dataset& dataset) {
  const std::string bounded = "/" + name + "/";
  const bool bad = bounded.find("//") != std::string::npos ||
                   bounded.find("/./") != std::string::npos || name.find('\0') != std::string::npos;
  if (bad)
    throw Error(dataset.source(), fmt::format("'{}' cannot be a name in an HDF5 file", name),
                "rename it");
}

void write_episode(Hdf5Output& out, const Dataset& dataset, int64_t index,
                   const std::string& group) {
  const Episode episode = dataset.episode(index);
  const auto steps = static_cast<size_t>(episode.steps());
  out.floats(group + "/actions", episode.actions);
  for (const ObservationPart& part : dataset.parts())
    out.floats(group + "/obs/" + part.name,
               episode.observations.cols_between(part.begin, part.end));
  // robomimic insists on rewards: zeros stand in for what is not known, marked so that darp does
  // not take them for real.
  if (dataset.rewards().empty()) {
    out.floats(group + "/rewards", std::vector<float>(steps, 0.0f));
    out.attribute(group + "/rewards", "placeholder", int64_t{1});
  } else {
    out.floats(group + "/rewards",
               std::span(dataset.rewards()).subspan(static_cast<size_t>(episode.first_row), steps));
  }
  std::vector<uint8_t> dones(steps, 0);
  dones.back() = 1;
  out.bytes(group + "/dones", dones);
  out.attribute(group, "num_samples", episode.steps());
}

}  // namespace

void write_robomimic(const Dataset& dataset, const std::filesystem::path& path) {
  nlohmann::json keys = nlohmann::json::array();
  for (const ObservationPart& part : dataset.parts()) {
    check_name(part.name, dataset);
    keys.push_back(part.name);
  }
  for (const auto& [key, members] : dataset.filters()) check_name(key, dataset);
  const bool keep_names = names_fit(dataset);
  const auto name = [&](int64_t i) {
    return keep_names ? dataset.episode_name(i) : fmt::format("demo_{}", i);
  };

  Hdf5Output out(path);
  out.group("/data");
  for (int64_t i = 0; i < dataset.episodes(); ++i)
    write_episode(out, dataset, i, "/data/" + name(i));
  out.attribute("/data", "total", dataset.steps());
  out.attribute("/data", "env_args", dataset.environment().empty() ? "{}" : dataset.environment());
  out.attribute("/data", "observation_keys", keys.dump());
  for (const auto& [key, members] : dataset.filters()) {
    std::vector<std::string> names;
    for (const int64_t member : members) names.push_back(name(member));
    out.names("/mask/" + key, names);
  }
  out.finish();
}

}  // namespace darp
