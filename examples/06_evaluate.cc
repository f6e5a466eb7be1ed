// Evaluates a policy on 50 seeds, with and without noise on what it sees, and asks whether the
// noise matters. The policy is written by hand; darp::make_realtime_policy gives one from a policy
// file.

#include <cstdio>
#include <exception>

#include "darp/env/registry.h"
#include "darp/eval/comparison.h"
#include "darp/eval/evaluator.h"

/// Brings the puck of the environment "dummy" to rest: a spring and a damper.
class SpringPolicy : public darp::Policy {
 public:
  int64_t observation_dim() const override { return 4; }
  int64_t action_dim() const override { return 2; }
  void reset(uint64_t) override {}
  void act(std::span<const float> observation, std::span<float> action) override {
    for (size_t i = 0; i < 2; ++i) action[i] = -2 * observation[i] - 2.5f * observation[i + 2];
  }
};

darp::Evaluation evaluation_with(const darp::EnvironmentSettings& settings,
                                 const darp::SeedRange& seeds) {
  // Each thread makes an environment and a policy of its own.
  darp::ThreadPool pool;
  darp::Evaluation evaluation;
  evaluation.subject.environment = "dummy";
  evaluation.subject.seeds = seeds;
  evaluation.has_success = true;
  evaluation.records =
      darp::evaluate([&] { return darp::make_environment("dummy", settings); },
                     [] { return std::make_unique<SpringPolicy>(); }, seeds.seeds(), pool);
  return evaluation;
}

int main() try {
  const darp::SeedRange seeds = darp::default_seeds(darp::SeedPurpose::kReport, 50);
  darp::EnvironmentSettings noisy;
  noisy.observation_noise = 0.2;
  const darp::Evaluation quiet = evaluation_with({}, seeds),
                         blurred = evaluation_with(noisy, seeds);

  for (const darp::Evaluation* each : {&quiet, &blurred}) {
    const darp::EvaluationSummary summary = darp::summarize(*each);
    std::printf("return %.2f [%.2f, %.2f], %ld of %ld came to rest\n", summary.returns.mean,
                summary.returns.mean_bootstrap.low, summary.returns.mean_bootstrap.high,
                summary.success->successes, summary.success->trials);
  }
  const darp::Comparison comparison = darp::compare(quiet, blurred);
  std::printf("with noise it is %s (p = %.2g)\n",
              std::string(darp::name_of(comparison.verdict)).c_str(), comparison.p_value);
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
