// Filters and energies on small graphs, against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "darp/study/analysis/spectral_filters.h"
#include "darp/study/analysis/spectral_records.h"
#include "darp/study/analysis/spectral_signals.h"
#include "darp/study/spectral_exhibits.h"

// Last: its kUniform is a name of members in others.
#include "darp/retrieval/graph/tables_for_tests.h"

namespace darp {
namespace {

Spectrum symmetric(const NeighborGraph& graph) {
  return laplacian_spectrum(graph, LaplacianForm::kSymmetric);
}

DoubleMatrix random_signal(uint64_t seed, int64_t rows, int64_t cols) {
  Rng rng(seed);
  DoubleMatrix signal(rows, cols);
  for (int64_t i = 0; i < rows; ++i)
    for (double& x : signal.row(i)) x = rng.normal();
  return signal;
}

TEST(SpectralFilters, ARingIsAveragedByOneMinusMuWithMuOneMinusCosine) {
  constexpr int32_t kRows = 12;
  const NeighborTable table = ring_table(kRows);
  const NeighborGraph graph(table, kUniform);
  const Spectrum spectrum = symmetric(graph);
  std::vector<double> wanted;
  for (int j = 0; j < kRows; ++j) wanted.push_back(1 - std::cos(2 * std::numbers::pi * j / kRows));
  std::sort(wanted.begin(), wanted.end());
  for (const SparseMatrix& map : {aggregation_matrix(table), walk_matrix(graph)}) {
    const ModeGains gains = mode_gains(spectrum, map);
    for (size_t j = 0; j < kRows; ++j) {
      EXPECT_NEAR(spectrum.eigenvalues[j], wanted[j], 1e-12);
      EXPECT_NEAR(gains.gain[j], 1 - wanted[j], 1e-12);
      EXPECT_NEAR(gains.leak[j], 0, 1e-7);
    }
  }
  // An even ring's last mode changes its sign from row to row: averaging turns it round.
  EXPECT_NEAR(mode_gains(spectrum, aggregation_matrix(table)).gain.back(), -1, 1e-12);
}

TEST(SpectralFilters, WhereDegreesDifferOnlyTheWalksOwnModesAreKept) {
  const NeighborTable table = random_table(Rng(3), 40, 4);
  const NeighborGraph graph(table, GraphSettings{});
  const SparseMatrix walk = walk_matrix(graph);
  const Spectrum own = laplacian_spectrum(graph, LaplacianForm::kRandomWalk);
  const ModeGains exact = mode_gains(own, walk), lemma = mode_gains(symmetric(graph), walk);
  double leaked = 0;
  for (size_t j = 0; j < 40; ++j) {
    EXPECT_NEAR(exact.gain[j], 1 - own.eigenvalues[j], 1e-12);
    EXPECT_LT(exact.leak[j], 1e-7);
    leaked = std::max(leaked, lemma.leak[j]);
  }
  EXPECT_GT(leaked, 1e-3);
}

TEST(SpectralFilters, ThePenaltyLeavesOneOverOnePlusLambdaMu) {
  const NeighborGraph graph(random_table(Rng(4), 50, 5), GraphSettings{});
  const Spectrum spectrum = symmetric(graph);
  for (const double lambda : {0.0, 0.5, 2.0, 100.0}) {
    const auto gains = penalty_gains(spectrum, graph.laplacian(LaplacianForm::kSymmetric), lambda);
    for (size_t j = 0; j < gains.size(); ++j)
      EXPECT_NEAR(gains[j], 1 / (1 + lambda * spectrum.eigenvalues[j]), 1e-10) << lambda;
  }
}

TEST(SpectralFilters, SeeStatesAsThePolicyDoes) {
  // A number that is rounding alone, next to one that is not.
  constexpr int64_t kRows = 40;
  const auto neighbors = [&](bool rounding, double floor) {
    Rng rng(6);
    DatasetContents contents;
    contents.observations = Matrix::zeros(kRows, 2);
    contents.actions = Matrix::zeros(kRows, 1);
    contents.episode_ends = {kRows};
    for (int64_t i = 0; i < kRows; ++i) {
      contents.observations(i, 0) = static_cast<float>(rng.normal());
      const auto noise = static_cast<float>(1e-7 * rng.normal());
      contents.observations(i, 1) = rounding ? noise : 0;
    }
    TrainConfig config;
    config.policy.observation_floor = floor;
    std::get<DarpSpec>(config.policy.kind).retrieval.k = 3;
    ThreadPool pool(1);
    const PlannedGraph graph =
        make_graph(graph_plans({config}).at(0), Dataset(std::move(contents)), pool);
    std::vector<int32_t> rows;
    for (int64_t i = 0; i < kRows; ++i)
      std::ranges::copy(graph.table.rows(i), std::back_inserter(rows));
    return rows;
  };
  EXPECT_EQ(neighbors(true, 0.01), neighbors(false, 0));
  EXPECT_NE(neighbors(true, 0), neighbors(false, 0));
}

TEST(SpectralFilters, RowsWithoutNeighborsStayAsTheyAre) {
  const NeighborTable table = unit_table({{1}, {0}, {}});
  const NeighborGraph graph(table, kUniform);
  EXPECT_EQ(aggregation_matrix(table).at(2, 2), 1);
  EXPECT_EQ(walk_matrix(graph).at(2, 2), 1);
}

TEST(SpectralSignals, SharesSumToOneAndTheirMeanIsTheRayleighQuotient) {
  const NeighborGraph graph(random_table(Rng(5), 60, 6), GraphSettings{});
  const Spectrum spectrum = symmetric(graph);
  const DoubleMatrix signal = random_signal(6, 60, 3);
  const SignalModes modes = signal_modes(spectrum, signal, signal);
  EXPECT_EQ(modes.energy, modes.shared);
  const std::vector<double> shares = modes.shares();
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);

