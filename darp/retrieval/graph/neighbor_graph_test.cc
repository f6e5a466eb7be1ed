#include "darp/retrieval/graph/neighbor_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "darp/retrieval/graph/tables_for_tests.h"
#include "tests/error_of.h"

namespace darp {
namespace {

using Edges = GraphSettings::Edges;
std::vector<double> numbers(const SparseMatrix& m) {
  const DoubleMatrix dense = m.to_dense();
  return {dense.data(), dense.data() + dense.rows() * dense.cols()};
}

/// 0 - 1 - 2, linked from the middle alone.
NeighborTable path_of_three() {
  return unit_table({{}, {0, 2}, {}});
}

TEST(NeighborGraph, OfAPathHasTheLaplaciansOfTheBook) {
  const NeighborGraph graph(path_of_three(), kUniform);
  EXPECT_EQ(numbers(graph.affinity()), (std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(graph.degrees(), (std::vector<double>{1, 2, 1}));
  EXPECT_EQ(numbers(graph.laplacian(LaplacianForm::kUnnormalized)),
            (std::vector<double>{1, -1, 0, -1, 2, -1, 0, -1, 1}));
  EXPECT_EQ(numbers(graph.laplacian(LaplacianForm::kRandomWalk)),
            (std::vector<double>{1, -1, 0, -0.5, 1, -0.5, 0, -1, 1}));
  const double r = -1 / std::sqrt(2.0);
  EXPECT_EQ(numbers(graph.laplacian(LaplacianForm::kSymmetric)),
            (std::vector<double>{1, r, 0, r, 1, r, 0, r, 1}));
}

TEST(NeighborGraph, WeighsLinksByTheKernel) {
  const NeighborTable table = table_of({{{1, 1}, {2, 2}}, {{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}});
  const NeighborGraph median(table, {.edges = Edges::kUnion});
  EXPECT_EQ(median.bandwidth(), 3);
  EXPECT_DOUBLE_EQ(median.affinity().at(0, 2), std::exp(-4.0 / 18));
  const NeighborGraph set(
      table, {.kernel = GraphKernel::kExponential, .bandwidth = 0.5, .edges = Edges::kUnion});
  EXPECT_EQ(set.bandwidth(), 0.5);
  EXPECT_DOUBLE_EQ(set.affinity().at(2, 1), std::exp(-6.0));
  EXPECT_DOUBLE_EQ(set.degrees()[0], std::exp(-2.0) + std::exp(-4.0));
}

TEST(NeighborGraph, LinksEitherOrBothDirections) {
  // 1 names 0 at another distance than 0 names 1; only 2 names 1.
  const NeighborTable table = table_of({{{1, 1}}, {{0, 2}}, {{1, 1}}});
  const NeighborGraph either(table, {.bandwidth = 1, .edges = Edges::kUnion});
  EXPECT_DOUBLE_EQ(either.affinity().at(0, 1), std::exp(-0.5));
  EXPECT_DOUBLE_EQ(either.affinity().at(1, 2), std::exp(-0.5));
  const NeighborGraph both(table, {.bandwidth = 1, .edges = Edges::kMutual});
  EXPECT_DOUBLE_EQ(both.affinity().at(0, 1), std::exp(-2.0));
  EXPECT_EQ(both.affinity().entries(), 2);
}

TEST(NeighborGraph, DropsSelfLoopsRepeatsAndVanishingLinks) {
  const NeighborGraph graph(table_of({{{0, 0}, {1, 1}, {1, 2}, {2, 100}}, {}, {}}),
                            {.bandwidth = 1, .edges = Edges::kUnion});
  EXPECT_EQ(graph.affinity().entries(), 2);
  EXPECT_DOUBLE_EQ(graph.affinity().at(1, 0), std::exp(-0.5));
  EXPECT_EQ(graph.degrees()[2], 0);
}

TEST(NeighborGraph, IsolatedRowsHaveZeroRowsInEveryLaplacian) {
  const NeighborGraph graph(unit_table({{2}, {}, {0}}), kUniform);
  for (const LaplacianForm form : kAllForms) {
    const SparseMatrix laplacian = graph.laplacian(form);
    EXPECT_TRUE(laplacian.columns(1).empty());
    EXPECT_EQ(numbers(laplacian), (std::vector<double>{1, 0, -1, 0, 0, 0, -1, 0, 1}));
  }
  EXPECT_EQ(graph.components(), 2);
}

TEST(NeighborGraph, CountsComponents) {
  EXPECT_EQ(NeighborGraph(path_of_three(), kUniform).components(), 1);
  EXPECT_EQ(NeighborGraph(complete_table(7), kUniform).components(), 1);
  EXPECT_EQ(NeighborGraph(ring_table(100), kUniform).components(), 1);
  EXPECT_EQ(NeighborGraph(unit_table({{1}, {0}, {3}, {4}, {2}, {}}), kUniform).components(), 3);
  EXPECT_EQ(NeighborGraph(unit_table({{}, {}, {}}), kUniform).components(), 3);
  EXPECT_EQ(NeighborGraph(unit_table({{1}, {2}, {0}}),
                          {.kernel = GraphKernel::kUniform, .edges = Edges::kMutual})
                .components(),
            3);
}

TEST(NeighborGraph, MayBeEmptyOrWithoutDistances) {
  const NeighborGraph none(table_of({}), kUniform);
  EXPECT_EQ(none.rows(), 0);
  EXPECT_EQ(none.components(), 0);
  const NeighborGraph pair(table_of({{{1, 0}}, {}}, false), kUniform);
  EXPECT_EQ(pair.affinity().at(1, 0), 1);
}

TEST(NeighborGraph, OfRandomPointsKeepsItsPromises) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const auto n = static_cast<int64_t>(2 + rng.below(60));
    const NeighborTable table =
        random_table(rng.split(1), n, static_cast<int64_t>(1 + rng.below(8)));
    for (const Edges edges : {Edges::kMean, Edges::kUnion, Edges::kMutual}) {
      const NeighborGraph graph(table, {.edges = edges});
      EXPECT_TRUE(graph.affinity().symmetric());
      EXPECT_TRUE(graph.laplacian(LaplacianForm::kUnnormalized).symmetric());
      EXPECT_TRUE(graph.laplacian(LaplacianForm::kSymmetric).symmetric());
      const std::vector<double> ones(n, 1.0);
      std::vector<double> sums(n);
      for (const LaplacianForm form : {LaplacianForm::kUnnormalized, LaplacianForm::kRandomWalk}) {
        graph.laplacian(form).multiply(ones, sums);
        for (const double sum : sums) EXPECT_NEAR(sum, 0, 1e-13);
      }
      for (int64_t i = 0; i < n; ++i) {
        EXPECT_EQ(graph.affinity().at(i, i), 0);
        for (const double value : graph.affinity().values(i)) EXPECT_TRUE(value > 0 && value <= 1);
      }
    }
  }
}

TEST(NeighborGraph, MeasuresWhatThePapersRegularizerPenalizes) {
  // The first lemma of the paper's appendix: the sum over rows and their neighbours of
  // w_j (f_i - f_j)^2, with weights that sum to 1 for each row, is twice f^T (D - W) f.
  Rng rng(11);
  for (const GraphKernel kernel :
       {GraphKernel::kGaussian, GraphKernel::kUniform, GraphKernel::kExponential}) {
    const NeighborTable table = random_table(rng.split(1), 50, 6);
    const NeighborGraph graph(table, {.kernel = kernel});
    std::vector<double> f(50), lf(50);
    for (double& x : f) x = rng.normal();
    double penalty = 0;
    for (int64_t i = 0; i < 50; ++i) {
      std::vector<float> weights(table.count(i));
      neighbor_weights(table.distances(i), kernel, graph.bandwidth(), weights);
      for (size_t j = 0; j < weights.size(); ++j)
        penalty += static_cast<double>(weights[j]) * std::pow(f[i] - f[table.rows(i)[j]], 2);
    }
    graph.laplacian(LaplacianForm::kUnnormalized).multiply(f, lf);
    double form = 0;
    for (int64_t i = 0; i < 50; ++i) form += f[i] * lf[i];
    EXPECT_NEAR(2 * form, penalty, 1e-5 * penalty);
  }
}

TEST(NeighborGraph, LinksExactlyTheNeighbors) {
  const NeighborTable table = random_table(Rng(5), 40, 4);
  const NeighborGraph either(table, kUniform);
  const NeighborGraph both(table, {.kernel = GraphKernel::kUniform, .edges = Edges::kMutual});
  const auto names = [&](int32_t i, int32_t j) {
    const auto rows = table.rows(i);
    return std::count(rows.begin(), rows.end(), j) > 0;
  };
  for (int32_t i = 0; i < 40; ++i)
    for (int32_t j = 0; j < 40; ++j) {
      EXPECT_EQ(either.affinity().at(i, j) == 1, names(i, j) || names(j, i));
      EXPECT_EQ(both.affinity().at(i, j) == 1, names(i, j) && names(j, i));
    }
}

TEST(NeighborGraph, SaysWhatIsWrongWithTheTable) {
  EXPECT_EQ(error_of([] {
              NeighborGraph(unit_table({{1}, {2}}), {});
            }),
            "neighbour table: query 1: names row 2 of 2; a graph needs the neighbours of a dataset "
            "within itself: build that table");
  EXPECT_THROW(NeighborGraph(unit_table({{-1}, {0}}), kUniform), Error);
  EXPECT_EQ(error_of([] {
              NeighborGraph(table_of({{{1, 1}}, {}}, false), {.bandwidth = 1});
            }),
            "neighbour table: holds no distances; build it with distances, or use the uniform "
            "kernel");
  EXPECT_THROW(NeighborGraph(path_of_three(), {.bandwidth = -1}), Error);
  EXPECT_THROW(NeighborGraph(table_of({{{1, 0}}, {{0, 0}}}), {}), Error);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(NeighborGraph(table_of({{{1, nan}}, {{0, 1}}}), {.bandwidth = 1}), Error);
}

}  // namespace
}  // namespace darp
