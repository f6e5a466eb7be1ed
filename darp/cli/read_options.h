#pragma once
// The options that all commands share which read demonstrations.

#include <string>
#include <vector>

#include "darp/data/ingest/read_settings.h"

namespace CLI {
class App;
}

namespace darp {

struct ReadOptions {
  std::string config;
  std::vector<std::string> keys, overrides;
  std::string filter;

  /// Adds --keys, --filter, --config and --set, and the table of settings to the help.
  void add_to(CLI::App& command);
  /// Defaults, then the file, then --keys and --filter, then --set.
  ReadSettings settings() const;
};

}  // namespace darp
