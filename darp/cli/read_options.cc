#include "darp/cli/read_options.h"

#include <CLI/CLI.hpp>

#include "darp/core/fields.h"

namespace darp {

void ReadOptions::add_to(CLI::App& command) {
  command
      .add_option("--keys", keys,
                  "Observation parts to read, in this order, e.g. robot0_eef_pos,object[0:14]")
      ->delimiter(',');
  command.add_option("--filter", filter,
                     "Only the episodes of this filter key (robomimic's mask/<key>), e.g. train");
  command.add_option("--config", config, "YAML file with the reading settings listed below");
  command.add_option("--set", overrides, "One reading setting, e.g. --set keep_unfinished=true")
      ->expected(1)
      ->take_all();
}

ReadSettings ReadOptions::settings() const {
  ReadSettings settings;
  if (!config.empty()) read_yaml_file(config, settings);
  if (!keys.empty()) settings.observation_keys = keys;
  if (!filter.empty()) settings.filter_key = filter;
  for (const std::string& assignment : overrides) apply_override(assignment, settings);
  return settings;
}

}  // namespace darp
