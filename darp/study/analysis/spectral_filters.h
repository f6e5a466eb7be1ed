#pragma once
// What smoothing does to each mode of a neighbour graph, measured rather than assumed: a linear map
// is applied to every mode and compared with a multiple of it.

#include "darp/retrieval/graph/spectrum.h"

namespace darp {

/// A linear map M on the modes v of a spectrum (orthonormal in its inner product).
struct ModeGains {
  std::vector<double> gain;  // <v, M v>: what is left of a mode in itself
  std::vector<double> leak;  // |M v - gain v|: what went into other modes; 0 if v is a mode of M
};

/// The mean over each row's neighbours as retrieved, weighted by the kernel: what a policy that
/// averages multiplies by. Rows without neighbours stay as they are. Not symmetric: a neighbour
/// need not return the favour. Throws Error as neighbor_weights.
SparseMatrix aggregation_matrix(const NeighborTable& table,
                                GraphKernel kernel = GraphKernel::kUniform, double bandwidth = 1);

/// S = D^-1 A, the paper's averaging: neighbours weighted by affinities made symmetric.
SparseMatrix walk_matrix(const NeighborGraph& graph);

/// Costs entries x modes; the same numbers for any number of threads.
ModeGains mode_gains(const Spectrum& spectrum, const SparseMatrix& map, ThreadPool* pool = nullptr);

/// <v, f> for every mode, where f minimises |f - a|^2 + lambda f' L f and a has every mode once.
/// Found by conjugate gradients on (I + lambda L) f = a, which know nothing of modes. `laplacian`
/// is symmetric and positive semi-definite, and the spectrum its own.
std::vector<double> penalty_gains(const Spectrum& spectrum, const SparseMatrix& laplacian,
                                  double lambda);

/// The solution itself. Throws Error if 1,000 steps are not enough.
std::vector<double> solve_penalty(const SparseMatrix& laplacian, double lambda,
                                  std::span<const double> a);

}  // namespace darp
