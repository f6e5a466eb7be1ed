#include "darp/data/ingest/hdf5_output.h"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace darp {
namespace {

/// What the driver is told through the access list: where to write and where to note the first
/// failure.
struct DriverTarget {
  int descriptor;
  int* write_error;
};

/// The library's file object, extended. HDF5 asks for H5FD_t at the front.
struct DriverFile {
  H5FD_t base;
  DriverTarget target;
  haddr_t end_of_allocation, end_of_file;
};

DriverFile* self(H5FD_t* file) {
  return reinterpret_cast<DriverFile*>(file);
}
const DriverFile* self(const H5FD_t* file) {
  return reinterpret_cast<const DriverFile*>(file);
}

H5FD_t* driver_open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* target = static_cast<const DriverTarget*>(H5Pget_driver_info(access));
  return target == nullptr ? nullptr : &(new DriverFile{{}, *target, 0, 0})->base;
}

herr_t driver_close(H5FD_t* file) {
  delete self(file);
  return 0;
}

herr_t driver_query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t driver_get_eoa(const H5FD_t* file, H5FD_mem_t) {
  return self(file)->end_of_allocation;
}
haddr_t driver_get_eof(const H5FD_t* file, H5FD_mem_t) {
  return self(file)->end_of_file;
}
herr_t driver_set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file)->end_of_allocation = address;
  return 0;
}

/// The library reads back what it wrote; what was never written, or failed, reads as zero.
herr_t driver_read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  auto* out = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got =
        ::pread(self(file)->target.descriptor, out, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      std::memset(out, 0, size);
      return 0;
    }
    out += got, address += static_cast<haddr_t>(got), size -= static_cast<size_t>(got);
  }
  return 0;
}

herr_t driver_write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size,
                    const void* buffer) {
  DriverFile* f = self(file);
  f->end_of_file = std::max(f->end_of_file, address + size);
  const auto* in = static_cast<const char*>(buffer);
  while (size > 0 && *f->target.write_error == 0) {
    const ssize_t written = ::pwrite(f->target.descriptor, in, size, static_cast<off_t>(address));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      *f->target.write_error = errno;
      break;
    }
    in += written, address += static_cast<haddr_t>(written), size -= static_cast<size_t>(written);
  }
  return 0;
}

/// The file must be as long as what was allocated in it, even if its last bytes were never written.
herr_t driver_truncate(H5FD_t* file, hid_t, hbool_t) {
  DriverFile* f = self(file);
  if (*f->target.write_error == 0 &&
      ::ftruncate(f->target.descriptor, static_cast<off_t>(f->end_of_allocation)) != 0)
    *f->target.write_error = errno;
  f->end_of_file = f->end_of_allocation;
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t c{};
  c.name = "darp_atomic";
  c.maxaddr = static_cast<haddr_t>(INT64_MAX);
  c.fc_degree = H5F_CLOSE_STRONG;
  c.fapl_size = sizeof(DriverTarget);
  c.open = driver_open;
  c.close = driver_close;
  c.query = driver_query;
  c.get_eoa = driver_get_eoa;
  c.set_eoa = driver_set_eoa;
  c.get_eof = driver_get_eof;
  c.read = driver_read;
  c.write = driver_write;
  c.truncate = driver_truncate;
  std::fill(std::begin(c.fl_map), std::end(c.fl_map), H5FD_MEM_DEFAULT);
  return c;
}

Hdf5Handle create(const std::string& where, DriverTarget target) {
  silence_hdf5();
  static const H5FD_class_t kDriver = driver_class();
  const Hdf5Handle driver = own_hdf5(H5FDregister(&kDriver), where, "register the file driver");
  const Hdf5Handle access = own_hdf5(H5Pcreate(H5P_FILE_ACCESS), where, "prepare to write");
  if (H5Pset_driver(access.id(), driver.id(), &target) < 0)
    throw_hdf5_error(where, "prepare to write");
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  return own_hdf5(H5Fcreate(where.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), where,
                  "be created");
}

/// A creation list with what all our objects share: parents made on the way.
Hdf5Handle link_list(const std::string& where) {
  Hdf5Handle list = own_hdf5(H5Pcreate(H5P_LINK_CREATE), where, "prepare to write");
  H5Pset_create_intermediate_group(list.id(), 1);
  return list;
}

}  // namespace

Hdf5Output::Hdf5Output(const std::filesystem::path& target)
    : file_(target),
      where_(target.string()),
      handle_(create(where_, {file_.descriptor(), &write_error_})) {}

Hdf5Output::~Hdf5Output() = default;

