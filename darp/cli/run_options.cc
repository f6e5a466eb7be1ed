#include "darp/cli/run_options.h"

#include <CLI/CLI.hpp>

namespace darp {

constexpr int64_t kLargestSeed = 1'000'000'000'000;

void RunOptions::add_to(CLI::App& command, const Help& help) {
  command.add_option("--out", out, help.out);
  command.add_option("--set", overrides, help.set)->expected(1)->take_all();
  command.add_flag("--resume", resume, "Go on where the run in --out stopped, or start it");
  command.add_option("--seed", seed, help.seed)->check(CLI::Range(int64_t{0}, kLargestSeed));
  command.add_option("--threads", threads, help.threads)
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  command
      .add_option("--checkpoint-seconds", checkpoint_seconds,
                  "Least time between two checkpoints: what a crash can cost")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e9));
  command.add_flag("--dry-run", dry_run, "Print all settings as they would be used, and stop");
}

}  // namespace darp
