#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "darp/cli/commands.h"
#include "darp/cli/neighbor_report.h"
#include "darp/cli/read_options.h"
#include "darp/data/ingest/read_dataset.h"
#include "darp/data/normalizer.h"

namespace darp {
namespace {

struct NeighborsOptions {
  std::string file, at, normalize = "standard_sample", config;
  std::vector<std::string> overrides;
  bool json = false;
  int64_t show = 10;
  ReadOptions reading;
};

RetrievalSettings retrieval_settings(const NeighborsOptions& options, int64_t rows) {
  RetrievalSettings settings;
  settings.k = std::clamp<int64_t>(rows - 1, 1, settings.k);
  if (!options.config.empty()) read_yaml_file(options.config, settings);
  for (const std::string& assignment : options.overrides)
    apply_override(assignment, settings, "-r");
  return settings;
}

/// "3:120" -> the row of step 120 of episode 3.
int64_t row_at(const Dataset& dataset, const std::string& at) {
  int64_t episode = 0, step = 0;
  char rest = 0;
  if (std::sscanf(at.c_str(), "%ld:%ld%c", &episode, &step, &rest) != 2)
    throw Error("--at", fmt::format("'{}' is no EPISODE:STEP", printable(at)),
                "give two numbers from 0 on, e.g. --at 3:120");
  if (episode < 0 || episode >= dataset.episodes())
    throw Error("--at", fmt::format("there is no episode {}", episode),
                fmt::format("episodes go from 0 to {}", dataset.episodes() - 1));
  const int64_t steps = dataset.episode(episode).steps();
  if (step < 0 || step >= steps)
    throw Error("--at", fmt::format("episode {} has no step {}", episode, step),
                fmt::format("its steps go from 0 to {}", steps - 1));
  return dataset.episode_begin(episode) + step;
}

/// The neighbours of one row, asked as in its episode.
Neighbors ask(RetrievalSession& session, MatrixView rows, const Dataset& dataset, int64_t row) {
  const Retriever& retriever = session.retriever();
  const int64_t begin = dataset.episode_begin(dataset.episode_of(row));
  for (int64_t i = std::max(begin, row - retriever.history().lookback() + 1); i < row; ++i)
    session.remember(rows.row(i));
  return session.push(rows.row(row), retriever.excluded_for(row));
}

void neighbors(const NeighborsOptions& options) {
  const Dataset dataset = read_dataset(options.file, options.reading.settings()).dataset;
  const Normalizer scale =
      Normalizer::fit(normalizer_kind(options.normalize), dataset.observations());
  const Matrix rows = scale.apply(dataset.observations());
  const int64_t asked = options.at.empty() ? -1 : row_at(dataset, options.at);
  RetrievalSettings settings = retrieval_settings(options, dataset.steps());
  settings.metric = settings.metric.in_units_of(scale);
  Progress building("index", dataset.steps(), "rows");
  const auto retriever =
      std::make_shared<const Retriever>(rows, dataset.episode_ends(), settings, &building);
  if (!options.json) fmt::print("{}\n  {}\n", printable(options.file), retriever->summary());

  nlohmann::json json = {{"file", options.file}, {"index", retriever->summary()}};
  if (asked >= 0) {
    RetrievalSession session(retriever);
    const Neighbors found = ask(session, rows, dataset, asked);
    json["row"] = asked;
    json["neighbors"] = neighbors_json(found, dataset);
    if (!options.json) print_neighbors(found, dataset, options.show);
  } else {
    ThreadPool pool;
    Progress progress("neighbours", dataset.steps(), "rows");
    const auto start = std::chrono::steady_clock::now();
    const NeighborTable table =
        build_neighbor_table(retriever, pool, {.distances = true, .progress = &progress});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    progress.finish();
    json["table"] = table_json(table, dataset);
    json["table"]["seconds"] = took.count();
    if (!options.json) print_table(json["table"], dataset);
  }
  if (options.json)
    fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void add_neighbors_command(CLI::App& app) {
  auto options = std::make_shared<NeighborsOptions>();
  CLI::App* command =
      app.add_subcommand("neighbors", "Which demonstrated steps are near each other");
  command->add_option("FILE", options->file, "Demonstrations: a file or a folder")->required();
  command->add_option("--at", options->at,
                      "EPISODE:STEP (from 0): list the neighbours of this step; without it, a "
                      "summary over all steps");
  command->add_option("--show", options->show, "How many of them to list")->capture_default_str();
  command
      ->add_option("--normalize", options->normalize,
                   "identity, standard_sample, standard_population or min_max")
      ->capture_default_str();
  command->add_option("--retrieval", options->config,
                      "YAML file with the retrieval settings listed below");
  command
      ->add_option("-r", options->overrides,
                   "One retrieval setting, e.g. -r k=50 -r history.lookback=8")
      ->expected(1)
      ->take_all();
  command->add_flag("--json", options->json, "For programs: everything, as JSON");
  options->reading.add_to(*command);
  command->footer(
      "Examples:\n"
      "  darp neighbors hopper-expert-v2.hdf5                          are my settings sensible?\n"
      "  darp neighbors lift.hdf5 --at 3:40 -r k=20 -r exclude=episode   who is near step 40 of "
      "episode 3?\n"
      "  darp neighbors maze.hdf5 -r scope=candidates -r ratio=0.5 -r history.decay=power -r "
      "history.rate=-0.7\n\n"
      "Retrieval settings (--retrieval, -r):\n" +
      help_table(RetrievalSettings{}) + "\nReading settings (--config, --set):\n" +
      help_table(ReadSettings{}));
  command->callback([options] { neighbors(*options); });
}

}  // namespace darp
