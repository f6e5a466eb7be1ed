#include "darp/cli/run_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "darp/core/error.h"
#include "darp/core/numbers.h"

namespace darp {
namespace {

/// A field of the manifest for people.
std::string field(const nlohmann::json& manifest, const char* name) {
  const auto found = manifest.is_object() ? manifest.find(name) : manifest.end();
  if (!manifest.is_object() || found == manifest.end()) return "unknown";
  return printable(found->is_string() ? found->get<std::string>() : found->dump());
}

}  // namespace

nlohmann::json run_json(const RunReport& run, const std::string& folder) {
  nlohmann::json metrics = nlohmann::json::object();
  for (const auto& [name, value] : run.metrics.last) metrics[name] = value;
  return {{"run", folder},
          {"config", run.config},
          {"manifest", nlohmann::json::parse(run.manifest, nullptr, false)},
          {"epochs", run.metrics.lines},
          {"last", metrics},
          {"has_checkpoint", run.has_checkpoint},
          {"has_policy", run.has_policy}};
}

void print_run(const RunReport& run, const std::string& folder) {
  const auto manifest = nlohmann::json::parse(run.manifest, nullptr, false);
  const auto data = manifest.is_object() ? manifest.value("data", nlohmann::json()) : manifest;
  fmt::print("{} (training run, {})\n", printable(folder),
             run.has_policy       ? "finished"
             : run.has_checkpoint ? "not finished: go on with darp train ... --resume"
                                  : "just begun");
  fmt::print("  data      {} (hash {})\n", field(data, "file"), field(data, "hash"));
  const std::string threads = field(manifest, "threads");
  fmt::print("  trained   with darp {}, {} thread{}, {}\n", field(manifest, "version"), threads,
             threads == "1" ? "" : "s", field(manifest, "cpu"));
  fmt::print("  epochs    {}\n", grouped(run.metrics.lines));
  for (const auto& [name, value] : run.metrics.last)
    if (name != "epoch" && name != "member")
      fmt::print("    {:<20} {:.6g}\n", printable(name), value);
  if (run.has_policy) fmt::print("  policy    darp info {}/policy.darp\n", printable(folder));
  fmt::print("  curves    tensorboard --logdir {}/tb\n", printable(folder));
}

}  // namespace darp
