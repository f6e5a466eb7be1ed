#include "darp/policy/policy_archive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "darp/retrieval/retriever.h"
#include "tests/error_of.h"
#include "tests/random_dataset.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                kInfinity = std::numeric_limits<float>::infinity();

PolicyArchive parse(Bytes bytes) {
  return PolicyArchive::from(SafetensorsFile::parse(bytes, "p.darp", {.require_checksum = true}));
}

/// A retrieving policy with two members.
PolicyContents sample() {
  Rng rng(5);
  PolicyContents c = random_policy(2);
  DarpSpec darp;
  darp.network.hidden = {3};
  darp.retrieval.k = 2;
  c.spec = {};
  c.spec.kind = darp;
  c.spec.members = 2;
  c.members.clear();
  const auto parameters = network_parameters(darp.network, c.spec.inputs(4, 2), 2);
  for (uint64_t m = 0; m < 2; ++m)
    initialize_parameters(parameters, rng.split(m),
                          c.members.emplace_back(static_cast<size_t>(parameter_count(parameters))));
  return c;
}

/// A file that may be changed before it is read.
struct EditedFile {
  SafetensorsMetadata metadata;
  std::map<std::string, std::vector<std::byte>> data;
  std::vector<TensorView> tensors;

  explicit EditedFile(const PolicyContents& contents) : EditedFile(PolicyArchive(copy(contents))) {}
  explicit EditedFile(const PolicyArchive& policy) {
    const std::vector<std::byte> bytes = policy.bytes();
    const auto file = SafetensorsFile::parse(bytes, "p.darp");
    metadata = file.metadata();
    for (const TensorView& tensor : file.tensors()) {
      data[tensor.name].assign(tensor.data.begin(), tensor.data.end());
      tensors.push_back(tensor);
      tensors.back().data = data[tensor.name];
    }
  }
  static PolicyContents copy(const PolicyContents& c) {
    return {.spec = c.spec,
            .observations = c.observations,
            .actions = c.actions,
            .members = c.members,
            .demonstrations = {.observations = Matrix::copy_of(c.demonstrations.observations),
                               .actions = Matrix::copy_of(c.demonstrations.actions),
                               .episode_ends = c.demonstrations.episode_ends},
            .distance_quantiles = c.distance_quantiles,
            .provenance = c.provenance};
  }

  TensorView& tensor(const std::string& name) {
    for (TensorView& tensor : tensors)
      if (tensor.name == name) return tensor;
    throw std::logic_error("no tensor " + name);
  }
  /// Zeros of another shape or type.
  void reshape(const std::string& name, std::vector<uint64_t> shape, Dtype dtype = Dtype::kF32) {
    TensorView& view = tensor(name);
    view.dtype = dtype;
    view.shape = std::move(shape);
    data[name].assign(tensor_bytes(view.dtype, view.shape).value(), std::byte{0});
    view.data = data[name];
  }
  void remove(const std::string& name) {
    std::erase_if(tensors, [&](const TensorView& tensor) { return tensor.name == name; });
  }
  std::string error() const {
    const auto bytes = safetensors_bytes(metadata, tensors);
    return error_of([&] { parse(bytes); });
  }
};

std::string error_after(const std::function<void(EditedFile&)>& change) {
  EditedFile file(sample());
  change(file);
  return file.error();
}

std::string error_after(const std::function<void(PolicyContents&)>& change) {
  PolicyContents contents = sample();
  change(contents);
  return error_of([&] { PolicyArchive policy(std::move(contents)); });
}

TEST(PolicyArchive, KeepsEveryBitOfEveryKindOfPolicy) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "policy_archive_test.darp";
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const PolicyArchive policy(random_method(seed));
    policy.write(path);
    const PolicyArchive back = PolicyArchive::read(path);
    EXPECT_TRUE(identical(policy, back)) << "seed " << seed;
    EXPECT_EQ(policy.bytes(), back.bytes());
    EXPECT_TRUE(std::ranges::equal(MappedFile(path).bytes(), policy.bytes()));
    // What passes as an archive also makes a retriever.
    if (const DarpSpec* darp = policy.spec().darp()) {
      RetrievalSettings settings = darp->retrieval;
      settings.metric = settings.metric.in_units_of(policy.observations());
      const Matrix rows = policy.observations().apply(policy.demonstrations().observations);
      EXPECT_EQ(error_of([&] { Retriever(rows, policy.demonstrations().episode_ends, settings); }),
                "no error");
    }
  }
  std::filesystem::remove(path);
}

