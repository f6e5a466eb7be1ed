#include "darp/train/fused_objective.h"

#include <algorithm>
#include <mutex>

#include "darp/kernels/row_sums.h"
#include "darp/train/fused_step.h"
#include "darp/train/roughness.h"

namespace darp {
namespace {

constexpr int64_t kMostShards = 8;  // of a batch

template <class Products>
class FusedObjective : public Objective {
 public:
  FusedObjective(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
                 ThreadPool& pool)
      : pool_(pool), step_(spec, memory, examples, pool) {
    DARP_CHECK(fused_engine_supports(spec), "a policy that the fused engine cannot do");
    DARP_CHECK(!examples.smoothness || (!spec.retrieval() && !spec.head().is_distribution()),
               "smoothness is for behaviour cloning with l2");
  }

  double gradient(std::span<const float> parameters, const QueryBatch& batch,
                  std::span<float> gradient) override {
    DARP_CHECK(std::ssize(gradient) == step_.parameter_count(), "{} gradients", gradient.size());
    prepare(parameters, batch);
    // Where answers count together, all of them are needed before any gradient.
    const double joint = step_.smoothness() ? joint_loss(batch, true) : 0;
    grow(query_gradient_, step_.queries(), step_.first_units());
    shards_.resize(shard_count());
    pool_.parallel_for(step_.queries(), shard_queries(), [&](int64_t begin, int64_t end) {
      learn(shards_[begin / shard_queries()], begin, end);
    });
    double loss = 0;
    for (const Shard& shard : shards_) loss += shard.loss;
    add_shards(gradient);
    first_layer_gradient(gradient);
    return joint + loss * loss_factor();
  }

  double loss(std::span<const float> parameters, const QueryBatch& batch) override {
    prepare(parameters, batch);
    if (step_.smoothness()) return joint_loss(batch, false);
    answer_all();
    double sum = 0;
    for (int64_t begin = 0; begin < step_.queries(); begin += shard_queries())
      sum += head_losses(begin, std::min(begin + shard_queries(), step_.queries()), false);
    return sum * loss_factor();
  }

 private:
  /// One part of a batch: its gradients, laid out as the parameters are, and its losses.
  struct Shard {
    std::vector<float> gradient, per_distance;
    Matrix per_row;  // transposed: a column per unit
    double loss = 0;
  };
  /// What one thread works in.
  struct Workspace {
    FusedBlock<Products> block;
    BlockMatrix shown;  // what each pair's neighbour shows
  };

  double loss_factor() const { return 1.0 / static_cast<double>(step_.batch_queries()); }

  /// A shard is an eighth of the batch, but not so little that its overhead shows.
  int64_t shard_queries() const {
    const int64_t pairs = std::max<int64_t>(1, step_.pairs() / step_.queries());
    return std::max((step_.queries() + kMostShards - 1) / kMostShards,
                    (FusedStep<Products>::kBlockPairs / 2 + pairs - 1) / pairs);
  }
  int64_t shard_count() const { return (step_.queries() - 1) / shard_queries() + 1; }

  void prepare(std::span<const float> parameters, const QueryBatch& batch) {
    step_.prepare(parameters, batch);
    grow(means_, step_.queries(), step_.last_units());
    grow(mean_gradients_, step_.queries(), step_.last_units());
    grow(answers_, step_.queries(), step_.outputs());
    grow(answer_gradients_, step_.queries(), step_.outputs());
  }
  template <class Body>
  void with_workspace(const Body& body);
  void forward(const BlockPairs& block, Workspace& work);
  double head_losses(int64_t begin, int64_t end, bool differentiate);
  void answer_all();
  double joint_loss(const QueryBatch& batch, bool differentiate);
  void back_to_means(const BlockPairs& block);
  void start(Shard& shard) const;
  std::vector<FusedLayerGradient> layer_gradients(Shard& shard) const;
  void learn(Shard& shard, int64_t begin, int64_t end);
  void learn_output(Shard& shard, const BlockPairs& block) const;
  void learn_first_layer(Shard& shard, const BlockPairs& block, MatrixView gradient,
                         Workspace& work);
  void add_shards(std::span<float> gradient);
  void first_layer_gradient(std::span<float> gradient) const;

  ThreadPool& pool_;
  FusedStep<Products> step_;
  // A row per query: of the last hidden layer, and of the output layer.
  Matrix means_, mean_gradients_, answers_, answer_gradients_;
  Matrix query_gradient_;  // by z_0, summed over a query's pairs
  std::vector<Shard> shards_;

