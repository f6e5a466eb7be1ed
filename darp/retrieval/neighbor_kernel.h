#pragma once
// How much a neighbour counts, given its distance: the weights of the explicit regulariser and the
// edges of the neighbour graph.

#include <span>

#include "darp/core/fields.h"
#include "darp/retrieval/neighbor_table.h"

namespace darp {

/// With bandwidth h, a neighbour at distance d counts e^(-d^2 / (2 h^2)), 1 or e^(-d / h).
enum class GraphKernel { kGaussian, kUniform, kExponential };

/// What makes a graph of a neighbour table.
struct GraphSettings {
  enum class Edges { kMean, kUnion, kMutual };
  GraphKernel kernel = GraphKernel::kGaussian;
  double bandwidth = 0;
  Edges edges = Edges::kMean;

  void visit_fields(FieldVisitor& v) {
    v.choice("kernel", kernel,
             {{"gaussian", GraphKernel::kGaussian},
              {"uniform", GraphKernel::kUniform},
              {"exponential", GraphKernel::kExponential}},
             "Weight of a neighbour at distance d: e^(-d^2 / (2 h^2)), 1 or e^(-d / h).");
    v.field("bandwidth", bandwidth,
            "The distance h of the kernel; 0: the median distance to the last neighbour.",
            {.min = 0});
    v.choice("edges", edges,
             {{"mean", Edges::kMean}, {"union", Edges::kUnion}, {"mutual", Edges::kMutual}},
             "How two directions become one: the mean of weights that sum to 1 for each row (the "
             "paper), the larger weight if either is a neighbour of the other, or the smaller if "
             "both are.");
  }
  bool operator==(const GraphSettings&) const = default;
};

/// The median over all queries that have neighbours of the distance to their last (farthest) one;
/// of an even number the mean of the middle two. Throws Error if the table has no distances, one of
/// those read is not finite and at least 0, or no query has a neighbour.
double median_last_distance(const NeighborTable& table);

/// The bandwidth to use for the table: the one set, or the median. 1 for the uniform kernel, which
/// needs none and reads no distances. Throws Error if the table has no distances, as
/// median_last_distance, and unless the result is positive and finite.
double resolve_bandwidth(const NeighborTable& table, const GraphSettings& settings);

/// The kernel itself for a bandwidth > 0: in [0, 1]. Throws Error for a distance that is not finite
/// and at least 0.
double kernel_weight(double distance, GraphKernel kernel, double bandwidth);

/// out[i] = weight of the i-th neighbour of one query, with sum 1; nothing for no neighbours. Holds
/// however far the neighbours are: what counts is how much farther they are than the nearest.
/// Throws Error for a bandwidth that is not positive and finite (the uniform kernel takes any) and
/// for distances that are not finite and at least 0. No allocation; any threads.
void neighbor_weights(std::span<const float> distances, GraphKernel kernel, double bandwidth,
                      std::span<float> out);

}  // namespace darp
