#include "darp/report/report.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "darp/cli/commands.h"
#include "darp/cli/outputs.h"
#include "darp/core/error.h"
#include "darp/core/file.h"
#include "darp/core/numbers.h"
#include "darp/report/report_sections.h"
#include "darp/report/study_report.h"

namespace darp {
namespace {

struct ReportCommandOptions {
  std::vector<std::string> inputs, labels, videos, pictures;
  std::string out = "report.html", title, markdown, csv, svg;
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
  if (!options.markdown.empty()) add("--markdown ", {options.markdown});
  if (!options.csv.empty()) add("--csv ", {options.csv});
  if (!options.svg.empty()) add("--svg ", {options.svg});
  return line;
}

/// The folder as seen from the file, for its links.
std::string seen_from(const std::string& file, const std::string& folder) {
  std::error_code failure;
  const auto from = std::filesystem::absolute(file, failure).parent_path();
  const auto to = std::filesystem::absolute(folder, failure).lexically_normal();
  return to.lexically_relative(from.lexically_normal()).generic_string();
}

/// Markdown, CSV and SVG, where they are asked for.
void write_exhibit_files(const ReportCommandOptions& options, const Report& report) {
  std::optional<std::string> pictures;
  if (!options.svg.empty() && !options.markdown.empty())
    pictures = seen_from(options.markdown, options.svg);
  const DrawnFiles files = draw_files(report.exhibits, pictures);
  if (!options.markdown.empty()) {
    write_file(options.markdown, files.markdown);
    fmt::print("{}: the tables as Markdown\n", printable(options.markdown));
  }
  if (!options.csv.empty()) {
    write_drawn(options.csv, files.csv);
    fmt::print("{}: {}\n", printable(options.csv),
               counted(static_cast<int64_t>(files.csv.size()), "CSV file"));
  }
  if (!options.svg.empty()) {
    write_drawn(options.svg, files.svg);
    fmt::print("{}: {}\n", printable(options.svg),
               counted(static_cast<int64_t>(files.svg.size()), "SVG file"));
  }
}

void report_command(const ReportCommandOptions& options) {
  check_outputs({options.out, options.markdown}, options.inputs);
  ReportRequest request;
  request.inputs = inputs_of(options);
  request.title = options.title;
  for (const std::string& text : options.videos)
    request.videos.push_back(labelled(text, "--video"));
  for (const std::string& text : options.pictures)
    request.pictures.push_back(labelled(text, "--pictures"));
  request.pictures_of_folder = options.frames;
  request.exhibits = !(options.markdown + options.csv + options.svg).empty();
  request.command = command_line(options);
  request.version = DARP_VERSION;

  const Report report = make_report(request);
  write_file(options.out, report.html);
  for (const std::string& warning : report.warnings) fmt::print(stderr, "note: {}\n", warning);
  fmt::print("{}: {} kB, from {}; open it in a browser\n", printable(options.out),
             grouped(static_cast<int64_t>(report.html.size() / 1000) + 1),
             counted(static_cast<int64_t>(request.inputs.size()), "input"));
  if (request.exhibits) write_exhibit_files(options, report);
}

}  // namespace

void add_report_command(CLI::App& app) {
  auto options = std::make_shared<ReportCommandOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Make one HTML page of studies, training runs and evaluations");
  command
      ->add_option("INPUT", options->inputs,
                   "Folders of `darp study` (or their exhibits.json), run directories of `darp "
                   "train` and files of `darp eval --json`; of an "
                   "environment's evaluations the first is what others are compared with")
      ->required();
  command->add_option("--out", options->out, "The page; replaced if it is there")
      ->capture_default_str();
  command->add_option("--markdown", options->markdown, "FILE: tables as Markdown, too");
  command->add_option("--csv", options->csv, "DIR: the numbers of each table and figure, too");
  command->add_option("--svg", options->svg,
                      "DIR: each figure as SVG, too; the Markdown shows them");
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
      "  darp report studies-out/mujoco-table --markdown mujoco.md --csv csv --svg svg\n"
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
