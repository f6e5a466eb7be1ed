#include "darp/train/training_set.h"

#include <algorithm>

#include "darp/policy/make_retriever.h"
#include "darp/policy/novelty.h"

namespace darp {
namespace {

/// The training and validation episodes.
std::pair<std::vector<int64_t>, std::vector<int64_t>> split(const Dataset& dataset,
                                                            const ValidationSettings& settings,
                                                            uint64_t seed) {
  if (settings.filter.empty()) return split_episodes(dataset, settings.fraction, seed);
  const std::vector<int64_t>& validation = dataset.filter(settings.filter);
  std::vector<int64_t> training;
  for (int64_t e = 0; e < dataset.episodes(); ++e)
    if (!std::binary_search(validation.begin(), validation.end(), e)) training.push_back(e);
  const std::string where = dataset.source() + ": filter " + settings.filter;
  if (validation.empty())
    throw Error(where, "has no episodes to validate on", "choose another filter or none");
  if (training.empty())
    throw Error(where, "has all episodes: none is left to learn from", "choose another filter");
  return {training, validation};
}

/// A query without any would have nothing to answer from.
void check_counts(const NeighborTable& table, std::string_view rows) {
  for (int64_t query = 0; query < table.queries(); ++query)
    if (table.count(query) == 0)
      throw Error(fmt::format("{} row {}", rows, query), "has no neighbours",
                  "add demonstrations, or let policy.retrieval.exclude leave out less");
}

}  // namespace

TrainingSet::TrainingSet(const Dataset& dataset, const PolicySpec& spec,
                         const TrainSettings& settings)
    : spec_(spec),
      rows_(&dataset),
      observations_(Normalizer::identity(1)),
      actions_(Normalizer::identity(1)) {
  spec.check();
  spec.limits.check(dataset.action_dim());
  std::optional<Dataset> held_out;
  if (settings.validation.wanted()) {
    const auto [training, validation] =
        split(dataset, settings.validation, static_cast<uint64_t>(settings.seed));
    selected_ = dataset.select(training);
    held_out = dataset.select(validation);
    rows_ = &*selected_;
  }
  observations_ = Normalizer::fit(spec.observations, rows_->observations());
  actions_ = Normalizer::fit(spec.actions, rows_->actions());
  training_ = standardized(*rows_);
  if (held_out) {
    validation_ = standardized(*held_out);
    validation_ends_ = held_out->episode_ends();
  }
  if (!spec.darp()) return;
  Progress progress("index", rows_->steps(), "rows");
  retriever_ = make_retriever(*spec.darp(), observations_, training_.states, rows_->episode_ends(),
                              &progress);
}

void TrainingSet::find_neighbors(const std::filesystem::path& cache, ThreadPool& pool) {
  if (!retriever_) return;
  find_tables(cache, pool);
  Progress progress("distances", training_rows(), "rows");
  distance_quantiles_ = distance_quantiles(retriever_, training_.states, pool, &progress);
}

void TrainingSet::find_tables(const std::filesystem::path& cache, ThreadPool& pool) {
  Progress progress("neighbours", training_rows() + validation_rows(), "rows");
  training_.neighbors = cached_neighbor_table(retriever_, cache, pool, {.progress = &progress});
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
  return part;
}

PolicyContents TrainingSet::contents() const {
  PolicyContents contents;
  contents.spec = spec_;
  contents.observations = observations_;
  contents.actions = actions_;
  if (spec_.darp()) {
    contents.demonstrations.observations = Matrix::copy_of(rows_->observations());
    contents.demonstrations.actions = Matrix::copy_of(rows_->actions());
    contents.demonstrations.episode_ends = rows_->episode_ends();
    contents.distance_quantiles = distance_quantiles_;
  }
  return contents;
}

}  // namespace darp
