#include "darp/policy/local_regression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/allocation_count.h"
#include "tests/random_matrix.h"

DARP_COUNT_ALLOCATIONS;

namespace darp {
namespace {

using Kernel = LwrSpec::Kernel;
using Bandwidth = LwrSpec::Bandwidth;
using Fit = LwrSpec::Fit;

LwrSpec mean_spec(Kernel kernel, double scale = 1, Bandwidth bandwidth = Bandwidth::kFixed) {
  LwrSpec spec;
  spec.kernel = kernel;
  spec.bandwidth = bandwidth;
  spec.bandwidth_scale = scale;
  return spec;
}

LwrSpec linear_spec(double ridge, Kernel kernel = Kernel::kExponential, double scale = 1) {
  LwrSpec spec = mean_spec(kernel, scale);
  spec.fit = Fit::kLinear;
  spec.ridge = ridge;
  return spec;
}

/// Neighbours of one query, with distances of their own, ascending.
struct Neighborhood {
  Matrix states, actions;
  std::vector<float> query, distances;
  std::vector<int32_t> rows;
  float median = 0.7f;

  Neighborhood(Rng& rng, int64_t count, int64_t columns, int64_t numbers)
      : states(random_matrix(rng, count + 3, columns)),
        actions(random_matrix(rng, count + 3, numbers)) {
    for (int64_t j = 0; j < columns; ++j) query.push_back(static_cast<float>(rng.normal()));
    rows.resize(static_cast<size_t>(count + 3));
    std::iota(rows.begin(), rows.end(), 0);
    rng.shuffle(std::span(rows));
    rows.resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      distances.push_back(static_cast<float>(rng.uniform(0.1, 2)));
    std::ranges::sort(distances);
  }

  Neighborhood(const Neighborhood& other)
      : states(Matrix::copy_of(other.states)),
        actions(Matrix::copy_of(other.actions)),
        query(other.query),
        distances(other.distances),
        rows(other.rows),
        median(other.median) {}

