#pragma once
// Writing HDF5 into an AtomicFile. The library misbehaves when a write fails while it closes a
// file: it keeps the file open, tries again at exit and prints. So it writes through a driver of
// ours that remembers the first failure, swallows it, and lets the library finish; finish() then
// reports it and the old file stays.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "darp/core/file.h"
#include "darp/core/matrix.h"
#include "darp/data/ingest/hdf5_handle.h"

namespace darp {

class Hdf5Output {
 public:
  explicit Hdf5Output(const std::filesystem::path& target);
  ~Hdf5Output();

  // Missing groups on the way are made. Nothing is time-stamped: same content, same bytes.
  void group(const std::string& path);
  void floats(const std::string& path, MatrixView values);
  /// One dimension instead of a column.
  void floats(const std::string& path, std::span<const float> values);
  /// The same in double precision; `values` has rows of `cols` entries, 0 for one dimension.
  void doubles(const std::string& path, std::span<const double> values, int64_t cols = 0);
  void bytes(const std::string& path, std::span<const uint8_t> values);
  /// One dimension of fixed-length byte strings, as robomimic's masks.
  void names(const std::string& path, const std::vector<std::string>& values);
  void attribute(const std::string& object, const std::string& name, int64_t value);
  void attribute(const std::string& object, const std::string& name, uint64_t value);
  void attribute(const std::string& object, const std::string& name, double value);
  /// Variable-length UTF-8, as h5py writes.
  void attribute(const std::string& object, const std::string& name, const std::string& value);

  /// Closes and commits. Throws Error, the old file untouched, if any write failed.
  void finish();

 private:
  void write_dataset(const std::string& path, int64_t file_type, int64_t memory_type,
                     std::span<const uint64_t> shape, const void* data);
  void write_attribute(const std::string& object, const std::string& name, int64_t type,
                       const void* data);

  AtomicFile file_;
  std::string where_;
  int write_error_ = 0;  // errno of the first failed write
  Hdf5Handle handle_;
};

}  // namespace darp
