// Trains a small retrieval policy on demonstrations and asks it what to do at a step that it has
// not learned from. The policy's file stays if given a name; 04 and 05 run it in a control loop.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <numeric>

#include "darp/data/ingest/read_dataset.h"
#include "darp/train/torch_policy.h"
#include "darp/train/trainer.h"

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: %s DEMONSTRATIONS [POLICY]\n", argv[0]);
    return 2;
  }
  const darp::Dataset all = darp::read_dataset(argv[1]).dataset;
  std::vector<int64_t> others(all.episodes() - 1);
  std::iota(others.begin(), others.end(), 0);
  const darp::Dataset demos = all.select(others);  // the last episode is for asking

  // What to learn and how; everything else keeps its default (docs/policies.md, docs/training.md).
  darp::DarpSpec spec;
  spec.network = {{64, 64}, darp::MlpSettings::Norm::kNone, 0};
  spec.retrieval.k = 20;
  darp::TrainConfig config;
  config.data = argv[1];
  config.policy.kind = spec;
  config.train.epochs = 20;
  config.train.validation.fraction = 0.1;

  // A run directory as darp train makes it, here a temporary one.
  char folder[] = "/tmp/darp_run_XXXXXX";
  darp::TrainerOptions options;
  options.out = mkdtemp(folder);
  const darp::TrainOutcome outcome = darp::train(config, demos, options);
  std::printf("trained for %ld epochs; validation loss %.4f\n", outcome.epochs,
              outcome.validation_loss.value_or(0));

  // All that acting needs is in the file. One policy object for each rollout.
  const auto archive =
      std::make_shared<const darp::PolicyArchive>(darp::PolicyArchive::read(outcome.policy));
  if (argc == 3) archive->write(argv[2]);
  std::filesystem::remove_all(options.out);
  const auto policy = darp::make_torch_policy(archive);
  const darp::Episode rollout = all.episode(all.episodes() - 1);
  std::vector<float> action(policy->action_dim());
  policy->reset(0);
  for (int64_t t = 0; t < rollout.steps(); ++t) {
    policy->act(rollout.observations.row(t), action);
    if (t % 20 != 0) continue;
    std::printf("step %3ld: the policy does %7.3f, demonstrated was %7.3f\n", t, action[0],
                rollout.actions(t, 0));
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
