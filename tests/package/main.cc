#include <cstdio>
#include <exception>
#include <vector>

#include "darp/runtime/realtime_policy.h"

int main(int, char** argv) try {
  darp::RealtimePolicy policy(darp::RealtimeModel::load(argv[1]));
  const std::vector<float> observation(policy.model().observation_dim(), 0.25f);
  std::vector<float> action(policy.model().action_dim());
  const darp::ActStatus status = policy.act(observation, action);
  std::printf("%s:", darp::describe(status));
  for (const float x : action) std::printf(" %a", x);
  std::printf("\n");
} catch (const std::exception& error) {
  std::printf("error: %s\n", error.what());
  return 1;
}
