#include "darp/study/analysis/gaussian_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "darp/core/rng.h"

namespace darp {

bool cholesky(std::span<double> matrix, int64_t dim) {
  for (int64_t i = 0; i < dim; ++i) {
    double* row = matrix.data() + i * dim;
    for (int64_t j = 0; j <= i; ++j) {
      const double* other = matrix.data() + j * dim;
      double sum = row[j];
      for (int64_t l = 0; l < j; ++l) sum -= row[l] * other[l];
      if (j < i) {
        row[j] = sum / other[j];
      } else {
        if (!(sum > 0)) return false;
        row[i] = std::sqrt(sum);
      }
    }
    std::fill(row + i + 1, row + dim, 0.0);
  }
  return true;
}

namespace {

using Component = GaussianMixture::Component;

constexpr int64_t kMixtureBlock = 256;  // rows that one thread takes at once
constexpr int64_t kLloydRounds = 10;
constexpr uint64_t kStarts = 5;

/// Weighted sums over rows, around the component's mean.
struct Moments {
  double count = 0;
  std::vector<double> first, second;  // second: lower triangle of dim x dim

  explicit Moments(size_t dim) : first(dim), second(dim * dim) {}
  void add(double weight, std::span<const double> centered) {
    count += weight;
    const size_t dim = first.size();
    for (size_t i = 0; i < dim; ++i) {
      const double scaled = weight * centered[i];
      first[i] += scaled;
      double* row = second.data() + i * dim;
      for (size_t j = 0; j <= i; ++j) row[j] += scaled * centered[j];
    }
  }
  void add(const Moments& other) {
    count += other.count;
    for (size_t i = 0; i < first.size(); ++i) first[i] += other.first[i];
    for (size_t i = 0; i < second.size(); ++i) second[i] += other.second[i];
  }
};

void center_on_mean(std::span<const float> row, const std::vector<double>& mean,
                    std::span<double> out) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(row[i]) - mean[i];
}

double square_distance(std::span<const float> row, const std::vector<double>& mean) {
  double sum = 0;
  for (size_t i = 0; i < mean.size(); ++i) {
    const double step = static_cast<double>(row[i]) - mean[i];
    sum += step * step;
  }
  return sum;
}

/// Solves L y = y in place; the squared length of y is the Mahalanobis distance.
double solve_lower(const std::vector<double>& factor, std::span<double> y) {
  const size_t dim = y.size();
  double square = 0;
  for (size_t i = 0; i < dim; ++i) {
    const double* row = factor.data() + i * dim;
    double sum = y[i];
    for (size_t j = 0; j < i; ++j) sum -= row[j] * y[j];
    y[i] = sum / row[i];
    square += y[i] * y[i];
  }
  return square;
}

double log_density(const Component& component, std::span<const float> row, std::span<double> room) {
  center_on_mean(row, component.mean, room);
  return component.log_scale - 0.5 * solve_lower(component.factor, room);
}

/// log(e^a + e^b + ...) without leaving the range of doubles.
double log_sum_exp(std::span<const double> terms) {
  const double largest = *std::max_element(terms.begin(), terms.end());
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

/// tr(C^-1), the squared length of the inverse of the factor.
double trace_of_inverse(const Component& component) {
  const size_t dim = component.mean.size();
  double trace = 0;
  std::vector<double> unit(dim);
  for (size_t i = 0; i < dim; ++i) {
    std::ranges::fill(unit, 0.0);
    unit[i] = 1;
    trace += solve_lower(component.factor, unit);
  }
  return trace;
}

/// Cholesky's factor of covariance + ridge. Where numbers are so large that the ridge drowns in
/// their rounding, a larger one is taken.
std::vector<double> factor_with_ridge(const std::vector<double>& covariance, double ridge,
                                      size_t dim) {
  while (true) {
    std::vector<double> factor = covariance;
    for (size_t i = 0; i < dim; ++i)
      factor[i * dim + i] = std::max(factor[i * dim + i], 0.0) + ridge;
    if (cholesky(factor, static_cast<int64_t>(dim))) return factor;
    ridge *= 10;
  }
}

/// The component that fits the moments best. One that nobody wants stays as it is, with weight 0.
void fit_component(const Moments& moments, double rows, double ridge, Component& component) {
  component.weight = moments.count / rows;
  if (!(moments.count > 1e-9)) {
    component.weight = 0;
    return;
  }
  const size_t dim = component.mean.size();
  std::vector<double> shift(dim);
  for (size_t i = 0; i < dim; ++i) shift[i] = moments.first[i] / moments.count;
  std::vector<double> covariance(dim * dim);
  for (size_t i = 0; i < dim; ++i)
    for (size_t j = 0; j <= i; ++j)
      covariance[i * dim + j] = moments.second[i * dim + j] / moments.count - shift[i] * shift[j];
  component.factor = factor_with_ridge(covariance, ridge, dim);
  for (size_t i = 0; i < dim; ++i) component.mean[i] += shift[i];
  double log_determinant = 0;
  for (size_t i = 0; i < dim; ++i) log_determinant += 2 * std::log(component.factor[i * dim + i]);
  component.log_scale =
      -0.5 * (static_cast<double>(dim) * std::log(2 * std::numbers::pi) + log_determinant);
}

/// Rows in an order that depends on nothing but their numbers.
Matrix sorted_rows(MatrixView rows) {
  std::vector<int64_t> order(static_cast<size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    return std::ranges::lexicographical_compare(rows.row(a), rows.row(b));
  });
  Matrix sorted = Matrix::uninitialized(rows.rows(), rows.cols());
  for (int64_t i = 0; i < rows.rows(); ++i)
    std::ranges::copy(rows.row(order[static_cast<size_t>(i)]), sorted.row(i).begin());
  return sorted;
}

size_t nearest_mean(const std::vector<Component>& components, std::span<const float> row) {
  size_t best = 0;
  double least = square_distance(row, components[0].mean);
  for (size_t k = 1; k < components.size(); ++k)
    if (const double d = square_distance(row, components[k].mean); d < least) {
      least = d;
      best = k;
    }
  return best;
}

/// k-means++: centres far from each other, by chance.
std::vector<Component> spread_centers(MatrixView rows, int64_t count, Rng rng) {
  const auto dim = static_cast<size_t>(rows.cols());
  std::vector<Component> centers;
  std::vector<double> distance(static_cast<size_t>(rows.rows()),
                               std::numeric_limits<double>::infinity());
  auto chosen = static_cast<int64_t>(rng.below(static_cast<uint64_t>(rows.rows())));
  for (int64_t k = 0; k < count; ++k) {
    const std::span<const float> row = rows.row(chosen);
    centers.push_back(
        {.weight = 0, .mean = {row.begin(), row.end()}, .factor = std::vector<double>(dim * dim)});
    double total = 0;
    for (int64_t i = 0; i < rows.rows(); ++i) {
      double& d = distance[static_cast<size_t>(i)];
      d = std::min(d, square_distance(rows.row(i), centers.back().mean));
      total += d;
    }
    // All rows are centres already: further ones would be copies.
    if (!(total > 0)) break;
    double left = rng.uniform() * total;
    for (chosen = 0; chosen + 1 < rows.rows(); ++chosen)
      if ((left -= distance[static_cast<size_t>(chosen)]) < 0) break;
  }
  return centers;
}

/// Moments of all components, each row shared among them by `share`; blocks are added in order.
/// `share` writes the row's shares and returns what is summed up.
template <class Share>
double gather_moments(MatrixView rows, const std::vector<Component>& components, ThreadPool& pool,
                      std::vector<Moments>& moments, const Share& share) {
  const auto dim = static_cast<size_t>(rows.cols());
  struct Block {
    std::vector<Moments> moments;
    double sum = 0;
  };
  std::vector<Block> blocks(static_cast<size_t>((rows.rows() + kMixtureBlock - 1) / kMixtureBlock));
  pool.parallel_for(rows.rows(), kMixtureBlock, [&](int64_t begin, int64_t end) {
    Block& block = blocks[static_cast<size_t>(begin / kMixtureBlock)];
    block.moments.assign(components.size(), Moments(dim));
    std::vector<double> room(dim), shares(components.size());
    for (int64_t i = begin; i < end; ++i) {
      block.sum += share(rows.row(i), std::span(shares), std::span(room));
      for (size_t k = 0; k < components.size(); ++k) {
        if (shares[k] == 0) continue;
        center_on_mean(rows.row(i), components[k].mean, room);
        block.moments[k].add(shares[k], room);
      }
    }
  });
  moments.assign(components.size(), Moments(dim));
  double sum = 0;
  for (const Block& block : blocks) {
    sum += block.sum;
    for (size_t k = 0; k < components.size(); ++k) moments[k].add(block.moments[k]);
  }
  return sum;
}

/// Components of a hard clustering: some rounds of k-means from spread centres. Gives the sum of
/// squared distances to the centres of the last round.
double cluster(MatrixView rows, double ridge, ThreadPool& pool,
               std::vector<Component>& components) {
  std::vector<Moments> moments;
  double sum = 0;
  for (int64_t round = 0; round <= kLloydRounds; ++round) {
    sum = gather_moments(rows, components, pool, moments,
                         [&](std::span<const float> row, std::span<double> shares, auto) {
                           const size_t own = nearest_mean(components, row);
                           std::ranges::fill(shares, 0.0);
                           shares[own] = 1;
                           return square_distance(row, components[own].mean);
                         });
    for (size_t k = 0; k < components.size(); ++k)
      fit_component(moments[k], static_cast<double>(rows.rows()), ridge, components[k]);
  }
  std::erase_if(components, [](const Component& one) { return one.weight == 0; });
  return sum;
}

/// The best of some clusterings: one alone may have two centres in one heap.
std::vector<Component> clustered_start(MatrixView rows, const MixtureSettings& settings,
                                       ThreadPool& pool) {
  std::vector<Component> best;
  double least = std::numeric_limits<double>::infinity();
  for (uint64_t start = 0; start < kStarts; ++start) {
    std::vector<Component> components =
        spread_centers(rows, settings.components, Rng(settings.seed).split(start));
    const double sum = cluster(rows, settings.ridge, pool, components);
    if (sum >= least && !best.empty()) continue;
    least = sum;
    best = std::move(components);
  }
  return best;
}

/// Logarithms of what the components claim of a row, before they are made to sum to one. A copy in
/// the class would not be worth it: penalties matter to EM alone.
void log_claims(const std::vector<Component>& components, std::span<const double> penalties,
                std::span<const float> row, std::span<double> claims, std::span<double> room) {
  for (size_t k = 0; k < components.size(); ++k)
    claims[k] = std::log(components[k].weight) + log_density(components[k], row, room) -
                (penalties.empty() ? 0 : penalties[k]);
}

}  // namespace

