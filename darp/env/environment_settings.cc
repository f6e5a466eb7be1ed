#include "darp/env/environment_settings.h"

namespace darp {

void PushSettings::visit_fields(FieldVisitor& v) {
  v.field("body", body, "What is pushed; empty: nothing. `darp environments NAME` lists bodies.");
  v.field("force", force, "Newtons along x, y and z of the world.");
  v.field("start", start, "When, in seconds of simulated time.", {.min = 0});
  v.field("duration", duration, "For how long, in seconds.", {.min = 0});
  v.field("every", every, "Again after so many seconds; 0: only once.", {.min = 0});
}

void EnvironmentSettings::visit_fields(FieldVisitor& v) {
  v.field("time_limit", time_limit, "Steps after which an episode is cut off; 0: the usual number.",
          {.min = 0});
  v.field("clip_actions", clip_actions, "Actions beyond the limits count as the limits.");
  v.field("observation_noise", observation_noise,
          "Standard deviation of normal noise on every entry of observations.", {.min = 0});
  v.field("action_noise", action_noise,
          "Standard deviation of normal noise on every entry of actions, before clipping.",
          {.min = 0});
  v.group("push", push, "A force from outside.");
  v.group("ant", ant, "Of the environment ant.");
  v.group("maze", maze, "Of the environments maze_umaze and maze_long.");
  v.group("push_t", push_t, "Of the environment push_t.");
}

}  // namespace darp
