#include "darp/data/ingest/zarr.h"

#include <algorithm>

#include "darp/data/ingest/episode_assembler.h"
#include "darp/data/ingest/episode_flags.h"
#include "darp/data/ingest/observation_keys.h"
#include "darp/data/ingest/zarr_array.h"
#include "darp/data/ingest/zip.h"

namespace darp {
namespace {

constexpr const char* kEpisodeEnds = "meta/episode_ends";
constexpr uint64_t kWidestRow = 4096;  // entries; beyond, it is a picture

using Names = std::vector<std::string>;

bool has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_store(const ByteStore& store, const std::string& source) {
  if (store.contains("zarr.json"))
    throw Error(source, "is a zarr version 3 store",
                "version 2 is supported: copy it with zarr.open(..., zarr_format=2), or save it "
                "with zarr-python 2");
  const auto group = store.read(".zgroup");
  if (!group)
    throw Error(source, "is not a zarr store: it has no .zgroup file",
                "give the folder that holds .zgroup, data and meta");
  check_zgroup(group->bytes(), source + ": .zgroup");
}

/// The arrays directly below data/.
Names array_names(const ByteStore& store) {
  Names names;
  for (std::string& name : store.children("data"))
    if (store.contains("data/" + name + "/.zarray")) names.push_back(std::move(name));
  return names;
}

/// A row of it is a vector of real numbers.
bool is_low_dimensional(const ZarrArray& array) {
  return array.type().kind == 'f' && array.width() <= kWidestRow;
}

void check_low_dimensional(const ZarrArray& array) {
  if (is_low_dimensional(array)) return;
  if (array.type() == ElementType{'u', 1, false} || array.width() > kWidestRow)
    throw Error(array.where(),
                fmt::format("looks like images: {} entries of {} a step", array.width(),
                            to_string(array.type())),
                "select arrays of real numbers with observation_keys, e.g. state or keypoint");
  throw Error(array.where(), fmt::format("holds {} elements", to_string(array.type())),
              "demonstrations are real numbers: convert it, e.g. with .astype('float32')");
}

/// The names of arrays that could be observations. Others may be stored in ways that are not
/// supported; that matters only when they are selected.
Names low_dimensional_names(const ByteStore& store, const Names& names, const std::string& source) {
  Names found;
  for (const std::string& name : names) {
    if (name == "action" || name == "actions") continue;
    try {
      if (is_low_dimensional(ZarrArray(store, "data/" + name, source))) found.push_back(name);
    } catch (const Error&) {
    }
  }
  return found;
}

Names observation_names(const ByteStore& store, const Names& names, const std::string& source,
                        const Names& wanted) {
  require_keys(wanted, names, source);
  if (!wanted.empty()) return wanted;
  for (const char* name : {"state", "keypoint", "obs"})
    if (has(names, name)) return {name};
  std::string listed;
  for (const std::string& name : low_dimensional_names(store, names, source))
    listed += (listed.empty() ? "" : ", ") + name;
  throw Error(source, "has none of the usual observations data/state, data/keypoint and data/obs",
              listed.empty() ? "it holds no other array of real numbers"
                             : "choose with observation_keys from: " + listed);
}

/// data/<one of two spellings>, or nothing.
std::optional<ZarrArray> open_either(const ByteStore& store, const Names& names,
                                     const std::string& source, const char* name,
                                     const char* other) {
  if (!has(names, name) && !has(names, other)) return std::nullopt;
  ZarrArray array(store, fmt::format("data/{}", has(names, name) ? name : other), source);
  check_low_dimensional(array);
  return array;
}

std::vector<int64_t> read_episode_ends(const ByteStore& store, const std::string& source) {
  if (!store.contains(fmt::format("{}/.zarray", kEpisodeEnds)))
    throw Error(source, fmt::format("has no array {}", kEpisodeEnds),
                "save there, for each episode, the number of steps up to its end (int64, "
                "cumulative)");
  const ZarrArray array(store, kEpisodeEnds, source);
  std::vector<int64_t> ends = array.read_integers();
  check_episode_ends(ends, ends.empty() ? 0 : ends.back(), array.where());
  return ends;
}

void check_rows(const ZarrArray& array, int64_t steps) {
  if (array.rows() != static_cast<uint64_t>(steps))
    throw Error(array.where(),
                fmt::format("has {} rows, but {} ends at {}", array.rows(), kEpisodeEnds, steps),
                "each step needs one row: cut the array or create the store again");
}

/// Reads observations or actions. Fill values alone are not demonstrations: the chunks are lost, or
/// named in a way that .zarray does not tell.
void read_recorded(const ZarrArray& array, MutableMatrixView out) {
  if (array.read_floats(out) == 0 && array.rows() > 0 && array.width() > 0)
    throw Error(array.where(), "has none of its chunks stored",
                "the store is incomplete: copy or create it again");
}

}  // namespace

Dataset read_zarr(const ByteStore& store, const std::string& source, const ReadSettings& settings) {
  check_store(store, source);
  const Names names = array_names(store);
  const std::vector<int64_t> ends = read_episode_ends(store, source);
  const int64_t steps = ends.empty() ? 0 : ends.back();

  // Everything is described and compared before the first large allocation.
  const auto actions = open_either(store, names, source, "action", "actions");
  if (!actions)
    throw Error(source, "has no array data/action", "save the actions there, one row per step");
  check_rows(*actions, steps);
  const auto rewards = open_either(store, names, source, "reward", "rewards");
  if (rewards) {
    check_rows(*rewards, steps);
    if (rewards->width() != 1)
      throw Error(rewards->where(), fmt::format("has {} entries a step", rewards->width()),
                  "a reward is one number");
  }
  std::vector<ZarrArray> observations;
  std::vector<std::pair<std::string, int64_t>> parts;
  for (const std::string& name :
       observation_names(store, names, source, settings.observation_keys)) {
    const ZarrArray& array = observations.emplace_back(store, "data/" + name, source);
    check_low_dimensional(array);
    check_rows(array, steps);
    parts.emplace_back(name, static_cast<int64_t>(array.width()));
  }

  EpisodeAssembler assembler(source);
  assembler.set_columns(parts, static_cast<int64_t>(actions->width()));
  assembler.add_episodes(ends);
  assembler.allocate(rewards.has_value());
  for (size_t part = 0; part < observations.size(); ++part)
    read_recorded(observations[part], assembler.all_observations(static_cast<int64_t>(part)));
  read_recorded(*actions, assembler.all_actions());
  if (rewards) rewards->read_floats(assembler.all_rewards());
  return assembler.finish();
}

Dataset read_zarr(const std::filesystem::path& path, const ReadSettings& settings) {
  if (std::filesystem::is_directory(path))
    return read_zarr(FolderStore(path), path.string(), settings);
  const MappedFile archive(path);
  return read_zarr(ZipStore(archive.bytes(), path.string()), path.string(), settings);
}

}  // namespace darp