  std::vector<float> answer(LwrSpec spec) const {
    spec.retrieval.k = std::ssize(rows);
    std::vector<float> action(static_cast<size_t>(actions.cols()), NAN);
    LocalRegression(spec, states, actions, median)
        .answer(query, {rows, distances, std::ssize(rows)}, action);
    return action;
  }
  std::vector<float> nearest() const {
    return {actions.row(rows[0]).begin(), actions.row(rows[0]).end()};
  }
};

/// The weights by their formulas.
std::vector<long double> plain_weights(const LwrSpec& spec, const Neighborhood& n) {
  long double h = static_cast<long double>(spec.bandwidth_scale);
  if (spec.bandwidth == Bandwidth::kLastNeighbor) h *= static_cast<long double>(n.distances.back());
  if (spec.bandwidth == Bandwidth::kMedian) h *= static_cast<long double>(n.median);
  std::vector<long double> weights;
  for (const float distance : n.distances) {
    const auto d = static_cast<long double>(distance);
    weights.push_back(spec.kernel == Kernel::kExponential ? std::exp(-d / h)
                      : spec.kernel == Kernel::kGaussian  ? std::exp(-d * d / (2 * h * h))
                                                          : 1);
  }
  const long double sum = std::accumulate(weights.begin(), weights.end(), 0.0L);
  for (long double& weight : weights) weight /= sum;
  return weights;
}

std::vector<double> plain_mean(const LwrSpec& spec, const Neighborhood& n) {
  const std::vector<long double> weights = plain_weights(spec, n);
  std::vector<double> mean;
  for (int64_t j = 0; j < n.actions.cols(); ++j) {
    long double sum = 0;
    for (size_t i = 0; i < weights.size(); ++i)
      sum += weights[i] * static_cast<long double>(n.actions(n.rows[i], j));
    mean.push_back(static_cast<double>(sum));
  }
  return mean;
}

/// Gaussian elimination with the largest pivot of each column.
std::vector<long double> eliminate(std::vector<std::vector<long double>> a,
                                   std::vector<long double> b) {
  const size_t n = b.size();
  for (size_t c = 0; c < n; ++c) {
    size_t best = c;
    for (size_t r = c; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[best][c])) best = r;
    std::swap(a[c], a[best]);
    std::swap(b[c], b[best]);
    for (size_t r = c + 1; r < n; ++r) {
      const long double part = a[r][c] / a[c][c];
      for (size_t l = c; l < n; ++l) a[r][l] -= part * a[c][l];
      b[r] -= part * b[c];
    }
  }
  for (size_t c = n; c-- > 0;) {
    for (size_t l = c + 1; l < n; ++l) b[c] -= a[c][l] * b[l];
    b[c] /= a[c][c];
  }
  return b;
}

/// The intercept of the whole weighted least squares problem, as its definition says it.
std::vector<double> plain_fit(const LwrSpec& spec, const Neighborhood& n) {
  const std::vector<long double> weights = plain_weights(spec, n);
  const auto terms = static_cast<size_t>(n.states.cols() + 1);
  const auto term = [&](size_t i, size_t j) {
    if (j == 0) return 1.0L;
    return static_cast<long double>(n.states(n.rows[i], static_cast<int64_t>(j) - 1)) -
           static_cast<long double>(n.query[j - 1]);
  };
  std::vector normal(terms, std::vector<long double>(terms));
  long double squares = 0;
  for (size_t i = 0; i < weights.size(); ++i)
    for (size_t j = 0; j < terms; ++j) {
      for (size_t l = 0; l < terms; ++l) normal[j][l] += weights[i] * term(i, j) * term(i, l);
      if (j > 0) squares += weights[i] * term(i, j) * term(i, j);
    }
  const auto columns = static_cast<long double>(terms - 1);
  for (size_t j = 1; j < terms; ++j)
    normal[j][j] += static_cast<long double>(spec.ridge) * squares / columns;
  std::vector<double> values;
  for (int64_t a = 0; a < n.actions.cols(); ++a) {
    std::vector<long double> moments(terms);
    for (size_t i = 0; i < weights.size(); ++i)
      for (size_t j = 0; j < terms; ++j)
        moments[j] += weights[i] * term(i, j) * static_cast<long double>(n.actions(n.rows[i], a));
    values.push_back(static_cast<double>(eliminate(normal, moments)[0]));
  }
  return values;
}

void expect_near(const std::vector<float>& got, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t j = 0; j < got.size(); ++j)
    EXPECT_NEAR(got[j], expected[j], tolerance * (1 + std::abs(expected[j])));
}

TEST(LocalRegression, WeighsAsTheFormulasSay) {
  Rng rng(1);
  for (const Kernel kernel : {Kernel::kExponential, Kernel::kGaussian, Kernel::kUniform})
    for (const Bandwidth bandwidth :
         {Bandwidth::kFixed, Bandwidth::kLastNeighbor, Bandwidth::kMedian})
      for (int64_t count = 1; count < 40; count += 6) {
        const Neighborhood n(rng, count, 3, 4);
        const LwrSpec spec = mean_spec(kernel, rng.uniform(0.1, 3), bandwidth);
        expect_near(n.answer(spec), plain_mean(spec, n), 1e-6);
      }
}

TEST(LocalRegression, WithoutWeightsIsThePlainMean) {
  Rng rng(2);
  const Neighborhood n(rng, 8, 3, 2);
  const std::vector<float> got = n.answer(mean_spec(Kernel::kUniform));
  for (int64_t j = 0; j < 2; ++j) {
    double sum = 0;
    for (const int32_t row : n.rows) sum += static_cast<double>(n.actions(row, j));
    EXPECT_NEAR(got[static_cast<size_t>(j)], sum / 8, 1e-6);
  }
}

