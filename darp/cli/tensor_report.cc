#include "darp/cli/tensor_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace darp {

bool is_safetensors(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream in(path, std::ios::binary);
  uint64_t header = 0;
  char first = 0;
  in.read(reinterpret_cast<char*>(&header), sizeof(header)).read(&first, 1);
  return (in && first == '{' && header <= std::filesystem::file_size(path, ignored)) ||
         path.extension() == ".safetensors" || path.extension() == ".darp";
}

void print_tensors(const SafetensorsFile& file, const std::string& source) {
  uint64_t bytes = 0;
  size_t width = 6;
  for (const TensorView& tensor : file.tensors()) {
    bytes += tensor.data.size();
    width = std::max(width, printable(tensor.name).size());
  }
  fmt::print("{} (safetensors)\n  {:<13}{}\n  {:<13}{}\n  {:<13}{}\n", printable(source), "tensors",
             file.tensors().size(), "bytes", bytes, "checksum",
             file.checksum().empty() ? "none (not written by darp)" : file.checksum());
  for (const auto& [key, value] : file.metadata())
    fmt::print("  {}: {}\n", printable(key), printable(value, 200));
  fmt::print("\n  {:{}}  {:<5}  shape\n", "tensor", width, "type");
  for (const TensorView& tensor : file.tensors())
    fmt::print("  {:{}}  {:<5}  [{}]{}\n", printable(tensor.name), width, dtype_name(tensor.dtype),
               fmt::join(tensor.shape, ", "),
               first_nonfinite(tensor) ? "  holds NaN or infinity" : "");
}

nlohmann::json tensor_json(const SafetensorsFile& file, const std::string& source) {
  nlohmann::json tensors = nlohmann::json::array();
  for (const TensorView& tensor : file.tensors())
    tensors.push_back({{"name", tensor.name},
                       {"dtype", dtype_name(tensor.dtype)},
                       {"shape", tensor.shape},
                       {"finite", !first_nonfinite(tensor)}});
  return {{"file", source},
          {"kind", "tensors"},
          {"format", "safetensors"},
          {"metadata", file.metadata()},
          {"checksum", file.checksum()},
          {"tensors", tensors}};
}

}  // namespace darp
