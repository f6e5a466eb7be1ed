#include "darp/study/analysis/fork_evidence.h"

#include <algorithm>

#include "darp/eval/idle_pool.h"
#include "darp/study/analysis/kept_json.h"

namespace darp {
namespace {

nlohmann::ordered_json json_of(const std::vector<ForkEvidence>& all) {
  auto list = nlohmann::ordered_json::array();
  for (const ForkEvidence& one : all)
    list.push_back({{"return", one.episode_return},
                    {"length", one.length},
                    {"steps", one.steps},
                    {"returns", one.returns}});
  return list;
}

std::vector<ForkEvidence> forks_of(const JsonPlace& list,
                                   const std::vector<ForkQuestion>& questions) {
  if (list.size() != questions.size()) list.fail("has another number of rollouts than wanted", "");
  std::vector<ForkEvidence> all;
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonPlace place = list.item(i), steps = place.member("steps"),
                    returns = place.member("returns");
    ForkEvidence one;
    one.episode_return = place.member("return").number();
    one.length = static_cast<int64_t>(place.member("length").unsigned_integer(1'000'000'000));
    for (size_t f = 0; f < steps.size(); ++f)
      one.steps.push_back(static_cast<int64_t>(steps.item(f).unsigned_integer(1'000'000'000)));
    for (size_t c = 0; c < returns.size(); ++c) {
      one.returns.push_back(numbers_of(returns.item(c)));
      if (one.returns.back().size() != one.steps.size())
        returns.item(c).fail("is not as long as the list of forks", "");
    }
    if (returns.size() != questions[i].continuations.size() || one.steps.empty())
      place.fail("does not have what is wanted", "");
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::vector<ForkEvidence> find_forks(const std::vector<ForkQuestion>& questions,
                                     const EnvironmentFactory& environment, int64_t fork_every,
                                     ThreadPool& pool) {
  IdlePool<std::unique_ptr<Environment>> environments(environment);
  std::vector<RolloutTrace> traces(questions.size());
  pool.parallel_for(std::ssize(questions), 1, [&](int64_t i, int64_t) {
    const auto at = static_cast<size_t>(i);
    auto simulation = environments.take();
    traces[at] =
        trace_episode(*simulation, *questions[at].policy(), questions[at].seed, fork_every);
    environments.give_back(std::move(simulation));
  });

  struct Job {
    size_t rollout, continuation, fork;
  };
  std::vector<ForkEvidence> all;
  std::vector<Job> jobs;
  for (size_t i = 0; i < questions.size(); ++i) {
    const RolloutTrace& trace = traces[i];
    ForkEvidence one{trace.record.episode_return, trace.record.length, {}, {}};
    for (const RolloutFork& fork : trace.forks) one.steps.push_back(fork.step);
    one.returns.assign(questions[i].continuations.size(), std::vector<double>(one.steps.size()));
    for (size_t c = 0; c < one.returns.size(); ++c)
      for (size_t f = 0; f < one.steps.size(); ++f) jobs.push_back({i, c, f});
    all.push_back(std::move(one));
  }
  pool.parallel_for(std::ssize(jobs), 1, [&](int64_t i, int64_t) {
    const Job& job = jobs[static_cast<size_t>(i)];
    const RolloutTrace& trace = traces[job.rollout];
    const ForkContinuation& next = questions[job.rollout].continuations[job.continuation];
    auto simulation = environments.take();
    all[job.rollout].returns[job.continuation][job.fork] =
        continue_from(trace, trace.forks[job.fork], *simulation, *next.policy(), next.memory)
            .episode_return;
    environments.give_back(std::move(simulation));
  });
  return all;
}

std::vector<ForkEvidence> kept_forks(const std::filesystem::path& file, const std::string& key,
                                     const std::vector<ForkQuestion>& questions,
                                     const EnvironmentFactory& environment, int64_t fork_every,
                                     ThreadPool& pool) {
  return kept(
      file, key, [&] { return find_forks(questions, environment, fork_every, pool); },
      [](const std::vector<ForkEvidence>& all) { return json_of(all); },
      [&](const JsonPlace& place) { return forks_of(place, questions); });
}

Recovery recovery_of(const ForkEvidence& evidence, size_t continuation, double enough) {
  const std::vector<double>& returns = evidence.returns[continuation];
  Recovery recovery;
  for (size_t f = 0; f < returns.size(); ++f)
    if (returns[f] >= enough) {
      recovery.last_step = evidence.steps[f];
      recovery.part += 1 / static_cast<double>(returns.size());
    } else if (recovery.first_lost < 0) {
      recovery.first_lost = evidence.steps[f];
    }
  return recovery;
}

double return_at(const ForkEvidence& evidence, size_t continuation, double part) {
  const double step = part * static_cast<double>(evidence.length);
  size_t fork = 0;
  while (fork + 1 < evidence.steps.size() && static_cast<double>(evidence.steps[fork + 1]) <= step)
    ++fork;
  return evidence.returns[continuation][fork];
}

}  // namespace darp
