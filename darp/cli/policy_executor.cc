#include "darp/cli/policy_executor.h"

#include <filesystem>

#include "darp/core/file.h"
#include "darp/core/hash.h"
#include "darp/core/suggest.h"
#include "darp/runtime/realtime_policy.h"
#include "darp/train/torch_policy.h"

namespace darp {

std::string policy_file(const std::string& path) {
  namespace fs = std::filesystem;
  return fs::is_directory(path) ? (fs::path(path) / "policy.darp").string() : path;
}

PolicyExecutor load_policy(const std::string& path, const std::string& executor,
                           const std::string& precision) {
  PolicyExecutor loaded;
  loaded.file = policy_file(path);
  auto archive = std::make_shared<const PolicyArchive>(PolicyArchive::read(loaded.file));
  loaded.hash = Hasher().add(MappedFile(loaded.file).bytes()).hex();

  if (executor == "runtime") {
    auto model = std::make_shared<const RealtimeModel>(*archive, precision_named(precision));
    loaded.name = fmt::format("runtime {}", to_string(model->precision()));
    loaded.notice = model->notice();
    loaded.make = [model] { return make_realtime_policy(model); };
  } else if (executor == "torch") {
    loaded.name = "torch";
    loaded.make = [archive] { return make_torch_policy(archive); };
  } else {
    throw Error("--executor", fmt::format("'{}' is none", printable(executor)),
                suggestion(executor, std::vector<std::string>{"runtime", "torch"}));
  }
  return loaded;
}

}  // namespace darp
