#include "darp/policy/policy_spec.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/error_of.h"
#include "tests/random_policy.h"

namespace darp {
namespace {

PolicySpec read(std::string_view yaml, PolicySpec spec = {}) {
  read_yaml(yaml, "test.yaml", spec);
  return spec;
}

TEST(PolicySpec, SurvivesYaml) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const PolicySpec spec = random_method(seed).spec;
    EXPECT_EQ(read(write_yaml(spec)), spec) << write_yaml(spec);
    EXPECT_EQ(read(write_yaml(spec), random_method(seed + 1).spec), spec) << "over another kind";
  }
}

TEST(PolicySpec, HasTheFieldsOfItsKindBesideTheSharedOnes) {
  const PolicySpec darp = read(
      "kind: darp\nnetwork: {hidden: [64, 32], norm: none}\ninput: {difference: norm, query: "
      "true}\naggregation: {kind: mean}\nretrieval: {k: 7, history: {lookback: 3}}\nmembers: 4\n");
  ASSERT_NE(darp.darp(), nullptr);
  EXPECT_EQ(darp.network()->hidden, (std::vector<int64_t>{64, 32}));
  EXPECT_EQ(darp.darp()->input.difference, NeighborInput::Difference::kNorm);
  EXPECT_EQ(darp.darp()->retrieval.k, 7);
  EXPECT_EQ(darp.darp()->retrieval.history.lookback, 3);
  EXPECT_EQ(darp.members, 4);

  // The kind decides, wherever it stands.
  const PolicySpec bc = read("network: {hidden: [16]}\nactions: min_max\nkind: bc\n");
  EXPECT_EQ(bc.kind_name(), "bc");
  EXPECT_EQ(bc.network()->hidden, std::vector<int64_t>{16});
  EXPECT_EQ(bc.actions, NormalizerKind::kMinMax);
}

TEST(PolicySpec, AnotherKindKeepsTheNetwork) {
  PolicySpec spec = read("network: {hidden: [16, 8], dropout: 0.5}\nretrieval: {k: 7}");
  const MlpSettings network = *spec.network();
  apply_override("kind=bc", spec);
  EXPECT_EQ(spec.darp(), nullptr);
  EXPECT_EQ(*spec.network(), network);
  apply_override("network.norm=none", spec);
  EXPECT_EQ(spec.kind_name(), "bc");
  EXPECT_EQ(spec.network()->norm, MlpSettings::Norm::kNone);
  apply_override("kind=darp", spec);
  ASSERT_NE(spec.darp(), nullptr);
  EXPECT_EQ(spec.network()->hidden, network.hidden);
  EXPECT_EQ(spec.darp()->retrieval, RetrievalSettings{});
  // One field changes, the rest of the kind stays.
  apply_override("retrieval.history.lookback=3", spec);
  apply_override("kind=darp", spec);
  EXPECT_EQ(spec.darp()->retrieval.history.lookback, 3);
}

TEST(PolicySpec, RefusesWhatItsKindDoesNotHave) {
  const auto reading = [](std::string_view yaml) { return error_of([&] { read(yaml); }); };
  EXPECT_SAYS(reading("kind: bcc"),
              "'kind' is 'bcc', expected one of its names; did you mean 'bc'");
  EXPECT_SAYS(reading("kind: bc\nretrieval: {k: 7}"),
              "test.yaml:2: unknown setting 'retrieval'; valid: kind, network, head, observations");
  EXPECT_SAYS(reading("retrievel: {k: 7}"), "did you mean 'retrieval'?");
  EXPECT_SAYS(reading("network: {hiden: [7]}"), "did you mean 'hidden'?");
  EXPECT_SAYS(reading("network: {hidden: [7, 0]}"), "'network.hidden[1]' is '0'");
  EXPECT_SAYS(reading("network: {hidden: [65537]}"), "from 1 to 65536");
  EXPECT_SAYS(reading("observations: standard"), "valid: identity, standard_sample");
  EXPECT_SAYS(reading("members: 1025"), "from 1 to 1024");
  EXPECT_SAYS(reading("aggregation: {kind: median}"), "valid: mean");
  PolicySpec bc = read("kind: bc");
  EXPECT_SAYS(error_of([&] { apply_override("retrieval.k=3", bc); }),
              "unknown setting 'retrieval'");
}