  DoubleMatrix image(60, 3);
  graph.laplacian(LaplacianForm::kSymmetric).multiply(signal.view(), image.mutable_view());
  double energy = 0, all = 0;
  for (int64_t i = 0; i < 60; ++i)
    for (int64_t c = 0; c < 3; ++c) {
      energy += signal(i, c) * image(i, c);
      all += signal(i, c) * signal(i, c);
    }
  EXPECT_NEAR(roughness(spectrum.eigenvalues, shares), energy / all, 1e-12);

  const std::vector<double> limits = {-1, 1, 2.1};
  const std::vector<double> sums = energy_up_to(spectrum.eigenvalues, shares, limits);
  EXPECT_EQ(sums[0], 0);
  EXPECT_GT(sums[1], 0);
  EXPECT_NEAR(sums[2], 1, 1e-12);
}

TEST(SpectralSignals, AFilteredSignalIsKeptInEachBandAsFiltered) {
  const NeighborGraph graph(random_table(Rng(7), 60, 6), GraphSettings{});
  const Spectrum spectrum = symmetric(graph);
  const DoubleMatrix signal = random_signal(8, 60, 2);
  const DoubleMatrix halved = apply_filter(
      spectrum, [](double mu) { return mu < 1 ? 0.5 : -0.25; }, signal);
  const SignalModes modes = signal_modes(spectrum, halved, signal);
  const std::vector<double> reference = signal_modes(spectrum, signal, signal).energy;
  const std::vector<ModeBand> bands = mode_bands(spectrum.eigenvalues, 0.25);
  size_t covered = 0;
  for (const ModeBand& band : bands) {
    EXPECT_EQ(band.begin, covered);
    covered = band.end;
    EXPECT_NEAR(band_gain(band, modes, reference), band.eigenvalue < 1 ? 0.5 : -0.25, 1e-12);
  }
  EXPECT_EQ(covered, 60u);
}

/// Answers with the demonstrated actions in turn.
class Recital : public Policy {
 public:
  explicit Recital(const Dataset& dataset) : dataset_(dataset) {}
  int64_t observation_dim() const override { return dataset_.observation_dim(); }
  int64_t action_dim() const override { return dataset_.action_dim(); }
  void reset(uint64_t) override {}
  void act(std::span<const float>, std::span<float> action) override {
    const auto row = dataset_.actions().row(next_++ % dataset_.steps());
    std::copy(row.begin(), row.end(), action.begin());
  }

 private:
  const Dataset& dataset_;
  int64_t next_ = 0;
};

Dataset walk_of(int64_t rows) {
  DatasetContents contents;
  contents.observations = Matrix::zeros(rows, 2);
  contents.actions = Matrix::zeros(rows, 2);
  Rng rng(9);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t c = 0; c < 2; ++c) {
      contents.observations(i, c) = static_cast<float>(rng.normal());
      contents.actions(i, c) = static_cast<float>(rng.normal());
    }
  contents.episode_ends = {rows / 2, rows};
  return Dataset(std::move(contents));
}

TEST(SpectralRecords, APolicyThatRepeatsTheDemonstrationsHasTheirEnergy) {
  const Dataset dataset = walk_of(60);
  TrainConfig config;
  auto& darp = config.policy.kind.emplace<DarpSpec>();
  darp.retrieval.k = 6;
  darp.retrieval.history.lookback = 1;
  config.train.smoothness.weight = 1;
  config.train.smoothness.retrieval.k = 3;
  const std::vector<GraphPlan> plans = graph_plans({config});
  ASSERT_EQ(plans.size(), 2u);
  ThreadPool pool(1);
  std::vector<PlannedGraph> graphs;
  SpectralTask task{"small", dataset.steps(), {}, {}};
  for (const GraphPlan& plan : plans) {
    graphs.push_back(make_graph(plan, dataset, pool));
    task.graphs.push_back({plan, filter_record(graphs.back(), dataset, {0.5, 1}, pool)});
  }
  const PolicyFunction recital{std::make_unique<Recital>(dataset), 0};
  task.policies.push_back(
      {"recital", policy_record(recital, dataset, plans, {&graphs[0].spectrum, &graphs[1].spectrum},
                                SlopeSettings{})});
  EXPECT_EQ(task.policies[0].record.at("error")[0], 0);
  for (const SpectralGraph& graph : task.graphs)
    EXPECT_EQ(task.policies[0].record.at(graph.plan.name + ".energy"),
              graph.record.at("demonstrated.energy"));

  // So it keeps all of every band, and is as rough as they are.
  const ExhibitCurves figure = kept_figure(task, task.graphs[0]);
  for (const double kept : figure.series.back().y) EXPECT_NEAR(kept, 1, 1e-12);
  const ExhibitTable table = roughness_table(task);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][2].value, table.rows[1][2].value);
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
  EXPECT_FALSE(claims_table(task).rows.empty());
}

}  // namespace
}  // namespace darp
