#pragma once
// An expert on many seeds, on all cores, and of each episode what a demonstration is made of.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "darp/core/progress.h"
#include "darp/core/thread_pool.h"
#include "darp/eval/evaluator.h"
#include "darp/eval/seeds.h"
#include "darp/expert/expert.h"

namespace darp {

/// One episode, step by step; vectors hold rows one after the other, record.length of them.
struct Demonstration {
  EpisodeRecord record;
  std::vector<float> observations;
  std::vector<float> actions;   // what the expert wanted
  std::vector<float> executed;  // what was done instead; empty without noise
  std::vector<double> rewards;
  std::vector<double> initial_state;  // Environment::save() before the first step
  std::vector<double> states;         // the same before each; empty where their lengths differ

  bool operator==(const Demonstration&) const = default;
};

/// Rolls out from reset(seed) until the episode is over. Noise is normal with a deviation of
/// `noise` times half the range of each entry of the action (times 1 where that has no limits),
/// and what is done is clipped to the limits. All that is random comes from the seed. An Error of
/// Expert::act ends the episode as kPolicyFailed, one of Expert::start is thrown.
Demonstration demonstrate(Environment& environment, Expert& expert, uint64_t seed, double noise);

/// Which episodes are wanted: the first so many, by seed, that pass.
struct EpisodeChoice {
  int64_t episodes = 100;
  SeedRange seeds;
  bool success_only = false;
  std::optional<double> min_return = {};
  bool keep_mishaps = false;  // for those who ask how good an expert is

  bool passes(const EpisodeRecord& record) const;
};

struct CollectorOptions {
  double noise = 0;
  /// Episodes that are there already, from an earlier run.
  std::vector<EpisodeRecord> done = {};
  /// Counts episodes that pass.
  Progress* progress = nullptr;
  /// Called with each episode as it ends, by one thread at a time, in any order. What it throws
  /// ends the collection.
  std::function<void(const Demonstration&)> on_episode = {};
  /// When it becomes true, no further episode starts.
  const std::atomic<bool>* stop = nullptr;
};

struct Collection {
  std::vector<EpisodeRecord> kept, tried;  // by seed; tried: all up to the last that was kept
  bool complete = false;                   // false: stopped
};

/// Called from any thread, several times: each thread has its own.
using ExpertFactory = std::function<std::unique_ptr<Expert>()>;

/// The same for any number of threads and however often it was stopped, apart from `seconds`. A few
/// episodes too many may be rolled out; they are forgotten. Throws Error when the seeds are used
/// up, saying how many passed and why others did not.
Collection collect(const EnvironmentFactory& make_environment, const ExpertFactory& make_expert,
                   const EpisodeChoice& choice, ThreadPool& pool,
                   const CollectorOptions& options = {});

}  // namespace darp
