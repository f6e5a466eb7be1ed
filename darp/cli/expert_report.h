#pragma once
// The run of an expert for people.

#include <string>

#include "darp/train/run_report.h"

namespace darp {

/// Whether it is one of `darp expert train`.
bool is_expert_run(const RunReport& run);

void print_expert_run(const RunReport& run, const std::string& folder);

}  // namespace darp
