// A policy in a control loop: what becomes of a broken sensor, of a situation that was never
// demonstrated, and where an action comes from. 05_control_loop.c is the same in C.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <thread>

#include "darp/runtime/realtime_policy.h"
#include "examples/point_mass.h"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s POLICY\n", argv[0]);
    return 2;
  }
  // The model is shared by all threads; a policy is one rollout, in one thread.
  const auto model = darp::RealtimeModel::load(argv[1]);
  std::printf("%s\n", model->summary().c_str());
  if (model->observation_dim() != POINT_MASS_OBSERVATION ||
      model->action_dim() != POINT_MASS_ACTION)
    throw darp::Error(argv[1], "is not for the point mass", "make one with 03_train_a_policy");
  darp::RealtimePolicy policy(model);
  policy.warm_up();  // on the thread that acts: from here on no page faults

  point_mass robot = {{0.5f, 0.4f}, {-0.5f, 0.2f}, {0, 0}};
  float observation[POINT_MASS_OBSERVATION], action[POINT_MASS_ACTION];
  darp::ExplainedNeighbor nearest[2];
  auto wake = std::chrono::steady_clock::now();
  for (int step = 0; step < 200; ++step) {
    std::this_thread::sleep_until(wake += std::chrono::milliseconds(1));
    point_mass_sense(&robot, observation);
    if (step == 50) observation[2] = NAN;               // a sensor breaks,
    if (step >= 90 && step < 92) observation[2] = 100;  // another one lies

    // Whatever happens, there is an action: the last good one, unless the options say otherwise.
    const darp::ActStatus status = policy.act(observation, action);
    if (status != darp::ActStatus::kOk) {
      std::printf("step %3d: %s: last good action\n", step, darp::describe(status));
    } else if (policy.novelty() > 1.5f) {
      std::printf("step %3d: novelty %.1f: no force\n", step, policy.novelty());
      action[0] = action[1] = 0;
    }
    point_mass_push(&robot, action);

    if (step % 40 != 0) continue;
    const int64_t count = policy.explain(nearest, {});
    for (const darp::ExplainedNeighbor& near : std::span(nearest).first(count))
      std::printf("step %3d: as in episode %ld, step %ld, at distance %.3f\n", step, near.episode,
                  near.time, near.distance);
  }
  std::printf("it is %.3f away from its goal\n", point_mass_distance(&robot));
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
