#pragma once
// A policy file, ready to act.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "darp/policy/policy.h"

namespace darp {

struct PolicyExecutor {
  std::string file, hash;  // of its bytes
  std::string name;        // "runtime fp32", "torch"
  std::string notice;      // for people, or empty
  /// One rollout; from any thread.
  std::function<std::unique_ptr<Policy>()> make;
};

/// The policy of a run directory; other paths are policies themselves.
std::string policy_file(const std::string& path);

struct ExecutorOptions {
  std::string executor = "auto";    // runtime, torch; auto: the runtime where it can
  std::string precision = "fp32";   // of the runtime
  std::string acting = "";          // sample or mode; empty: as the policy says
  std::optional<double> gain = {};  // PolicySpec::gain; nothing: as the policy says
};

/// `path` is a policy file or a run directory. Throws Error for files that are no policies and for
/// unknown names.
PolicyExecutor load_policy(const std::string& path, const ExecutorOptions& options);

}  // namespace darp
