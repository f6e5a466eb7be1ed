#pragma once
// How `darp info` shows a safetensors file: for people and for programs.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "darp/data/safetensors.h"

namespace darp {

/// By content: a plausible header length, then '{'; or by the extensions .safetensors and .darp.
bool is_safetensors(const std::filesystem::path& path);

void print_tensors(const SafetensorsFile& file, const std::string& source);
nlohmann::json tensor_json(const SafetensorsFile& file, const std::string& source);

}  // namespace darp