GaussianMixture GaussianMixture::fit(MatrixView given, const MixtureSettings& settings,
                                     ThreadPool& pool) {
  DARP_CHECK(given.rows() > 0 && given.cols() > 0 && settings.components > 0 && settings.ridge > 0,
             "{} x {} numbers, {} components, ridge {}", given.rows(), given.cols(),
             settings.components, settings.ridge);
  const Matrix rows = sorted_rows(given);
  GaussianMixture mixture;
  mixture.dim_ = rows.cols();
  std::vector<Component>& components = mixture.components_;
  components = clustered_start(rows, settings, pool);
  const auto count = static_cast<double>(rows.rows());
  std::vector<Moments> moments;
  for (int64_t iteration = 0; iteration < settings.iterations; ++iteration) {
    std::vector<double> penalties;
    for (const Component& one : components)
      penalties.push_back(0.5 * settings.ridge * trace_of_inverse(one));
    const double sum = gather_moments(
        rows, components, pool, moments,
        [&](std::span<const float> row, std::span<double> shares, std::span<double> room) {
          log_claims(components, penalties, row, shares, room);
          const double total = log_sum_exp(shares);
          for (double& share : shares) share = std::exp(share - total);
          return total;
        });
    mixture.objective_.push_back(sum / count);
    const auto& grown = mixture.objective_;
    if (grown.size() > 1 && grown.back() - grown[grown.size() - 2] < settings.tolerance) break;
    for (size_t k = 0; k < components.size(); ++k)
      fit_component(moments[k], count, settings.ridge, components[k]);
  }
  const std::vector<double> likelihoods = mixture.log_likelihoods(rows, pool);
  const auto k = static_cast<double>(components.size()), d = static_cast<double>(rows.cols());
  const double parameters = k - 1 + k * d + k * d * (d + 1) / 2;
  mixture.bic_ = parameters * std::log(count) -
                 2 * std::accumulate(likelihoods.begin(), likelihoods.end(), 0.0);
  return mixture;
}

double GaussianMixture::log_likelihood(std::span<const float> x) const {
  DARP_CHECK(std::ssize(x) == dim_, "{} numbers of {}", x.size(), dim_);
  std::vector<double> claims(components_.size()), room(x.size());
  log_claims(components_, {}, x, claims, room);
  return log_sum_exp(claims);
}

std::vector<double> GaussianMixture::log_likelihoods(MatrixView rows, ThreadPool& pool) const {
  std::vector<double> all(static_cast<size_t>(rows.rows()));
  pool.parallel_for(rows.rows(), kMixtureBlock, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) all[static_cast<size_t>(i)] = log_likelihood(rows.row(i));
  });
  return all;
}

}  // namespace darp
