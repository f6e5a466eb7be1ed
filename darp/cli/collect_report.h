#pragma once
// What became of a collection, for the terminal.

#include <filesystem>

#include "darp/expert/collector.h"

namespace darp {

/// Prints how many were kept, how good they are, what is in the file and what to do with it. The
/// collection is complete and the file written.
void print_collection(const Collection& collection, const EnvironmentInfo& info,
                      const std::filesystem::path& file);

}  // namespace darp