TEST(PolicyArchive, AlignsEveryTensor) {
  const auto bytes = PolicyArchive(sample()).bytes();
  const auto file = SafetensorsFile::parse(bytes, "p.darp");
  for (const TensorView& tensor : file.tensors()) {
    const auto begin = static_cast<size_t>(tensor.data.data() - bytes.data());
    ASSERT_LT(begin, bytes.size()) << tensor.name << " had to be copied";
    EXPECT_EQ(begin % dtype_size(tensor.dtype), 0u) << tensor.name;
  }
}

TEST(PolicyArchive, SaysSoWhenTruncatedAnywhere) {
  for (const uint64_t seed : {0, 1}) {
    const auto bytes = PolicyArchive(random_method(seed, {.episodes = 2, .longest = 3})).bytes();
    for (size_t length = 0; length < bytes.size(); ++length)
      ASSERT_NE(error_of([&] { parse(Bytes(bytes).first(length)); }), "no error") << length;
  }
}

TEST(PolicyArchive, AChangedByteIsAnErrorOrChangesNothing) {
  Rng rng(7);
  for (const uint64_t seed : {0, 1}) {
    const PolicyArchive policy(random_method(seed, {.episodes = 2, .longest = 3}));
    std::vector<std::byte> bytes = policy.bytes();
    for (size_t i = 0; i < bytes.size(); ++i) {
      const std::byte kept = bytes[i];
      bytes[i] ^= static_cast<std::byte>(1 + rng.below(255));
      try {
        ASSERT_TRUE(identical(parse(bytes), policy)) << "byte " << i;
      } catch (const Error&) {
      }
      bytes[i] = kept;
    }
  }
}

TEST(PolicyArchive, RefusesWhatIsNoPolicyOfThisVersion) {
  for (const std::string version : {"1", "2"})
    EXPECT_SAYS(error_after([&](EditedFile& f) { f.metadata["darp.version"] = version; }),
                "p.darp: is version '" + version +
                    "' of the policy format, this program reads 3; use the version of darp that "
                    "wrote it");
  EXPECT_SAYS(error_after([](EditedFile& f) { f.metadata.erase("darp.version"); }),
              "has no 'darp.version' in its metadata");
  EXPECT_SAYS(error_after([](EditedFile& f) { f.metadata["darp.kind"] = "neighbor table"; }),
              "p.darp: is not a policy; darp info tells what it is");
  EXPECT_SAYS(error_after([](EditedFile& f) { f.metadata.erase("darp.kind"); }), "is not a policy");
  EXPECT_SAYS(error_after([](EditedFile& f) { f.metadata.erase("darp.spec"); }),
              "has no 'darp.spec' in its metadata");
  EXPECT_SAYS(error_after([](EditedFile& f) { f.metadata["darp.spec"] = "kind: darp\nmember: 2"; }),
              "p.darp: darp.spec:2: unknown setting 'member'; did you mean 'members'?");
  EXPECT_SAYS(error_after([](EditedFile& f) { f.metadata["format"] = "pt"; }),
              "has metadata 'format', which version 3 does not have");
  EXPECT_SAYS(error_after([](EditedFile& f) {
                f.metadata["darp.spec"] = "input: {state: false, action: false, difference: none}";
              }),
              "p.darp: input: leaves the network nothing to see");
}

TEST(PolicyArchive, NeedsItsChecksum) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "no_checksum.darp";
  const auto bytes = PolicyArchive(sample()).bytes();
  std::string text(as_text(bytes));
  const size_t at = text.find("darp.checksum");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 13, "provenance.no");
  write_file(path, text);
  EXPECT_SAYS(error_of([&] { PolicyArchive::read(path); }),
              "has no 'darp.checksum' in its metadata; another tool has written it anew");
  write_file(path, "no safetensors");
  EXPECT_SAYS(error_of([&] { PolicyArchive::read(path); }), "not a safetensors file");
  std::filesystem::remove(path);
}

