#include "darp/eval/evaluator.h"

#include <mutex>
#include <optional>

#include "darp/core/error.h"

namespace darp {
namespace {

struct Rollout {
  std::unique_ptr<Environment> environment;
  std::unique_ptr<Policy> policy;
};

/// Rollouts that nobody uses at the moment. Making one takes milliseconds (a model to compile), so
/// each serves many episodes.
class Rollouts {
 public:
  Rollouts(const EnvironmentFactory& make_environment, const PolicyFactory& make_policy)
      : make_environment_(make_environment), make_policy_(make_policy) {}

  Rollout take() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        Rollout rollout = std::move(idle_.back());
        idle_.pop_back();
        return rollout;
      }
    }
    Rollout made{make_environment_(), make_policy_()};
    check_dimensions(*made.environment, *made.policy);
    return made;
  }

  void give_back(Rollout rollout) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(rollout));
  }

 private:
  const EnvironmentFactory& make_environment_;
  const PolicyFactory& make_policy_;
  std::mutex mutex_;
  std::vector<Rollout> idle_;
};

}  // namespace

std::vector<EpisodeRecord> evaluate(const EnvironmentFactory& make_environment,
                                    const PolicyFactory& make_policy,
                                    const std::vector<uint64_t>& seeds, ThreadPool& pool,
                                    const EvaluatorOptions& options) {
  Rollouts rollouts(make_environment, make_policy);
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