TEST(LocalRegression, TendsToTheNearestNeighborsAction) {
  Rng rng(3);
  for (const Kernel kernel : {Kernel::kExponential, Kernel::kGaussian}) {
    const Neighborhood n(rng, 12, 3, 2);
    const std::vector<float> nearest = n.nearest();
    double before = 1e9;
    for (const double h : {1.0, 1e-1, 1e-2, 1e-3, 1e-30}) {
      const std::vector<float> got = n.answer(mean_spec(kernel, h));
      const double apart = std::hypot(static_cast<double>(got[0] - nearest[0]),
                                      static_cast<double>(got[1] - nearest[1]));
      EXPECT_LE(apart, before);
      before = apart;
    }
    EXPECT_EQ(before, 0);
    for (const double ridge : {0.0, 1e-3})
      EXPECT_EQ(n.answer(linear_spec(ridge, kernel, 1e-5)), nearest);
  }
}

TEST(LocalRegression, WithOneNeighborRepeatsIt) {
  Rng rng(4);
  for (const Kernel kernel : {Kernel::kExponential, Kernel::kGaussian, Kernel::kUniform})
    for (const double ridge : {0.0, 1e-3}) {
      const Neighborhood n(rng, 1, 5, 3);
      EXPECT_EQ(n.answer(mean_spec(kernel)), n.nearest());
      EXPECT_EQ(n.answer(linear_spec(ridge, kernel)), n.nearest());
    }
}

TEST(LocalRegression, WeighsEqualDistancesEquallyEvenIfAllAreZero) {
  Rng rng(5);
  for (const float distance : {0.0f, 1e-30f, 1.0f, 1e20f})
    for (const Kernel kernel : {Kernel::kExponential, Kernel::kGaussian, Kernel::kUniform})
      for (const Bandwidth bandwidth :
           {Bandwidth::kFixed, Bandwidth::kLastNeighbor, Bandwidth::kMedian})
        for (const float median : {0.0f, 1.0f}) {
          Neighborhood n(rng, 6, 2, 2);
          std::ranges::fill(n.distances, distance);
          n.median = median;
          const LwrSpec spec = mean_spec(kernel, 1, bandwidth);
          expect_near(n.answer(spec), plain_mean(mean_spec(Kernel::kUniform), n), 1e-6);
        }
}

TEST(LocalRegression, WithoutBandwidthTakesTheNearestAlone) {
  Rng rng(6);
  Neighborhood n(rng, 6, 2, 2);
  n.median = 0;
  n.distances[1] = n.distances[0] + 1e-6f;
  for (const Kernel kernel : {Kernel::kExponential, Kernel::kGaussian})
    EXPECT_EQ(n.answer(mean_spec(kernel, 1, Bandwidth::kMedian)), n.nearest());
}

TEST(LocalRegression, FitsAsTheWholeLeastSquaresProblemDoes) {
  Rng rng(7);
  for (int round = 0; round < 60; ++round) {
    const int64_t columns = 1 + static_cast<int64_t>(rng.below(12));
    // Without a ridge the problem has one solution if there are enough neighbours.
    const double ridge = round % 3 == 0 ? 0 : std::pow(10, -rng.uniform(0, 5));
    const int64_t fewest = ridge > 0 ? 1 : 3 * columns;
    const Neighborhood n(rng, fewest + static_cast<int64_t>(rng.below(30)), columns, 3);
    const LwrSpec spec = linear_spec(ridge, static_cast<Kernel>(round % 2), rng.uniform(0.7, 3));
    SCOPED_TRACE(round);
    expect_near(n.answer(spec), plain_fit(spec, n), 2e-6);
  }
}

/// Actions that are an affine function of the states, whose value at the query is given back.
std::vector<double> make_affine(Rng& rng, Neighborhood& n) {
  std::vector<double> at_query;
  for (int64_t a = 0; a < n.actions.cols(); ++a) {
    std::vector<double> slopes;
    const double constant = rng.normal();
    for (int64_t j = 0; j < n.states.cols(); ++j) slopes.push_back(rng.normal());
    const auto value = [&](std::span<const float> state) {
      return std::inner_product(state.begin(), state.end(), slopes.begin(), constant);
    };
    for (int64_t i = 0; i < n.states.rows(); ++i)
      n.actions(i, a) = static_cast<float>(value(n.states.row(i)));
    at_query.push_back(value(n.query));
  }
  return at_query;
}

