#pragma once
// What can be chosen about an environment: its variant, and what makes life harder.

#include "darp/core/fields.h"
#include "darp/env/ant/ant_settings.h"
#include "darp/env/maze/maze_settings.h"
#include "darp/env/push_t/push_t_settings.h"

namespace darp {

/// A force on a body for a while, as by a hand.
struct PushSettings {
  std::string body;  // one of EnvironmentInfo::bodies; empty: no push
  std::vector<double> force = {0, 0, 0};
  double start = 1, duration = 0.1, every = 0;  // seconds of simulated time

  void visit_fields(FieldVisitor& v);
};

/// The defaults are the environment as the literature has it.
struct EnvironmentSettings {
  int64_t time_limit = 0;
  bool clip_actions = true;
  double observation_noise = 0, action_noise = 0;
  PushSettings push;
  AntSettings ant;
  MazeSettings maze;
  PushTSettings push_t;

  void visit_fields(FieldVisitor& v);
};

}  // namespace darp
