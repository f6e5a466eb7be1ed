/* 04_control_loop.cc in C, through darp.h: what becomes of a broken sensor, of a situation that was
 * never demonstrated, and where an action comes from. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "darp.h"
#include "examples/point_mass.h"

/* Until a millisecond after `wake`, which moves on. */
static void wait_for_next_step(struct timespec* wake) {
  wake->tv_nsec += 1000000;
  if (wake->tv_nsec >= 1000000000) {
    wake->tv_nsec -= 1000000000;
    ++wake->tv_sec;
  }
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, wake, NULL);
}

static void explain(darp_policy* policy, int step) {
  darp_neighbor nearest[2];
  const size_t count = darp_policy_explain(policy, nearest, 2, NULL);
  for (size_t i = 0; i < count; ++i)
    printf("step %3d: as in episode %d, step %d, at distance %.3f\n", step, (int)nearest[i].episode,
           (int)nearest[i].time, (double)nearest[i].distance);
}

static void run(darp_policy* policy) {
  struct point_mass robot = {{0.5f, 0.4f}, {-0.5f, 0.2f}, {0, 0}};
  float observation[POINT_MASS_OBSERVATION], action[POINT_MASS_ACTION];
  struct timespec wake;
  clock_gettime(CLOCK_MONOTONIC, &wake);
  for (int step = 0; step < 200; ++step) {
    wait_for_next_step(&wake);
    point_mass_sense(&robot, observation);
    if (step == 50) observation[2] = NAN;              /* a sensor breaks, */
    if (step >= 90 && step < 92) observation[2] = 100; /* another one lies */

    /* Whatever happens, there is an action: the last good one, unless the options say otherwise. */
    const darp_status status =
        darp_policy_act(policy, observation, POINT_MASS_OBSERVATION, action, POINT_MASS_ACTION);
    if (status != DARP_OK) {
      printf("step %3d: %s: last good action\n", step, darp_status_text(status));
    } else if (darp_policy_novelty(policy) > 1.5f) {
      printf("step %3d: novelty %.1f: no force\n", step, (double)darp_policy_novelty(policy));
      action[0] = action[1] = 0;
    }
    point_mass_push(&robot, action);
    if (step % 40 == 0) explain(policy, step);
  }
  printf("it is %.3f away from its goal\n", point_mass_distance(&robot));
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s POLICY\n", argv[0]);
    return 2;
  }
  /* The model is shared by all threads; a policy is one rollout, in one thread. */
  darp_model* model = darp_model_load(argv[1], DARP_FP32);
  darp_policy* policy = model ? darp_policy_create(model, NULL) : NULL;
  int failed = policy == NULL;
  if (failed) {
    fprintf(stderr, "error: %s\n", darp_last_error());
  } else if (darp_model_observation_dim(model) != POINT_MASS_OBSERVATION ||
             darp_model_action_dim(model) != POINT_MASS_ACTION) {
    fprintf(stderr, "error: %s: is not for the point mass\n", argv[1]);
    failed = 1;
  } else {
    printf("%s\n", darp_model_summary(model));
    darp_policy_warm_up(policy); /* on the thread that acts: from here on no page faults */
    run(policy);
  }
  darp_policy_free(policy);
  darp_model_free(model);
  return failed;
}
