// The paper's lemmas, on the losses that are really minimised. A linear map of one-hot states is
// any function of the states, so what it learns is what the theory calls f.

#include <gtest/gtest.h>

#include <cmath>

#include "darp/retrieval/graph/spectrum.h"
#include "darp/train/graph_objective.h"
#include "tests/random_matrix.h"

namespace darp {
namespace {

constexpr int64_t kStates = 24, kNeighbors = 5;

DoubleMatrix product(const SparseMatrix& matrix, const DoubleMatrix& x) {
  DoubleMatrix y(x.rows(), x.cols());
  matrix.multiply(x.view(), y.mutable_view());
  return y;
}

/// Rows in a plane, their nearest neighbours and kernel weights that sum to 1 for each.
struct Plane {
  Plane() : places(random_matrix(rng, kStates, 2)), actions(random_matrix(rng, kStates, 1)) {
    RetrievalSettings settings;
    settings.k = kNeighbors;
    settings.history.lookback = 1;
    ThreadPool pool(1);
    table.emplace(build_neighbor_table(
        std::make_shared<const Retriever>(places, std::vector<int64_t>{kStates}, settings), pool,
        {.distances = true}));
    graph.emplace(*table, GraphSettings{});
    weights.resize(kStates * kNeighbors);
    for (int64_t q = 0; q < kStates; ++q) {
      neighbor_weights(table->distances(q), GraphKernel::kGaussian, graph->bandwidth(),
                       std::span(weights).subspan(q * kNeighbors, kNeighbors));
    }
    one_hot = Matrix::zeros(kStates, kStates);
    for (int64_t i = 0; i < kStates; ++i) one_hot(i, i) = 1;
  }

  Rng rng{7};
  Matrix places, actions, one_hot;
  std::optional<NeighborTable> table;
  std::optional<NeighborGraph> graph;
  std::vector<float> weights;
};

/// The largest entry of MRIL's gradient when f has these values.
double gradient_at(const Plane& plane, double lambda, const DoubleMatrix& f) {
  PolicySpec spec;
  spec.kind = BcSpec{{{}, MlpSettings::Norm::kNone, 0}};
  const Smoothness smoothness{lambda, &*plane.table, plane.weights};
  const Examples examples{plane.one_hot, plane.actions, nullptr, &smoothness};
  std::vector<double> parameters(kStates + 1), gradient(kStates + 1);
  for (int64_t i = 0; i < kStates; ++i) parameters[i] = f(i, 0);
  std::vector<int64_t> all(kStates);
  for (int64_t i = 0; i < kStates; ++i) all[i] = i;
  precise_gradient(spec, {plane.one_hot, plane.actions}, examples, parameters, {all}, gradient);
  double largest = 0;
  for (const double x : gradient) largest = std::max(largest, std::abs(x));
  return largest;
}

// sum over q and i of w_qi (f_q - f_i)^2 = 2 f' (D - A) f, where A = (W + W') / 2 is the mean of
// both directions (GraphSettings::Edges::kMean) and D its row sums. So the minimiser is the filter
// 1 / (1 + 2 lambda mu) on the modes of D - A; the lemma's 1 / (1 + lambda mu) for a penalty
// lambda f' L f.
TEST(Theory, MrilIsMinimisedByTheSpectralFilter) {
  const Plane plane;
  const DoubleMatrix wanted = DoubleMatrix::of(plane.actions);
  const Spectrum spectrum = laplacian_spectrum(*plane.graph, LaplacianForm::kUnnormalized);
  for (const double lambda : {0.0, 0.3, 1.0, 5.0}) {
    const DoubleMatrix smooth = apply_filter(
        spectrum, [&](double mu) { return 1 / (1 + 2 * lambda * mu); }, wanted);
    EXPECT_LT(gradient_at(plane, lambda, smooth), 1e-7) << lambda;
    // Anything else is not a minimum.
    DoubleMatrix other = smooth;
    other(3, 0) += 0.1;
    EXPECT_GT(gradient_at(plane, lambda, other), 1e-3) << lambda;
  }
}

// The lemma for any symmetric L: the closed form (I + lambda L) f = a against the filter.
TEST(Theory, ThePenaltysClosedFormIsTheFilter) {
  const Plane plane;
  const DoubleMatrix wanted = DoubleMatrix::of(plane.actions);
  for (const auto form : {LaplacianForm::kSymmetric, LaplacianForm::kUnnormalized}) {
    const SparseMatrix laplacian = plane.graph->laplacian(form);
    const DoubleMatrix f = apply_filter(
        laplacian_spectrum(*plane.graph, form), [](double mu) { return 1 / (1 + 2 * mu); }, wanted);
    const DoubleMatrix image = product(laplacian, f);
    for (int64_t i = 0; i < kStates; ++i)
      EXPECT_NEAR(f(i, 0) + 2 * image(i, 0), wanted(i, 0), 1e-12);
  }
}

// Averaging over neighbours, S = D^-1 A, multiplies the modes of I - S (the random walk's
// Laplacian) by 1 - mu, exactly. On the modes u of the symmetric form, which the paper's lemma
// names, it is exact for the symmetrised average D^-1/2 A D^-1/2, whose modes they are; S itself
// has D^-1/2 u. Both are the same where all degrees are equal.
TEST(Theory, AveragingOverNeighborsMultipliesModesByOneMinusMu) {
  const Plane plane;
  const SparseMatrix& affinity = plane.graph->affinity();
  const std::vector<double>& degree = plane.graph->degrees();
  const Spectrum symmetric = laplacian_spectrum(*plane.graph, LaplacianForm::kSymmetric);
  double lemma_off = 0;
  for (int64_t j = 0; j < kStates; ++j) {
    const double kept = 1 - symmetric.eigenvalues[j];
    DoubleMatrix u(kStates, 1), walk(kStates, 1);
    for (int64_t i = 0; i < kStates; ++i) {
      u(i, 0) = symmetric.modes(j, i);
      walk(i, 0) = u(i, 0) / std::sqrt(degree[i]);
    }
    const DoubleMatrix scaled = product(affinity, walk), plain = product(affinity, u);
    for (int64_t i = 0; i < kStates; ++i) {
      EXPECT_NEAR(scaled(i, 0) / std::sqrt(degree[i]), kept * u(i, 0), 1e-12);  // D^-1/2 A D^-1/2 u
      EXPECT_NEAR(scaled(i, 0) / degree[i], kept * walk(i, 0), 1e-12);          // S D^-1/2 u
      lemma_off = std::max(lemma_off, std::abs(plain(i, 0) / degree[i] - kept * u(i, 0)));
    }
  }
  // The degrees here differ, so the lemma as it stands (S u = (1 - mu) u) does not hold.
  EXPECT_GT(lemma_off, 1e-3);
}

}  // namespace
}  // namespace darp
