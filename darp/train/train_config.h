#pragma once
// What `darp train` reads: the demonstrations, the policy and how to train it. The resolved form is
// kept in the run's config.yaml, so that a run can be repeated from its folder alone.

#include <filesystem>
#include <string>

#include "darp/data/ingest/read_settings.h"
#include "darp/policy/policy_spec.h"
#include "darp/train/train_settings.h"

namespace darp {

struct TrainConfig {
  std::string base;  // only in files: see read_train_config
  std::string data;
  ReadSettings reading;
  PolicySpec policy;
  TrainSettings train;

  void visit_fields(FieldVisitor& v);
};

/// A config file over the config that its `base` names, relative to the file; `base` of the result
/// is empty. Throws Error as read_yaml_file does, and for files that are each other's base.
TrainConfig read_train_config(const std::filesystem::path& path);

}  // namespace darp