  std::mutex mutex_;  // guards the workspaces that nobody uses now
  std::vector<std::unique_ptr<Workspace>> workspaces_;
};

template <class Products>
template <class Body>
void FusedObjective<Products>::with_workspace(const Body& body) {
  std::unique_ptr<Workspace> work;
  {
    const std::lock_guard lock(mutex_);
    if (!workspaces_.empty()) {
      work = std::move(workspaces_.back());
      workspaces_.pop_back();
    }
  }
  if (!work) work = std::make_unique<Workspace>();
  body(*work);
  const std::lock_guard lock(mutex_);
  workspaces_.push_back(std::move(work));
}

/// All layers of a block's queries, into means_ and answers_.
template <class Products>
void FusedObjective<Products>::forward(const BlockPairs& block, Workspace& work) {
  work.block.reserve(std::max(FusedStep<Products>::kBlockPairs, block.end - block.begin),
                     step_.layers());
  work.block.forward(step_.layers(), step_.first_layer(), block, means_.mutable_view());
  kernels::multiply(means_.view().rows_between(block.first_query, block.last_query), step_.output(),
                    step_.output_bias(),
                    answers_.mutable_view().rows_between(block.first_query, block.last_query));
}

/// The sum over these queries; with `differentiate`, the gradient of the loss by their answers is
/// left in answer_gradients_.
template <class Products>
double FusedObjective<Products>::head_losses(int64_t begin, int64_t end, bool differentiate) {
  double loss = 0;
  for (int64_t q = begin; q < end; ++q)
    loss += head_loss(step_.head(), answers_.row(q), step_.targets().row(q), loss_factor(),
                      differentiate ? answer_gradients_.row(q) : std::span<float>());
  return loss;
}

template <class Products>
void FusedObjective<Products>::answer_all() {
  pool_.parallel_for(step_.queries(), shard_queries(), [&](int64_t begin, int64_t end) {
    with_workspace([&](Workspace& work) {
      for (int64_t q = begin; q < end;) {
        const BlockPairs block = step_.block_from(q, end);
        forward(block, work);
        q = block.last_query;
      }
    });
  });
}

/// The loss of imitation and smoothness; with `differentiate`, its gradient by the answers for
/// queries and the rows that they are compared with is left in answer_gradients_.
template <class Products>
double FusedObjective<Products>::joint_loss(const QueryBatch& batch, bool differentiate) {
  answer_all();
  const double imitation = loss_factor() * head_losses(0, step_.batch_queries(), differentiate);
  for (int64_t q = step_.batch_queries(); q < step_.queries(); ++q)
    std::ranges::fill(answer_gradients_.row(q), 0.0f);
  return imitation +
         roughness(*step_.smoothness(), batch.queries, step_.compared(), answers_,
                   differentiate ? answer_gradients_.mutable_view() : MutableMatrixView());
}

/// The gradient by each pair's last hidden layer, but for its weight: that by the mean, divided by
/// the query's pairs where all count alike.
template <class Products>
void FusedObjective<Products>::back_to_means(const BlockPairs& block) {
  const MutableMatrixView by_means =
      mean_gradients_.mutable_view().rows_between(block.first_query, block.last_query);
  kernels::multiply(answer_gradients_.view().rows_between(block.first_query, block.last_query),
                    step_.output_back(), {}, by_means);
  if (step_.weighs()) return;
  for (int64_t q = block.first_query; q < block.last_query; ++q) {
    const auto pairs = static_cast<float>(step_.pairs_end(q) - step_.pairs_begin(q));
    for (float& x : by_means.row(q - block.first_query)) x /= pairs;
  }
}

/// Zeros for all sums but those of hidden weights, which a shard's first block starts.
template <class Products>
void FusedObjective<Products>::start(Shard& shard) const {
  shard.gradient.resize(step_.parameter_count());
  const auto clear = [&](const Parameter& p) {
    std::fill_n(shard.gradient.begin() + p.offset, p.size, 0.0f);
  };
  for (const LayerParameters& layer : step_.parameters()) {
    clear(layer.bias);
    clear(layer.scale);
    clear(layer.shift);
  }
  clear(step_.parameters().back().weight);
  shard.per_distance.assign(step_.layout().distance >= 0 ? step_.first_units() : 0, 0.0f);
  if (step_.row_numbers() > 0)
    shard.per_row = Matrix::zeros(step_.row_numbers(), step_.first_units());
  shard.loss = 0;
}

template <class Products>
std::vector<FusedLayerGradient> FusedObjective<Products>::layer_gradients(Shard& shard) const {
  float* numbers = shard.gradient.data();
  std::vector<FusedLayerGradient> gradients(step_.layers().size());
  for (size_t l = 0; l < gradients.size(); ++l) {
    const LayerParameters& layer = step_.parameters()[l];
    gradients[l].sums.bias = numbers + layer.bias.offset;
    gradients[l].sums.scale = numbers + layer.scale.offset;
    gradients[l].sums.shift = numbers + layer.shift.offset;
    if (l > 0) gradients[l].weight = layer.weight_in(numbers);
  }
  return gradients;
}

template <class Products>
void FusedObjective<Products>::learn(Shard& shard, int64_t begin, int64_t end) {
  start(shard);
  std::vector<FusedLayerGradient> gradients = layer_gradients(shard);
  with_workspace([&](Workspace& work) {
    for (int64_t q = begin; q < end;) {
      const BlockPairs block = step_.block_from(q, end);
      forward(block, work);
      if (!step_.smoothness()) shard.loss += head_losses(block.first_query, block.last_query, true);
      back_to_means(block);
      learn_output(shard, block);
      const auto mode = q == begin ? kernels::Sum::kStart : kernels::Sum::kAdd;
      const MatrixView by_first =
          work.block.backward(step_.layers(), block, mean_gradients_, gradients, mode);
      learn_first_layer(shard, block, by_first, work);
      q = block.last_query;
    }
  });
}

template <class Products>
void FusedObjective<Products>::learn_output(Shard& shard, const BlockPairs& block) const {
  const LayerParameters& layer = step_.parameters().back();
  const MatrixView by_answers =
      answer_gradients_.view().rows_between(block.first_query, block.last_query);
  kernels::add_products(by_answers, means_.view().rows_between(block.first_query, block.last_query),
                        layer.weight_in(shard.gradient.data()));
  kernels::add_rows(by_answers, shard.gradient.data() + layer.bias.offset);
}

/// From the gradients by z_0 of a block's pairs to those of the first layer's parts.
template <class Products>
void FusedObjective<Products>::learn_first_layer(Shard& shard, const BlockPairs& block,
                                                 MatrixView gradient, Workspace& work) {
  for (int64_t q = block.first_query; q < block.last_query; ++q) {
    const std::span<float> sum = query_gradient_.row(q);
    std::fill(sum.begin(), sum.end(), 0.0f);
    kernels::add_rows(
        gradient.rows_between(step_.pairs_begin(q) - block.begin, step_.pairs_end(q) - block.begin),
        sum.data());
  }
  for (int64_t i = 0; i < gradient.rows(); ++i)
    for (size_t j = 0; j < shard.per_distance.size(); ++j)
      shard.per_distance[j] += step_.distances()[block.begin + i] * gradient(i, j);
  if (step_.row_numbers() == 0) return;
  work.shown.reserve(std::max(FusedStep<Products>::kBlockPairs, gradient.rows()),
                     step_.row_numbers());
  const MutableMatrixView shown = work.shown.rows(0, gradient.rows());
  step_.copy_rows(block, shown);
  kernels::add_products(shown, gradient, shard.per_row.mutable_view());
}

template <class Products>
void FusedObjective<Products>::add_shards(std::span<float> gradient) {
  constexpr int64_t kChunk = 16 * 1024;
  pool_.parallel_for(std::ssize(gradient), kChunk, [&](int64_t begin, int64_t end) {
    std::vector<const float*> parts;
    for (const Shard& shard : shards_) parts.push_back(shard.gradient.data() + begin);
    kernels::sum_all(parts, end - begin, gradient.data() + begin);
  });
}

template <class Products>
void FusedObjective<Products>::first_layer_gradient(std::span<float> gradient) const {
  const FeatureLayout& layout = step_.layout();
  const int64_t units = step_.first_units();
  SplitFirstLayer parts;
  parts.per_row = Matrix::zeros(units, layout.observation_dim + layout.action_dim);
  parts.per_query = Matrix::zeros(units, layout.observation_dim);
  parts.per_distance.assign(units, 0.0f);
  for (const Shard& shard : shards_) {
    kernels::add(shard.per_distance, parts.per_distance.data());
    for (int64_t j = 0; j < shard.per_row.rows(); ++j)
      for (int64_t i = 0; i < units; ++i) parts.per_row(i, j) += shard.per_row(j, i);
  }
  kernels::add_products(query_gradient_.view().rows_between(0, step_.queries()),
                        step_.query_states(), parts.per_query.mutable_view());
  join_first_layer_gradient(layout, parts, step_.parameters().front().weight_in(gradient.data()));
}

}  // namespace

bool fused_engine_supports(const PolicySpec& spec) {
  const MlpSettings* network = spec.network();
  return network != nullptr && spec.aggregation().kind == AggregationSettings::Kind::kMean &&
         network->dropout == 0 && !network->hidden.empty();
}

std::unique_ptr<Objective> make_fused_objective(const PolicySpec& spec, const MemoryRows& memory,
                                                const Examples& examples, ThreadPool& pool,
                                                bool bfloat16) {
  if (bfloat16)
    return std::make_unique<FusedObjective<BfloatProducts>>(spec, memory, examples, pool);
  return std::make_unique<FusedObjective<FloatProducts>>(spec, memory, examples, pool);
}

}  // namespace darp
