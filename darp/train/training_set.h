#pragma once
// Demonstrations made ready for learning: split into training and validation episodes, standardised
// by the training rows, with the neighbours of every query.

#include <filesystem>
#include <memory>
#include <optional>

#include "darp/core/progress.h"
#include "darp/core/thread_pool.h"
#include "darp/data/dataset.h"
#include "darp/policy/policy_archive.h"
#include "darp/retrieval/retriever.h"
#include "darp/train/objective.h"
#include "darp/train/train_settings.h"

namespace darp {

/// What to learn from and what to validate on.
struct TrainingSplit {
  std::optional<Dataset> training;    // nothing: all of the dataset
  std::optional<Dataset> validation;  // nothing: none
};
/// By whole episodes; a single one is cut, and its end is validated on. Throws Error if there is
/// not enough for both.
TrainingSplit split_for_training(const Dataset& dataset, const TrainSettings& settings);

/// Immutable once the neighbours are found. They always come from the training rows: a validation
/// query finds nothing that learning did not see.
class TrainingSet {
 public:
  /// `dataset` must outlive this. Throws Error, saying what to change: no validation episodes, k
  /// above the rows, ...
  /// @param augmented what to learn from instead of the dataset's training episodes, or null; must
  ///                  outlive this
  TrainingSet(const Dataset& dataset, const PolicySpec& spec, const TrainSettings& settings,
              const Dataset* augmented = nullptr,
              Progress::Output output = Progress::standard_error());
  TrainingSet(const TrainingSet&) = delete;
  TrainingSet& operator=(const TrainingSet&) = delete;

  /// The part that takes time; to be called once, before examples and contents are asked for.
  /// `cache` is a folder where the neighbours of the training rows are kept for the next time.
  void find_neighbors(const std::filesystem::path& cache, ThreadPool& pool);

  MemoryRows memory() const { return {training_.seen(), training_.actions, calibration_}; }
  Examples training() const {
    Examples examples = training_.examples();
    if (smoothness_.neighbors) examples.smoothness = &smoothness_;
    return examples;
  }
  /// What moves training queries, or no rows.
  MatrixView backsteps() const { return backsteps_; }
  bool has_validation() const { return validation_.has_value(); }
  /// Without smoothness: what is measured is imitation alone.
  Examples validation() const { return validation_->examples(); }

  int64_t training_rows() const { return training_.states.rows(); }
  int64_t validation_rows() const { return validation_ ? validation_->states.rows() : 0; }
  /// A policy's contents with everything but the members' weights.
  PolicyContents contents() const;

 private:
  struct Part {
    Matrix states, actions;  // standardised
    // With the past beside them, and with the future: only for policies that have these.
    std::optional<Matrix> stacked, chunks;
    std::optional<NeighborTable> neighbors;

    /// What networks see, and what they ought to answer.
    MatrixView seen() const { return stacked ? *stacked : states; }
    MatrixView targets() const { return chunks ? *chunks : actions; }
    Examples examples() const { return {seen(), targets(), neighbors ? &*neighbors : nullptr}; }
  };

  Part standardized(const Dataset& dataset) const;
  void find_smooth_neighbors(const std::filesystem::path& cache, ThreadPool& pool);
  void find_tables(const std::filesystem::path& cache, ThreadPool& pool);

  PolicySpec spec_;
  SmoothnessSettings smoothing_;
  Progress::Output progress_;
  std::optional<Dataset> selected_;  // what to learn from, if not all
  const Dataset* rows_;
  Normalizer observations_, actions_;
  std::shared_ptr<const Retriever> retriever_;  // as in use; null for kinds without neighbours
  // The same, but with samples drawn from all that are ranked: a stride saves nothing there.
  std::shared_ptr<const Retriever> learning_retriever_;
  std::shared_ptr<const Retriever> smooth_retriever_;  // null without smoothness
  std::vector<int64_t> validation_ends_;
  Part training_;
  Matrix backsteps_ = Matrix::zeros(0, 0);
  std::optional<Part> validation_;
  std::vector<float> distance_quantiles_, calibration_;
  std::optional<NeighborTable> smooth_neighbors_;
  std::vector<float> smooth_weights_;
  Smoothness smoothness_;
};

}  // namespace darp
