#include "darp/policy/import_reference.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "darp/policy/novelty.h"
#include "tests/error_of.h"
#include "tests/published_network.h"
#include "tests/random_dataset.h"

namespace darp {
namespace {

/// A network as the paper's authors published theirs, with random numbers.
struct PublishedNetwork {
  SafetensorsMetadata metadata = {{"kind", "darp"},
                                  {"task", "reach"},
                                  {"activation", "relu"},
                                  {"retrieval.k", "9"},
                                  {"retrieval.final_neighbors_ratio", "0.5"},
                                  {"retrieval.lookback", "4"},
                                  {"retrieval.decay_rate", "-0.25"},
                                  {"retrieval.method", "knn"}};
  MlpSettings network;
  int64_t inputs = 12, outputs = 2;
  std::vector<float> numbers;
  std::vector<std::byte> bytes;

  PublishedNetwork() { network.hidden = {6, 7}; }

  SafetensorsFile file() {
    const auto parameters = network_parameters(network, inputs, outputs);
    numbers.resize(static_cast<size_t>(parameter_count(parameters)));
    initialize_parameters(parameters, Rng(1), numbers);
    bytes = safetensors_bytes(metadata, network_tensors(parameters, numbers));
    return SafetensorsFile::parse(bytes, "weights/reach.safetensors");
  }
};

Dataset demonstrations(int64_t observations = 5, int64_t actions = 2) {
  return random_dataset(
      3, {.longest = 30, .action_dim = actions, .parts = {{"observation", observations}}});
}

std::string error_after(const std::function<void(PublishedNetwork&)>& change,
                        int64_t observations = 5) {
  PublishedNetwork network;
  change(network);
  const auto file = network.file();
  const Dataset dataset = demonstrations(observations);
  return error_of([&] { PolicyArchive(import_reference(file, dataset)); });
}

TEST(ImportReference, FollowsThePublishedCode) {
  PublishedNetwork network;
  const auto file = network.file();
  const Dataset dataset = demonstrations();
  const PolicyArchive policy(import_reference(file, dataset));
  const DarpSpec* darp = policy.spec().darp();
  ASSERT_NE(darp, nullptr);
  EXPECT_EQ(darp->network, network.network);
  EXPECT_EQ(static_cast<float>(darp->input.difference_scale), 0.70710678f);
  EXPECT_EQ(darp->retrieval.k, 9);
  EXPECT_EQ(darp->retrieval.kept(), 4);
  EXPECT_EQ(darp->retrieval.scope, RetrievalSettings::Scope::kCandidates);
  EXPECT_EQ(darp->retrieval.exclude, RetrievalSettings::Exclude::kZero);
  EXPECT_EQ(darp->retrieval.history.decay, HistorySettings::Decay::kPower);
  EXPECT_EQ(darp->retrieval.history.rate, -0.25);
  EXPECT_EQ(darp->retrieval.history.lookback, 4);
  EXPECT_FALSE(darp->retrieval.history.renormalize);
  EXPECT_EQ(policy.observations(),
            Normalizer::fit(NormalizerKind::kStandardSample, dataset.observations()));
  EXPECT_EQ(policy.actions(),
            Normalizer::fit(NormalizerKind::kStandardPopulation, dataset.actions()));
  EXPECT_EQ(policy.members(), std::vector<std::vector<float>>{network.numbers});
  EXPECT_TRUE(same_bits(policy.demonstrations().observations, dataset.observations()));
  EXPECT_EQ(policy.demonstrations().episode_ends, dataset.episode_ends());
  ThreadPool pool(1);
  EXPECT_TRUE(std::ranges::equal(
      policy.distance_quantiles(),
      distance_quantiles(policy.spec(), policy.observations(), policy.demonstrations(), pool)));
  EXPECT_GT(policy.distance_quantiles().back(), 0);
  EXPECT_EQ(policy.provenance().at("task"), "reach");
  EXPECT_EQ(policy.provenance().at("network"), "reach.safetensors");
  EXPECT_EQ(policy.provenance().at("data_hash"), dataset.content_hash());
}

TEST(ImportReference, TakesBehaviourCloningToo) {
  PublishedNetwork network;
  network.metadata = {{"kind", "bc"}};
  network.inputs = 5;
  network.network.norm = MlpSettings::Norm::kNone;
  const auto file = network.file();
  const Dataset dataset = demonstrations();
  const PolicyArchive policy(import_reference(file, dataset));
  EXPECT_EQ(policy.spec().kind_name(), "bc");
  EXPECT_EQ(*policy.spec().network(), network.network);
  EXPECT_EQ(policy.observations(),
            Normalizer::fit(NormalizerKind::kStandardPopulation, dataset.observations()));
  EXPECT_TRUE(policy.demonstrations().episode_ends.empty());
}

TEST(ImportReference, SaysWhatDoesNotFit) {
  using N = PublishedNetwork;
  EXPECT_SAYS(error_after([](N&) {}, 6),
              "weights/reach.safetensors: takes 12 numbers and gives 2; random, with 6 observation "
              "and 2 action dimensions, needs 14 and 2; give the demonstrations that the network "
              "was trained on");
  EXPECT_SAYS(error_after([](N& n) { n.outputs = 3; }), "gives 3; random, with 5 observation");
  EXPECT_SAYS(error_after([](N& n) { n.metadata.erase("kind"); }), "has no 'kind' in its metadata");
  EXPECT_SAYS(error_after([](N& n) { n.metadata["kind"] = "dorp"; }),
              "is of kind 'dorp'; did you mean 'darp'?");
  EXPECT_SAYS(error_after([](N& n) { n.metadata["activation"] = "gelu"; }),
              "'activation' is 'gelu', only relu can be imported");
  EXPECT_SAYS(error_after([](N& n) { n.metadata["retrieval.method"] = "dtw"; }), "only knn");
  EXPECT_SAYS(error_after([](N& n) { n.metadata.erase("retrieval.k"); }), "has no 'retrieval.k'");
  for (const char* text : {"", "x", "9.5", "9 ", "99999999999999999999"})
    EXPECT_SAYS(error_after([&](N& n) { n.metadata["retrieval.k"] = text; }), "no finite number");
  for (const char* text : {"nan", "inf", "0x1p3"})
    EXPECT_SAYS(error_after([&](N& n) { n.metadata["retrieval.decay_rate"] = text; }),
                "no finite number");
  EXPECT_SAYS(error_after([](N& n) { n.metadata["retrieval.decay_rate"] = "0.5"; }), "above 0");
  EXPECT_SAYS(error_after([](N& n) { n.metadata["retrieval.k"] = "1000"; }), "is 1000, but");
}

TEST(ImportReference, RefusesOtherTensors) {
  const Dataset dataset = demonstrations();
  const std::vector<float> zeros(1000);
  const auto error = [&](std::vector<TensorView> tensors) {
    for (TensorView& tensor : tensors)
      tensor.data =
          std::as_bytes(std::span(zeros)).first(*tensor_bytes(tensor.dtype, tensor.shape));
    const auto bytes = safetensors_bytes({{"kind", "bc"}}, tensors);
    const auto file = SafetensorsFile::parse(bytes, "w");
    return error_of([&] { PolicyArchive(import_reference(file, dataset)); });
  };
  const auto f32 = Dtype::kF32;
  EXPECT_SAYS(error({}), "w: has no tensor 'layers.0.linear.weight'");
  EXPECT_SAYS(error({{"layers.0.linear.weight", f32, {10}, {}}}), "has the shape [10], expected");
  EXPECT_SAYS(error({{"layers.0.linear.weight", f32, {0, 5}, {}}}), "has the shape [0, 5]");
  EXPECT_SAYS(error({{"layers.0.linear.weight", f32, {2, 5}, {}}}),
              "has 1 tensors, such a network has 2");
  EXPECT_SAYS(
      error({{"layers.0.linear.weight", f32, {2, 5}, {}}, {"layers.0.linear.bias", f32, {3}, {}}}),
      "'layers.0.linear.bias' has the shape [3], expected [2]");
  EXPECT_SAYS(
      error({{"layers.0.linear.weight", f32, {2, 5}, {}}, {"layers.0.linear.bais", f32, {2}, {}}}),
      "has no tensor 'layers.0.linear.bias'");
  EXPECT_EQ(
      error({{"layers.0.linear.weight", f32, {2, 5}, {}}, {"layers.0.linear.bias", f32, {2}, {}}}),
      "no error");
}

TEST(ReferenceConventions, AreAValidPresetForBothKinds) {
  PolicySpec spec;
  std::get<DarpSpec>(spec.kind).retrieval.k = 7;
  apply_reference_conventions(spec);
  EXPECT_EQ(spec.darp()->retrieval.k, 7);
  EXPECT_EQ(spec.darp()->retrieval.history.rate, -0.1);
  EXPECT_EQ(spec.observations, NormalizerKind::kStandardSample);
  const PolicySpec once = spec;
  apply_reference_conventions(spec);
  EXPECT_EQ(spec, once);

  spec.kind = BcSpec{};
  apply_reference_conventions(spec);
  EXPECT_EQ(spec.observations, NormalizerKind::kStandardPopulation);
}

}  // namespace
}  // namespace darp