TEST(LocalRegression, ReproducesActionsThatAreLinear) {
  Rng rng(8);
  for (const Kernel kernel : {Kernel::kExponential, Kernel::kGaussian, Kernel::kUniform}) {
    Neighborhood n(rng, 30, 6, 2);
    const std::vector<double> expected = make_affine(rng, n);
    for (const double ridge : {0.0, 1e-7})
      expect_near(n.answer(linear_spec(ridge, kernel)), expected, 1e-4);
  }
}

TEST(LocalRegression, GivesColumnsWithoutInformationNoSlope) {
  Rng rng(9);
  const LwrSpec spec = linear_spec(0);
  for (int round = 0; round < 20; ++round) {
    // The third column repeats the first twice over, the fourth never changes.
    Neighborhood n(rng, 20, 5, 2);
    for (int64_t i = 0; i < n.states.rows(); ++i) {
      n.states(i, 2) = 2 * n.states(i, 0);
      n.states(i, 3) = 7;
    }
    Neighborhood informed = n;
    informed.states = Matrix::zeros(n.states.rows(), 3);
    for (int64_t i = 0; i < n.states.rows(); ++i)
      for (int64_t j = 0; j < 3; ++j) informed.states(i, j) = n.states(i, j == 2 ? 4 : j);
    informed.query = {n.query[0], n.query[1], n.query[4]};
    expect_near(n.answer(spec), plain_fit(spec, informed), 1e-5);
  }
}

TEST(LocalRegression, GoesThroughFewerNeighborsThanColumns) {
  Rng rng(11);
  for (int64_t count = 1; count < 6; ++count) {
    Neighborhood n(rng, count, 9, 2);
    // A query among them, where any map through all of them has the same value.
    std::vector<double> expected(2);
    for (float& x : n.query) x = 0;
    for (const int32_t row : n.rows) {
      for (size_t j = 0; j < 9; ++j)
        n.query[j] += n.states(row, static_cast<int64_t>(j)) / static_cast<float>(count);
      for (size_t j = 0; j < 2; ++j)
        expected[j] += static_cast<double>(n.actions(row, static_cast<int64_t>(j))) /
                       static_cast<double>(count);
    }
    expect_near(n.answer(linear_spec(0)), expected, 1e-5);
  }
}

TEST(LocalRegression, IsFiniteWhenAllNeighborsAreOneState) {
  Rng rng(12);
  for (const double ridge : {0.0, 1e-3, 1e300})
    for (const bool at_query : {true, false}) {
      Neighborhood n(rng, 5, 3, 2);
      for (int64_t i = 0; i < n.states.rows(); ++i)
        for (int64_t j = 0; j < 3; ++j)
          n.states(i, j) = at_query ? n.query[static_cast<size_t>(j)] : 0.1f;
      const LwrSpec spec = linear_spec(ridge);
      expect_near(n.answer(spec), plain_mean(spec, n), 1e-6);
    }
}

TEST(LocalRegression, AllocatesNothingAfterConstruction) {
  Rng rng(10);
  const Neighborhood n(rng, 20, 6, 3);
  std::vector<float> action(3);
  ASSERT_GT(allocations_of([] { ::operator delete(::operator new(8)); }), 0);
  for (LwrSpec spec : {mean_spec(Kernel::kGaussian), linear_spec(1e-3)}) {
    spec.retrieval.k = 20;
    LocalRegression regression(spec, n.states, n.actions, n.median);
    EXPECT_EQ(allocations_of([&] {
                regression.answer(n.query, {n.rows, n.distances, 20}, action);
              }),
              0);
  }
}

}  // namespace
}  // namespace darp
