#include "darp/data/ingest/byte_store.h"

#include <algorithm>
#include <utility>

namespace darp {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_listing(const fs::path& folder, const std::error_code& error) {
  throw Error(folder.string(), "cannot be listed: " + error.message(),
              "check the path and its permissions");
}

/// The part of `key` after "prefix/", or nothing if it is not below.
std::optional<std::string_view> below(std::string_view key, std::string_view prefix) {
  if (prefix.empty()) return key;
  if (!key.starts_with(prefix) || key.size() <= prefix.size() || key[prefix.size()] != '/')
    return std::nullopt;
  return key.substr(prefix.size() + 1);
}

}  // namespace

bool FlatStore::contains(std::string_view key) const {
  check_key(key, "the store");
  return sizes_.contains(key);
}

std::vector<std::string> FlatStore::children(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const auto& [key, size] : sizes_)
    if (const auto rest = below(key, prefix)) names.emplace_back(rest->substr(0, rest->find('/')));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

uint64_t FlatStore::stored_bytes(std::string_view prefix) const {
  uint64_t total = 0;
  for (const auto& [key, size] : sizes_)
    if (below(key, prefix)) total += size;
  return total;
}

StoredBytes::StoredBytes(std::vector<std::byte> own) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(own));
  bytes_ = *owner;
  owner_ = owner;
}

StoredBytes::StoredBytes(MappedFile file) {
  const auto owner = std::make_shared<const MappedFile>(std::move(file));
  bytes_ = owner->bytes();
  owner_ = owner;
}

void check_key(std::string_view key, std::string_view where) {
  bool good = key.find('\0') == std::string_view::npos;
  for (size_t begin = 0; good && begin <= key.size();) {
    const size_t end = std::min(key.find('/', begin), key.size());
    const std::string_view name = key.substr(begin, end - begin);
    good = !name.empty() && name != "." && name != "..";
    begin = end + 1;
  }
  if (!good)
    throw Error(where, fmt::format("has no place for a key '{}'", key),
                "use names joined by '/', without '.' and '..'");
}

FolderStore::FolderStore(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  if (fs::is_directory(folder_, error)) return;
  throw Error(folder_.string(), fs::exists(folder_, error) ? "is not a folder" : "does not exist",
              "give the path of a folder");
}

fs::path FolderStore::path_of(std::string_view key) const {
  if (key.empty()) return folder_;
  check_key(key, folder_.string());
  return folder_ / key;
}

std::optional<StoredBytes> FolderStore::read(std::string_view key) const {
  const fs::path path = path_of(key);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return std::nullopt;
  // Opening a pipe would wait for its writer for ever.
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error(path.string(), "is not a regular file", "a file is needed here: restore it");
  return StoredBytes(MappedFile(path));
}

bool FolderStore::contains(std::string_view key) const {
  std::error_code error;
  return fs::is_regular_file(path_of(key), error);
}

std::vector<std::string> FolderStore::children(std::string_view prefix) const {
  const fs::path folder = path_of(prefix);
  std::vector<std::string> names;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return names;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  if (error) fail_listing(folder, error);
  std::sort(names.begin(), names.end());
  return names;
}

uint64_t FolderStore::stored_bytes(std::string_view prefix) const {
  const fs::path folder = path_of(prefix);
  uint64_t total = 0;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return total;
  fs::recursive_directory_iterator it(folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    // A file that vanishes or cannot be seen counts nothing; reading it says what is wrong.
    std::error_code unseen;
    if (!it->is_regular_file(unseen)) continue;
    const uint64_t size = it->file_size(unseen);
    if (!unseen) total += size;
  }
  if (error) fail_listing(folder, error);
  return total;
}

}  // namespace darp
