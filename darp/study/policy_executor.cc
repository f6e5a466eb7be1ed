#include "darp/study/policy_executor.h"

#include <filesystem>

#include "darp/core/file.h"
#include "darp/core/hash.h"
#include "darp/core/suggest.h"
#include "darp/runtime/realtime_policy.h"
#include "darp/train/torch_policy.h"

namespace darp {

namespace {

/// The archive, acting as told ("": as it says).
PolicyArchive acting_as(PolicyArchive archive, const std::string& acting) {
  if (acting.empty()) return archive;
  if (acting != "sample" && acting != "mode")
    throw Error("--act", fmt::format("'{}' is no way of acting", printable(acting)),
                suggestion(acting, std::vector<std::string>{"sample", "mode"}));
  return std::move(archive).acting(acting == "mode" ? Acting::kMode : Acting::kSample);
}

}  // namespace

std::string policy_file(const std::string& path) {
  namespace fs = std::filesystem;
  return fs::is_directory(path) ? (fs::path(path) / "policy.darp").string() : path;
}

PolicyExecutor load_policy(const std::string& path, const ExecutorOptions& options) {
  PolicyExecutor loaded;
  loaded.file = policy_file(path);
  PolicyArchive read = acting_as(PolicyArchive::read(loaded.file), options.acting);
  if (options.gain) read = std::move(read).with_gain(*options.gain);
  const auto archive = std::make_shared<const PolicyArchive>(std::move(read));
  loaded.hash = Hasher().add(MappedFile(loaded.file).bytes()).hex();

  std::string executor = options.executor;
  if (executor == "auto") executor = archive->spec().runs_in_runtime() ? "runtime" : "torch";
  if (executor == "runtime") {
    auto model =
        std::make_shared<const RealtimeModel>(*archive, precision_named(options.precision));
    loaded.name = fmt::format("runtime {}", to_string(model->precision()));
    loaded.notice = model->notice();
    loaded.make = [model] { return make_realtime_policy(model); };
  } else if (executor == "torch") {
    loaded.name = "torch";
    loaded.make = [archive] { return make_torch_policy(archive); };
  } else {
    throw Error("--executor", fmt::format("'{}' is none", printable(executor)),
                suggestion(executor, std::vector<std::string>{"auto", "runtime", "torch"}));
  }
  if (!options.acting.empty()) loaded.name += fmt::format(", {}", options.acting);
  if (options.gain) loaded.name += fmt::format(", gain {:g}", *options.gain);
  return loaded;
}

}  // namespace darp
