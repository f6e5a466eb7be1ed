// darp import-reference and darp info on policies, as a user runs them.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "darp/data/ingest/read_dataset.h"
#include "darp/policy/import_reference.h"
#include "tests/end_to_end/darp_command.h"
#include "tests/published_network.h"
#include "tests/random_dataset.h"
#include "tests/random_policy.h"
#include "tests/reference_files.h"

namespace darp {
namespace {

using PolicyCli = Cli;

/// A small published network for observations of 5 and actions of 2 numbers.
void write_network(const std::string& path) {
  MlpSettings network;
  network.hidden = {6};
  const auto parameters = network_parameters(network, 12, 2);
  std::vector<float> numbers(static_cast<size_t>(parameter_count(parameters)));
  initialize_parameters(parameters, Rng(1), numbers);
  write_safetensors(path,
                    {{"kind", "darp"},
                     {"task", "reach"},
                     {"retrieval.k", "8"},
                     {"retrieval.final_neighbors_ratio", "0.5"},
                     {"retrieval.lookback", "3"},
                     {"retrieval.decay_rate", "-0.5"}},
                    network_tensors(parameters, numbers));
}

TEST_F(PolicyCli, ImportReferenceWritesAPolicyThatInfoShows) {
  write_network(path("reach.safetensors"));
  const Dataset dataset = random_dataset(3, {.episodes = 4, .longest = 30});
  write_dataset(dataset, path("demos.npz"));
  const std::string command = "import-reference " + path("reach.safetensors") + " --data " +
                              path("demos.npz") + " --out " + path("p.darp");
  const Outcome imported = darp_command(command);
  EXPECT_EQ(imported.code, 0);
  EXPECT_CONTAINS(imported.output, "darp, 12 -> 6 -> 2, LayerNorm, ReLU: 104 parameters");

  const Outcome people = darp_command("info " + path("p.darp"));
  EXPECT_EQ(people.code, 0);
  for (const std::string part :
       {"(policy, version 3)", "darp: difference-aware retrieval", "12 -> 6 -> 2, LayerNorm, ReLU",
        "neighbour state (5), neighbour action (2), 0.707107 x difference (5)",
        "mean of the neighbours' answers", "of the 8 rows nearest now the 4 nearest by history",
        "3 steps, the one n ago weighs (n + 1)^-0.5, not renormalised",
        "rows at distance exactly 0", "5 dims, standard_sample", "2 dims, standard_population",
        "4 episodes, ", "task: reach", "data_hash: "})
    EXPECT_CONTAINS(people.output, part);
  EXPECT_CONTAINS(people.output, dataset.content_hash());

  const auto json = nlohmann::json::parse(darp_command("info --json " + path("p.darp")).output);
  EXPECT_EQ(json["kind"], "policy");
  EXPECT_EQ(json["policy"], "darp");
  EXPECT_EQ(json["version"], 3);
  EXPECT_EQ(json["widths"], nlohmann::json::array({12, 6, 2}));
  EXPECT_EQ(json["parameters"], 104);
  EXPECT_EQ(json["retrieval"]["kept"], 4);
  const PolicyArchive written = PolicyArchive::read(path("p.darp"));
  const auto quantiles = written.distance_quantiles();
  EXPECT_EQ(json["retrieval"]["distance_quantiles"].get<std::vector<float>>(),
            std::vector<float>(quantiles.begin(), quantiles.end()));
  EXPECT_CONTAINS(people.output,
                  fmt::format("farthest neighbour: median {:.4g}, 99 % within {:.4g}",
                              quantiles[50], quantiles[99]));
  EXPECT_EQ(people.output.find("limits"), std::string::npos);
  EXPECT_EQ(json["rows"], dataset.steps());
  EXPECT_EQ(json["observation"]["scale"].size(), 5u);
  EXPECT_EQ(json["provenance"]["data_hash"], dataset.content_hash());
  EXPECT_EQ(json["bytes"], std::filesystem::file_size(path("p.darp")));
  PolicySpec spec;
  read_yaml(json["settings"].get<std::string>(), "settings", spec);
  EXPECT_EQ(spec, written.spec());

  // The same again gives the same bytes.
  std::filesystem::copy_file(path("p.darp"), path("first.darp"));
  EXPECT_EQ(darp_command(command).code, 0);
  EXPECT_TRUE(std::ranges::equal(MappedFile(path("p.darp")).bytes(),
                                 MappedFile(path("first.darp")).bytes()));
}

TEST_F(PolicyCli, InfoShowsEveryKind) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const PolicyArchive policy(random_policy(seed));
    policy.write(path("p.darp"));
    const Outcome people = darp_command("info " + path("p.darp"));
    EXPECT_EQ(people.code, 0) << people.output;
    EXPECT_CONTAINS(people.output, policy.spec().darp() ? "difference-aware" : "behaviour cloning");
    const auto json = nlohmann::json::parse(darp_command("info --json " + path("p.darp")).output);
    EXPECT_EQ(json["members"], policy.spec().members);
    EXPECT_EQ(json.contains("retrieval"), policy.spec().darp() != nullptr);
  }
}

