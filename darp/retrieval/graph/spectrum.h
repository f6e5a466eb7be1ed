#pragma once
// Smoothing seen by frequency: the eigenvectors of a graph's Laplacian are its modes, from smooth
// (eigenvalue 0) to rough, and a smoother multiplies each mode by a number that depends on its
// eigenvalue alone.

#include <functional>
#include <vector>

#include "darp/retrieval/graph/neighbor_graph.h"

namespace darp {

/// Most rows that are decomposed: at 5,000 three dense matrices take 600 MB.
constexpr int64_t kLargestSpectrum = 5'000;

/// A matrix by its eigenvalues mu, ascending, and modes v. Signals are compared by the inner
/// product <x, y> = sum of weights[i] x[i] y[i], in which the modes are orthonormal.
struct Spectrum {
  std::vector<double> eigenvalues;
  DoubleMatrix modes;           ///< row j is the mode of eigenvalues[j]
  std::vector<double> weights;  ///< all 1 for a symmetric matrix

  int64_t rows() const { return modes.rows(); }
};

/// All eigenvalues and modes of a symmetric matrix. Of the entries of a mode that are largest in
/// magnitude (up to 1 in a million) the first is positive, so modes do not flip from machine to
/// machine; modes of equal eigenvalues are still any basis of their space. Throws Error above
/// kLargestSpectrum rows. LAPACK brings threads of its own (OPENBLAS_NUM_THREADS); the last bits
/// may depend on how many.
Spectrum symmetric_spectrum(const SparseMatrix& matrix);

/// The same for a graph's Laplacian. The random walk's eigenvalues are those of the symmetric form;
/// its modes are D^-1/2 u and its weights the degrees, with 1 for isolated rows.
Spectrum laplacian_spectrum(const NeighborGraph& graph, LaplacianForm form);

/// For each mode the squared coefficient <v, x>^2, summed over the columns x of `signal`. All modes
/// together have the energy of the signal.
std::vector<double> spectral_energy(const Spectrum& spectrum, DoubleView signal);

/// The sum of phi(mu) <v, x> v over all modes, for each column x of `signal`: phi applied to the
/// matrix, times the signal. With a Laplacian, 1 - mu averages over neighbours and
/// 1 / (1 + lambda mu) solves (I + lambda L) f = x.
DoubleMatrix apply_filter(const Spectrum& spectrum, const std::function<double(double)>& phi,
                          DoubleView signal);

}  // namespace darp
