#pragma once
// What `darp train` reads: the demonstrations, the policy and how to train it. The resolved form is
// kept in the run's config.yaml, so that a run can be repeated from its folder alone.

#include <string>

#include "darp/data/ingest/read_settings.h"
#include "darp/policy/policy_spec.h"
#include "darp/train/train_settings.h"

namespace darp {

struct TrainConfig {
  std::string data;
  ReadSettings reading;
  PolicySpec policy;
  TrainSettings train;

  void visit_fields(FieldVisitor& v);
};

}  // namespace darp
