#include "darp/expert/collector.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "darp/core/error.h"
#include "darp/core/seconds_since.h"
#include "darp/eval/idle_pool.h"

namespace darp {
namespace {

// Streams of their own: environments have the first few.
constexpr uint64_t kExpertStream = 16, kExecutionNoiseStream = 17;

/// Disturbs what an expert wants.
class ExecutionNoise {
 public:
  ExecutionNoise(const Space& actions, double noise, Rng rng)
      : actions_(actions), noise_(noise), rng_(rng) {}

  void apply(std::span<const float> wanted, std::span<float> executed) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      const double low = actions_.low[i], high = actions_.high[i];
      const double unit = std::isfinite(high - low) ? (high - low) / 2 : 1;
      const double noisy = static_cast<double>(wanted[i]) + noise_ * unit * rng_.normal();
      executed[i] = static_cast<float>(std::clamp(noisy, low, high));
    }
  }

 private:
  const Space& actions_;
  double noise_;
  Rng rng_;
};

template <class T>
void append_row(const std::vector<T>& values, std::vector<T>& rows) {
  rows.insert(rows.end(), values.begin(), values.end());
}

/// Adds the state before a step; states of changing length are given up, as they grow with the
/// square of the episode.
void append_state(const std::vector<double>& state, Demonstration& demonstration) {
  if (demonstration.record.length == 0) demonstration.initial_state = state;
  const bool so_far =
      demonstration.states.size() ==
      demonstration.initial_state.size() * static_cast<size_t>(demonstration.record.length);
  if (so_far && state.size() == demonstration.initial_state.size())
    append_row(state, demonstration.states);
  else
    demonstration.states.clear();
}

}  // namespace

Demonstration demonstrate(Environment& environment, Expert& expert, uint64_t seed, double noise) {
  const auto start = std::chrono::steady_clock::now();
  const EnvironmentInfo& info = environment.info();
  std::vector<float> observation(info.observations.names.size()), wanted(info.actions.names.size()),
      executed(wanted.size());
  std::vector<double> state;
  ExecutionNoise disturb(info.actions, noise, Rng(seed, kExecutionNoiseStream));

  Demonstration made;
  made.record.seed = seed;
  environment.reset(seed);
  expert.start(environment, Rng(seed, kExpertStream));
  while (made.record.end == EpisodeEnd::kRunning) {
    environment.observe(observation);
    state.clear();
    environment.save(state);
    try {
      expert.act(environment, observation, wanted);
    } catch (const Error& error) {
      made.record.problem = error.what();
      made.record.end = EpisodeEnd::kPolicyFailed;
      break;
    }
    executed = wanted;
    if (noise > 0) disturb.apply(wanted, executed);
    const Step step = environment.step(executed);
    if (!is_mishap(step.end)) {
      append_state(state, made);
      append_row(observation, made.observations);
      append_row(wanted, made.actions);
      if (noise > 0) append_row(executed, made.executed);
      made.rewards.push_back(step.reward);
    }
    count_step(info, step, made.record);
  }
  made.record.seconds = seconds_since(start);
  return made;
}

bool EpisodeChoice::passes(const EpisodeRecord& record) const {
  return (keep_mishaps || !is_mishap(record.end)) && (!success_only || record.success) &&
         (!min_return || record.episode_return >= *min_return);
}

namespace {

/// Which seeds have been tried and which still need to be. For any number of threads.
class EpisodeSearch {
 public:
  explicit EpisodeSearch(const EpisodeChoice& choice) : choice_(choice) {}

  bool needed(uint64_t seed) {
    const std::lock_guard lock(mutex_);
    return !tried_.contains(seed) && (!enough() || seed < *passed_.rbegin());
  }

