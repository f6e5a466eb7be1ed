#pragma once
// The front door: any demonstrations that darp reads, whatever their format, and the formats it
// writes.

#include <filesystem>
#include <string>

#include "darp/data/dataset.h"
#include "darp/data/ingest/read_settings.h"

namespace darp {

/// Demonstrations and the name of the format that they were found in.
struct ReadResult {
  Dataset dataset;
  std::string format;
};

/// Recognises the format by content, not by name, and reads. Throws Error when the file is of none
/// of the known formats, or broken.
ReadResult read_dataset(const std::filesystem::path& path, const ReadSettings& settings = {});

/// Writes `robomimic` or `npz`; an empty format is taken from the extension (.hdf5, .h5, .npz).
/// Atomic.
void write_dataset(const Dataset& dataset, const std::filesystem::path& path,
                   const std::string& format = "");

}  // namespace darp
