#pragma once
// What the zarr tests share: the stores that tools/make_zarr_fixtures.py wrote, in memory, to be
// damaged.

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "darp/data/ingest/zarr.h"
#include "tests/memory_store.h"

namespace darp {

inline const std::filesystem::path kFixtures =
    std::filesystem::path(DARP_SOURCE_DIR) / "tests/fixtures/zarr";
/// Arrays of encodings.zarr that hold the same numbers.
inline const std::vector<std::string> kEncodings = {
    "blosc_lz4",    "blosc_lz4hc_plain", "blosc_zstd", "blosc_blosclz", "blosc_zlib",
    "blosc_copied", "blosc_blocks",      "zlib",       "gzip",          "raw",
    "fortran",      "fortran_whole",     "float64",    "float16",       "big_endian",
    "split",        "split_fortran",     "nested",     "oversized"};

inline ReadSettings keys(std::vector<std::string> names) {
  ReadSettings settings;
  settings.observation_keys = std::move(names);
  return settings;
}

/// A fixture in memory.
inline MemoryStore load(const std::string& name) {
  MemoryStore store;
  const std::filesystem::path folder = kFixtures / name;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      store.put(std::filesystem::relative(entry.path(), folder).string(),
                MappedFile(entry.path()).bytes());
  return store;
}

inline std::string text(const MemoryStore& store, const std::string& key) {
  return std::string(as_text(store.values().at(key)));
}

inline void replace(MemoryStore& store, const std::string& key, const std::string& from,
                    const std::string& to) {
  std::string content = text(store, key);
  const size_t at = content.find(from);
  ASSERT_NE(at, std::string::npos) << key << " has no " << from;
  store.put(key, content.replace(at, from.size(), to));
}

/// The message, or "" if nothing is thrown.
inline std::string failure(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline std::string failure(const ByteStore& store, const ReadSettings& settings = {}) {
  return failure([&] { read_zarr(store, "t.zarr", settings); });
}

#define EXPECT_HAS(message, part) \
  EXPECT_NE((message).find(part), std::string::npos) << "message: " << (message)

}  // namespace darp
