#include "darp/data/ingest/robomimic.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "darp/data/ingest/observation_keys.h"

namespace darp {
namespace {

const std::vector<std::string> kDefaultKeys = {"robot0_eef_pos", "robot0_eef_quat",
                                               "robot0_gripper_qpos", "object"};
/// A row wider than this is an image, not a state.
constexpr uint64_t kMaxLowDimWidth = 4096;

/// Low-dimensional float datasets directly below an obs group.
std::vector<std::string> low_dim_keys(const Hdf5Group& obs) {
  std::vector<std::string> keys;
  for (const std::string& name : obs.children())
    if (const auto dataset = obs.find_dataset(name))
      if (dataset->kind() == Hdf5Kind::kFloat && dataset->shape().size() <= 2 &&
          dataset->width() <= kMaxLowDimWidth)
        keys.push_back(name);
  return keys;
}

/// The keys that darp noted when it wrote the file, or none.
std::vector<std::string> written_keys(const Hdf5Group& data) {
  const auto text = data.text_attribute("observation_keys");
  if (!text) return {};
  const auto list = nlohmann::json::parse(*text, nullptr, false);
  std::vector<std::string> keys;
  if (list.is_array())
    for (const auto& key : list)
      if (key.is_string()) keys.push_back(key.get<std::string>());
  if (keys.empty() || keys.size() != list.size())
    throw Error(data.where() + "@observation_keys", "is not a list of names",
                "name the keys with --keys");
  return keys;
}

std::vector<std::string> choose_keys(const Hdf5Group& data, const Hdf5Group& obs,
                                     const ReadSettings& settings) {
  if (!settings.observation_keys.empty()) {
    std::vector<std::string> available =
        obs.children();  // a wanted key may lie deeper: "camera/pose"
    for (const std::string& key : settings.observation_keys)
      if (key.find('/') != std::string::npos && obs.has_dataset(key)) available.push_back(key);
    require_keys(settings.observation_keys, available, obs.source());
    return settings.observation_keys;
  }
  if (auto keys = written_keys(data); !keys.empty()) return keys;
  std::vector<std::string> available = low_dim_keys(obs);
  const auto has = [&](const std::string& key) {
    return std::find(available.begin(), available.end(), key) != available.end();
  };
  if (std::all_of(kDefaultKeys.begin(), kDefaultKeys.end(), has)) return kDefaultKeys;
  if (available.empty())
    throw Error(obs.where(), "holds no low-dimensional float observations",
                "images need an embedding first; name other keys with --keys");
  return available;
}

/// The rewards, unless they are zeros that stand in for what is not known.
std::optional<Hdf5Dataset> find_rewards(const Hdf5Group& demo) {
  auto rewards = demo.find_dataset("rewards");
  if (rewards && rewards->has_attribute("placeholder")) return std::nullopt;
  return rewards;
}

}  // namespace

bool is_robomimic(const Hdf5Group& file) {
  return file.find_group("data").has_value();
}

void plan_robomimic(const Hdf5Group& file, const ReadSettings& settings, Hdf5Planner& planner) {
  EpisodeAssembler& assembler = planner.assembler();
  const Hdf5Group data = file.group("data");
  const std::vector<std::string> demos = data.numbered_children("demo_");
  if (demos.empty())
    throw Error(data.where(), "holds no groups called demo_<number>",
                "this is not a robomimic file, or it is empty");
  const Hdf5Group first = data.group(demos[0]);
  const auto first_obs = first.find_group("obs");
  if (!first_obs)
    throw Error(first.where(), "has no group obs",
                "extract observations first (robomimic's dataset_states_to_obs.py does it)");

  // What there is: widths from the first episode, lengths from each; rewards only if all have them.
  const std::vector<std::string> keys = choose_keys(data, *first_obs, settings);
  std::vector<std::pair<std::string, int64_t>> parts;
  for (const std::string& key : keys)
    parts.emplace_back(key, static_cast<int64_t>(first_obs->floats(key).width()));
  const uint64_t action_dim = first.dataset("actions").width();
  bool rewards = find_rewards(first).has_value();
  assembler.set_columns(parts, static_cast<int64_t>(action_dim));
  for (const std::string& demo : demos) {
    assembler.add_episode(demo, static_cast<int64_t>(data.dataset(demo + "/actions").rows()));
    rewards = rewards && data.contains(demo + "/rewards");
  }

  // Where the numbers are.
  for (int64_t e = 0, row = 0; e < assembler.episodes();
       row = assembler.declared().episode_ends[e++]) {
    const Hdf5Group demo = data.group(demos[e]), obs = demo.group("obs");
    const int64_t steps = assembler.declared().episode_ends[e] - row;
    planner.actions(demo.floats("actions", steps, action_dim), steps, row);
    for (size_t p = 0; p < keys.size(); ++p)
      planner.observations(obs.floats(keys[p], steps, parts[p].second), steps, row,
                           static_cast<int64_t>(p));
    if (rewards) planner.rewards(demo.floats("rewards", steps, 1), steps, row);
  }

  // Around them.
  if (const auto env_args = data.text_attribute("env_args"); env_args && *env_args != "{}")
    assembler.set_environment(*env_args);
  if (const auto masks = file.find_group("mask"))
    for (const std::string& key : masks->children())
      if (const auto mask = masks->find_dataset(key))
        assembler.add_filter(key, mask->read_strings());
}

}  // namespace darp
