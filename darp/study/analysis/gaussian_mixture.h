#pragma once
// How likely a vector is, given many like it: a mixture of Gaussians with full covariances, fitted
// by expectation maximisation (EM) in double precision.

#include <cstdint>
#include <span>
#include <vector>

#include "darp/core/matrix.h"
#include "darp/core/thread_pool.h"

namespace darp {

struct MixtureSettings {
  int64_t components = 4;
  /// Added to every variance, so that directions in which nothing varies stay finite.
  double ridge = 1e-6;
  int64_t iterations = 200;  // at most
  double tolerance = 1e-5;   // stops when the mean objective grows by less
  uint64_t seed = 0;         // of the start (k-means++)
};

/// Immutable: threads share it freely.
class GaussianMixture {
 public:
  /// The same rows in any order and for any number of threads give the same mixture, bit for bit.
  /// Needs finite numbers, at least one row and one column. Components that no row wants keep
  /// weight 0.
  static GaussianMixture fit(MatrixView rows, const MixtureSettings& settings, ThreadPool& pool);

  int64_t dim() const { return dim_; }
  struct Component {
    double weight = 0;
    std::vector<double> mean;    // dim
    std::vector<double> factor;  // Cholesky's, dim x dim, lower; above it zeros
    double log_scale = 0;        // of the density: -(dim log 2 pi + log det) / 2
  };
  const std::vector<Component>& components() const { return components_; }

  /// log p(x) of each row.
  std::vector<double> log_likelihoods(MatrixView rows, ThreadPool& pool) const;
  double log_likelihood(std::span<const float> x) const;

  /// What EM made grow, after each iteration: the mean over rows of log sum_k w_k N_k(x) exp(-ridge
  /// tr(C_k^-1) / 2). The last factor is what makes `covariance + ridge` the exact maximum.
  const std::vector<double>& objective() const { return objective_; }
  /// Bayes' information criterion on the rows of the fit; less is better.
  double bic() const { return bic_; }

 private:
  GaussianMixture() = default;

  int64_t dim_ = 0;
  std::vector<Component> components_;
  std::vector<double> objective_;
  double bic_ = 0;
};

/// The lower triangular L with L L' = `matrix` (dim x dim, symmetric), in place; what is above the
/// diagonal becomes zero. False if the matrix is not positive definite.
bool cholesky(std::span<double> matrix, int64_t dim);

}  // namespace darp
