#include <darp.h>
#include <stdio.h>

int main(int argc, char** argv) {
  darp_model* model = darp_model_load(argc > 1 ? argv[1] : NULL, DARP_FP32);
  darp_policy* policy = darp_policy_create(model, NULL);
  float observation[64], action[64];
  const size_t observation_dim = darp_model_observation_dim(model);
  const size_t action_dim = darp_model_action_dim(model);
  for (size_t i = 0; i < 64; ++i) observation[i] = 0.25f;
  if (policy == NULL || observation_dim > 64 || action_dim > 64) {
    printf("error: %s\n", darp_last_error());
    return 1;
  }
  printf("%s:", darp_status_text(
                    darp_policy_act(policy, observation, observation_dim, action, action_dim)));
  for (size_t i = 0; i < action_dim; ++i) printf(" %a", (double)action[i]);
  printf("\n");
  darp_model_free(model);
  darp_policy_free(policy);
  return 0;
}
