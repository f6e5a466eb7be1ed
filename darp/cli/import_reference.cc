#include "darp/policy/import_reference.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "darp/cli/commands.h"
#include "darp/cli/policy_report.h"
#include "darp/cli/read_options.h"
#include "darp/core/fields.h"
#include "darp/data/ingest/read_dataset.h"

namespace darp {
namespace {

struct ImportOptions {
  std::string weights, data, out;
  ReadOptions reading;
};

void import_network(const ImportOptions& options) {
  const SafetensorsFile network = SafetensorsFile::open(options.weights);
  const Dataset demonstrations = read_dataset(options.data, options.reading.settings()).dataset;
  const PolicyArchive policy(import_reference(network, demonstrations));
  policy.write(options.out);
  for (const std::string& note : demonstrations.notes())
    fmt::print(stderr, "note: {}\n", printable(note));
  fmt::print("wrote {} from {} and {}: {}, {}\n", printable(options.out),
             printable(options.weights), printable(options.data), policy.spec().kind_name(),
             network_text(policy));
}

}  // namespace

void add_import_reference_command(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command =
      app.add_subcommand("import-reference", "One of the paper's published networks as a policy");
  command
      ->add_option("WEIGHTS", options->weights,
                   "The network: safetensors with layers.<i>.linear.weight, ...")
      ->required();
  command
      ->add_option("--data", options->data,
                   "The demonstrations that it was trained on: a file or a folder")
      ->required();
  command->add_option("--out", options->out, "The policy to write, e.g. policy.darp")->required();
  options->reading.add_to(*command);
  command->footer(
      "The policy follows the published code where that differs from the paper "
      "(docs/policies.md).\n"
      "\n"
      "Examples:\n"
      "  darp import-reference hopper-darp.safetensors --data hopper-expert-v2_1.hdf5 --out "
      "hopper.darp\n"
      "  darp import-reference hopper-bc.safetensors --data hopper-expert-v2_1.hdf5 --out bc.darp\n"
      "  darp info hopper.darp\n\n"
      "Reading settings (--config, --set):\n" +
      help_table(ReadSettings{}));
  command->callback([options] { import_network(*options); });
}

}  // namespace darp
