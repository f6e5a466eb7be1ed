#pragma once
/* The robot of the examples: a point mass that should come to rest at a goal. In C, for all. */

#include <math.h>

struct point_mass {
  float goal[2], position[2], velocity[2];
};

enum { POINT_MASS_OBSERVATION = 6, POINT_MASS_ACTION = 2 };

/* Goal, position and velocity as one observation. */
static inline void point_mass_sense(const struct point_mass* robot, float* observation) {
  for (int d = 0; d < 2; ++d) {
    observation[d] = robot->goal[d];
    observation[2 + d] = robot->position[d];
    observation[4 + d] = robot->velocity[d];
  }
}

/* A force for 0.05 s. */
static inline void point_mass_push(struct point_mass* robot, const float* force) {
  for (int d = 0; d < 2; ++d) {
    robot->velocity[d] += 0.05f * force[d];
    robot->position[d] += 0.05f * robot->velocity[d];
  }
}

static inline double point_mass_distance(const struct point_mass* robot) {
  return hypot((double)robot->goal[0] - (double)robot->position[0],
               (double)robot->goal[1] - (double)robot->position[1]);
}
