// How many control steps a second arms make with an expert's actions replayed, beside the bare
// physics: MuJoCo's steps from the same states with the torques that each action ended with. Extra:
// what of a step is the controller.

#include "bench/bench.h"
#include "darp/env/manipulation/manipulation_task.h"
#include "darp/env/registry.h"
#include "darp/expert/collector.h"
#include "darp/expert/registry.h"

namespace {

using darp::bench::Result;

constexpr int kEpisodes = 8, kRounds = 9, kSubsteps = 25;

/// The simulation before a control step, and the control at its end.
struct Snapshot {
  std::vector<double> qpos, qvel, warm_start, control;
};

struct Replay {
  std::vector<darp::Demonstration> episodes;
  std::vector<Snapshot> snapshots;

  double steps() const { return static_cast<double>(snapshots.size()); }
};

std::span<const float> action_of(const darp::Demonstration& episode, int64_t step) {
  return std::span(episode.actions).subspan(static_cast<size_t>(7 * step), 7);
}

Replay record(darp::Environment& environment, const std::string& name) {
  Replay out;
  const auto expert = darp::make_expert({name, "scripted", {}});
  const auto& task = dynamic_cast<const darp::ManipulationTask&>(environment.task());
  const mjModel& model = task.simulation().model();
  const mjData& data = task.simulation().data();
  for (uint64_t seed = 0; seed < kEpisodes; ++seed) {
    out.episodes.push_back(darp::demonstrate(environment, *expert, seed, 0));
    environment.reset(seed);
    for (int64_t i = 0; i < out.episodes.back().record.length; ++i) {
      Snapshot& at = out.snapshots.emplace_back();
      at.qpos.assign(data.qpos, data.qpos + model.nq);
      at.qvel.assign(data.qvel, data.qvel + model.nv);
      at.warm_start.assign(data.qacc_warmstart, data.qacc_warmstart + model.nv);
      environment.step(action_of(out.episodes.back(), i));
      at.control.assign(data.ctrl, data.ctrl + model.nu);
    }
  }
  return out;
}

void put(const Snapshot& from, mjData& data) {
  std::copy(from.qpos.begin(), from.qpos.end(), data.qpos);
  std::copy(from.qvel.begin(), from.qvel.end(), data.qvel);
  std::copy(from.warm_start.begin(), from.warm_start.end(), data.qacc_warmstart);
  std::copy(from.control.begin(), from.control.end(), data.ctrl);
}

Result bench_task(const std::string& name) {
  const auto environment = darp::make_environment(name);
  const auto& task = dynamic_cast<const darp::ManipulationTask&>(environment->task());
  const mjModel& model = task.simulation().model();
  const Replay replay = record(*environment, name);
  const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(&model), mj_deleteData);
  const darp::PoseController controller(model);
  const darp::PoseController::Goal goal{controller.pose(*data), {}};
  double sum = 0;
  Result result =
      darp::bench::compare(name,
                           {{"ours",
                             [&] {
                               for (const darp::Demonstration& episode : replay.episodes) {
                                 environment->reset(episode.record.seed);
                                 for (int64_t i = 0; i < episode.record.length; ++i)
                                   environment->step(action_of(episode, i));
                               }
                             }},
                            {"bare mj_step",
                             [&] {
                               for (const Snapshot& snapshot : replay.snapshots) {
                                 put(snapshot, *data);
                                 for (int i = 0; i < kSubsteps; ++i) mj_step(&model, data.get());
                               }
                             }},
                            {"controller alone",
                             [&] {
                               for (size_t i = 0; i < replay.snapshots.size(); ++i)
                                 for (int j = 0; j < kSubsteps; ++j)
                                   sum += controller.torques(model, *data, goal)[0];
                             }}},
                           kRounds);
  const double factor = 1e6 / replay.steps();
  result.unit = "us a step";
  result.ours *= factor;
  for (auto& [rival, seconds] : result.rivals) seconds *= factor;
  result.extra["steps/s"] = 1e6 / result.ours;
  result.extra["times real time"] = 1e6 / result.ours * task.info().step_seconds;
  result.extra["controller's share"] = result.rivals.at("controller alone") / result.ours;
  if (sum == 0) result.extra["nothing was computed"] = 1;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string json = darp::bench::json_argument(argc, argv);
  std::vector<Result> results;
  for (const char* name : {"stack", "square", "threading"}) results.push_back(bench_task(name));
  darp::bench::report(results, json);
}
