#include "darp/retrieval/graph/spectrum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "darp/retrieval/graph/tables_for_tests.h"
#include "tests/error_of.h"

namespace darp {
namespace {

void expect_values(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

void expect_near(const DoubleMatrix& a, const DoubleMatrix& b, double margin) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (int64_t i = 0; i < a.rows(); ++i)
    for (int64_t j = 0; j < a.cols(); ++j) EXPECT_NEAR(a(i, j), b(i, j), margin) << i << ", " << j;
}

DoubleMatrix random_signal(Rng rng, int64_t rows, int64_t cols) {
  DoubleMatrix out(rows, cols);
  for (int64_t i = 0; i < rows; ++i)
    for (double& x : out.row(i)) x = rng.normal();
  return out;
}

DoubleMatrix product(const SparseMatrix& m, const DoubleMatrix& x) {
  DoubleMatrix y(m.rows(), x.cols());
  m.multiply(x, y.mutable_view());
  return y;
}

/// Of varied sizes; the last has isolated rows.
std::vector<NeighborGraph> random_graphs() {
  std::vector<NeighborGraph> graphs;
  for (uint64_t seed = 0; seed < 6; ++seed)
    graphs.emplace_back(random_table(Rng(seed), 10 + 13 * static_cast<int64_t>(seed), 5),
                        GraphSettings{});
  graphs.emplace_back(random_table(Rng(7), 60, 1),
                      GraphSettings{.bandwidth = 0.3, .edges = GraphSettings::Edges::kMutual});
  return graphs;
}

TEST(Spectrum, OfAPathIsThatOfTheBook) {
  const NeighborGraph graph(unit_table({{}, {0, 2}, {}}), kUniform);
  const Spectrum plain = laplacian_spectrum(graph, LaplacianForm::kUnnormalized);
  expect_values(plain.eigenvalues, {0, 1, 3});
  const Spectrum spectrum = laplacian_spectrum(graph, LaplacianForm::kSymmetric);
  expect_values(spectrum.eigenvalues, {0, 1, 2});
  const double r = 1 / std::sqrt(2.0);
  DoubleMatrix expected(3, 3);
  const double modes[3][3] = {{0.5, r, 0.5}, {r, 0, -r}, {-0.5, r, -0.5}};
  for (int64_t j = 0; j < 3; ++j)
    for (int64_t i = 0; i < 3; ++i) expected(j, i) = modes[j][i];
  expect_near(spectrum.modes, expected, 1e-12);
}

TEST(Spectrum, OfACompleteGraphRepeatsOneEigenvalue) {
  const NeighborGraph graph(complete_table(6), kUniform);
  expect_values(laplacian_spectrum(graph, LaplacianForm::kSymmetric).eigenvalues,
                {0, 1.2, 1.2, 1.2, 1.2, 1.2});
  expect_values(laplacian_spectrum(graph, LaplacianForm::kUnnormalized).eigenvalues,
                {0, 6, 6, 6, 6, 6});
}

TEST(Spectrum, OfARingFollowsTheCosine) {
  for (const int32_t n : {3, 8, 51}) {
    std::vector<double> expected;
    for (int32_t j = 0; j < n; ++j) expected.push_back(1 - std::cos(2 * std::numbers::pi * j / n));
    std::sort(expected.begin(), expected.end());
    const NeighborGraph graph(ring_table(n), kUniform);
    expect_values(laplacian_spectrum(graph, LaplacianForm::kSymmetric).eigenvalues, expected);
  }
}

TEST(Spectrum, HasAZeroForEveryComponent) {
  const NeighborGraph two(unit_table({{1, 2}, {0, 2}, {0, 1}, {4}, {3}}), kUniform);
  expect_values(laplacian_spectrum(two, LaplacianForm::kSymmetric).eigenvalues,
                {0, 0, 1.5, 1.5, 2});
  for (const NeighborGraph& graph : random_graphs())
    for (const LaplacianForm form : kAllForms) {
      const auto values = laplacian_spectrum(graph, form).eigenvalues;
      EXPECT_EQ(std::count_if(values.begin(), values.end(), [](double v) { return v < 1e-9; }),
                graph.components());
    }
}

TEST(Spectrum, OfTheNormalizedFormsLiesBetweenZeroAndTwo) {
  for (const NeighborGraph& graph : random_graphs()) {
    const Spectrum spectrum = laplacian_spectrum(graph, LaplacianForm::kSymmetric);
    EXPECT_TRUE(std::is_sorted(spectrum.eigenvalues.begin(), spectrum.eigenvalues.end()));
    EXPECT_GE(spectrum.eigenvalues.front(), -1e-13);
    EXPECT_LE(spectrum.eigenvalues.back(), 2 + 1e-13);
    EXPECT_EQ(laplacian_spectrum(graph, LaplacianForm::kRandomWalk).eigenvalues,
              spectrum.eigenvalues);
  }
}

TEST(Spectrum, ModesAreOrthonormalAndKeptByTheMatrix) {
  for (const NeighborGraph& graph : random_graphs())
    for (const LaplacianForm form : kAllForms) {
      const Spectrum spectrum = laplacian_spectrum(graph, form);
      const SparseMatrix laplacian = graph.laplacian(form);
      std::vector<double> moved(graph.rows());
      for (int64_t j = 0; j < spectrum.rows(); ++j) {
        const auto mode = spectrum.modes.row(j);
        laplacian.multiply(mode, moved);
        for (int64_t i = 0; i < spectrum.rows(); ++i)
          EXPECT_NEAR(moved[i], spectrum.eigenvalues[j] * mode[i], 1e-12);
        for (int64_t k = 0; k <= j; ++k) {
          double inner = 0;
          for (int64_t i = 0; i < spectrum.rows(); ++i)
            inner += spectrum.weights[i] * mode[i] * spectrum.modes(k, i);
          EXPECT_NEAR(inner, j == k ? 1 : 0, 1e-12);
        }
      }
    }
}

TEST(Spectrum, FirstOfTheLargestEntriesIsPositive) {
  for (const NeighborGraph& graph : random_graphs())
    for (const LaplacianForm form : kAllForms) {
      const Spectrum spectrum = laplacian_spectrum(graph, form);
      for (int64_t j = 0; j < spectrum.rows(); ++j) {
        const auto mode = spectrum.modes.row(j);
        double largest = 0;
        for (const double value : mode) largest = std::max(largest, std::abs(value));
        const auto first = std::find_if(mode.begin(), mode.end(), [&](double value) {
          return std::abs(value) >= largest * (1 - 1e-6);
        });
        EXPECT_GT(*first, 0);
      }
    }
}

TEST(Spectrum, NeighborAveragingIsTheFilterOneMinusMu) {
  const auto averaging = [](double mu) { return 1 - mu; };
  for (const NeighborGraph& graph : random_graphs()) {
    const DoubleMatrix signal = random_signal(Rng(1), graph.rows(), 3);
    // Written out from A and D; isolated rows have no neighbours and stay as they are.
    DoubleMatrix symmetric = signal, walk = signal;
    for (int64_t i = 0; i < graph.rows(); ++i) {
      const double degree = graph.degrees()[i];
      if (degree == 0) continue;
      for (int64_t c = 0; c < 3; ++c) {
        symmetric(i, c) = walk(i, c) = 0;
        for (const int32_t j : graph.affinity().columns(i)) {
          const double weight = graph.affinity().at(i, j);
          symmetric(i, c) += weight / std::sqrt(degree * graph.degrees()[j]) * signal(j, c);
          walk(i, c) += weight / degree * signal(j, c);
        }
      }
    }
    expect_near(
        apply_filter(laplacian_spectrum(graph, LaplacianForm::kSymmetric), averaging, signal),
        symmetric, 1e-12);
    expect_near(
        apply_filter(laplacian_spectrum(graph, LaplacianForm::kRandomWalk), averaging, signal),
        walk, 1e-11);
  }
}

TEST(Spectrum, ExplicitSmoothingIsTheFilterOneOverOnePlusLambdaMu) {
  for (const NeighborGraph& graph : random_graphs())
    for (const LaplacianForm form : kAllForms)
      for (const double lambda : {0.1, 1.0, 30.0}) {
        const DoubleMatrix signal = random_signal(Rng(2), graph.rows(), 2);
        const DoubleMatrix smooth = apply_filter(
            laplacian_spectrum(graph, form), [&](double mu) { return 1 / (1 + lambda * mu); },
            signal);
        // (I + lambda L) f = a, by putting f in.
        DoubleMatrix back = product(graph.laplacian(form), smooth);
        for (int64_t i = 0; i < back.rows(); ++i)
          for (int64_t c = 0; c < 2; ++c) back(i, c) = smooth(i, c) + lambda * back(i, c);
        expect_near(back, signal, 1e-10);
      }
}

TEST(Spectrum, EnergyOfAllModesIsThatOfTheSignal) {
  for (const NeighborGraph& graph : random_graphs())
    for (const LaplacianForm form : kAllForms) {
      const Spectrum spectrum = laplacian_spectrum(graph, form);
      const DoubleMatrix signal = random_signal(Rng(3), graph.rows(), 3);
      double expected = 0, found = 0;
      for (int64_t i = 0; i < signal.rows(); ++i)
        for (const double x : signal.row(i)) expected += spectrum.weights[i] * x * x;
      for (const double energy : spectral_energy(spectrum, signal)) found += energy;
      EXPECT_NEAR(found, expected, 1e-11 * expected);
    }
}

TEST(Spectrum, EnergyOfOneModeIsItsOwn) {
  const NeighborGraph graph(random_table(Rng(9), 30, 4), {});
  const Spectrum spectrum = laplacian_spectrum(graph, LaplacianForm::kSymmetric);
  DoubleMatrix signal(30, 1);
  for (int64_t i = 0; i < 30; ++i) signal(i, 0) = 3 * spectrum.modes(4, i);
  const auto energy = spectral_energy(spectrum, signal);
  for (size_t j = 0; j < energy.size(); ++j) EXPECT_NEAR(energy[j], j == 4 ? 9 : 0, 1e-12);
}

TEST(Spectrum, FiltersWindowsOfWiderSignals) {
  const NeighborGraph graph(random_table(Rng(9), 20, 3), {});
  const Spectrum spectrum = laplacian_spectrum(graph, LaplacianForm::kSymmetric);
  const DoubleMatrix signal = random_signal(Rng(1), 20, 4);
  const DoubleMatrix same = apply_filter(
      spectrum, [](double) { return 1.0; }, signal.view().cols_between(1, 3));
  for (int64_t i = 0; i < 20; ++i)
    for (int64_t c = 0; c < 2; ++c) EXPECT_NEAR(same(i, c), signal(i, c + 1), 1e-12);
}

TEST(Spectrum, OfNothingAndOfIsolatedRows) {
  EXPECT_EQ(symmetric_spectrum(SparseMatrix()).rows(), 0);
  const NeighborGraph apart(unit_table({{}, {}}), kUniform);
  for (const LaplacianForm form : kAllForms) {
    const Spectrum spectrum = laplacian_spectrum(apart, form);
    expect_values(spectrum.eigenvalues, {0, 0});
    EXPECT_EQ(spectrum.weights, (std::vector<double>{1, 1}));
  }
}

TEST(Spectrum, SaysWhenThereAreTooManyRows) {
  const NeighborGraph graph(unit_table(std::vector<std::vector<int32_t>>(5001)), kUniform);
  EXPECT_EQ(error_of([&] { laplacian_spectrum(graph, LaplacianForm::kSymmetric); }),
            "spectrum: 5001 rows are too many, at most 5000 can be decomposed; subsample rows");
}

TEST(Spectrum, RefusesMatricesThatAreNotSymmetric) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // LAPACK's threads run from the start
  const NeighborGraph path(unit_table({{}, {0, 2}, {}}), kUniform);
  EXPECT_DEATH(symmetric_spectrum(path.laplacian(LaplacianForm::kRandomWalk)), "not symmetric");
  const Spectrum spectrum = laplacian_spectrum(path, LaplacianForm::kSymmetric);
  EXPECT_DEATH(spectral_energy(spectrum, DoubleMatrix(2, 1)), "a signal of 2 rows on 3");
}

}  // namespace
}  // namespace darp
