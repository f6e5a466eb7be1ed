#include "darp/data/ingest/hdf5.h"

#include <hdf5.h>

#include <algorithm>
#include <cmath>

#include "darp/core/checked.h"
#include "darp/data/ingest/hdf5_text.h"

namespace darp {
namespace {

constexpr const char* kDamagedDataset = "the file is truncated or damaged: copy or create it again";

/// IEEE binary16 as h5py stores numpy's float16; HDF5 1.10 has no name for it.
bool is_float16(hid_t type) {
  size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
  return H5Tget_size(type) == 2 &&
         H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) >= 0 &&
         sign == 15 && exponent == 10 && exponent_bits == 5 && mantissa == 0 &&
         mantissa_bits == 10 && H5Tget_ebias(type) == 15;
}

/// Only types that machines really use: odd layouts exercise the library's rarely used conversions
/// for nothing.
std::pair<Hdf5Kind, std::string> describe_type(hid_t type) {
  const size_t size = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      for (const hid_t known : {H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE})
        if (H5Tequal(type, known) > 0) return {Hdf5Kind::kFloat, fmt::format("float{}", 8 * size)};
      if (is_float16(type)) return {Hdf5Kind::kFloat, "float16"};
      return {Hdf5Kind::kOther, "an unusual float"};
    case H5T_INTEGER: {
      const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
      if (size == 1 || size == 2 || size == 4 || size == 8)
        return {Hdf5Kind::kInteger, fmt::format("{}int{}", is_signed ? "" : "u", 8 * size)};
      return {Hdf5Kind::kOther, "an unusual integer"};
    }
    case H5T_ENUM:  // numpy's bool, as h5py writes it
      return size == 1 ? std::pair{Hdf5Kind::kBool, std::string("bool")}
                       : std::pair{Hdf5Kind::kOther, std::string("enum")};
    case H5T_STRING:
      return {Hdf5Kind::kText, "text"};
    case H5T_VLEN:
      return {Hdf5Kind::kOther, "variable-length"};
    case H5T_COMPOUND:
      return {Hdf5Kind::kOther, "compound"};
    default:
      return {Hdf5Kind::kOther, "opaque"};
  }
}

}  // namespace

Hdf5Dataset::Hdf5Dataset(Hdf5Handle handle, std::string where)
    : handle_(std::move(handle)), where_(std::move(where)) {
  const Hdf5Handle type = own_hdf5(H5Dget_type(handle_.id()), where_, "read the element type");
  std::tie(kind_, type_name_) = describe_type(type.id());
  element_bytes_ = H5Tget_size(type.id());
  element_type_ = {'f', static_cast<int64_t>(element_bytes_),
                   H5Tget_order(type.id()) == H5T_ORDER_BE};

  const Hdf5Handle space = own_hdf5(H5Dget_space(handle_.id()), where_, "read the shape");
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 0) throw_hdf5_error(where_, "read the shape");
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL)
    throw Error(where_, "is empty", "remove it or fill it");
  std::vector<hsize_t> extent(rank);
  if (rank > 0 && H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr) < 0)
    throw_hdf5_error(where_, "read the shape");
  shape_.assign(extent.begin(), extent.end());

  std::vector<uint64_t> factors(shape_);
  factors.push_back(std::max<uint64_t>(element_bytes_, 8));
  const bool absurd =
      std::any_of(shape_.begin(), shape_.end(), [](uint64_t n) { return n > (uint64_t{1} << 48); });
  if (absurd || !checked_product(factors))
    throw Error(where_, "declares an impossible shape", kDamagedDataset);
  for (size_t d = 1; d < shape_.size(); ++d) width_ *= shape_[d];
  check_storage();
}

void Hdf5Dataset::check_storage() {
  const uint64_t declared = rows() * width_ * element_bytes_,
                 stored = H5Dget_storage_size(handle_.id());
  check_expansion(declared, stored, where_);
  // An address is known only for plain contiguous data inside the file: nothing more to ask, and
  // asking is slow.
  if (H5Dget_offset(handle_.id()) != HADDR_UNDEF) return;
  const Hdf5Handle creation =
      own_hdf5(H5Dget_create_plist(handle_.id()), where_, "read how it is stored");
  switch (H5Pget_layout(creation.id())) {
    case H5D_COMPACT:
      break;
    case H5D_CONTIGUOUS:
      if (H5Pget_external_count(creation.id()) != 0)
        throw Error(where_, "keeps its data in another file",
                    "copy the data into this file (h5repack does it)");
      break;
    case H5D_CHUNKED: {
      std::vector<hsize_t> chunk(shape_.size());
      if (H5Pget_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()) < 0)
        throw_hdf5_error(where_, "read how it is stored");
      std::vector<uint64_t> factors(chunk.begin(), chunk.end());
      factors.push_back(element_bytes_);
      check_expansion(checked_product(factors).value_or(UINT64_MAX), stored, where_);
      check_filters(creation.id());
      break;
    }
    default:
      throw Error(where_, "is a virtual dataset",
                  "copy the data into this file (h5repack does it)");
  }
}

