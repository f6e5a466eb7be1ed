#include "darp/data/ingest/minari.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "darp/core/file.h"
#include "darp/data/ingest/observation_keys.h"

namespace darp {
namespace {

constexpr int kMaxDepth = 16;

/// The datasets at or below `name`, in name order, as paths that start with `name`.
void collect_leaves(const Hdf5Group& episode, const std::string& name, int depth,
                    std::vector<std::string>& leaves) {
  if (depth > kMaxDepth)
    throw Error(episode.where(), fmt::format("'{}' is nested too deeply", name),
                "flatten the observation space");
  if (const auto group = episode.find_group(name)) {
    for (const std::string& child : group->children())
      collect_leaves(episode, name + "/" + child, depth + 1, leaves);
  } else if (episode.has_dataset(name)) {
    leaves.push_back(name);
  }
}

std::vector<std::string> leaves_of(const Hdf5Group& episode, const std::string& name) {
  std::vector<std::string> leaves;
  collect_leaves(episode, name, 0, leaves);
  if (leaves.empty())
    throw Error(episode.where(), fmt::format("'{}' is missing or empty", name),
                "the file is damaged: download it again");
  return leaves;
}

constexpr std::string_view kObservations = "observations";

/// "observations" -> "observation", "observations/pose/position" -> "pose/position".
std::string part_name(const std::string& leaf) {
  return leaf == kObservations ? "observation" : leaf.substr(kObservations.size() + 1);
}

/// Dictionary parts that are not numbers to difference (images, text, counts) are left out unless
/// asked for.
std::vector<std::string> choose_leaves(const Hdf5Group& episode, const ReadSettings& settings) {
  std::vector<std::string> leaves = leaves_of(episode, std::string(kObservations)), names;
  for (const std::string& leaf : leaves) names.push_back(part_name(leaf));
  if (!settings.observation_keys.empty()) {
    require_keys(settings.observation_keys, names, episode.source());
    std::vector<std::string> chosen;
    for (const std::string& key : settings.observation_keys)
      chosen.push_back(
          leaves[static_cast<size_t>(std::find(names.begin(), names.end(), key) - names.begin())]);
    return chosen;
  }
  if (leaves.size() == 1) return leaves;
  std::erase_if(leaves, [&](const std::string& leaf) {
    const Hdf5Dataset dataset = episode.dataset(leaf);
    return dataset.kind() != Hdf5Kind::kFloat || dataset.shape().size() > 2;
  });
  if (leaves.empty())
    throw Error(episode.where(), "holds no low-dimensional float observations",
                "images need an embedding first");
  return leaves;
}

/// Reads metadata.json beside the file, if it is there: the environment's name for robomimic's
/// env_args.
std::string environment_of(const std::filesystem::path& metadata) {
  if (!std::filesystem::exists(metadata)) return "";
  const MappedFile text(metadata);
  const auto json = nlohmann::json::parse(as_text(text.bytes()), nullptr, false);
  if (!json.is_object())
    throw Error(metadata.string(), "is not JSON", "download the dataset again");
  if (const std::string format = json.value("data_format", nlohmann::json("hdf5")).is_string()
                                     ? json.value("data_format", "hdf5")
                                     : "?";
      format != "hdf5")
    throw Error(metadata.string(), fmt::format("says that the data are stored as '{}'", format),
                "only Minari's hdf5 storage is read: convert it with minari");
  // env_spec is JSON inside a JSON string.
  if (!json.contains("env_spec") || !json["env_spec"].is_string()) return "";
  const auto spec = nlohmann::json::parse(json["env_spec"].get<std::string>(), nullptr, false);
  if (!spec.is_object() || !spec.contains("id") || !spec["id"].is_string()) return "";
  return nlohmann::json{
      {"env_name", spec["id"]}, {"type", 2}, {"env_kwargs", nlohmann::json::object()}}
      .dump();
}

}  // namespace

std::optional<std::filesystem::path> find_minari_data(const std::filesystem::path& folder) {
  for (const char* inside : {"data/main_data.hdf5", "main_data.hdf5"})
    if (std::filesystem::exists(folder / inside)) return folder / inside;
  return std::nullopt;
}

bool is_minari(const Hdf5Group& file) {
  return !file.numbered_children("episode_").empty();
}

void plan_minari(const Hdf5Group& file, const ReadSettings& settings, Hdf5Planner& planner) {
  EpisodeAssembler& assembler = planner.assembler();
  const std::vector<std::string> names = file.numbered_children("episode_");
  if (names.empty())
    throw Error(file.where(), "holds no groups called episode_<number>",
                "this is not a Minari file, or it is empty");
  const Hdf5Group first = file.group(names[0]);
  const std::vector<std::string> leaves = choose_leaves(first, settings),
                                 action_leaves = leaves_of(first, "actions");

  // What there is.
  std::vector<std::pair<std::string, int64_t>> parts;
  std::vector<int64_t> action_widths;
  int64_t action_dim = 0;
  for (const std::string& leaf : leaves)
    parts.emplace_back(part_name(leaf), first.dataset(leaf).width());
  for (const std::string& leaf : action_leaves)
    action_dim += action_widths.emplace_back(first.dataset(leaf).width());
  bool rewards = true;
  assembler.set_columns(parts, action_dim);
  for (const std::string& name : names) {
    assembler.add_episode(name,
                          static_cast<int64_t>(file.dataset(name + "/" + action_leaves[0]).rows()));
    rewards = rewards && file.contains(name + "/rewards");
  }
  assembler.set_environment(
      environment_of(std::filesystem::path(file.source()).parent_path() / "metadata.json"));

  // Where the numbers are.
  for (int64_t e = 0, row = 0; e < assembler.episodes();
       row = assembler.declared().episode_ends[e++]) {
    const Hdf5Group episode = file.group(names[e]);
    const int64_t steps = assembler.declared().episode_ends[e] - row;
    for (size_t p = 0; p < leaves.size(); ++p)
      planner.observations(episode.floats(leaves[p], steps + 1, parts[p].second), steps, row,
                           static_cast<int64_t>(p));
    for (int64_t a = 0, column = 0; a < static_cast<int64_t>(action_leaves.size());
         column += action_widths[a++])
      planner.actions(episode.floats(action_leaves[a], steps, action_widths[a]), steps, row,
                      column);
    if (rewards) planner.rewards(episode.floats("rewards", steps, 1), steps, row);
  }
}

}  // namespace darp
