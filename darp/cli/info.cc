#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "darp/cli/commands.h"
#include "darp/cli/dataset_report.h"
#include "darp/cli/expert_report.h"
#include "darp/cli/policy_report.h"
#include "darp/cli/read_options.h"
#include "darp/cli/run_report.h"
#include "darp/cli/tensor_report.h"
#include "darp/core/fields.h"
#include "darp/data/ingest/read_dataset.h"

namespace darp {
namespace {

struct InfoOptions {
  std::string file;
  bool json = false, all_columns = false;
  ReadOptions reading;
};

void print_json(const nlohmann::json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void policy_info(const InfoOptions& options) {
  const PolicyArchive policy = PolicyArchive::read(options.file);
  const uint64_t bytes = std::filesystem::file_size(options.file);
  if (options.json)
    print_json(policy_json(policy, options.file, bytes));
  else
    print_policy(policy, options.file, bytes);
}

void run_info(const InfoOptions& options) {
  const RunReport run = read_run(options.file);
  if (options.json)
    print_json(run_json(run, options.file));
  else if (is_expert_run(run))
    print_expert_run(run, options.file);
  else
    print_run(run, options.file);
}

void info(const InfoOptions& options) {
  if (is_run_directory(options.file)) return run_info(options);
  if (is_safetensors(options.file)) {
    const SafetensorsFile file = SafetensorsFile::open(options.file, {.allow_nonfinite = true});
    if (is_policy(file.metadata()))
      policy_info(options);
    else if (options.json)
      print_json(tensor_json(file, options.file));
    else
      print_tensors(file, options.file);
    return;
  }
  const ReadResult read = read_dataset(options.file, options.reading.settings());
  ThreadPool pool;
  const DatasetSummary summary = summarize(read.dataset, pool);
  if (options.json)
    print_json(dataset_json(read, summary));
  else
    print_dataset(read, summary, options.all_columns);
}

}  // namespace

void add_info_command(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command = app.add_subcommand(
      "info", "What is in a demonstration, policy or weight file, or in a training run");
  command
      ->add_option(
          "FILE", options->file,
          "Demonstrations (file or folder), a policy, a run directory or a safetensors file")
      ->required();
  command->add_flag("--json", options->json, "For programs: everything, as JSON");
  command->add_flag("--all-columns", options->all_columns,
                    "Show the range of every column, however many there are");
  options->reading.add_to(*command);
  command->footer(
      "Examples:\n"
      "  darp info hopper-expert-v2.hdf5\n"
      "  darp info lift.hdf5 --keys robot0_eef_pos,object[0:14] --filter train\n"
      "  darp info pusht.zarr --json | jq .steps\n"
      "  darp info policy.darp\n"
      "  darp info runs/hopper-darp-0\n\n"
      "Reading settings (--config, --set):\n" +
      help_table(ReadSettings{}));
  command->callback([options] { info(*options); });
}

}  // namespace darp
