// Opens demonstrations of any format, looks at an episode, splits by episodes and normalises.

#include <cstdio>
#include <exception>

#include "darp/data/ingest/read_dataset.h"
#include "darp/data/normalizer.h"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DEMONSTRATIONS\n", argv[0]);
    return 2;
  }
  const auto [dataset, format] = darp::read_dataset(argv[1]);
  std::printf("%s (%s): %ld episodes, %ld steps, %ld observation and %ld action dimensions\n",
              argv[1], format.c_str(), dataset.episodes(), dataset.steps(),
              dataset.observation_dim(), dataset.action_dim());

  // An episode is a window on the dataset's rows.
  const darp::Episode first = dataset.episode(0);
  std::printf("%s has %ld steps; its first action starts with %g\n", first.name.c_str(),
              first.steps(), first.actions(0, 0));

  // Hold some episodes out, and fit the scale of the observations on the others.
  darp::Dataset training =
      dataset.episodes() > 1 ? dataset.select(darp::split_episodes(dataset, 0.2, /*seed=*/1).first)
                             : dataset.select({0});
  const auto scale =
      darp::Normalizer::fit(darp::NormalizerKind::kStandardSample, training.observations());
  const darp::Matrix normalized = scale.apply(training.observations());
  std::printf("training on %ld episodes; row 0 of %s becomes %g\n", training.episodes(),
              training.column_name(0).c_str(), normalized(0, 0));
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
