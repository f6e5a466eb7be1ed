#pragma once
// What `darp info` says about a run directory.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "darp/train/run_report.h"

namespace darp {

nlohmann::json run_json(const RunReport& run, const std::string& folder);
void print_run(const RunReport& run, const std::string& folder);

}  // namespace darp
