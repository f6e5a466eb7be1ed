#include "darp/study/analysis/spectral_records.h"

#include <algorithm>
#include <cmath>

#include "darp/core/numbers.h"
#include "darp/core/quantile.h"
#include "darp/policy/make_retriever.h"
#include "darp/study/analysis/spectral_filters.h"

namespace darp {
namespace {

/// In units of the data's standard deviation, around their mean.
DoubleMatrix standardized(MatrixView values, const Normalizer& normalizer) {
  return DoubleMatrix::of(normalizer.apply(values));
}

Normalizer of_actions(const Dataset& dataset) {
  return Normalizer::fit(NormalizerKind::kStandardPopulation, dataset.actions());
}

/// The largest |S v - (1 - mu) v| over the walk's own modes, in their own inner product.
double walk_error(const NeighborGraph& graph, ThreadPool& pool) {
  const Spectrum own = laplacian_spectrum(graph, LaplacianForm::kRandomWalk);
  const ModeGains gains = mode_gains(own, walk_matrix(graph), &pool);
  double largest = 0;
  for (size_t j = 0; j < gains.gain.size(); ++j)
    largest =
        std::max(largest, std::hypot(gains.leak[j], gains.gain[j] - (1 - own.eigenvalues[j])));
  return largest;
}

}  // namespace

std::vector<GraphPlan> graph_plans(const std::vector<TrainConfig>& configs) {
  std::vector<GraphPlan> plans;
  for (const TrainConfig& config : configs) {
    const RetrievalSettings* retrieval = config.policy.retrieval();
    if (retrieval && plans.empty())
      plans.push_back({"retrieval",
                       fmt::format("{} neighbours as retrieved", grouped(retrieval->kept())),
                       *retrieval,
                       {.kernel = GraphKernel::kUniform},
                       config.policy.observations,
                       config.policy.observation_floor});
  }
  const size_t retrieved = plans.size();
  for (const TrainConfig& config : configs) {
    const SmoothnessSettings& smoothness = config.train.smoothness;
    if (smoothness.wanted() && plans.size() == retrieved)
      plans.push_back(
          {"penalty",
           fmt::format("{} neighbours of the penalty", grouped(smoothness.retrieval.kept())),
           smoothness.retrieval,
           {.kernel = smoothness.kernel, .bandwidth = smoothness.bandwidth},
           config.policy.observations,
           config.policy.observation_floor});
  }
  return plans;
}

PlannedGraph make_graph(const GraphPlan& plan, const Dataset& dataset, ThreadPool& pool) {
  const Normalizer normalizer =
      Normalizer::fit(plan.observations, dataset.observations(), plan.observation_floor);
  const Matrix states = normalizer.apply(dataset.observations());
  const auto retriever = make_retriever(plan.retrieval, normalizer, states, dataset.episode_ends());
  NeighborTable table = build_neighbor_table(retriever, pool, {.distances = true});
  NeighborGraph graph(table, plan.graph);
  Spectrum spectrum = laplacian_spectrum(graph, LaplacianForm::kSymmetric);
  return {plan.graph, std::move(table), std::move(graph), std::move(spectrum)};
}

NamedNumbers filter_record(const PlannedGraph& graph, const Dataset& dataset,
                           const std::vector<double>& lambdas, ThreadPool& pool) {
  NamedNumbers record;
  record["eigenvalues"] = graph.spectrum.eigenvalues;
  const auto [least, most] =
      std::minmax_element(graph.graph.degrees().begin(), graph.graph.degrees().end());
  record["degrees"] = {*least, *most};
  record["neighbors"] = {static_cast<double>(graph.table.width())};

  const ModeGains walk = mode_gains(graph.spectrum, walk_matrix(graph.graph), &pool);
  record["walk.gain"] = walk.gain;
  record["walk.leak"] = walk.leak;
  record["walk.own.error"] = {walk_error(graph.graph, pool)};
  const ModeGains mean = mode_gains(
      graph.spectrum,
      aggregation_matrix(graph.table, graph.settings.kernel, graph.graph.bandwidth()), &pool);
  record["retrieved.gain"] = mean.gain;
  record["retrieved.leak"] = mean.leak;

  record["lambda"] = lambdas;
  const SparseMatrix laplacian = graph.graph.laplacian(LaplacianForm::kSymmetric);
  for (size_t i = 0; i < lambdas.size(); ++i)
    record[fmt::format("penalty.{}.gain", i)] =
        penalty_gains(graph.spectrum, laplacian, lambdas[i]);
  const DoubleMatrix actions = standardized(dataset.actions(), of_actions(dataset));
  record["demonstrated.energy"] = signal_modes(graph.spectrum, actions, actions).energy;
  return record;
}

NamedNumbers policy_record(const PolicyFunction& function, const Dataset& dataset,
                           const std::vector<GraphPlan>& plans,
                           const std::vector<const Spectrum*>& graphs,
                           const SlopeSettings& slopes) {
  const Normalizer normalizer = of_actions(dataset);
  const DoubleMatrix wanted = standardized(dataset.actions(), normalizer);
  const DoubleMatrix given = standardized(actions_at_demonstrations(function, dataset), normalizer);
  NamedNumbers record;
  double squares = 0;
  for (int64_t i = 0; i < given.rows(); ++i)
    for (int64_t c = 0; c < given.cols(); ++c) squares += std::pow(given(i, c) - wanted(i, c), 2);
  record["error"] = {squares / static_cast<double>(given.rows() * given.cols())};
  const std::vector<double> sorted =
      local_slopes(function, dataset,
                   Normalizer::fit(NormalizerKind::kStandardPopulation, dataset.observations()),
                   normalizer, slopes);
  record["slopes"] = {quantile(sorted, 0.5), quantile(sorted, 0.95), sorted.back()};
  for (size_t g = 0; g < graphs.size(); ++g) {
    const SignalModes modes = signal_modes(*graphs[g], given, wanted);
    record[plans[g].name + ".energy"] = modes.energy;
    record[plans[g].name + ".shared"] = modes.shared;
  }
  return record;
}

}  // namespace darp