TEST(PolicyArchive, RefusesTensorsThatDoNotFit) {
  const auto removed = [](const std::string& name) {
    return error_after([&](EditedFile& f) { f.remove(name); });
  };
  const auto reshaped = [](const std::string& name, const std::vector<uint64_t>& shape,
                           Dtype dtype = Dtype::kF32) {
    return error_after([&](EditedFile& f) { f.reshape(name, shape, dtype); });
  };
  for (const std::string name :
       {"observations.scale", "members.1.layers.0.norm.bias", "demonstrations.episode_ends",
        "demonstrations.actions", "demonstrations.distance_quantiles"})
    EXPECT_SAYS(removed(name), "p.darp: has no tensor '" + name + "'; create the policy again");
  EXPECT_SAYS(reshaped("observations.scale", {5}), "has the shape [5], expected [4]");
  EXPECT_SAYS(reshaped("observations.scale", {4}), "p.darp: normalizer, dimension 0: offset");
  EXPECT_SAYS(reshaped("observations.offset", {4}, Dtype::kF64),
              "is F64 [4], expected F32 with 1 dimensions");
  EXPECT_SAYS(reshaped("members.0.layers.0.linear.weight", {3, 11}),
              "has the shape [3, 11], expected [3, 10]");
  EXPECT_SAYS(reshaped("members.1.layers.1.linear.weight", {2, 4}), "expected [2, 3]");
  EXPECT_SAYS(reshaped("members.1.layers.1.linear.bias", {2, 1}), "expected F32 with 1 dimensions");
  EXPECT_SAYS(reshaped("demonstrations.observations", {2, 5}), "has the shape [2, 5], expected");
  EXPECT_SAYS(reshaped("demonstrations.actions", {2, 2}), "has the shape [2, 2], expected");
  EXPECT_SAYS(reshaped("demonstrations.distance_quantiles", {100}),
              "has the shape [100], expected [101]");
  EXPECT_SAYS(reshaped("demonstrations.distance_quantiles", {101}, Dtype::kF64), "is F64 [101]");
  EXPECT_SAYS(reshaped("demonstrations.episode_ends", {2}, Dtype::kI32), "is I32 [2]");
  EXPECT_SAYS(reshaped("demonstrations.episode_ends", {2}, Dtype::kI64),
              "p.darp: demonstrations.episode_ends: has 0 after 0: ends must ascend from above 0");
  EXPECT_SAYS(error_after([](EditedFile& f) {
                f.tensors.push_back(f.tensors.back());
                f.tensors.back().name = "members.2.layers.0.linear.weight";
              }),
              "has a tensor 'members.2.layers.0.linear.weight', which such a policy does not have");
  EXPECT_SAYS(error_after([](EditedFile& f) {
                f.metadata["darp.spec"] = "members: 3\nnetwork: {hidden: [3]}\nretrieval: {k: 2}";
              }),
              "has no tensor 'members.2.layers.0.linear.weight'");
  EXPECT_SAYS(error_after([](EditedFile& f) {
                f.metadata["darp.spec"] = "members: 2\nnetwork: {hidden: [65536, 65536]}";
              }),
              "has the shape [3, 10], expected [65536, 10]");
}

TEST(PolicyArchive, HoldsNothingButRowsThatExist) {
  // Rows without columns take no bytes, however many are promised.
  EditedFile file(sample());
  for (const std::string name : {"observations.offset", "observations.scale"})
    file.reshape(name, {0});
  file.reshape("members.0.layers.0.linear.weight", {3, 2});
  file.reshape("members.1.layers.0.linear.weight", {3, 2});
  file.reshape("demonstrations.observations", {uint64_t{1} << 62, 0});
  EXPECT_SAYS(file.error(), "has a normalizer without dimensions");
}

