#include "darp/retrieval/graph/spectrum.h"

#include <algorithm>
#include <cmath>

// LAPACK's divide and conquer: `a` holds the matrix and then the eigenvectors. The last two
// arguments are the lengths of the texts, which Fortran passes unseen.
extern "C" void dsyevd_(const char* job, const char* triangle, const int* n, double* a,
                        const int* a_stride, double* eigenvalues, double* work,
                        const int* work_size, int* integer_work, const int* integer_work_size,
                        int* info, size_t job_length, size_t triangle_length);

namespace darp {
namespace {

/// Overwrites the symmetric matrix with its eigenvectors, one in each row.
std::vector<double> decompose(DoubleMatrix& matrix) {
  const int n = static_cast<int>(matrix.rows());
  std::vector<double> eigenvalues(n);
  if (n == 0) return eigenvalues;
  std::vector<double> work(1);
  std::vector<int> integer_work(1);
  int info = 0;
  const auto call = [&](int work_size, int integer_work_size) {
    dsyevd_("V", "L", &n, matrix.data(), &n, eigenvalues.data(), work.data(), &work_size,
            integer_work.data(), &integer_work_size, &info, 1, 1);
    DARP_CHECK(info >= 0, "dsyevd argument {}", -info);
  };
  call(-1, -1);  // asks for the sizes
  const int work_size = static_cast<int>(work[0]), integer_work_size = integer_work[0];
  work.resize(work_size);
  integer_work.resize(integer_work_size);
  call(work_size, integer_work_size);
  if (info > 0)
    throw Error("spectrum", "the eigenvalues did not converge",
                "subsample rows or change the graph's bandwidth");
  return eigenvalues;
}

/// Makes the sign of a mode a matter of its values. The margin is there because entries of equal
/// magnitude differ in the last bits.
void fix_sign(std::span<double> mode) {
  double largest = 0;
  for (const double value : mode) largest = std::max(largest, std::abs(value));
  for (const double value : mode) {
    if (std::abs(value) < largest * (1 - 1e-6)) continue;
    if (value < 0)
      for (double& v : mode) v = -v;
    return;
  }
}

/// <v, x> for every mode v (rows) and column x of the signal.
DoubleMatrix coefficients(const Spectrum& spectrum, DoubleView signal) {
  DARP_CHECK(signal.rows() == spectrum.rows(), "a signal of {} rows on {}", signal.rows(),
             spectrum.rows());
  DoubleMatrix out(spectrum.rows(), signal.cols());
  for (int64_t j = 0; j < spectrum.rows(); ++j) {
    const auto sums = out.row(j);
    for (int64_t i = 0; i < signal.rows(); ++i) {
      const double factor = spectrum.modes(j, i) * spectrum.weights[i];
      const double* from = signal.row(i).data();
      for (size_t c = 0; c < sums.size(); ++c) sums[c] += factor * from[c];
    }
  }
  return out;
}

}  // namespace

Spectrum symmetric_spectrum(const SparseMatrix& matrix) {
  if (matrix.rows() > kLargestSpectrum)
    throw Error("spectrum",
                fmt::format("{} rows are too many, at most {} can be decomposed", matrix.rows(),
                            kLargestSpectrum),
                "subsample rows");
  DARP_CHECK(matrix.symmetric(), "the spectrum of a matrix that is not symmetric");
  Spectrum out;
  out.modes = matrix.to_dense();
  out.eigenvalues = decompose(out.modes);
  out.weights.assign(out.eigenvalues.size(), 1.0);
  for (int64_t j = 0; j < out.rows(); ++j) fix_sign(out.modes.row(j));
  return out;
}

Spectrum laplacian_spectrum(const NeighborGraph& graph, LaplacianForm form) {
  const bool walk = form == LaplacianForm::kRandomWalk;
  Spectrum out = symmetric_spectrum(graph.laplacian(walk ? LaplacianForm::kSymmetric : form));
  if (!walk) return out;
  std::vector<double> roots;
  for (int64_t i = 0; i < out.rows(); ++i) {
    if (graph.degrees()[i] > 0) out.weights[i] = graph.degrees()[i];
    roots.push_back(std::sqrt(out.weights[i]));
  }
  for (int64_t j = 0; j < out.rows(); ++j) {
    for (int64_t i = 0; i < out.rows(); ++i) out.modes(j, i) /= roots[i];
    fix_sign(out.modes.row(j));
  }
  return out;
}

std::vector<double> spectral_energy(const Spectrum& spectrum, DoubleView signal) {
  const DoubleMatrix found = coefficients(spectrum, signal);
  std::vector<double> energy(found.rows());
  for (int64_t j = 0; j < found.rows(); ++j)
    for (const double coefficient : found.row(j)) energy[j] += coefficient * coefficient;
  return energy;
}

DoubleMatrix apply_filter(const Spectrum& spectrum, const std::function<double(double)>& phi,
                          DoubleView signal) {
  const DoubleMatrix found = coefficients(spectrum, signal);
  DoubleMatrix out(signal.rows(), signal.cols());
  for (int64_t j = 0; j < spectrum.rows(); ++j) {
    const double kept = phi(spectrum.eigenvalues[j]);
    const auto own = found.row(j);
    for (int64_t i = 0; i < out.rows(); ++i) {
      const double factor = kept * spectrum.modes(j, i);
      const auto sums = out.row(i);
      for (size_t c = 0; c < sums.size(); ++c) sums[c] += factor * own[c];
    }
  }
  return out;
}

}  // namespace darp
