#include "darp/report/report.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "darp/cli/commands.h"
#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/numbers.h"
#include "darp/report/report_sections.h"

namespace darp {
namespace {

struct ReportCommandOptions {
  std::vector<std::string> inputs, labels, videos, pictures;
  std::string out = "report.html", title;
  int frames = 6;
};

/// "LABEL=PATH"; labels have no '=', paths may.
LabelledPath labelled(const std::string& text, std::string_view option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error(option, fmt::format("'{}' is no LABEL=PATH", text),
                fmt::format("write it like {} darp=some/path", option));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<InputPath> inputs_of(const ReportCommandOptions& options) {
  std::vector<InputPath> inputs;
  for (const std::string& path : options.inputs) inputs.push_back({path});
  for (const std::string& text : options.labels) {
    const LabelledPath label = labelled(text, "--label");
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const InputPath& input) {
      return input.path.lexically_normal() == label.path.lexically_normal();
    });
    if (found == inputs.end())
      throw Error(
          "--label", fmt::format("'{}' is none of the inputs", label.path.string()),
          "write the path as among the inputs: darp report bc.json --label cloning=bc.json");
    found->label = label.label;
  }
  return inputs;
}

/// The command as it was given, for the report to tell.
std::string command_line(const ReportCommandOptions& options) {
  std::string line = "darp report";
  const auto add = [&](std::string_view option, const std::vector<std::string>& values) {
    for (const std::string& value : values) line += fmt::format(" {}{}", option, shell_word(value));
  };
  add("", options.inputs);
  add("--label ", options.labels);
  add("--video ", options.videos);
  add("--pictures ", options.pictures);
  if (!options.pictures.empty() && options.frames != 6)
    line += fmt::format(" --frames {}", options.frames);
  if (!options.title.empty()) add("--title ", {options.title});
  add("--out ", {options.out});
  return line;
}

void report_command(const ReportCommandOptions& options) {
  ReportRequest request;
  request.inputs = inputs_of(options);
  request.title = options.title;
  for (const std::string& text : options.videos)
    request.videos.push_back(labelled(text, "--video"));
  for (const std::string& text : options.pictures)
    request.pictures.push_back(labelled(text, "--pictures"));
  request.pictures_of_folder = options.frames;
  request.command = command_line(options);
  request.version = DARP_VERSION;

  const Report report = make_report(request);
  write_file(options.out, report.html);
  for (const std::string& warning : report.warnings) fmt::print(stderr, "note: {}\n", warning);
  fmt::print("{}: {} kB, from {}; open it in a browser\n", printable(options.out),
             grouped(static_cast<int64_t>(report.html.size() / 1000) + 1),
             counted(static_cast<int64_t>(request.inputs.size()), "input"));
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportCommandOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Make one HTML page of training runs and evaluations");
  command
      ->add_option("INPUT", options->inputs,
                   "Run directories of `darp train` and files of `darp eval --json`; of an "
                   "environment's evaluations the first is what others are compared with")
      ->required();
  command->add_option("--out", options->out, "The page; replaced if it is there")
      ->capture_default_str();
  command->add_option("--title", options->title, "Without it the environments' names");
  command
      ->add_option("--label", options->labels,
                   "LABEL=INPUT: call an input so; without it by its name. Equal labels look equal")
      ->expected(1)
      ->take_all();
  command->add_option("--video", options->videos, "LABEL=FILE.mp4: embed a film (H.264)")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--pictures", options->pictures,
                   "LABEL=DIR: embed some of a folder's PNG pictures, side by side")
      ->expected(1)
      ->take_all();
  command->add_option("--frames", options->frames, "How many of each folder, evenly chosen")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  command->footer(
      "Examples:\n"
      "  darp report bc.json darp.json\n"
      "  darp report runs/hopper-bc-0 runs/hopper-darp-0 bc.json darp.json --out hopper.html\n"
      "  darp report darp.json --video \"darp, seed 0\"=hopper.mp4 --pictures darp=frames\n"
      "  darp report a.json b.json --label \"cloning\"=a.json --label \"ours\"=b.json --title "
      "\"Hopper, 100 demonstrations\"\n\n"
      "The page needs no network, no script and no other file. The same inputs give the same "
      "bytes.\n"
      "docs/reports.md is the guide.");
  command->callback([options] { report_command(*options); });
}

}  // namespace darp
