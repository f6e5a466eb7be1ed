#pragma once
// The options that commands share which train into a run directory.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace darp {

struct RunOptions {
  std::string out;
  std::vector<std::string> overrides;
  bool resume = false, dry_run = false;
  std::optional<int64_t> seed;
  int threads = 0;
  double checkpoint_seconds = 10;

  /// What the help says of options that differ from command to command.
  struct Help {
    std::string out, set, seed, threads;
  };
  /// Adds --out, --set, --resume, --seed, --threads, --checkpoint-seconds and --dry-run.
  void add_to(CLI::App& command, const Help& help);
};

}  // namespace darp
