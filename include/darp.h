/* darp from C: run a trained policy (a policy.darp file) in a control loop.
 *
 *   darp_model* model = darp_model_load("policy.darp", DARP_FP32);
 *   if (model == NULL) return fail(darp_last_error());
 *   darp_policy* policy = darp_policy_create(model, NULL);
 *   darp_policy_warm_up(policy);
 *   for (;;) {
 *     read_sensors(observation);
 *     darp_status status = darp_policy_act(policy, observation, 11, action, 3);
 *     if (status != DARP_OK) report(darp_status_text(status));
 *     move(action);
 *   }
 *
 * A model is what the file holds, made ready for this CPU: immutable, one for all threads. A policy
 * is one rollout: cheap, and for one thread at a time.
 *
 * darp_model_load and darp_policy_create may take their time and fail: they then give NULL, and
 * darp_last_error says why. All else cannot fail: in what the loop calls (act, reset, novelty,
 * explain) nothing allocates, locks or asks the system for anything. No exception leaves any of
 * them. NULL may be given wherever a pointer is taken: freeing it does nothing, asking it gives 0,
 * "", -1 or a status.
 *
 * examples/05_control_loop.c is a whole program, docs/deploying.md says how to build, link and run
 * one. From C++ use darp/runtime/realtime_policy.h, on which this rests. */
#ifndef DARP_H_
#define DARP_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
const char* darp_version(void);

/* Why the last call of this thread that failed did so: one line, where, what and what to do. ""
 * before any has. Never NULL; valid until the next failure in this thread. */
const char* darp_last_error(void);

/* ---- Models ---------------------------------------------------------------------------------- */

typedef struct darp_model darp_model;

/* What hidden layers multiply in; sums are float in both. */
typedef int32_t darp_precision;
enum {
  DARP_FP32 = 0,
  DARP_BF16 = 1 /* faster where the CPU multiplies bfloat16; elsewhere runs in fp32, see notice */
};

/* Reads a policy file: milliseconds to seconds, by the demonstrations in it. NULL if there is no
 * such file, it is damaged, or memory is short. Nothing in a file is executed. */
darp_model* darp_model_load(const char* path, darp_precision precision);

/* Policies keep what they need of a model: it may be freed before them. */
void darp_model_free(darp_model* model);

/* Numbers in an observation and in an action. */
size_t darp_model_observation_dim(const darp_model* model);
size_t darp_model_action_dim(const darp_model* model);

/* The most neighbours that a step has, 0 if the policy retrieves none: the room that
 * darp_policy_explain can use. */
size_t darp_model_most_neighbors(const darp_model* model);

/* One line for people: rows, neighbours, network, precision. Lives as long as the model, as does
 * the notice: one sentence if it does not run in the precision that was asked for, else "". */
const char* darp_model_summary(const darp_model* model);
const char* darp_model_notice(const darp_model* model);

/* ---- Policies -------------------------------------------------------------------------------- */

typedef struct darp_policy darp_policy;

/* What to do when no action can be found. */
typedef int32_t darp_on_fault;
enum {
  DARP_LAST_GOOD = 0, /* the last action of this episode that was found; before any, hold */
  DARP_HOLD = 1       /* always hold */
};

/* Start from the defaults, then change fields:
 *   darp_options options = DARP_OPTIONS_INIT;
 * Fields may be added at the end; `size` tells which ones the program knows. */
typedef struct darp_options {
  size_t size;
  darp_on_fault on_fault;
  const float* hold; /* an action that keeps the robot where it is; NULL: zeros. Copied. */
  size_t hold_count; /* the action's size, or 0 with NULL */
} darp_options;

#define DARP_OPTIONS_INIT \
  { sizeof(darp_options), DARP_LAST_GOOD, NULL, 0 }

/* options: NULL for the defaults. Gives NULL for options that do not fit the model. */
darp_policy* darp_policy_create(const darp_model* model, const darp_options* options);
void darp_policy_free(darp_policy* policy);

/* Touches all memory that steps touch, so that none takes a page fault. Once, on the thread that
 * acts. Resets. */
void darp_policy_warm_up(darp_policy* policy);

/* Starts an episode: history and last good action are forgotten. */
void darp_policy_reset(darp_policy* policy);
/* The same for policies that draw actions at random: draws depend on the seed (above: 0) and the
 * steps since. */
void darp_policy_reset_seeded(darp_policy* policy, uint64_t seed);

/* What became of a step. Unless it is DARP_OK, the action is the safe one of the options. */
typedef int32_t darp_status;
enum {
  DARP_OK = 0,
  DARP_WRONG_SIZE = 1,   /* an observation or action of another size than the policy's, or NULL */
  DARP_NOT_FINITE = 2,   /* the observation holds NaN or infinity */
  DARP_TOO_LARGE = 3,    /* the observation is so far away that distances overflow */
  DARP_NO_NEIGHBORS = 4, /* no demonstrated step may be used */
  DARP_NO_ACTION = 5,    /* the network's answer is not finite */
  DARP_NO_POLICY = -1    /* the policy is NULL; the action is zeros */
};

/* The status in words. Never NULL; lives for ever. */
const char* darp_status_text(darp_status status);

/* One step. The observation is as the robot gives it and the action as it takes it; action_count
 * numbers are written whatever the status, all finite and within the policy's limits. An
 * observation of the wrong size, not finite or too large is as if it had never come. */
darp_status darp_policy_act(darp_policy* policy, const float* observation, size_t observation_count,
                            float* action, size_t action_count);

/* How unusual the last step's observation was: 0 to 1 is the part of demonstrated steps that are
 * nearer to their neighbours; above 1, that many times farther than any of them. -1 for policies
 * that retrieve nothing, and before the first good step. */
float darp_policy_novelty(const darp_policy* policy);

/* A neighbour of the last step: where it was demonstrated (all from 0; time counts the episode's
 * steps) and the distance that ranked it. */
typedef struct darp_neighbor {
  int64_t row, episode, time;
  float distance;
} darp_neighbor;

/* Up to `most` neighbours of the last step, nearest first; gives how many. proposals: NULL, or room
 * for most * action_dim numbers, what the network makes of each neighbour alone; over all
 * neighbours their mean is the action, before limits. None after a step that was not DARP_OK. */
size_t darp_policy_explain(darp_policy* policy, darp_neighbor* neighbors, size_t most,
                           float* proposals);

#ifdef __cplusplus
}
#endif

#endif /* DARP_H_ */
