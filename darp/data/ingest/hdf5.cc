#include "darp/data/ingest/hdf5.h"

#include <hdf5.h>

#include <algorithm>
#include <charconv>

#include "darp/core/file.h"
#include "darp/data/ingest/hdf5_text.h"

namespace darp {
namespace {

constexpr const char* kDamaged = "the file is truncated or damaged: copy or create it again";

}  // namespace

Hdf5Group Hdf5Group::open_file(const std::filesystem::path& path) {
  silence_hdf5();
  MappedFile exists(path);  // the usual errors (missing, a folder, not readable) in our words
  const Hdf5Handle access = own_hdf5(H5Pcreate(H5P_FILE_ACCESS), path.string(), "prepare to open");
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  H5Pset_file_locking(access.id(), false,
                      true);  // reading needs no lock, and network file systems often have none
  return {own_hdf5(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), path.string(),
                   "be opened as HDF5"),
          path.string(), "/"};
}

Hdf5Group::Hdf5Group(Hdf5Handle handle, std::string source, std::string path)
    : handle_(std::move(handle)), source_(std::move(source)), path_(std::move(path)) {}

std::vector<std::string> Hdf5Group::children() const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t* link, void* out) -> herr_t {
    if (link->type == H5L_TYPE_HARD)
      static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  if (H5Literate(handle_.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) < 0)
    throw_hdf5_error(where(), "list the group");
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Hdf5Group::numbered_children(const std::string& prefix) const {
  std::vector<std::pair<uint64_t, std::string>> numbered;
  for (std::string& name : children()) {
    uint64_t number = 0;
    if (!name.starts_with(prefix)) continue;
    const auto [end, error] =
        std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size())
      numbered.emplace_back(number, std::move(name));
  }
  std::sort(numbered.begin(), numbered.end());
  std::vector<std::string> names;
  for (auto& [number, name] : numbered) names.push_back(std::move(name));
  return names;
}

bool Hdf5Group::contains(const std::string& name) const {
  // Every step of the path: soft and external links can point anywhere.
  for (size_t slash = 0; slash != std::string::npos;) {
    slash = name.find('/', slash + 1);
    H5L_info_t link;
    if (H5Lget_info(handle_.id(), name.substr(0, slash).c_str(), &link, H5P_DEFAULT) < 0 ||
        link.type != H5L_TYPE_HARD)
      return false;
  }
  return true;
}

std::optional<Hdf5Handle> Hdf5Group::find(const std::string& name, int kind) const {
  if (!contains(name)) return std::nullopt;
  Hdf5Handle object = own_hdf5(H5Oopen(handle_.id(), name.c_str(), H5P_DEFAULT),
                               source_ + ": " + path_of(name), "open it");
  if (H5Iget_type(object.id()) != kind) return std::nullopt;
  return object;
}

std::optional<Hdf5Group> Hdf5Group::find_group(const std::string& name) const {
  auto object = find(name, H5I_GROUP);
  if (!object) return std::nullopt;
  return Hdf5Group(std::move(*object), source_, path_of(name));
}

std::optional<Hdf5Dataset> Hdf5Group::find_dataset(const std::string& name) const {
  auto object = find(name, H5I_DATASET);
  if (!object) return std::nullopt;
  return Hdf5Dataset(std::move(*object), source_ + ": " + path_of(name));
}

bool Hdf5Group::has_dataset(const std::string& name) const {
  return find(name, H5I_DATASET).has_value();
}

Hdf5Group Hdf5Group::group(const std::string& name) const {
  if (auto found = find_group(name)) return std::move(*found);
  throw Error(where(), fmt::format("has no group '{}'", name), kDamaged);
}

Hdf5Dataset Hdf5Group::dataset(const std::string& name) const {
  if (auto found = find_dataset(name)) return std::move(*found);
  throw Error(where(), fmt::format("has no dataset '{}'", name), kDamaged);
}

Hdf5Dataset Hdf5Group::floats(const std::string& name, std::optional<uint64_t> rows,
                              std::optional<uint64_t> width) const {
  Hdf5Dataset floats = dataset(name);
  floats.require_floats(rows, width);
  return floats;
}

namespace {

/// An attribute that should hold one thing.
struct SingleAttribute {
  SingleAttribute(hid_t object, const std::string& name, const std::string& where)
      : place(fmt::format("{}@{}", where, name)),
        handle(own_hdf5(H5Aopen(object, name.c_str(), H5P_DEFAULT), place, "open the attribute")),
        type(own_hdf5(H5Aget_type(handle.id()), place, "read the attribute's type")),
        space(own_hdf5(H5Aget_space(handle.id()), place, "read the attribute's shape")) {}

  bool is_one_of(std::initializer_list<int> classes) const {
    return std::find(classes.begin(), classes.end(), H5Tget_class(type.id())) != classes.end() &&
           H5Sget_simple_extent_npoints(space.id()) == 1;
  }

  std::string place;
  Hdf5Handle handle, type, space;
};

}  // namespace

std::optional<std::string> Hdf5Group::text_attribute(const std::string& name) const {
  if (H5Aexists(handle_.id(), name.c_str()) <= 0) return std::nullopt;
  const SingleAttribute attribute(handle_.id(), name, where());
  if (!attribute.is_one_of({H5T_STRING})) throw Error(attribute.place, "is not one text", kDamaged);
  return read_hdf5_text(attribute.type.id(), 1, attribute.place, [&](hid_t memory_type, void* out) {
    return H5Aread(attribute.handle.id(), memory_type, out);
  })[0];
}

bool Hdf5Group::read_number(const std::string& name, std::initializer_list<int> classes,
                            int64_t memory_type, void* out) const {
  if (H5Aexists(handle_.id(), name.c_str()) <= 0) return false;
  const SingleAttribute attribute(handle_.id(), name, where());
  if (!attribute.is_one_of(classes)) throw Error(attribute.place, "is not one number", kDamaged);
  if (H5Aread(attribute.handle.id(), memory_type, out) < 0)
    throw_hdf5_error(attribute.place, "read the attribute");
  return true;
}

std::optional<double> Hdf5Group::number_attribute(const std::string& name) const {
  double value = 0;
  if (!read_number(name, {H5T_FLOAT, H5T_INTEGER}, H5T_NATIVE_DOUBLE, &value)) return std::nullopt;
  return value;
}

std::optional<uint64_t> Hdf5Group::unsigned_attribute(const std::string& name) const {
  uint64_t value = 0;
  if (!read_number(name, {H5T_INTEGER}, H5T_NATIVE_UINT64, &value)) return std::nullopt;
  return value;
}

}  // namespace darp
