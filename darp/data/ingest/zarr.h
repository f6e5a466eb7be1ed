#pragma once
// Reads the demonstrations of diffusion policy's replay buffers: zarr version 2 stores with the
// arrays data/<key>, one row per step, and meta/episode_ends. docs/formats/zarr.md says what is
// supported.

#include <filesystem>
#include <string>

#include "darp/data/dataset.h"
#include "darp/data/ingest/byte_store.h"
#include "darp/data/ingest/read_settings.h"

namespace darp {

/// Reads a folder such as pusht.zarr, or the same as one file, pusht.zarr.zip. Throws Error for
/// what is missing, damaged or not supported.
Dataset read_zarr(const std::filesystem::path& path, const ReadSettings& settings = {});

/// The same from any store; `source` names it in errors and in the dataset.
Dataset read_zarr(const ByteStore& store, const std::string& source,
                  const ReadSettings& settings = {});

}  // namespace darp
