#pragma once
// How `darp info` shows a policy: for people and for programs.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "darp/policy/policy_archive.h"

namespace darp {

/// "25 -> 128 -> 128 -> 3, LayerNorm, ReLU: 20,099 parameters".
std::string network_text(const PolicyArchive& policy);

/// `bytes`: of the file.
void print_policy(const PolicyArchive& policy, const std::string& source, uint64_t bytes);
nlohmann::json policy_json(const PolicyArchive& policy, const std::string& source, uint64_t bytes);

}  // namespace darp
