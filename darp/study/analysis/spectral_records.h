#pragma once
// What spectral studies find out and keep: one record for each neighbour graph of a task, one for
// each trained policy.

#include <optional>
#include <string>
#include <vector>

#include "darp/data/dataset.h"
#include "darp/study/analysis/kept_numbers.h"
#include "darp/study/analysis/smoothness_probe.h"
#include "darp/study/analysis/spectral_signals.h"
#include "darp/train/train_config.h"

namespace darp {

/// A neighbour graph, before it is made.
struct GraphPlan {
  std::string name;   // of files
  std::string title;  // "145 neighbours as retrieved"
  RetrievalSettings retrieval;
  GraphSettings graph;
  NormalizerKind observations = NormalizerKind::kStandardPopulation;
  double observation_floor = 0;
};
/// `retrieval`, of the first of these configs that acts by neighbours, and `penalty`, of the first
/// that learns with one; each only if there is such.
std::vector<GraphPlan> graph_plans(const std::vector<TrainConfig>& configs);

/// A graph's spectrum: the modes of the symmetric Laplacian. Takes seconds at 2,000 rows.
struct PlannedGraph {
  GraphSettings settings;
  NeighborTable table;
  NeighborGraph graph;
  Spectrum spectrum;
};
PlannedGraph make_graph(const GraphPlan& plan, const Dataset& dataset, ThreadPool& pool);

/// Measured filters, by lists:
///   eigenvalues; degrees (the smallest and the largest); neighbors (the most)
///   walk.gain, walk.leak         S = D^-1 A on the modes u of the symmetric Laplacian
///   walk.own.error               the largest |S v - (1 - mu) v| on its own modes v = D^-1/2 u
///   retrieved.gain, .leak        the mean over neighbours as retrieved
///   lambda, penalty.0.gain, ...  each lambda, and what the penalised objective leaves
///   demonstrated.energy          of the standardised actions, by modes
NamedNumbers filter_record(const PlannedGraph& graph, const Dataset& dataset,
                           const std::vector<double>& lambdas, ThreadPool& pool);

/// A policy's function, by lists:
///   error                        mean squared, standardised, at the demonstrated states
///   slopes                       median, 95th percentile and largest of local_slopes
///   GRAPH.energy, GRAPH.shared   of its actions there, by modes (SignalModes)
/// `graphs` belong to `plans`.
NamedNumbers policy_record(const PolicyFunction& function, const Dataset& dataset,
                           const std::vector<GraphPlan>& plans,
                           const std::vector<const Spectrum*>& graphs, const SlopeSettings& slopes);

}  // namespace darp
