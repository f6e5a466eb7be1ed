#include "darp/study/analysis/kept_numbers.h"

#include <optional>

#include "darp/core/file.h"
#include "darp/core/make_folders.h"
#include "darp/core/strict_json.h"

namespace darp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostKeptBytes = size_t{64} << 20;

/// Nothing for a file that is missing, damaged or of another key.
std::optional<NamedNumbers> read_kept(const fs::path& file, const std::string& key) {
  std::error_code none;
  if (const auto size = fs::file_size(file, none); none || size > kMostKeptBytes) return {};
  try {
    const MappedFile mapped(file);
    const nlohmann::json value = parse_strict_json(as_text(mapped.bytes()), file.string(), 4);
    const JsonPlace place(value, file.string());
    if (place.member("key").text() != key) return {};
    NamedNumbers numbers;
    for (const auto& [name, list] : value.at("numbers").items()) {
      const JsonPlace items = place.member("numbers").member(name);
      for (size_t i = 0; i < items.size(); ++i) numbers[name].push_back(items.item(i).number());
    }
    return numbers;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

NamedNumbers kept_numbers(const fs::path& file, const std::string& key,
                          const std::function<NamedNumbers()>& make) {
  if (auto kept = read_kept(file, key)) return *kept;
  const NamedNumbers numbers = make();
  nlohmann::ordered_json value;
  value["key"] = key;
  value["numbers"] = numbers;
  make_folders(file.parent_path());
  write_file(file, json_lines(value));
  return numbers;
}

}  // namespace darp
