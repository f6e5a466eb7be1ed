#include "darp/train/training_set.h"

#include <algorithm>

#include "darp/data/split_steps.h"
#include "darp/policy/action_chunks.h"
#include "darp/policy/make_retriever.h"
#include "darp/policy/novelty.h"
#include "darp/train/calibration.h"

namespace darp {
namespace {

/// A query without any would have nothing to answer from.
void check_counts(const NeighborTable& table, std::string_view rows) {
  for (int64_t query = 0; query < table.queries(); ++query)
    if (table.count(query) == 0)
      throw Error(fmt::format("{} row {}", rows, query), "has no neighbours",
                  "add demonstrations, or let policy.retrieval.exclude leave out less");
}

using EpisodeSplit = std::pair<std::vector<int64_t>, std::vector<int64_t>>;

EpisodeSplit split_by_filter(const Dataset& dataset, const std::string& filter) {
  std::vector<int64_t> training, validation = dataset.filter(filter);
  for (int64_t e = 0; e < dataset.episodes(); ++e)
    if (!std::binary_search(validation.begin(), validation.end(), e)) training.push_back(e);
  const std::string where = dataset.source() + ": filter " + filter;
  if (validation.empty())
    throw Error(where, "has no episodes to validate on", "choose another filter or none");
  if (training.empty())
    throw Error(where, "has all episodes: none is left to learn from", "choose another filter");
  return {training, validation};
}

}  // namespace

TrainingSplit split_for_training(const Dataset& dataset, const TrainSettings& settings) {
  const ValidationSettings& wanted = settings.validation;
  if (!wanted.wanted()) return {};
  if (wanted.filter.empty() && dataset.episodes() == 1) {
    auto [beginning, end] = split_steps(dataset, wanted.fraction);
    return {std::move(beginning), std::move(end)};
  }
  const auto [training, validation] =
      wanted.filter.empty()
          ? split_episodes(dataset, wanted.fraction, static_cast<uint64_t>(settings.seed))
          : split_by_filter(dataset, wanted.filter);
  return {dataset.select(training), dataset.select(validation)};
}

TrainingSet::TrainingSet(const Dataset& dataset, const PolicySpec& spec,
                         const TrainSettings& settings, const Dataset* augmented,
                         Progress::Output output)
    : spec_(spec),
      smoothing_(settings.smoothness),
      progress_(std::move(output)),
      rows_(&dataset),
      observations_(Normalizer::identity(1)),
      actions_(Normalizer::identity(1)) {
  spec.check();
  spec.limits.check(dataset.action_dim());
  settings.smoothness.check(spec);
  TrainingSplit split = split_for_training(dataset, settings);
  const std::optional<Dataset> held_out = std::move(split.validation);
  if (!augmented) selected_ = std::move(split.training);
  if (augmented)
    rows_ = augmented;
  else if (selected_)
    rows_ = &*selected_;
  observations_ = Normalizer::fit(spec.observations, rows_->observations(), spec.observation_floor);
  actions_ = Normalizer::fit(spec.actions, rows_->actions());
  training_ = standardized(*rows_);
  backsteps_ = darp::backsteps(settings.backstep, training_.seen(), rows_->episode_ends());
  if (held_out) {
    validation_ = standardized(*held_out);
    validation_ends_ = held_out->episode_ends();
  }
  const auto retriever = [&](const RetrievalSettings& retrieval) {
    Progress progress("index", rows_->steps(), "rows", progress_);
    return make_retriever(retrieval, observations_, training_.states, rows_->episode_ends(),
                          &progress);
  };
  if (spec.retrieval()) {
    RetrievalSettings learning = *spec.retrieval();
    if (settings.neighbor_sample > 0) learning.stride = 1;
    retriever_ = retriever(*spec.retrieval());
    learning_retriever_ = learning == *spec.retrieval() ? retriever_ : retriever(learning);
  }
  if (smoothing_.wanted()) smooth_retriever_ = retriever(smoothing_.retrieval);
}

void TrainingSet::find_neighbors(const std::filesystem::path& cache, ThreadPool& pool) {
  if (smooth_retriever_) find_smooth_neighbors(cache, pool);
  if (!retriever_) return;
  find_tables(cache, pool);
  calibration_ = calibrate(spec_, memory(), training());
  Progress progress("distances", training_rows(), "rows", progress_);
  distance_quantiles_ = distance_quantiles(retriever_, training_.states, pool, &progress);
}

void TrainingSet::find_smooth_neighbors(const std::filesystem::path& cache, ThreadPool& pool) {
  Progress progress("neighbours", training_rows(), "rows", progress_);
  smooth_neighbors_ = cached_neighbor_table(smooth_retriever_, cache, pool,
                                            {.distances = true, .progress = &progress});
  smooth_weights_ = smoothness_weights(smoothing_, *smooth_neighbors_);
  smoothness_ = {smoothing_.weight, &*smooth_neighbors_, smooth_weights_};
}

void TrainingSet::find_tables(const std::filesystem::path& cache, ThreadPool& pool) {
  Progress progress("neighbours", training_rows() + validation_rows(), "rows", progress_);
  training_.neighbors =
      cached_neighbor_table(learning_retriever_, cache, pool, {.progress = &progress});
  check_counts(*training_.neighbors, "training");
  if (!validation_) return;
  validation_->neighbors = build_neighbor_table(retriever_, validation_->states, validation_ends_,
                                                pool, {.progress = &progress});
  check_counts(*validation_->neighbors, "validation");
}

TrainingSet::Part TrainingSet::standardized(const Dataset& dataset) const {
  Part part;
  part.states = observations_.apply(dataset.observations());
  part.actions = actions_.apply(dataset.actions());
  if (const int64_t horizon = spec_.observation_horizon(); horizon > 1)
    part.stacked = stacked_observations(part.states, dataset.episode_ends(), horizon);
  if (spec_.chunk.length > 1)
    part.chunks = action_chunks(part.actions, dataset.episode_ends(), spec_.chunk.length);
  return part;
}

PolicyContents TrainingSet::contents() const {
  PolicyContents contents;
  contents.spec = spec_;
  contents.observations = observations_;
  contents.actions = actions_;
  if (spec_.retrieval()) {
    contents.demonstrations.observations = Matrix::copy_of(rows_->observations());
    contents.demonstrations.actions = Matrix::copy_of(rows_->actions());
    contents.demonstrations.episode_ends = rows_->episode_ends();
    contents.distance_quantiles = distance_quantiles_;
    contents.calibration = calibration_;
  }
  return contents;
}

}  // namespace darp
