#include "darp/data/ingest/pickle_reader.h"

#include <algorithm>
#include <map>
#include <optional>

#include "darp/core/file.h"
#include "darp/data/ingest/episode_assembler.h"
#include "darp/data/ingest/observation_keys.h"
#include "darp/data/ingest/unpickle.h"

namespace darp {
namespace {

constexpr const char* kExpected =
    "expected is a list of dicts {\"observations\": (T, D), \"actions\": (T, A)}";

/// The three arrays of an episode; rewards may be missing.
struct EpisodeArrays {
  const ArrayView *observations = nullptr, *actions = nullptr, *rewards = nullptr;

  int64_t steps() const { return static_cast<int64_t>(observations->rows()); }
  uint64_t bytes(bool with_rewards) const {
    return observations->bytes.size() + actions->bytes.size() +
           (with_rewards ? rewards->bytes.size() : 0);
  }
};

std::string key_list(const PickleDict& dict) {
  constexpr size_t kMostNamed = 20;
  std::string list;
  for (size_t i = 0; i < std::min(dict.entries.size(), kMostNamed); ++i) {
    const auto text = dict.entries[i].first->text();
    list += fmt::format("{}{}", i == 0 ? "" : ", ",
                        text ? printable(*text, 50) : dict.entries[i].first->kind_name());
  }
  if (dict.entries.size() > kMostNamed) list += ", ...";
  return list.empty() ? "none" : list;
}

/// The value of a key, or null.
const PickleValue* find(const PickleDict& dict, std::string_view key, const std::string& where) {
  const PickleValue* found = nullptr;
  for (const auto& [name, value] : dict.entries) {
    if (name->text() != key) continue;
    if (found != nullptr)
      throw Error(where, fmt::format("has the key '{}' twice", key),
                  "the file is damaged: create it again");
    found = value;
  }
  return found;
}

const ArrayView& numeric_array(const PickleValue& value, size_t rank, const std::string& where) {
  const PickleArray* array = value.array();
  if (array == nullptr)
    throw Error(where, fmt::format("is {}, not a numpy array", value.kind_name()),
                "convert it, e.g. with numpy.asarray(..., dtype='float32')");
  if (!array->complete)
    throw Error(where, "is an array without contents", "the file is damaged: create it again");
  if (array->view.shape.size() != rank)
    throw Error(where,
                fmt::format("has {} dimensions, expected {}", array->view.shape.size(), rank),
                rank == 1 ? "store one reward per step"
                          : "store one row per step: reshape each episode to (T, D)");
  return array->view;
}

EpisodeArrays find_arrays(const PickleValue& episode, const std::string& where) {
  const auto* dict = episode.get<PickleDict>();
  if (dict == nullptr)
    throw Error(where, fmt::format("is {}, not a dict", episode.kind_name()), kExpected);
  const auto array_of = [&](const char* key, size_t rank) -> const ArrayView* {
    const PickleValue* value = find(*dict, key, where);
    return value ? &numeric_array(*value, rank, fmt::format("{}: {}", where, key)) : nullptr;
  };
  const auto demand = [&](const char* key) {
    const ArrayView* array = array_of(key, 2);
    if (array == nullptr)
      throw Error(where, fmt::format("has no key '{}'; its keys are: {}", key, key_list(*dict)),
                  kExpected);
    return array;
  };
  return {demand("observations"), demand("actions"), array_of("rewards", 1)};
}

/// Widths must be those of the first episode, lengths those of the observations.
void check_shapes(const EpisodeArrays& arrays, const EpisodeArrays& first,
                  const std::string& where) {
  const auto check_width = [&](const char* key, const ArrayView& array, const ArrayView& wanted) {
    if (array.width() == 0 || array.width() != wanted.width())
      throw Error(fmt::format("{}: {}", where, key),
                  array.width() == 0 ? std::string("has rows without entries")
                                     : fmt::format("has {} entries per step, episode 0 has {}",
                                                   array.width(), wanted.width()),
                  "all episodes need rows of the same width: save them again");
  };
  const auto check_length = [&](const char* key, const ArrayView& array) {
    if (array.rows() != arrays.observations->rows())
      throw Error(fmt::format("{}: {}", where, key),
                  fmt::format("has {} steps, observations have {}", array.rows(),
                              arrays.observations->rows()),
                  "each step needs one of both: cut the longer one");
  };
  check_width("observations", *arrays.observations, *first.observations);
  check_width("actions", *arrays.actions, *first.actions);
  check_length("actions", *arrays.actions);
  if (arrays.rewards) check_length("rewards", *arrays.rewards);
  if (arrays.steps() == 0) throw Error(where, "is empty", "remove it");
}

/// Finds and checks the arrays of all episodes.
std::vector<EpisodeArrays> find_episodes(const PickleValue& root, const std::string& source) {
  const auto* list = root.get<PickleList>();
  if (list == nullptr)
    throw Error(source, fmt::format("is {}, not a list", root.kind_name()), kExpected);
  if (list->items.empty()) throw Error(source, "holds no episodes", "record at least one episode");
  std::vector<EpisodeArrays> episodes;
  // A dict may stand in the list many times; looking through its keys each time could take for
  // ever.
  std::map<const PickleValue*, EpisodeArrays> known;
  for (const PickleValue* item : list->items) {
    const std::string where = fmt::format("{}: episode {}", source, episodes.size());
    auto it = known.find(item);
    if (it == known.end()) it = known.emplace(item, find_arrays(*item, where)).first;
    episodes.push_back(it->second);
    check_shapes(episodes.back(), episodes.front(), where);
  }
  return episodes;
}

/// A few bytes can refer to one large array any number of times.
void check_copied_bytes(const std::vector<EpisodeArrays>& episodes, bool with_rewards,
                        uint64_t file_size, const std::string& source) {
  uint64_t total = 0;
  for (size_t e = 0; e < episodes.size(); ++e) {
    total += episodes[e].bytes(with_rewards);
    if (total > file_size)
      throw Error(fmt::format("{}: episode {}", source, e),
                  fmt::format("shares its arrays with other episodes, so that they would unpack to "
                              "more than the file's {} bytes",
                              file_size),
                  "give each episode arrays of its own, e.g. with .copy()");
  }
}

}  // namespace

Dataset read_pickle(const std::filesystem::path& path, const ReadSettings& settings) {
  const MappedFile file(path);
  return read_pickle(file.bytes(), path.string(), settings);
}

Dataset read_pickle(Bytes bytes, const std::string& source, const ReadSettings& settings) {
  require_single_part(settings.observation_keys, source);
  const Pickle pickle = unpickle(bytes, source);
  const std::vector<EpisodeArrays> episodes = find_episodes(*pickle.root, source);
  const bool with_rewards =
      std::all_of(episodes.begin(), episodes.end(), [](const auto& e) { return e.rewards; });
  check_copied_bytes(episodes, with_rewards, bytes.size(), source);

  EpisodeAssembler assembler(source);
  const EpisodeArrays& first = episodes.front();
  assembler.set_columns({{"observation", static_cast<int64_t>(first.observations->width())}},
                        static_cast<int64_t>(first.actions->width()));
  for (size_t e = 0; e < episodes.size(); ++e)
    assembler.add_episode(fmt::format("demo_{}", e), episodes[e].steps());
  assembler.allocate(with_rewards);
  for (int64_t e = 0; e < assembler.episodes(); ++e) {
    const EpisodeArrays& arrays = episodes[static_cast<size_t>(e)];
    const auto where = [&](const char* key) {
      return fmt::format("{}: episode {}: {}", source, e, key);
    };
    read_floats(*arrays.observations, where("observations"), assembler.observations(e, 0));
    read_floats(*arrays.actions, where("actions"), assembler.actions(e));
    if (with_rewards) read_floats(*arrays.rewards, where("rewards"), assembler.rewards(e));
  }
  return assembler.finish();
}

}  // namespace darp
