#include <CLI/CLI.hpp>
#include <memory>

#include "darp/cli/commands.h"
#include "darp/cli/read_options.h"
#include "darp/core/fields.h"
#include "darp/data/ingest/read_dataset.h"

namespace darp {
namespace {

struct ConvertOptions {
  std::string in, out, format;
  ReadOptions reading;
};

void convert(const ConvertOptions& options) {
  const ReadResult source = read_dataset(options.in, options.reading.settings());
  write_dataset(source.dataset, options.out, options.format);
  for (const std::string& note : source.dataset.notes())
    fmt::print(stderr, "note: {}\n", printable(note));
  const int64_t episodes = source.dataset.episodes();
  fmt::print("wrote {} from {} ({}): {} episode{}, {} steps, hash {}\n", printable(options.out),
             printable(options.in), source.format, episodes, episodes == 1 ? "" : "s",
             source.dataset.steps(), source.dataset.content_hash());
}

}  // namespace

void add_convert_command(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command =
      app.add_subcommand("convert", "Any readable demonstrations to robomimic HDF5 or NPZ");
  command->add_option("IN", options->in, "Demonstrations: a file or a folder")->required();
  command->add_option("OUT", options->out, "File to write; .hdf5 and .npz tell the format")
      ->required();
  command->add_option("--to", options->format, "robomimic or npz, whatever the extension says");
  options->reading.add_to(*command);
  command->footer(
      "Examples:\n"
      "  darp convert hopper-expert-v2.hdf5 hopper.hdf5          D4RL to robomimic\n"
      "  darp convert pusht.zarr pusht.npz --keys keypoint,state  chosen parts of a zarr store to "
      "NPZ\n"
      "  darp convert lift.hdf5 train.hdf5 --filter train         only the episodes of a filter\n\n"
      "Reading settings (--config, --set):\n" +
      help_table(ReadSettings{}));
  command->callback([options] { convert(*options); });
}

}  // namespace darp
