#include "darp/data/split_steps.h"

#include <algorithm>
#include <cmath>

#include "darp/core/error.h"

namespace darp {
namespace {

/// Rows [begin, end) of the one episode, under a name that says which part it is.
Dataset part_of_episode(const Dataset& dataset, int64_t begin, int64_t end, const char* which) {
  DatasetContents contents;
  contents.observations = Matrix::copy_of(dataset.observations().rows_between(begin, end));
  contents.actions = Matrix::copy_of(dataset.actions().rows_between(begin, end));
  contents.parts = dataset.parts();
  contents.episode_ends = {end - begin};
  contents.episode_names = {dataset.episode_name(0) + which};
  if (!dataset.rewards().empty())
    contents.rewards.assign(dataset.rewards().begin() + begin, dataset.rewards().begin() + end);
  contents.environment = dataset.environment();
  contents.source = dataset.source();
  return Dataset(std::move(contents));
}

}  // namespace

std::pair<Dataset, Dataset> split_steps(const Dataset& dataset, double end_fraction) {
  if (!(end_fraction > 0 && end_fraction < 1))
    throw Error(dataset.source(),
                fmt::format("cannot be split with a validation fraction of {}", end_fraction),
                "use a number between 0 and 1, for example 0.1");
  if (dataset.episodes() != 1 || dataset.steps() < 2)
    throw Error(dataset.source(),
                fmt::format("has {} episodes and {} steps: no single episode to cut in two",
                            dataset.episodes(), dataset.steps()),
                "train without a validation set");
  const auto wanted =
      static_cast<int64_t>(std::llround(end_fraction * static_cast<double>(dataset.steps())));
  const int64_t middle = dataset.steps() - std::clamp<int64_t>(wanted, 1, dataset.steps() - 1);
  return {part_of_episode(dataset, 0, middle, ", beginning"),
          part_of_episode(dataset, middle, dataset.steps(), ", end")};
}

}  // namespace darp
