#pragma once
// Demonstrations made ready for learning: split into training and validation episodes, standardised
// by the training rows, with the neighbours of every query.

#include <filesystem>
#include <memory>
#include <optional>

#include "darp/core/thread_pool.h"
#include "darp/data/dataset.h"
#include "darp/policy/policy_archive.h"
#include "darp/retrieval/retriever.h"
#include "darp/train/objective.h"
#include "darp/train/train_settings.h"

namespace darp {

/// Immutable once the neighbours are found. They always come from the training rows: a validation
/// query finds nothing that learning did not see.
class TrainingSet {
 public:
  /// `dataset` must outlive this. Throws Error, saying what to change: no validation episodes, k
  /// above the rows, ...
  TrainingSet(const Dataset& dataset, const PolicySpec& spec, const TrainSettings& settings);
  TrainingSet(const TrainingSet&) = delete;
  TrainingSet& operator=(const TrainingSet&) = delete;

  /// The part that takes time; to be called once, before examples and contents are asked for.
  /// `cache` is a folder where the neighbours of the training rows are kept for the next time.
  void find_neighbors(const std::filesystem::path& cache, ThreadPool& pool);

  MemoryRows memory() const { return {training_.states, training_.actions}; }
  Examples training() const { return training_.examples(); }
  bool has_validation() const { return validation_.has_value(); }
  Examples validation() const { return validation_->examples(); }

  int64_t training_rows() const { return training_.states.rows(); }
  int64_t validation_rows() const { return validation_ ? validation_->states.rows() : 0; }
  /// A policy's contents with everything but the members' weights.
  PolicyContents contents() const;

 private:
  struct Part {
    Matrix states, actions;  // standardised
    std::optional<NeighborTable> neighbors;

    Examples examples() const { return {states, actions, neighbors ? &*neighbors : nullptr}; }
  };

  Part standardized(const Dataset& dataset) const;
  void find_tables(const std::filesystem::path& cache, ThreadPool& pool);

  PolicySpec spec_;
  std::optional<Dataset> selected_;  // the training episodes, if not all of them
  const Dataset* rows_;
  Normalizer observations_, actions_;
  std::shared_ptr<const Retriever> retriever_;  // null for kinds without neighbours
  std::vector<int64_t> validation_ends_;
  Part training_;
  std::optional<Part> validation_;
  std::vector<float> distance_quantiles_;
};

}  // namespace darp
