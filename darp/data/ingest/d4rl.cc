#include "darp/data/ingest/d4rl.h"

#include "darp/data/ingest/episode_flags.h"
#include "darp/data/ingest/observation_keys.h"

namespace darp {
namespace {

constexpr const char* kObservation = "observation";

std::string path_of(const std::string& key) {
  return key == kObservation ? "observations" : key;
}

std::vector<std::string> available_keys(const Hdf5Group& file) {
  std::vector<std::string> keys = {kObservation};
  if (const auto infos = file.find_group("infos"))
    for (const std::string& name : infos->children())
      if (infos->has_dataset(name)) keys.push_back("infos/" + name);
  return keys;
}

/// (N), (N, 1): both are seen.
std::vector<int64_t> flags(const Hdf5Group& file, const std::string& path) {
  const auto dataset = file.find_dataset(path);
  return dataset ? dataset->read_integers() : std::vector<int64_t>{};
}

}  // namespace

bool is_d4rl(const Hdf5Group& file) {
  return file.has_dataset("observations") && file.has_dataset("actions");
}

void plan_d4rl(const Hdf5Group& file, const ReadSettings& settings, Hdf5Planner& planner) {
  EpisodeAssembler& assembler = planner.assembler();
  std::vector<std::string> keys = settings.observation_keys;
  if (keys.empty()) keys = {kObservation};
  require_keys(keys, available_keys(file), file.source());

  // Episodes from flags. Files from before `timeouts` rely on the task's step limit.
  const uint64_t rows = file.dataset("observations").rows();
  std::vector<int64_t> terminals = flags(file, "terminals"), timeouts = flags(file, "timeouts");
  if (terminals.empty() && timeouts.empty())
    throw Error(file.source(), "has neither terminals nor timeouts",
                "add one of them: a flag per row, set where an episode ends");
  EpisodeFlags ends_by;
  if (timeouts.empty()) ends_by.max_episode_steps = settings.max_episode_steps;
  ends_by.sets = {std::move(terminals), std::move(timeouts)};
  const std::vector<int64_t> ends = episode_ends_from_flags(
      ends_by, static_cast<int64_t>(rows), settings.keep_unfinished, file.source());

  std::vector<std::pair<std::string, int64_t>> parts;
  for (const std::string& key : keys)
    parts.emplace_back(key, static_cast<int64_t>(file.floats(path_of(key), rows).width()));
  assembler.set_columns(parts, static_cast<int64_t>(file.floats("actions", rows).width()));
  assembler.add_episodes(ends);

  assembler.note_rows_left_out(static_cast<int64_t>(rows));

  const int64_t kept = ends.back();
  for (size_t p = 0; p < keys.size(); ++p)
    planner.observations(file.floats(path_of(keys[p]), rows), kept, 0, static_cast<int64_t>(p));
  planner.actions(file.floats("actions", rows), kept, 0);
  if (file.has_dataset("rewards")) planner.rewards(file.floats("rewards", rows, 1), kept, 0);
}

}  // namespace darp