TEST_F(PolicyCli, InfoShowsLimits) {
  PolicyContents contents = random_policy(1);
  contents.spec.limits = {.low = {-1.5}, .high = {0.25, 2}};
  PolicyArchive(std::move(contents)).write(path("p.darp"));
  EXPECT_CONTAINS(darp_command("info " + path("p.darp")).output, "low -1.5, high [0.25, 2]");
  const auto json = nlohmann::json::parse(darp_command("info --json " + path("p.darp")).output);
  EXPECT_EQ(json["limits"]["low"], nlohmann::json::array({-1.5}));
  EXPECT_EQ(json["limits"]["high"], nlohmann::json::array({0.25, 2}));
}

TEST_F(PolicyCli, InfoShowsAGainThatIsNotOne) {
  for (const double gain : {1.0, 0.75}) {
    PolicyArchive(random_policy(1)).with_gain(gain).write(path("p.darp"));
    const auto json = nlohmann::json::parse(darp_command("info --json " + path("p.darp")).output);
    EXPECT_EQ(json["gain"], gain);
    EXPECT_EQ(darp_command("info " + path("p.darp")).output.find("gain") == std::string::npos,
              gain == 1);
  }
}

TEST_F(PolicyCli, OtherSafetensorsFilesAreShownAsTensors) {
  write_network(path("reach.safetensors"));
  EXPECT_CONTAINS(darp_command("info " + path("reach.safetensors")).output, "(safetensors)");
}

TEST_F(PolicyCli, WrongInputIsOneLineThatSaysWhatToDo) {
  write_network(path("reach.safetensors"));
  write_dataset(random_dataset(3), path("demos.npz"));
  write_dataset(random_dataset(3, {.longest = 30, .parts = {{"observation", 6}}}),
                path("other.npz"));
  PolicyArchive(random_policy(2)).write(path("p.darp"));
  std::string bytes(as_text(MappedFile(path("p.darp")).bytes()));
  bytes[bytes.size() - 3] ^= 1;
  write_file(path("damaged.darp"), bytes);
  write_file(path("short.darp"), "abc");
  const std::string import =
      "import-reference " + path("reach.safetensors") + " --out " + path("out.darp") + " --data ";
  for (const auto& [arguments, message] : std::vector<std::pair<std::string, std::string>>{
           {import + path("other.npz"), "takes 12 numbers and gives 2"},
           {import + path("other.npz"), "give the demonstrations that the network was trained on"},
           {import + path("none.npz"), "none.npz"},
           {"import-reference " + path("p.darp") + " --data " + path("demos.npz") + " --out " +
                path("out.darp"),
            "has no tensor 'layers.0.linear.weight'; give one of the paper's published networks"},
           {import + path("demos.npz") + " --set max_episode_stops=3",
            "did you mean 'max_episode_steps'?"},
           {"info " + path("damaged.darp"), "the file is damaged or was edited"},
           {"info " + path("short.darp"), "short.darp"}}) {
    const Outcome outcome = darp_command(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_TRUE(outcome.output.starts_with("error: ")) << outcome.output;
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1) << outcome.output;
    EXPECT_CONTAINS(outcome.output, message);
  }
  EXPECT_FALSE(std::filesystem::exists(path("out.darp")));
  EXPECT_EQ(darp_command("import-reference x --data y").code, 2);
  EXPECT_CONTAINS(darp_command("import-reference --help").output, "Examples:");
}

TEST_F(PolicyCli, ImportsThePublishedNetworks) {
  DARP_REQUIRE_REFERENCE("weights/hopper-darp.safetensors");
  const std::string weights = (reference_dir() / "weights").string() + "/",
                    demos = (reference_dir() / "demos").string() + "/";
  for (const auto& [name, data, text] : std::vector<std::array<std::string, 3>>{
           {"hopper-darp", "hopper-expert-v2_1.hdf5", "25 -> 128 -> 128 -> 128 -> 3"},
           {"hopper-bc", "hopper-expert-v2_1.hdf5", "11 -> 128 -> 128 -> 128 -> 3"},
           {"walker-darp", "walker2d-expert-v2_1.hdf5", "40 -> 256 -> 256 -> 256 -> 6"},
           {"walker-bc", "walker2d-expert-v2_1.hdf5", "17 -> 256 -> 256 -> 256 -> 6"}}) {
    const Outcome imported =
        darp_command("import-reference " + weights + name + ".safetensors --data " + demos + data +
                     " --out " + path(name + ".darp"));
    EXPECT_EQ(imported.code, 0);
    EXPECT_CONTAINS(imported.output, text);
    EXPECT_CONTAINS(darp_command("info " + path(name + ".darp")).output, text);
  }
}

}  // namespace
}  // namespace darp
