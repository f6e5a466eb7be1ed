#pragma once
// What one step of the fused engine works with, made ready from weights and a batch: packed
// weights, the first layer of every row and query that the batch meets, and blocks of pairs.

#include <span>
#include <vector>

#include "darp/core/thread_pool.h"
#include "darp/policy/neighbor_features.h"
#include "darp/policy/network_parameters.h"
#include "darp/train/batch_rows.h"
#include "darp/train/fused_block.h"

namespace darp {

/// Grows `matrix` to at least this many rows of exactly these columns; old numbers are lost.
void grow(Matrix& matrix, int64_t rows, int64_t cols);

/// Not for two threads at once while prepare() runs.
template <class Products>
class FusedStep {
 public:
  /// Pairs in a block, unless one query has more.
  static constexpr int64_t kBlockPairs = 160;

  FusedStep(const PolicySpec& spec, const MemoryRows& memory, const Examples& examples,
            ThreadPool& pool);

  /// `parameters` must live until the next call.
  void prepare(std::span<const float> parameters, const QueryBatch& batch);

  int64_t parameter_count() const { return count_; }
  const FeatureLayout& layout() const { return layout_; }
  /// Hidden layers, then the output layer.
  const std::vector<LayerParameters>& parameters() const { return parameters_; }
  int64_t first_units() const { return layers_.front().units; }
  int64_t last_units() const { return layers_.back().units; }
  /// Numbers of a query's actions, and of the answer that the head makes them from.
  int64_t actions() const { return examples_.actions.cols(); }
  int64_t outputs() const { return head_.outputs(actions()); }
  const HeadSettings& head() const { return head_; }
  /// Numbers that a neighbour's row shows; 0 for kinds without neighbours.
  int64_t row_numbers() const { return rows_.cols(); }

  /// Null without.
  const Smoothness* smoothness() const { return examples_.smoothness; }

  // Of the batch. With smoothness, the rows that its queries are compared with (compared().rows())
  // are asked too, after the queries themselves.
  int64_t batch_queries() const { return batch_queries_; }
  const BatchRows& compared() const { return compared_; }
  int64_t queries() const { return batch_.queries(); }
  int64_t pairs() const { return batch_.pairs(); }
  int64_t pairs_begin(int64_t query) const { return batch_.pairs_begin(query); }
  int64_t pairs_end(int64_t query) const { return batch_.pairs_end(query); }
  MatrixView query_states() const { return queries_.view().rows_between(0, queries()); }
  /// Of the batch's queries.
  MatrixView targets() const { return targets_; }
  bool weighs() const { return bandwidth_ > 0; }
  /// Between each pair's states; empty where nobody asks for them.
  std::span<const float> distances() const { return distances_; }
  /// What the neighbours of a block's pairs show, a row each.
  void copy_rows(const BlockPairs& block, MutableMatrixView out) const;
  /// The block that begins with this query: as many whole queries before `end` as fit, at least
  /// one.
  BlockPairs block_from(int64_t query, int64_t end) const;

  // For FusedBlock, and of the output layer.
  const std::vector<FusedLayer<Products>>& layers() const { return layers_; }
  FirstLayerInput first_layer() const;
  const kernels::PackedFloat& output() const { return output_; }
  const kernels::PackedFloat& output_back() const { return output_back_; }
  std::span<const float> output_bias() const { return numbers(parameters_.back().bias); }

 private:
  std::span<const float> numbers(const Parameter& p) const {
    return current_.subspan(p.offset, p.size);
  }
  void set_queries(const QueryBatch& batch);
  void pack_weights();
  void evaluate_first_layer();
  void measure_distances();
  void weigh_pairs();

  const Examples examples_;
  const MatrixView states_;  // of the memory
  ThreadPool& pool_;
  const FeatureLayout layout_;
  const HeadSettings head_;
  const double bandwidth_;  // 0: all pairs of a query count alike
  std::vector<LayerParameters> parameters_;
  int64_t count_ = 0;
  Matrix rows_;  // states and actions of the memory, side by side

  std::span<const float> current_;
  std::vector<FusedLayer<Products>> layers_;
  kernels::PackedFloat per_row_, per_query_, output_, output_back_;
  SplitFirstLayer split_;
  BatchRows batch_, compared_;
  int64_t batch_queries_ = 0;
  std::vector<int64_t> query_ends_;
  Matrix queries_, targets_, query_part_, row_part_;
  std::vector<float> distances_, weights_;  // of each pair
};

}  // namespace darp
