#pragma once
// Environments by name.

#include <memory>
#include <string>
#include <vector>

#include "darp/env/environment.h"
#include "darp/env/environment_settings.h"

namespace darp {

/// In the order in which people should see them.
std::vector<std::string> environment_names();

/// The task with the wrappers that the settings ask for. Throws Error for unknown names (listing
/// those there are), settings of other environments and settings that make no sense.
std::unique_ptr<Environment> make_environment(std::string_view name,
                                              const EnvironmentSettings& settings = {});

}  // namespace darp