TEST(PolicySpec, ChecksWhatNoNetworkCanBe) {
  const auto checking = [](const std::function<void(PolicySpec&, DarpSpec&)>& change) {
    PolicySpec spec;
    change(spec, std::get<DarpSpec>(spec.kind));
    return error_of([&] { spec.check(); });
  };
  EXPECT_EQ(checking([](PolicySpec&, DarpSpec&) {}), "no error");
  EXPECT_EQ(checking([](PolicySpec&, DarpSpec& d) { d.network.hidden = {}; }), "no error");
  EXPECT_SAYS(checking([](PolicySpec&, DarpSpec& d) {
                d.network.hidden = {3, 0};
              }),
              "network.hidden: layer 1 has 0 units; give 1 to 65536");
  EXPECT_SAYS(checking([](PolicySpec&, DarpSpec& d) { d.network.hidden.assign(65, 1); }),
              "has 65 layers; give at most 64");
  EXPECT_SAYS(checking([](PolicySpec&, DarpSpec& d) { d.network.dropout = 1; }),
              "network.dropout: is 1; choose from 0 to below 1");
  EXPECT_SAYS(checking([](PolicySpec& s, DarpSpec&) { s.members = 0; }), "members: is 0");
  EXPECT_SAYS(checking([](PolicySpec& s, DarpSpec&) { s.members = 1025; }), "choose 1 to 1024");
  for (const double scale : {0.0, -1.0, 1e-60, 1e60, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_SAYS(checking([&](PolicySpec&, DarpSpec& d) { d.input.difference_scale = scale; }),
                "input.difference_scale: is");
  EXPECT_SAYS(
      checking([](PolicySpec&, DarpSpec& d) {
        d.input = {.state = false, .action = false, .difference = NeighborInput::Difference::kNone};
      }),
      "leaves the network nothing to see; set one of state, action");
}

TEST(PolicySpec, ChecksThatLimitsLeaveActions) {
  const auto checking = [](std::vector<double> low, std::vector<double> high) {
    PolicySpec spec;
    spec.limits = {std::move(low), std::move(high)};
    return error_of([&] { spec.check(); });
  };
  EXPECT_EQ(read("limits: {low: [-1], high: [0.5, 2]}").limits,
            (ActionLimits{.low = {-1}, .high = {0.5, 2}}));
  EXPECT_EQ(checking({-1}, {0.5, 2}), "no error");
  EXPECT_EQ(checking({1, 2}, {1, 2}), "no error");
  EXPECT_EQ(checking({5}, {}), "no error");
  EXPECT_SAYS(checking({1}, {2, 0.5}), "limits: low 1 is above high 0.5 (entry 1); exchange them");
  EXPECT_SAYS(checking({0, 3}, {2}), "low 3 is above high 2 (entry 1)");
  EXPECT_SAYS(checking({0, 3}, {1, 2}), "low 3 is above high 2 (entry 1)");
  EXPECT_SAYS(checking({1, 2, 3}, {4, 5}), "limits: has 3 low and 2 high numbers; give one for");
  for (const double bad : {1e39, -1e39, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_SAYS(checking({0, bad}, {}), "limits.low: entry 1 is");
    EXPECT_SAYS(checking({}, {bad}), "limits.high: entry 0 is");
  }
}

TEST(PolicySpec, IsDocumentedAsItIs) {
  const MappedFile guide(DARP_SOURCE_DIR "/docs/policies.md");
  PolicySpec bc;
  bc.kind = BcSpec{};
  for (const std::string& table : {markdown_table(PolicySpec{}), markdown_table(bc)})
    EXPECT_NE(as_text(guide.bytes()).find(table), std::string::npos)
        << "put this into docs/policies.md:\n"
        << table;
}

TEST(PolicySpec, HasItsPartsInTheGuideToMethods) {
  using Kind = AggregationSettings::Kind;
  const MappedFile guide(DARP_SOURCE_DIR "/docs/methods.md");
  AggregationSettings sets, transformer;
  sets.kind = Kind::kDeepSets;
  transformer.kind = Kind::kSetTransformer;
  HeadSettings mixture;
  mixture.kind = HeadSettings::Kind::kGmm;
  for (const std::string& table :
       {markdown_table(sets), markdown_table(transformer), markdown_table(mixture),
        markdown_table(ChunkSettings{}), markdown_table(UnetSettings{}),
        markdown_table(DenoisingSettings{}), markdown_table(TransformerSettings{})})
    EXPECT_NE(as_text(guide.bytes()).find(table), std::string::npos)
        << "put this into docs/methods.md:\n"
        << table;
}

}  // namespace
}  // namespace darp
