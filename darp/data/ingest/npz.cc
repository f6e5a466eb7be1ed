#include "darp/data/ingest/npz.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "darp/data/ingest/episode_assembler.h"
#include "darp/data/ingest/episode_flags.h"
#include "darp/data/ingest/npy.h"
#include "darp/data/ingest/observation_keys.h"

namespace darp {
namespace {

/// Beyond this, an observation of several dimensions is taken for an image.
constexpr uint64_t kWidestFlattened = 16384;

struct Array {
  std::string name, where;
  StoredBytes content;
  ArrayView view;  // looks at content
};

/// The archive's arrays by name, without ".npy". Other members are not looked at.
class Archive {
 public:
  Archive(Bytes bytes, const std::string& source) : zip_(bytes, source), source_(source) {
    constexpr std::string_view kSuffix = ".npy";
    for (const ZipEntry& entry : zip_.entries())
      if (entry.name.ends_with(kSuffix)) {
        names_.push_back(entry.name.substr(0, entry.name.size() - kSuffix.size()));
        entries_[names_.back()] = &entry;
      }
  }

  Archive(const Archive&) = delete;  // entries_ points into zip_

  const std::string& source() const { return source_; }
  /// In the order in which they were saved.
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const { return entries_.contains(name); }
  Array open(const std::string& name) const {
    const std::string where = fmt::format("{}: {}", source_, name);
    StoredBytes content = zip_.read(*entries_.at(name));
    const ArrayView view = parse_npy(content.bytes(), where);
    return {name, where, std::move(content), view};
  }
  std::optional<Array> open_if_there(const std::string& name) const {
    return has(name) ? std::optional(open(name)) : std::nullopt;
  }
  /// What follows the prefix in the names that have it.
  std::vector<std::string> below(std::string_view prefix) const {
    std::vector<std::string> rest;
    for (const std::string& name : names_)
      if (name.starts_with(prefix)) rest.push_back(name.substr(prefix.size()));
    return rest;
  }
  [[noreturn]] void lacks(std::string_view what, std::string_view remedy) const {
    constexpr size_t kMost = 30;
    const auto shown = std::span(names_).first(std::min(names_.size(), kMost));
    throw Error(source_,
                fmt::format("has no {}; its arrays are: {}{}", what, fmt::join(shown, ", "),
                            shown.size() < names_.size() ? ", ..." : ""),
                remedy);
  }

