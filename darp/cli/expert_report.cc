#include "darp/cli/expert_report.h"

#include <map>

#include "darp/core/numbers.h"
#include "darp/core/progress.h"
#include "darp/expert/ppo/ppo_trainer.h"

namespace darp {

bool is_expert_run(const RunReport& run) {
  return run.config.find("\nppo:") != std::string::npos;
}

void print_expert_run(const RunReport& run, const std::string& folder) {
  ExpertConfig config;
  read_yaml(run.config, folder + "/config.yaml", config);
  std::map<std::string, double> last(run.metrics.last.begin(), run.metrics.last.end());
  const bool finished = last["steps"] >= static_cast<double>(config.ppo.steps);
  fmt::print("{} (expert for {}, {})\n", printable(folder), printable(config.environment),
             finished ? "finished" : "not finished: go on with darp expert train ... --resume");
  fmt::print("  steps     {} of {}\n", grouped(static_cast<int64_t>(last["steps"])),
             grouped(config.ppo.steps));
  if (run.metrics.lines == 0) return;
  fmt::print("  time      {}, {:.0f} steps a second\n",
             duration_text(std::chrono::seconds(static_cast<int64_t>(last["seconds"]))),
             last["steps"] / last["seconds"]);
  fmt::print("  return    {:.1f} at last, {:.1f} at best (mean of {} on search seeds)\n",
             last["return"], last["best_return"],
             counted(config.ppo.evaluation.episodes, "episode"));
  fmt::print("  network   {}/expert.safetensors, the best so far\n", printable(folder));
}

}  // namespace darp
