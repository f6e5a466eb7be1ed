#pragma once
// The data's nearest-neighbour graph and its Laplacians: the geometry that smoothing a policy
// refers to.

#include <vector>

#include "darp/retrieval/graph/sparse_matrix.h"
#include "darp/retrieval/neighbor_kernel.h"

namespace darp {

/// With affinities A and the diagonal matrix D of degrees: D - A, I - D^-1/2 A D^-1/2 and
/// I - D^-1 A. The first two are symmetric; I - random_walk averages over neighbours.
enum class LaplacianForm { kUnnormalized, kSymmetric, kRandomWalk };

/// Rows of a dataset linked by affinities in (0, 1]. Undirected, without self-loops. An affinity
/// that underflows (a distance beyond 37 Gaussian bandwidths) is no link. Immutable.
class NeighborGraph {
 public:
  /// `table` gives the neighbours of every row among the same rows. The settings' `edges` says how
  /// the two directions of a link become one. Throws Error for neighbours
  /// that are no rows, for missing or invalid distances (the uniform kernel needs none) and for a
  /// bandwidth that is not positive and finite.
  NeighborGraph(const NeighborTable& table, const GraphSettings& settings);

  int64_t rows() const { return affinity_.rows(); }
  /// The bandwidth used; 1 for the uniform kernel.
  double bandwidth() const { return bandwidth_; }
  /// A: symmetric, zero on the diagonal.
  const SparseMatrix& affinity() const { return affinity_; }
  /// Sums of A's rows. 0 for isolated rows, which are linked with none.
  const std::vector<double>& degrees() const { return degrees_; }
  /// The row of an isolated row is zero in every form: smoothing leaves it as it is.
  SparseMatrix laplacian(LaplacianForm form) const;
  /// Connected components, isolated rows included: as many as the Laplacian has eigenvalues 0.
  int64_t components() const;

 private:
  double bandwidth_;
  SparseMatrix affinity_;
  std::vector<double> degrees_;
};

}  // namespace darp