void Hdf5Dataset::check_filters(int64_t creation) const {
  const int filters = H5Pget_nfilters(creation);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0, config = 0;
    size_t values = 0;
    char name[64] = "";
    const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values,
                                               nullptr, sizeof(name), name, &config);
    const bool known = filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE ||
                       filter == H5Z_FILTER_FLETCHER32 || filter == H5Z_FILTER_SZIP;
    if (!known || H5Zfilter_avail(filter) <= 0)
      throw Error(where_,
                  fmt::format("is packed with the filter {} ({})", filter,
                              std::string_view(name, strnlen(name, sizeof(name)))),
                  "gzip and szip are understood: save it again, e.g. with h5repack -f GZIP=4");
  }
}

bool Hdf5Dataset::has_attribute(const std::string& name) const {
  return H5Aexists(handle_.id(), name.c_str()) > 0;
}

void Hdf5Dataset::require_floats(std::optional<uint64_t> rows_wanted,
                                 std::optional<uint64_t> width_wanted) const {
  if (kind_ != Hdf5Kind::kFloat)
    throw Error(where_, fmt::format("holds {} entries", type_name_),
                "demonstrations are real numbers: convert it, e.g. with .astype('float32')");
  if (rows_wanted && rows() != *rows_wanted)
    throw Error(where_, fmt::format("has {} rows where {} are expected", rows(), *rows_wanted),
                "observations and actions need one row per step (Minari: one observation more)");
  if (width_wanted && width_ != *width_wanted)
    throw Error(where_, fmt::format("is {} wide where {} is expected", width_, *width_wanted),
                "all episodes need the same widths");
}

void Hdf5Dataset::read(int64_t memory_type, uint64_t first_row, uint64_t row_count,
                       void* out) const {
  if (row_count == 0 || width_ == 0) return;
  if (row_count == rows()) {
    if (H5Dread(handle_.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
      throw_hdf5_error(where_, "read the data");
    return;
  }
  const Hdf5Handle file_space = own_hdf5(H5Dget_space(handle_.id()), where_, "read the shape");
  if (!shape_.empty()) {
    std::vector<hsize_t> start(shape_.size(), 0), count(shape_.begin(), shape_.end());
    start[0] = first_row;
    count[0] = row_count;
    if (H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                            nullptr) < 0)
      throw_hdf5_error(where_, "select rows");
  }
  const hsize_t entries = row_count * width_;
  const Hdf5Handle memory_space =
      own_hdf5(H5Screate_simple(1, &entries, nullptr), where_, "prepare memory");
  if (H5Dread(handle_.id(), memory_type, memory_space.id(), file_space.id(), H5P_DEFAULT, out) < 0)
    throw_hdf5_error(where_, "read the data");
}

std::optional<uint64_t> Hdf5Dataset::contiguous_offset() const {
  const haddr_t offset = H5Dget_offset(handle_.id());
  if (offset == HADDR_UNDEF) return std::nullopt;
  return offset;
}

void Hdf5Dataset::read_floats(uint64_t row_count, float* out) const {
  DARP_CHECK(kind_ == Hdf5Kind::kFloat && row_count <= rows(), "{} rows of {}", row_count, where_);
  read(H5T_NATIVE_FLOAT, 0, row_count, out);
}

std::vector<double> Hdf5Dataset::read_doubles() const {
  DARP_CHECK(kind_ == Hdf5Kind::kFloat, "{} of {}", type_name_, where_);
  std::vector<double> values(rows() * width_);
  read(H5T_NATIVE_DOUBLE, 0, rows(), values.data());
  return values;
}

std::vector<int64_t> Hdf5Dataset::read_integers() const {
  const uint64_t count = rows() * width_;
  if (kind_ == Hdf5Kind::kFloat) {
    const std::vector<double> values = read_doubles();
    std::vector<int64_t> whole(count);
    for (uint64_t i = 0; i < count; ++i) {
      if (!(std::abs(values[i]) <= 0x1p53) || values[i] != std::floor(values[i]))
        throw Error(where_, fmt::format("entry {} is {}", i, values[i]),
                    "whole numbers are needed here");
      whole[i] = static_cast<int64_t>(values[i]);
    }
    return whole;
  }
  if (kind_ != Hdf5Kind::kInteger && kind_ != Hdf5Kind::kBool)
    throw Error(where_, fmt::format("holds {} entries", type_name_),
                "whole numbers are needed here");
  std::vector<int64_t> values(count);
  read(H5T_NATIVE_INT64, 0, rows(), values.data());
  return values;
}

std::vector<std::string> Hdf5Dataset::read_strings() const {
  if (kind_ != Hdf5Kind::kText)
    throw Error(where_, fmt::format("holds {} entries", type_name_), "text is needed here");
  const Hdf5Handle type = own_hdf5(H5Dget_type(handle_.id()), where_, "read the element type");
  return read_hdf5_text(type.id(), rows() * width_, where_, [&](hid_t memory_type, void* out) {
    return H5Dread(handle_.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
  });
}

}  // namespace darp
