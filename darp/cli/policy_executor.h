#pragma once
// A policy file, ready to act.

#include <functional>
#include <memory>
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

/// `path` is a policy file or a run directory. Throws Error for files that are no policies and for
/// unknown names.
PolicyExecutor load_policy(const std::string& path, const std::string& executor,
                           const std::string& precision);

}  // namespace darp