TEST(PolicyArchive, RefusesContentsThatDoNotFit) {
  EXPECT_EQ(error_after([](PolicyContents&) {}), "no error");
  EXPECT_SAYS(error_after([](PolicyContents& c) { c.members.pop_back(); }),
              "members: there are 1, the settings say 2; train or import the policy again");
  EXPECT_SAYS(error_after([](PolicyContents& c) { c.members[1].pop_back(); }),
              "member 1: has 46 numbers, its network has 47");
  EXPECT_SAYS(error_after([](PolicyContents& c) { c.members[1].back() = kNan; }),
              "member 1, layers.1.linear.bias: holds NaN or infinity");
  EXPECT_SAYS(error_after([](PolicyContents& c) { c.observations = Normalizer::identity(0); }),
              "normalizers: have 0 observation and 2 action dimensions");
  EXPECT_SAYS(error_after([](PolicyContents& c) { c.demonstrations.actions(1, 1) = kNan; }),
              "demonstrations.actions: row 1 holds NaN or infinity");
  EXPECT_SAYS(error_after([](PolicyContents& c) { c.demonstrations = {}; }),
              "demonstrations: there are none, and this kind of policy retrieves from them");
  EXPECT_SAYS(
      error_after([](PolicyContents& c) { c.demonstrations.observations = Matrix::zeros(9, 3); }),
      "demonstrations.observations: has rows of 3 numbers, the normalizer has 4");
  EXPECT_SAYS(error_after([](PolicyContents& c) { c.demonstrations.episode_ends.back() += 1; }),
              "rows, the episodes end at");
  EXPECT_SAYS(error_after([](PolicyContents& c) {
                c.spec.kind = BcSpec{{.hidden = {3}}};
                c.members = {std::vector<float>(3 * 4 + 3 + 6 + 6 + 2),
                             std::vector<float>(3 * 4 + 3 + 6 + 6 + 2)};
              }),
              "a bc policy retrieves from none, yet some are given; leave them out");
  const auto retrieval = [](const std::function<void(RetrievalSettings&)>& change) {
    return error_after(
        [&](PolicyContents& c) { change(std::get<DarpSpec>(c.spec.kind).retrieval); });
  };
  EXPECT_SAYS(retrieval([](RetrievalSettings& s) { s.k = 1000; }), "retrieval.k: is 1000, but");
  EXPECT_SAYS(retrieval([](RetrievalSettings& s) {
                s.metric.weights = {1, 2};
              }),
              "metric.weights: has 2 entries for rows of 4 columns");
  EXPECT_SAYS(retrieval([](RetrievalSettings& s) { s.metric.periods = {1}; }),
              "metric.periods: has 1 entries for 4 columns");
  EXPECT_SAYS(retrieval([](RetrievalSettings& s) { s.history.rate = -1; }), "history.rate: is -1");
  EXPECT_SAYS(retrieval([](RetrievalSettings& s) {
                s.scope = RetrievalSettings::Scope::kCandidates;
                s.ratio = 0.1;
              }),
              "keeps floor(2 x 0.1) = 0 neighbours");
}

TEST(PolicyArchive, RefusesQuantilesThatAreNone) {
  const auto quantiles = [](const std::function<void(std::vector<float>&)>& change) {
    return error_after([&](PolicyContents& c) { change(c.distance_quantiles); });
  };
  EXPECT_EQ(quantiles([](std::vector<float>& q) { q.assign(101, 0); }), "no error");
  EXPECT_SAYS(quantiles([](std::vector<float>& q) { q.pop_back(); }),
              "demonstrations.distance_quantiles: has 100 numbers, expected 101; train or import");
  EXPECT_SAYS(quantiles([](std::vector<float>& q) { q.clear(); }), "has 0 numbers");
  EXPECT_SAYS(quantiles([](std::vector<float>& q) { q.back() = kNan; }), "has nan after");
  EXPECT_SAYS(quantiles([](std::vector<float>& q) { q.back() = kInfinity; }), "has inf after");
  EXPECT_SAYS(quantiles([](std::vector<float>& q) { q.front() = -1; }), "has -1 after 0");
  EXPECT_SAYS(quantiles([](std::vector<float>& q) { q[50] = q[51] + 1; }),
              "distances ascend from 0 and are finite");
  PolicyContents bc = random_policy(1);
  bc.distance_quantiles.assign(101, 1);
  EXPECT_SAYS(error_of([&] { PolicyArchive policy(std::move(bc)); }),
              "a bc policy retrieves from none, yet some are given");
}

