#pragma once
// Reading HDF5 without its sharp edges: every failure is a darp::Error with file and place, and
// what could run code or reach other files is refused (filter plug-ins, soft and external links,
// external storage, virtual datasets). The library is not thread-safe: use it from one thread at a
// time.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "darp/data/ingest/array.h"
#include "darp/data/ingest/hdf5_handle.h"

namespace darp {

enum class Hdf5Kind { kFloat, kInteger, kBool, kText, kOther };

/// An array of a file. Valid while the file is open.
class Hdf5Dataset {
 public:
  /// Takes an open dataset; throws Error if its shape, storage or filters are not to be trusted.
  Hdf5Dataset(Hdf5Handle handle, std::string where);

  const std::vector<uint64_t>& shape() const { return shape_; }
  Hdf5Kind kind() const { return kind_; }
  uint64_t rows() const { return shape_.empty() ? 1 : shape_[0]; }
  /// Entries per row: the product of all dimensions after the first.
  uint64_t width() const { return width_; }
  /// "file.hdf5: /data/demo_0/actions".
  const std::string& where() const { return where_; }
  bool has_attribute(const std::string& name) const;

  /// Throws Error unless entries are float16, float32 or float64, and rows and width are as given.
  void require_floats(std::optional<uint64_t> rows = {}, std::optional<uint64_t> width = {}) const;
  /// Where the numbers lie in the file, row after row, if they are stored plainly; nothing if they
  /// are chunked.
  std::optional<uint64_t> contiguous_offset() const;
  /// How they are stored. Floats only.
  const ElementType& element_type() const { return element_type_; }
  /// Unpacks the first rows: `rows` x width() floats. Floats only.
  void read_floats(uint64_t rows, float* out) const;
  /// All entries, in double precision. Floats only.
  std::vector<double> read_doubles() const;
  /// Integers, bools or whole floats.
  std::vector<int64_t> read_integers() const;
  std::vector<std::string> read_strings() const;

 private:
  void check_storage();
  void check_filters(int64_t creation) const;
  void read(int64_t memory_type, uint64_t first_row, uint64_t rows, void* out) const;

  Hdf5Handle handle_;
  std::string where_;
  std::vector<uint64_t> shape_;
  uint64_t width_ = 1;
  ElementType element_type_;
  Hdf5Kind kind_ = Hdf5Kind::kOther;
  std::string type_name_;  // "float32", "int64", "text": for messages
  uint64_t element_bytes_ = 0;
};

/// A group of a file, or the file itself (its root group). Names may be paths ("obs/state"),
/// relative to the group; only hard links are followed. Valid while the file is open.
class Hdf5Group {
 public:
  /// Opens a file for reading.
  static Hdf5Group open_file(const std::filesystem::path& path);

  /// The file's path.
  const std::string& source() const { return source_; }
  /// "file.hdf5: /data/demo_0".
  std::string where() const { return source_ + ": " + path_; }

  /// Names of what the group holds, sorted; links that may leave the file are not listed.
  std::vector<std::string> children() const;
  /// Children whose names are `prefix` and a number, in numeric order; gaps are fine.
  std::vector<std::string> numbered_children(const std::string& prefix) const;

  /// Nothing when there is no such group or dataset; Error when there is one that cannot be opened.
  std::optional<Hdf5Group> find_group(const std::string& name) const;
  std::optional<Hdf5Dataset> find_dataset(const std::string& name) const;
  bool has_dataset(const std::string& name) const;
  /// Something of that name, whatever it is: the cheapest question.
  bool contains(const std::string& name) const;
  /// The same, but a missing one is an Error.
  Hdf5Group group(const std::string& name) const;
  Hdf5Dataset dataset(const std::string& name) const;
  /// dataset() and require_floats().
  Hdf5Dataset floats(const std::string& name, std::optional<uint64_t> rows = {},
                     std::optional<uint64_t> width = {}) const;
  std::optional<std::string> text_attribute(const std::string& name) const;
  /// One number, a float or an integer.
  std::optional<double> number_attribute(const std::string& name) const;
  /// One integer from 0 on.
  std::optional<uint64_t> unsigned_attribute(const std::string& name) const;

 private:
  Hdf5Group(Hdf5Handle handle, std::string source, std::string path);
  std::string path_of(const std::string& name) const {
    return path_ == "/" ? path_ + name : path_ + "/" + name;
  }
  /// Reads an attribute of these classes (the library's H5T_class_t) into one number.
  bool read_number(const std::string& name, std::initializer_list<int> classes, int64_t memory_type,
                   void* out) const;
  /// The object, if its links are hard and it is of this kind (the library's H5I_type_t).
  std::optional<Hdf5Handle> find(const std::string& name, int kind) const;

  Hdf5Handle handle_;
  std::string source_, path_;
};

}  // namespace darp
