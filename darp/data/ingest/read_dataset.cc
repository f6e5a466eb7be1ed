#include "darp/data/ingest/read_dataset.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <numeric>

#include "darp/core/suggest.h"
#include "darp/data/ingest/d4rl.h"
#include "darp/data/ingest/isolated_read.h"
#include "darp/data/ingest/minari.h"
#include "darp/data/ingest/npz.h"
#include "darp/data/ingest/observation_keys.h"
#include "darp/data/ingest/pickle_reader.h"
#include "darp/data/ingest/robomimic.h"
#include "darp/data/ingest/zarr.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormats =
    "darp reads robomimic, D4RL and Minari HDF5, zarr v2 folders, NPZ and the published pickle "
    "(docs/formats/)";

std::string first_bytes(const fs::path& path, size_t count) {
  // A pipe would be waited for without end.
  if (fs::exists(path) && !fs::is_regular_file(path))
    throw FileError(path.string(), "is not a regular file", "give the path of a file");
  std::string bytes(count, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(in.gcount()));
  return bytes;
}

[[noreturn]] void refuse_lerobot(const fs::path& path) {
  throw Error(
      path.string(),
      "is a LeRobot dataset: its parquet files need the Arrow library, which darp is built without",
      "save the columns observation.state, action and the episode ends with numpy.savez "
      "(docs/formats/npz.md shows how)");
}

/// Robomimic, D4RL or Minari, by what the file holds. Runs in a process of its own.
ReadPlan plan_hdf5(const fs::path& path, const ReadSettings& settings, StagingArea& staging) {
  const Hdf5Group file = Hdf5Group::open_file(path);
  Hdf5Planner planner(path.string(), staging);
  if (is_robomimic(file))
    return plan_robomimic(file, settings, planner), planner.finish("robomimic");
  if (is_d4rl(file)) return plan_d4rl(file, settings, planner), planner.finish("d4rl");
  if (is_minari(file)) return plan_minari(file, settings, planner), planner.finish("minari");
  throw Error(path.string(),
              "is an HDF5 file, but neither robomimic (/data/demo_0), D4RL (/observations) nor "
              "Minari (/episode_0)",
              kFormats);
}

ReadResult read_hdf5(const fs::path& path, const ReadSettings& settings) {
  // Time enough for real files at a tenth of a disk's speed; a damaged one may loop for ever.
  constexpr uint64_t kBytesPerSecond = 10 << 20;
  const auto seconds = static_cast<unsigned>(20 + fs::file_size(path) / kBytesPerSecond);
  return read_isolated(path, seconds,
                       [&](StagingArea& staging) { return plan_hdf5(path, settings, staging); });
}

ReadResult read_folder(const fs::path& path, const ReadSettings& settings) {
  if (const auto minari = find_minari_data(path)) return read_hdf5(*minari, settings);
  if (fs::exists(path / "meta" / "info.json")) refuse_lerobot(path);
  if (fs::exists(path / ".zgroup") || fs::exists(path / "zarr.json"))
    return {read_zarr(path, settings), "zarr"};
  throw Error(
      path.string(),
      "is a folder, but neither a zarr store (.zgroup) nor a Minari dataset (data/main_data.hdf5)",
      kFormats);
}

ReadResult read_by_content(const fs::path& path, const ReadSettings& settings) {
  if (!fs::exists(path)) throw Error(path.string(), "does not exist", "check the path");
  if (fs::is_directory(path)) return read_folder(path, settings);
  const std::string start = first_bytes(path, 8);
  if (start == "\x89HDF\r\n\x1a\n") return read_hdf5(path, settings);
  if (start.starts_with("PK")) {
    if (path.extension() == ".zip") return {read_zarr(path, settings), "zarr"};
    return {read_npz(path, settings), "npz"};
  }
  if (start.starts_with("PAR1")) refuse_lerobot(path);
  const std::string extension = path.extension().string();
  if (start.starts_with("\x80") || extension == ".pkl" || extension == ".pickle")
    return {read_pickle(path, settings), "pickle"};
  if (start.empty()) throw Error(path.string(), "is empty", "copy or create it again");
  if (extension == ".hdf5" || extension == ".h5")
    throw Error(path.string(), "does not start as HDF5 files do",
                "it is damaged or something else: copy or create it again");
  throw Error(path.string(), "is of no known format", kFormats);
}

}  // namespace

ReadResult read_dataset(const fs::path& path, const ReadSettings& settings) {
  // Readers know parts; column ranges of parts and episode filters are the same for all and come
  // after.
  ReadSettings whole_parts = settings;
  whole_parts.filter_key.clear();
  std::vector<ObservationKey> keys;
  whole_parts.observation_keys.clear();
  for (const std::string& text : settings.observation_keys) {
    const std::string& name = keys.emplace_back(parse_observation_key(text)).name;
    if (std::find(whole_parts.observation_keys.begin(), whole_parts.observation_keys.end(), name) ==
        whole_parts.observation_keys.end())
      whole_parts.observation_keys.push_back(name);
  }
  try {
    ReadResult result = read_by_content(path, whole_parts);
    if (std::any_of(keys.begin(), keys.end(),
                    [](const ObservationKey& key) { return key.columns.has_value(); }))
      result.dataset = select_columns(result.dataset, keys);
    if (!settings.filter_key.empty())
      result.dataset = result.dataset.select(result.dataset.filter(settings.filter_key));
    if (settings.episodes > result.dataset.episodes())
      throw Error(
          path.string(),
          fmt::format("has {} episodes, not {}", result.dataset.episodes(), settings.episodes),
          "ask for fewer episodes");
    if (settings.episodes > 0) {
      std::vector<int64_t> first(static_cast<size_t>(settings.episodes));
      std::iota(first.begin(), first.end(), 0);
      result.dataset = result.dataset.select(first);
    }
    return result;
  } catch (const std::bad_alloc&) {
    throw Error(path.string(), "needs more memory than there is",
                "select fewer observation keys, or use a machine with more memory");
  } catch (const fs::filesystem_error& error) {
    throw Error(path.string(), fmt::format("cannot be read: {}", error.code().message()),
                "check the path and its permissions");
  }
}

void write_dataset(const Dataset& dataset, const fs::path& path, const std::string& format) {
  struct Writer {
    std::string name;
    std::vector<std::string> extensions;
    void (*write)(const Dataset&, const fs::path&);
  };
  static const std::vector<Writer> kWriters = {{"robomimic", {".hdf5", ".h5"}, write_robomimic},
                                               {"npz", {".npz"}, write_npz}};

  const std::string extension = path.extension().string();
  std::vector<std::string> names;
  for (const Writer& writer : kWriters) {
    const bool by_extension = std::find(writer.extensions.begin(), writer.extensions.end(),
                                        extension) != writer.extensions.end();
    if (format.empty() ? by_extension : writer.name == format) return writer.write(dataset, path);
    names.push_back(writer.name);
  }
  if (format.empty())
    throw Error(path.string(), fmt::format("'{}' does not tell the format to write", extension),
                "use .hdf5 or .npz, or say --to robomimic or --to npz");
  throw Error(path.string(), fmt::format("'{}' is not a format that darp writes", format),
              suggestion(format, names));
}

}  // namespace darp
