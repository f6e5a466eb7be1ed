#include <cmath>
#include <limits>

#include "darp/policy/action_chunks.h"
#include "darp/policy/local_regression.h"
#include "darp/policy/make_retriever.h"
#include "darp/policy/novelty.h"
#include "darp/retrieval/retrieval_session.h"
#include "darp/train/torch/torch_answer.h"
#include "darp/train/torch/torch_edge.h"

namespace darp {
namespace {

/// The neighbours' weights; they sum to 1.
at::Tensor kernel_weights(const LwrSpec& spec, const at::Tensor& distances, double median) {
  if (spec.kernel == LwrSpec::Kernel::kUniform) return at::softmax(at::zeros_like(distances), 0);
  double h = spec.bandwidth_scale;
  if (spec.bandwidth == LwrSpec::Bandwidth::kLastNeighbor) h *= distances[-1].item<double>();
  if (spec.bandwidth == LwrSpec::Bandwidth::kMedian) h *= median;
  if (h == 0)
    return at::softmax(at::zeros_like(distances).masked_fill(
                           distances > distances.min(), -std::numeric_limits<double>::infinity()),
                       0);
  if (spec.kernel == LwrSpec::Kernel::kExponential) return at::softmax(-distances / h, 0);
  return at::softmax(-(distances / h).square() / 2, 0);
}

/// Which columns of `design` the ones before them do not explain; `squares` are those of the
/// columns before a constant was taken from them.
at::Tensor informed_columns(const at::Tensor& design, const at::Tensor& squares) {
  std::vector<int64_t> kept;
  std::vector<at::Tensor> directions;
  for (int64_t j = 0; j < design.size(1); ++j) {
    at::Tensor rest = design.select(1, j);
    for (const at::Tensor& direction : directions) rest = rest - rest.dot(direction) * direction;
    const double square = rest.dot(rest).item<double>();
    if (!(square > LocalRegression::kLeastPivot * squares[j].item<double>())) continue;
    kept.push_back(j);
    directions.push_back(rest / std::sqrt(square));
  }
  return at::tensor(kept, at::kLong);
}

/// The value at the query of the linear fit: least squares with the ridge as further rows.
at::Tensor linear_fit(double ridge, const at::Tensor& weights, const at::Tensor& differences,
                      const at::Tensor& actions) {
  const at::Tensor squares = weights.matmul(differences.square());
  const at::Tensor center = weights.matmul(differences), mean = weights.matmul(actions);
  const at::Tensor root = weights.sqrt().unsqueeze(1);
  const at::Tensor penalty =
      at::eye(center.size(0), center.options()) * (ridge * squares.mean()).sqrt();
  const at::Tensor design = at::cat({root * (differences - center), penalty});
  const at::Tensor wanted = root * (actions - mean);
  const at::Tensor columns = informed_columns(design, squares);
  if (columns.size(0) == 0) return mean;
  const at::Tensor used = design.index_select(1, columns);
  const at::Tensor slopes =
      at::linalg_solve(used.t().matmul(used), used.narrow(0, 0, root.size(0)).t().matmul(wanted));
  return mean - center.index_select(0, columns).matmul(slopes);
}

class LocalAnswer final : public TorchAnswer {
 public:
  explicit LocalAnswer(const PolicyArchive& archive)
      : spec_(*archive.spec().as<LwrSpec>()),
        median_(static_cast<double>(archive.distance_quantiles()[kDistanceQuantiles / 2])),
        standardized_(archive.observations().apply(archive.demonstrations().observations)),
        states_(to_tensor(standardized_, at::kDouble)),
        actions_(to_tensor(
            action_chunks(archive.actions().apply(archive.demonstrations().actions),
                          archive.demonstrations().episode_ends, archive.spec().chunk.length),
            at::kDouble)),
        session_(make_retriever(spec_.retrieval, archive.observations(), standardized_,
                                archive.demonstrations().episode_ends)) {}

  void reset(uint64_t seed) override { session_.reset(seed); }
  void see(std::span<const float> query) override {
    session_.push(query);
    query_ = to_tensor(query, at::kCPU).to(at::kDouble);
  }
  at::Tensor answer(int64_t, Rng) override {
    const Neighbors found = session_.neighbors();
    const std::vector<int64_t> rows(found.rows.begin(), found.rows.end());
    const at::Tensor places = to_tensor(rows, at::kCPU);
    const at::Tensor actions = actions_.index_select(0, places);
    const at::Tensor weights =
        kernel_weights(spec_, to_tensor(found.distances, at::kCPU).to(at::kDouble), median_);
    const bool linear = spec_.fit == LwrSpec::Fit::kLinear;
    const at::Tensor value =
        linear ? linear_fit(spec_.ridge, weights, states_.index_select(0, places) - query_, actions)
               : weights.matmul(actions);
    return value.to(at::kFloat);
  }

 private:
  LwrSpec spec_;
  double median_;
  Matrix standardized_;
  at::Tensor states_, actions_;  // standardised, in double precision; actions are chunks
  RetrievalSession session_;
  at::Tensor query_;  // the last one
};

}  // namespace

std::unique_ptr<TorchAnswer> make_local_answer(std::shared_ptr<const PolicyArchive> archive) {
  return std::make_unique<LocalAnswer>(*archive);
}

}  // namespace darp
