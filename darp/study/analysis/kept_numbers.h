#pragma once
// Lists of numbers that took long to find, kept in a study's folder.

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace darp {

/// By name.
using NamedNumbers = std::map<std::string, std::vector<double>>;

/// What `make` gave under this key, from the file if it has it; else made and left there,
/// atomically. The key says what the numbers were made of: a file with another, or a damaged one,
/// is made again. Folders are made. Numbers are finite.
NamedNumbers kept_numbers(const std::filesystem::path& file, const std::string& key,
                          const std::function<NamedNumbers()>& make);

}  // namespace darp
