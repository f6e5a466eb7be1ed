// How many steps a second environments make beside their bare physics, which does the same steps
// and nothing else; and how long an evaluation of 100 episodes takes.

#include <cmath>

#include "bench/bench.h"
#include "darp/core/rng.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/env/ant/ant.h"
#include "darp/env/half_cheetah/half_cheetah.h"
#include "darp/env/hopper/hopper.h"
#include "darp/env/maze/maze.h"
#include "darp/env/mujoco/mujoco_task.h"
#include "darp/env/push_t/push_t.h"
#include "darp/env/registry.h"
#include "darp/env/walker2d/walker2d.h"
#include "darp/eval/evaluator.h"
#include "darp/policy/import_reference.h"
#include "darp/runtime/realtime_policy.h"
#include "darp/train/torch_policy.h"

namespace {

using darp::Environment;
using darp::EpisodeEnd;
using darp::bench::Result;

/// Episodes with random actions: what both contenders do.
struct Script {
  struct Episode {
    uint64_t seed = 0;
    std::vector<std::vector<float>> actions;
  };
  std::vector<Episode> episodes;
  int64_t steps = 0;
};

Script write_script(Environment& environment, int64_t steps) {
  const darp::Space& space = environment.info().actions;
  darp::Rng rng(1);
  Script script;
  while (script.steps < steps) {
    Script::Episode& episode = script.episodes.emplace_back();
    episode.seed = script.episodes.size();
    environment.reset(episode.seed);
    for (EpisodeEnd end = EpisodeEnd::kRunning; end == EpisodeEnd::kRunning && script.steps < steps;
         ++script.steps) {
      std::vector<float> action;
      for (size_t i = 0; i < space.low.size(); ++i)
        action.push_back(static_cast<float>(rng.uniform(space.low[i], space.high[i])));
      end = environment.step(action).end;
      episode.actions.push_back(std::move(action));
    }
  }
  return script;
}

/// As an evaluator does: reset, then look and act.
void play(Environment& environment, const Script& script) {
  std::vector<float> observation(environment.info().observations.names.size());
  for (const Script::Episode& episode : script.episodes) {
    environment.reset(episode.seed);
    for (const std::vector<float>& action : episode.actions) {
      environment.observe(observation);
      environment.step(action);
    }
  }
}

Result steps_of(const std::string& name, const Script& script, Environment& environment,
                const std::string& rival, const std::function<void()>& bare) {
  Result result =
      darp::bench::compare(name, {{"ours", [&] { play(environment, script); }}, {rival, bare}}, 15);
  // Seconds for the script to microseconds for a step.
  const double factor = 1e6 / static_cast<double>(script.steps);
  result.unit = "us a step";
  result.ours *= factor;
  result.rivals.at(rival) *= factor;
  result.extra["steps/s"] = 1e6 / result.ours;
  return result;
}

/// The same starts and controls for mj_step alone.
Result bench_mujoco(const std::string& name, int64_t steps,
                    const std::unique_ptr<Environment>& bare_task) {
  const auto environment = darp::make_environment(name);
  const Script script = write_script(*environment, steps);
  auto& task = dynamic_cast<darp::MujocoTask&>(*bare_task);
  const mjModel& model = std::as_const(task).simulation().model();
  const int skip = static_cast<int>(std::lround(task.info().step_seconds / model.opt.timestep));
  std::vector<std::vector<double>> starts;
  for (const Script::Episode& episode : script.episodes) {
    task.reset(episode.seed);
    const auto& simulation = std::as_const(task).simulation();
    auto& start = starts.emplace_back(simulation.qpos().begin(), simulation.qpos().end());
    start.insert(start.end(), simulation.qvel().begin(), simulation.qvel().end());
  }
  mjData* data = mj_makeData(&model);
  const Result result = steps_of(name, script, *environment, "bare mj_step", [&] {
    for (size_t e = 0; e < starts.size(); ++e) {
      mj_resetData(&model, data);
      std::copy_n(starts[e].begin(), model.nq, data->qpos);
      std::copy_n(starts[e].begin() + model.nq, model.nv, data->qvel);
      mj_forward(&model, data);
      for (const std::vector<float>& action : script.episodes[e].actions) {
        std::copy(action.begin(), action.end(), data->ctrl);
        for (int i = 0; i < skip; ++i) mj_step(&model, data);
      }
    }
  });
  mj_deleteData(data);
  return result;
}

/// The same for Chipmunk's space alone.
Result bench_push_t(int64_t steps) {
  const auto environment = darp::make_environment("push_t");
  const Script script = write_script(*environment, steps);
  std::vector<darp::PushTStart> starts;
  darp::PushT task({});
  for (const Script::Episode& episode : script.episodes) {
    task.reset(episode.seed);
    starts.push_back({.agent = task.agent(), .block = task.block()});
  }
  return steps_of("push_t", script, *environment, "bare Chipmunk", [&] {
    for (size_t e = 0; e < starts.size(); ++e) {
      darp::PushTSpace space(starts[e]);
      for (const std::vector<float>& action : script.episodes[e].actions)
        for (int i = 0; i < 10; ++i) space.sub_step({action[0], action[1]}, {});
    }
  });
}

/// 100 episodes of the published network on two threads, with each executor.
void bench_evaluation(std::vector<Result>& results) {
  const auto network = darp::bench::reference_file("weights/hopper-darp.safetensors"),
             demonstration = darp::bench::reference_file("demos/hopper-expert-v2_1.hdf5");
  if (!network || !demonstration) {
    fmt::print("the published network is not at hand: no evaluation is timed\n");
    return;
  }
  const auto archive = std::make_shared<const darp::PolicyArchive>(darp::import_reference(
      darp::SafetensorsFile::open(*network), darp::read_dataset(*demonstration).dataset));
  darp::ThreadPool pool(2);
  std::vector<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 100; ++seed) seeds.push_back(seed);
  int64_t steps = 0;
  const auto evaluation = [&](const darp::PolicyFactory& make) {
    steps = 0;
    for (const auto& record :
         darp::evaluate([] { return darp::make_environment("hopper"); }, make, seeds, pool))
      steps += record.length;
  };
  const auto runtime = [&](darp::Precision precision) {
    auto model = std::make_shared<const darp::RealtimeModel>(*archive, precision);
    return [&, model] { evaluation([&] { return darp::make_realtime_policy(model); }); };
  };
  const auto executor = [&] { evaluation([&] { return darp::make_torch_policy(archive); }); };
  for (const darp::Precision precision : {darp::Precision::kFloat32, darp::Precision::kBfloat16}) {
    Result result = darp::bench::compare(
        fmt::format("100 Hopper episodes, 2 threads, {}", to_string(precision)),
        {{"ours", runtime(precision)}, {"LibTorch executor", executor}}, 1);
    result.extra["steps"] = static_cast<double>(steps);
    results.push_back(std::move(result));
  }
}

}  // namespace

int main(int argc, char** argv) {
  darp::bench::prepare_blas(1, argv);
  const std::string json = darp::bench::json_argument(argc, argv);
  std::vector<Result> results;
  results.push_back(bench_mujoco("hopper", 3000, darp::make_hopper()));
  results.push_back(bench_mujoco("walker2d", 2000, darp::make_walker2d()));
  results.push_back(bench_mujoco("half_cheetah", 5000, darp::make_half_cheetah()));
  results.push_back(bench_mujoco("ant", 1000, darp::make_ant({})));
  results.push_back(bench_mujoco("maze_umaze", 20000, darp::make_maze_umaze({})));
  results.push_back(bench_mujoco("maze_long", 20000, darp::make_maze_long({})));
  results.push_back(bench_push_t(5000));
  bench_evaluation(results);
  darp::bench::report(results, json);
}