  /// Whether it brought the collection forward.
  bool add(const EpisodeRecord& record) {
    const std::lock_guard lock(mutex_);
    tried_.emplace(record.seed, record);
    if (!choice_.passes(record)) return false;
    const bool forward = !enough();
    passed_.insert(record.seed);
    if (!forward) passed_.erase(std::prev(passed_.end()));  // only the first ones count
    return forward;
  }

  /// Nobody adds any more.
  Collection result() const {
    Collection result;
    for (const auto& [seed, record] : tried_) {
      if (enough() && seed > *passed_.rbegin()) break;
      result.tried.push_back(record);
      if (passed_.contains(seed)) result.kept.push_back(record);
    }
    result.complete = enough();
    return result;
  }
  bool used_up() const { return static_cast<int64_t>(tried_.size()) == choice_.seeds.count(); }

 private:
  bool enough() const { return static_cast<int64_t>(passed_.size()) >= choice_.episodes; }

  const EpisodeChoice& choice_;
  std::mutex mutex_;
  std::map<uint64_t, EpisodeRecord> tried_;
  std::set<uint64_t> passed_;  // the first of them, as many as are wanted
};

[[noreturn]] void throw_used_up(const Collection& collection, const EpisodeChoice& choice) {
  int64_t mishaps = 0, failures = 0, low = 0;
  std::string example;
  for (const EpisodeRecord& record : collection.tried) {
    if (is_mishap(record.end) && !choice.keep_mishaps) {
      if (mishaps++ == 0)
        example = fmt::format(" (seed {}: {}{}{})", record.seed, name_of(record.end),
                              record.problem.empty() ? "" : ": ", record.problem);
    } else if (choice.success_only && !record.success) {
      ++failures;
    } else if (!choice.passes(record)) {
      ++low;
    }
  }
  std::string reasons;
  if (failures > 0) reasons += fmt::format(", {} were no success", failures);
  if (low > 0) reasons += fmt::format(", {} had a return below {}", low, *choice.min_return);
  if (mishaps > 0) reasons += fmt::format(", {} were mishaps{}", mishaps, example);
  throw Error(fmt::format("seeds {}", choice.seeds.text()),
              fmt::format("{} of {} episodes passed where {} are wanted{}", collection.kept.size(),
                          collection.tried.size(), choice.episodes, reasons),
              "give more seeds, ask for fewer episodes or filter less");
}

struct Performance {
  std::unique_ptr<Environment> environment;
  std::unique_ptr<Expert> expert;
};

}  // namespace

Collection collect(const EnvironmentFactory& make_environment, const ExpertFactory& make_expert,
                   const EpisodeChoice& choice, ThreadPool& pool, const CollectorOptions& options) {
  EpisodeSearch search(choice);
  std::atomic<int64_t> refused{0};
  const auto add = [&](const EpisodeRecord& record) {
    const bool forward = search.add(record);
    if (options.progress == nullptr) return;
    if (forward) options.progress->advance();
    if (!choice.passes(record)) options.progress->status(fmt::format("{} did not pass", ++refused));
  };
  for (const EpisodeRecord& record : options.done)
    if (record.seed >= choice.seeds.first && record.seed <= choice.seeds.last) add(record);

  IdlePool<Performance> performances([&] {
    return Performance{make_environment(), make_expert()};
  });
  std::mutex reporting;
  pool.parallel_for(choice.seeds.count(), 1, [&](int64_t i, int64_t) {
    const uint64_t seed = choice.seeds.first + static_cast<uint64_t>(i);
    if ((options.stop != nullptr && *options.stop) || !search.needed(seed)) return;
    Performance performance = performances.take();
    const Demonstration made =
        demonstrate(*performance.environment, *performance.expert, seed, options.noise);
    performances.give_back(std::move(performance));
    if (options.on_episode) {
      const std::lock_guard lock(reporting);
      options.on_episode(made);
    }
    add(made.record);
  });

  Collection collection = search.result();
  if (!collection.complete && search.used_up()) throw_used_up(collection, choice);
  return collection;
}

}  // namespace darp
