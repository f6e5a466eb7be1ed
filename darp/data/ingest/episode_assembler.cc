#include "darp/data/ingest/episode_assembler.h"

#include <algorithm>
#include <map>

namespace darp {

EpisodeAssembler::EpisodeAssembler(std::string source) {
  contents_.source = std::move(source);
}

void EpisodeAssembler::set_columns(const std::vector<std::pair<std::string, int64_t>>& parts,
                                   int64_t action_dim) {
  int64_t column = 0;
  for (const auto& [name, width] : parts) {
    if (width < 0 || width > INT64_MAX - column)
      throw Error(contents_.source, fmt::format("declares a part '{}' of width {}", name, width),
                  "the file is damaged: create it again");
    contents_.parts.push_back({name, column, column + width});
    column += width;
  }
  if (action_dim < 0)
    throw Error(contents_.source, fmt::format("declares {} action columns", action_dim),
                "the file is damaged: create it again");
  action_dim_ = action_dim;
}

void EpisodeAssembler::add_episode(std::string name, int64_t episode_steps) {
  int64_t end = 0;
  if (episode_steps < 0 || __builtin_add_overflow(steps(), episode_steps, &end))
    throw Error(contents_.source,
                fmt::format("declares an episode '{}' of {} steps", name, episode_steps),
                "the file is damaged: create it again");
  contents_.episode_names.push_back(std::move(name));
  contents_.episode_ends.push_back(end);
}

void EpisodeAssembler::add_episodes(const std::vector<int64_t>& ends,
                                    const std::vector<std::string>& names) {
  for (size_t i = 0; i < ends.size(); ++i)
    add_episode(names.empty() ? fmt::format("demo_{}", i) : names[i], ends[i] - steps());
}

void EpisodeAssembler::note_rows_left_out(int64_t rows_in_file) {
  if (rows_in_file > steps())
    add_note(
        fmt::format("left out {} rows after the last episode's end; keep_unfinished keeps them",
                    rows_in_file - steps()));
}

void EpisodeAssembler::add_filter(const std::string& key,
                                  const std::vector<std::string>& episode_names) {
  std::map<std::string_view, int64_t> index;
  for (int64_t i = 0; i < episodes(); ++i) index[contents_.episode_names[i]] = i;
  std::vector<int64_t> members;
  for (const std::string& name : episode_names) {
    const auto it = index.find(name);
    if (it == index.end())
      throw Error(contents_.source,
                  fmt::format("filter '{}' names an episode '{}' that does not exist", key, name),
                  "remove the name from the filter or restore the episode");
    members.push_back(it->second);
  }
  add_filter(key, std::move(members));
}

void EpisodeAssembler::add_filter(const std::string& key, std::vector<int64_t> members) {
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  contents_.filters[key] = std::move(members);
}

void EpisodeAssembler::allocate(bool with_rewards) {
  contents_.observations =
      Matrix::uninitialized(steps(), contents_.parts.empty() ? 0 : contents_.parts.back().end);
  contents_.actions = Matrix::uninitialized(steps(), action_dim_);
  if (with_rewards) contents_.rewards.resize(static_cast<size_t>(steps()));
}

MutableMatrixView EpisodeAssembler::observations(int64_t episode, int64_t part) {
  const int64_t begin = episode == 0 ? 0 : contents_.episode_ends[episode - 1];
  return all_observations(part).rows_between(begin, contents_.episode_ends[episode]);
}

MutableMatrixView EpisodeAssembler::actions(int64_t episode) {
  const int64_t begin = episode == 0 ? 0 : contents_.episode_ends[episode - 1];
  return all_actions().rows_between(begin, contents_.episode_ends[episode]);
}

MutableMatrixView EpisodeAssembler::rewards(int64_t episode) {
  const int64_t begin = episode == 0 ? 0 : contents_.episode_ends[episode - 1];
  return all_rewards().rows_between(begin, contents_.episode_ends[episode]);
}

MutableMatrixView EpisodeAssembler::all_observations(int64_t part) {
  return contents_.observations.mutable_view().cols_between(contents_.parts[part].begin,
                                                            contents_.parts[part].end);
}

MutableMatrixView EpisodeAssembler::all_rewards() {
  return {contents_.rewards.data(), static_cast<int64_t>(contents_.rewards.size()), 1, 1};
}

}  // namespace darp
