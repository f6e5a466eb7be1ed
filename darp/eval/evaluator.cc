#include "darp/eval/evaluator.h"

#include <mutex>
#include <optional>

#include "darp/core/error.h"
#include "darp/eval/idle_pool.h"

namespace darp {
namespace {

struct Rollout {
  std::unique_ptr<Environment> environment;
  std::unique_ptr<Policy> policy;
};

}  // namespace

std::vector<EpisodeRecord> evaluate(const EnvironmentFactory& make_environment,
                                    const PolicyFactory& make_policy,
                                    const std::vector<uint64_t>& seeds, ThreadPool& pool,
                                    const EvaluatorOptions& options) {
  IdlePool<Rollout> rollouts([&] {
    Rollout made{make_environment(), make_policy()};
    check_dimensions(*made.environment, *made.policy);
    return made;
  });
  rollouts.give_back(rollouts.take());  // refuses a policy of other dimensions before anything runs

  std::vector<std::optional<EpisodeRecord>> done(seeds.size());
  std::mutex reporting;
  pool.parallel_for(static_cast<int64_t>(seeds.size()), 1, [&](int64_t i, int64_t) {
    if (options.stop != nullptr && *options.stop) return;
    Rollout rollout = rollouts.take();
    const auto at = static_cast<size_t>(i);
    done[at] = run_episode(*rollout.environment, *rollout.policy, seeds[at]);
    rollouts.give_back(std::move(rollout));
    if (options.on_episode) {
      const std::lock_guard lock(reporting);
      options.on_episode(*done[at]);
    }
    if (options.progress != nullptr) options.progress->advance();
  });

  std::vector<EpisodeRecord> records;
  for (auto& record : done)
    if (record) records.push_back(std::move(*record));
  return records;
}

}  // namespace darp
