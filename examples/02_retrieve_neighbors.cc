// Which demonstrated steps are nearest, given what just happened? Streams the last episode through
// a retriever of the others, as a policy does in its control loop.

#include <cstdio>
#include <exception>
#include <numeric>

#include "darp/data/ingest/read_dataset.h"
#include "darp/data/normalizer.h"
#include "darp/retrieval/retrieval_session.h"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DEMONSTRATIONS\n", argv[0]);
    return 2;
  }
  const darp::Dataset all = darp::read_dataset(argv[1]).dataset;
  if (all.episodes() < 2)
    throw darp::Error(argv[1], "has one episode", "give two or more: one asks, the others answer");
  std::vector<int64_t> others(all.episodes() - 1);
  std::iota(others.begin(), others.end(), 0);
  const darp::Dataset demos = all.select(others);

  // Distances mean something once all dimensions have one scale.
  const auto scale =
      darp::Normalizer::fit(darp::NormalizerKind::kStandardSample, demos.observations());

  darp::RetrievalSettings settings;
  settings.k = 5;
  settings.history.lookback = 8;  // the last eight steps count, e^(-0.1 n) for the one n ago
  const auto retriever = std::make_shared<const darp::Retriever>(scale.apply(demos.observations()),
                                                                 demos.episode_ends(), settings);
  std::printf("%s\n", retriever->summary().c_str());

  // One session for each rollout; pushing allocates nothing.
  darp::RetrievalSession session(retriever);
  const darp::Episode rollout = all.episode(all.episodes() - 1);
  std::vector<float> observation(all.observation_dim());
  for (int64_t t = 0; t < rollout.steps(); ++t) {
    scale.apply(rollout.observations.row(t), observation);
    const darp::Neighbors near = session.push(observation);
    if (t % 20 != 0) continue;
    const int64_t row = near.rows[0], episode = demos.episode_of(row);
    std::printf("step %3ld: nearest is step %3ld of %s at distance %.3f\n", t,
                row - demos.episode_begin(episode), demos.episode_name(episode).c_str(),
                near.distances[0]);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
