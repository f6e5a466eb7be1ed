#pragma once
// What a command will write when all is done, looked at before anything begins.

#include <string>
#include <vector>

namespace darp {

/// Throws Error for a file that is a folder, lies in a folder that is not there, is one of the
/// inputs, or is named twice. Empty names are passed over.
void check_outputs(const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs = {});

}  // namespace darp
