#pragma once
// What took long to find out, kept beside a study's runs so that the next time reads it. For
// sources, not headers: it brings nlohmann's header along.

#include <filesystem>
#include <limits>
#include <string>

#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/make_folders.h"
#include "darp/core/strict_json.h"

namespace darp {

/// What the file has under this key, or what `make` gives, which is then written, atomically. A
/// file that is damaged or has another key is replaced.
/// @param key   names all that the value depends on
/// @param write value -> nlohmann::ordered_json
/// @param read  JsonPlace -> value; throws Error for what `write` does not give
template <class Make, class Write, class Read>
auto kept(const std::filesystem::path& file, const std::string& key, const Make& make,
          const Write& write, const Read& read) {
  if (std::filesystem::exists(file)) try {
      const MappedFile mapped(file);
      const nlohmann::json json = parse_strict_json(as_text(mapped.bytes()), file.string(), 16);
      const std::string name = file.string();
      const JsonPlace place(json, name);
      if (place.member("key").text() == key) return read(place.member("value"));
    } catch (const Error&) {
      // Made again below.
    }
  auto made = make();
  make_folders(file.parent_path());
  write_file(file, json_lines({{"key", key}, {"value", write(made)}}));
  return made;
}

/// Numbers in a list; NaN and infinities are null, which comes back as NaN.
inline std::vector<double> numbers_of(const JsonPlace& list) {
  std::vector<double> numbers;
  for (size_t i = 0; i < list.size(); ++i)
    numbers.push_back(list.item(i).is_null() ? std::numeric_limits<double>::quiet_NaN()
                                             : list.item(i).number());
  return numbers;
}

}  // namespace darp
