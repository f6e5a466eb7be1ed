#pragma once
// Demonstrations in numpy's NPZ archives. docs/formats/npz.md tells which arrays mean what.

#include <filesystem>
#include <string>

#include "darp/data/dataset.h"
#include "darp/data/ingest/read_settings.h"
#include "darp/data/ingest/zip.h"

namespace darp {

/// Reads a file of numpy.savez or numpy.savez_compressed. Throws Error that names the file and the
/// array for anything that is damaged, contradicts itself or leaves a choice open. Stored arrays go
/// from the mapped file straight into the dataset's matrices.
Dataset read_npz(const std::filesystem::path& path, const ReadSettings& settings = {});
/// The same from memory; `source` names it in messages.
Dataset read_npz(Bytes bytes, const std::string& source, const ReadSettings& settings = {});

/// Writes what read_npz (and numpy.load, without pickle) reads back bit for bit, replacing `path`
/// atomically. The same dataset gives the same bytes. Throws Error when the file cannot be written
/// or a text cannot be stored: names and environment must be valid UTF-8 of at most 65536
/// characters that do not end with a zero.
void write_npz(const Dataset& dataset, const std::filesystem::path& path);
/// Adds the dataset's arrays to an archive; the caller finishes it.
void write_npz(const Dataset& dataset, ZipWriter& archive);

}  // namespace darp