 private:
  ZipReader zip_;
  std::string source_;
  std::vector<std::string> names_;
  std::map<std::string, const ZipEntry*> entries_;
};

/// The first of `names` if it is there, else the one of the others that is.
std::optional<std::string> choose(const Archive& archive, const std::vector<std::string>& names) {
  if (archive.has(names[0])) return names[0];
  std::optional<std::string> chosen;
  for (const std::string& name : names) {
    if (!archive.has(name)) continue;
    if (chosen)
      throw Error(archive.source(), fmt::format("has both '{}' and '{}'", *chosen, name),
                  fmt::format("call the one that is meant '{}'", names[0]));
    chosen = name;
  }
  return chosen;
}

void require_real(const Array& array, std::string_view otherwise) {
  if (array.view.type.kind != 'f')
    throw Error(array.where,
                fmt::format("holds {} elements in {} dimensions", to_string(array.view.type),
                            array.view.shape.size()),
                fmt::format("demonstrations are real numbers: convert it with .astype('float32'){}",
                            otherwise));
}

void require_dimensions(const Array& array, size_t least, size_t most, std::string_view form) {
  if (const size_t n = array.view.shape.size(); n < least || n > most)
    throw Error(array.where, fmt::format("has {} dimensions", n),
                fmt::format("save it with shape {}", form));
}

/// One number per row: (N,) or (N, 1).
void require_column(const Array& array) {
  require_dimensions(array, 1, 2, "(N,)");
  if (array.view.width() != 1)
    throw Error(array.where, fmt::format("has {} entries per row", array.view.width()),
                "save it with shape (N,)");
}

void require_same_rows(const Array& array, const Array& reference, const std::string& source) {
  if (array.view.rows() != reference.view.rows())
    throw Error(source,
                fmt::format("'{}' has {} rows but '{}' has {}", array.name, array.view.rows(),
                            reference.name, reference.view.rows()),
                "each step needs one row in both");
}

Array open_observation(const Archive& archive, const std::string& name) {
  Array array = archive.open(name);
  constexpr const char* kLeaveOut = ", or choose other parts with observation_keys";
  require_real(array, kLeaveOut);
  require_dimensions(array, 1, SIZE_MAX, "(N, D)");
  if (array.view.rows() == 0) throw Error(array.where, "has no rows", "record at least one step");
  if (array.view.shape.size() > 2 && array.view.width() > kWidestFlattened)
    throw Error(array.where,
                fmt::format("has {} entries per step, like images", array.view.width()),
                fmt::format("flatten it yourself to shape (N, D) if it is meant{}", kLeaveOut));
  return array;
}

/// The chosen observation parts, as {part name, array}.
std::vector<std::pair<std::string, Array>> open_observations(const Archive& archive,
                                                             const ReadSettings& settings) {
  std::map<std::string, std::string> array_of_part;
  std::vector<std::string> parts = archive.below("obs/");
  for (const std::string& part : parts) array_of_part[part] = "obs/" + part;
  if (parts.empty()) {
    const auto name = choose(archive, {"observations", "obs", "states", "state"});
    if (!name)
      archive.lacks("observations", "save them as 'observations' or as several 'obs/<part>'");
    array_of_part[parts.emplace_back("observation")] = *name;
  } else if (archive.has("observations")) {
    throw Error(archive.source(),
                fmt::format("has both 'observations' and 'obs/{}'", parts.front()),
                "save the observations in one of both ways");
  }

  require_keys(settings.observation_keys, parts, archive.source());
  std::vector<std::pair<std::string, Array>> opened;
  for (const std::string& key :
       settings.observation_keys.empty() ? parts : settings.observation_keys) {
    opened.emplace_back(key, open_observation(archive, array_of_part.at(key)));
    require_same_rows(opened.back().second, opened.front().second, archive.source());
  }
  return opened;
}

std::vector<int64_t> read_episode_ends(const Array& array, const Array& reference) {
  require_column(array);
  std::vector<int64_t> ends = read_integers(array.view, array.where);
  check_episode_ends(ends, static_cast<int64_t>(reference.view.rows()), array.where);
  return ends;
}

/// Flags of one name, or none.
std::vector<int64_t> read_flags(const Archive& archive, const std::string& name) {
  const auto array = archive.open_if_there(name);
  if (!array) return {};
  require_column(*array);
  return read_integers(array->view, array->where);
}

std::vector<int64_t> find_episode_ends(const Archive& archive, const Array& reference,
                                       bool keep_unfinished) {
  if (const auto ends = archive.open_if_there("episode_ends"))
    return read_episode_ends(*ends, reference);
  if (!archive.has("terminals") && !archive.has("timeouts") && !archive.has("dones"))
    archive.lacks("episode boundaries",
                  "add episode_ends=np.array([len(observations)]) if it is one single episode, "
                  "else the cumulative ends of all, or the flags terminals and timeouts");
  const EpisodeFlags flags{.sets = {read_flags(archive, "terminals"),
                                    read_flags(archive, "timeouts"), read_flags(archive, "dones")},
                           .max_episode_steps = {}};
  return episode_ends_from_flags(flags, static_cast<int64_t>(reference.view.rows()),
                                 keep_unfinished, archive.source());
}

void declare_episodes(const Archive& archive, const std::vector<int64_t>& ends,
                      EpisodeAssembler& assembler) {
  std::vector<std::string> names;
  const auto array = archive.open_if_there("episode_names");
  if (array) {
    require_column(*array);
    names = read_strings(array->view, array->where);
    if (names.size() != ends.size())
      throw Error(array->where,
                  fmt::format("has {} names for {} episodes", names.size(), ends.size()),
                  "give each episode one name");
  }
  assembler.add_episodes(ends, names);
}

void declare_filters(const Archive& archive, EpisodeAssembler& assembler) {
  for (const std::string& key : archive.below("mask/")) {
    const Array array = archive.open("mask/" + key);
    require_column(array);
    const char kind = array.view.type.kind;
    if (kind == 'U' || kind == 'S') {
      assembler.add_filter(key, read_strings(array.view, array.where));
      continue;
    }
    if (kind == 'b')
      throw Error(array.where, "holds booleans",
                  "save the numbers of the episodes: np.flatnonzero(mask)");
    std::vector<int64_t> members = read_integers(array.view, array.where);
    for (const int64_t member : members)
      if (member < 0 || member >= assembler.episodes())
        throw Error(array.where,
                    fmt::format("names episode {} of {}", member, assembler.episodes()),
                    "episodes are counted from 0");
    assembler.add_filter(key, std::move(members));
  }
}

void declare_environment(const Archive& archive, EpisodeAssembler& assembler) {
  const auto array = archive.open_if_there("env_args");
  if (!array) return;
  std::vector<std::string> texts = read_strings(array->view, array->where);
  if (texts.size() != 1)
    throw Error(array->where, fmt::format("holds {} texts", texts.size()),
                "save a single one, e.g. with np.array(json.dumps(env_args))");
  assembler.set_environment(std::move(texts[0]));
}

/// Fills `out` with the array's first rows, as many as it has.
void read_first_rows(const Array& array, MutableMatrixView out) {
  ArrayView view = array.view;
  const auto kept = static_cast<uint64_t>(out.rows());
  if (kept == view.rows()) return read_floats(view, array.where, out);
  if (view.fortran_order) {
    // Rows lie scattered over the whole array, so all of it is read.
    Matrix all = Matrix::uninitialized(static_cast<int64_t>(view.rows()), out.cols());
    read_floats(view, array.where, all.mutable_view());
    return copy(all.view().rows_between(0, out.rows()), out);
  }
  view.bytes = view.bytes.first(view.bytes.size() / view.rows() * kept);
  view.shape[0] = kept;
  read_floats(view, array.where, out);
}

Array open_actions(const Archive& archive) {
  const auto name = choose(archive, {"actions", "action"});
  if (!name) archive.lacks("actions", "save them as 'actions' with shape (N, A)");
  Array array = archive.open(*name);
  require_real(array, "");
  require_dimensions(array, 1, 2, "(N, A)");
  return array;
}

Dataset read_all(const Archive& archive, const ReadSettings& settings) {
  const auto observations = open_observations(archive, settings);
  const Array& reference = observations.front().second;
  const Array actions = open_actions(archive);
  require_same_rows(actions, reference, archive.source());
  const auto rewards = archive.open_if_there("rewards");
  if (rewards) {
    require_real(*rewards, "");
    require_column(*rewards);
    require_same_rows(*rewards, reference, archive.source());
  }

  EpisodeAssembler assembler(archive.source());
  std::vector<std::pair<std::string, int64_t>> columns;
  for (const auto& [part, array] : observations)
    columns.emplace_back(part, static_cast<int64_t>(array.view.width()));
  assembler.set_columns(columns, static_cast<int64_t>(actions.view.width()));
  declare_episodes(archive, find_episode_ends(archive, reference, settings.keep_unfinished),
                   assembler);
  declare_filters(archive, assembler);
  declare_environment(archive, assembler);

  assembler.note_rows_left_out(static_cast<int64_t>(reference.view.rows()));
  assembler.allocate(rewards.has_value());
  for (size_t i = 0; i < observations.size(); ++i)
    read_first_rows(observations[i].second, assembler.all_observations(static_cast<int64_t>(i)));
  read_first_rows(actions, assembler.all_actions());
  if (rewards) read_first_rows(*rewards, assembler.all_rewards());
  return assembler.finish();
}

}  // namespace

Dataset read_npz(Bytes bytes, const std::string& source, const ReadSettings& settings) {
  return read_all(Archive(bytes, source), settings);
}

Dataset read_npz(const std::filesystem::path& path, const ReadSettings& settings) {
  const MappedFile file(path);
  return read_npz(file.bytes(), path.string(), settings);
}

}  // namespace darp