TEST(PolicyArchive, GivesALimitForEveryActionDimension) {
  const auto limits = [](const ActionLimits& given) {
    PolicyContents contents = sample();
    contents.spec.limits = given;
    const PolicyArchive policy(std::move(contents));
    const auto low = policy.lowest_action(), high = policy.highest_action();
    return std::pair(std::vector<float>(low.begin(), low.end()),
                     std::vector<float>(high.begin(), high.end()));
  };
  using Floats = std::vector<float>;
  EXPECT_EQ(limits({}), std::pair(Floats(2, -kInfinity), Floats(2, kInfinity)));
  EXPECT_EQ(limits({.low = {-0.5}, .high = {}}), std::pair(Floats(2, -0.5f), Floats(2, kInfinity)));
  EXPECT_EQ(limits({.low = {-1, 0.1}, .high = {2}}), std::pair(Floats{-1, 0.1f}, Floats{2, 2}));
  EXPECT_EQ(limits({.low = {}, .high = {3, 4}}), std::pair(Floats(2, -kInfinity), Floats{3, 4}));
}

TEST(PolicyArchive, ChangesItsGainAndNothingElse) {
  const PolicyArchive before(sample());
  const PolicyArchive after = PolicyArchive(sample()).with_gain(0.5);
  EXPECT_EQ(before.actions_in_use(), before.actions());
  EXPECT_EQ(after.actions(), before.actions());
  EXPECT_EQ(after.members(), before.members());
  for (int64_t j = 0; j < before.action_dim(); ++j) {
    EXPECT_EQ(after.actions_in_use().scale()[j], 0.5f * before.actions().scale()[j]);
    EXPECT_EQ(after.actions_in_use().offset()[j], 0.5f * before.actions().offset()[j]);
  }
  PolicySpec spec = before.spec();
  spec.gain = 0.5;
  EXPECT_EQ(after.spec(), spec);
  for (const double gain : {0.0, -1.0, 1e-4, 2e3, double{kNan}, double{kInfinity}})
    EXPECT_SAYS(error_after([&](PolicyContents& c) { c.spec.gain = gain; }),
                fmt::format("gain: is {}; choose 0.001 to 1000", gain));
}

TEST(PolicyArchive, RefusesLimitsThatDoNotFit) {
  const auto error = [](const ActionLimits& limits) {
    return error_after([&](PolicyContents& c) { c.spec.limits = limits; });
  };
  EXPECT_SAYS(error({.low = {1, 2, 3}, .high = {}}),
              "limits.low: has 3 numbers for 2 action dimensions; give one for each dimension, one "
              "for all, or none");
  EXPECT_SAYS(error({.low = {0}, .high = {1, 2, 3}}), "limits.high: has 3 numbers");
  EXPECT_SAYS(error({.low = {2}, .high = {1}}), "limits: low 2 is above high 1");
  // The file says so too, and its name.
  const std::string spec =
      "members: 2\nnetwork: {hidden: [3]}\nretrieval: {k: 2}\nlimits: {low: [1, 2, 3]}";
  EXPECT_SAYS(error_after([&](EditedFile& f) { f.metadata["darp.spec"] = spec; }),
              "p.darp: limits.low: has 3 numbers");
}

TEST(PolicyArchive, RefusesProvenanceThatIsNoText) {
  PolicyContents contents = sample();
  contents.provenance["data"] = "\xff";
  const PolicyArchive policy(std::move(contents));
  EXPECT_SAYS(error_of([&] { policy.bytes(); }), "is not UTF-8");
}

TEST(PolicyArchive, FitsDatasetsOfItsDimensions) {
  const PolicyArchive policy(sample());
  check_fits(policy, random_dataset(1, {.action_dim = 2, .parts = {{"observation", 4}}}));
  EXPECT_SAYS(
      error_of([&] {
        check_fits(policy, random_dataset(1, {.action_dim = 3, .parts = {{"observation", 5}}}));
      }),
      "random: has 5 observation and 3 action dimensions, the policy has 4 and 2; give "
      "demonstrations of the policy's task");
}

}  // namespace
}  // namespace darp