void Hdf5Output::group(const std::string& path) {
  const Hdf5Handle links = link_list(where_);
  own_hdf5(H5Gcreate2(handle_.id(), path.c_str(), links.id(), H5P_DEFAULT, H5P_DEFAULT),
           where_ + ": " + path, "be written");
}

void Hdf5Output::write_dataset(const std::string& path, int64_t file_type, int64_t memory_type,
                               std::span<const uint64_t> shape, const void* data) {
  const std::string where = where_ + ": " + path;
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  const Hdf5Handle space =
      own_hdf5(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), where,
               "be written");
  const Hdf5Handle links = link_list(where);
  const Hdf5Handle creation = own_hdf5(H5Pcreate(H5P_DATASET_CREATE), where, "be written");
  H5Pset_obj_track_times(creation.id(), false);
  const Hdf5Handle dataset = own_hdf5(H5Dcreate2(handle_.id(), path.c_str(), file_type, space.id(),
                                                 links.id(), creation.id(), H5P_DEFAULT),
                                      where, "be written");
  if (H5Dwrite(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
    throw_hdf5_error(where, "be written");
}

void Hdf5Output::floats(const std::string& path, MatrixView values) {
  const std::array<uint64_t, 2> shape = {static_cast<uint64_t>(values.rows()),
                                         static_cast<uint64_t>(values.cols())};
  if (values.packed())
    return write_dataset(path, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, shape, values.data());
  std::vector<float> packed(shape[0] * shape[1]);
  copy(values, MutableMatrixView(packed.data(), values.rows(), values.cols(), values.cols()));
  write_dataset(path, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, shape, packed.data());
}

void Hdf5Output::floats(const std::string& path, std::span<const float> values) {
  const std::array<uint64_t, 1> shape = {values.size()};
  write_dataset(path, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, shape, values.data());
}

void Hdf5Output::doubles(const std::string& path, std::span<const double> values, int64_t cols) {
  std::vector<uint64_t> shape = {values.size()};
  if (cols > 0) {
    DARP_CHECK(values.size() % static_cast<size_t>(cols) == 0, "{} numbers in rows of {}",
               values.size(), cols);
    shape = {values.size() / static_cast<size_t>(cols), static_cast<uint64_t>(cols)};
  }
  write_dataset(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, shape, values.data());
}

void Hdf5Output::bytes(const std::string& path, std::span<const uint8_t> values) {
  const std::array<uint64_t, 1> shape = {values.size()};
  write_dataset(path, H5T_STD_U8LE, H5T_NATIVE_UINT8, shape, values.data());
}

void Hdf5Output::names(const std::string& path, const std::vector<std::string>& values) {
  size_t longest = 1;
  for (const std::string& value : values) longest = std::max(longest, value.size());
  std::vector<char> packed(longest * values.size(), '\0');
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(packed.data() + i * longest, values[i].data(), values[i].size());
  const Hdf5Handle type = own_hdf5(H5Tcopy(H5T_C_S1), where_, "be written");
  H5Tset_size(type.id(), longest);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  const std::array<uint64_t, 1> shape = {values.size()};
  write_dataset(path, type.id(), type.id(), shape, packed.data());
}

void Hdf5Output::write_attribute(const std::string& object, const std::string& name, int64_t type,
                                 const void* data) {
  const std::string where = fmt::format("{}: {}@{}", where_, object, name);
  const Hdf5Handle space = own_hdf5(H5Screate(H5S_SCALAR), where, "be written");
  const Hdf5Handle attribute =
      own_hdf5(H5Acreate_by_name(handle_.id(), object.c_str(), name.c_str(), type, space.id(),
                                 H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
               where, "be written");
  if (H5Awrite(attribute.id(), type, data) < 0) throw_hdf5_error(where, "be written");
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, int64_t value) {
  write_attribute(object, name, H5T_STD_I64LE, &value);
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, uint64_t value) {
  write_attribute(object, name, H5T_STD_U64LE, &value);
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, double value) {
  write_attribute(object, name, H5T_IEEE_F64LE, &value);
}

void Hdf5Output::attribute(const std::string& object, const std::string& name,
                           const std::string& value) {
  const Hdf5Handle type = own_hdf5(H5Tcopy(H5T_C_S1), where_, "be written");
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const char* text = value.c_str();
  write_attribute(object, name, type.id(), &text);
}

void Hdf5Output::finish() {
  { const Hdf5Handle closed = std::move(handle_); }
  if (write_error_ != 0) {
    errno = write_error_;
    file_.fail("writing");
  }
  file_.commit();
}

}  // namespace darp
