#include "darp/policy/make_retriever.h"

namespace darp {

std::shared_ptr<const Retriever> make_retriever(const RetrievalSettings& wanted,
                                                const Normalizer& observations, MatrixView states,
                                                const std::vector<int64_t>& episode_ends,
                                                Progress* progress) {
  RetrievalSettings settings = wanted;
  settings.metric = settings.metric.in_units_of(observations);
  return std::make_shared<const Retriever>(states, episode_ends, settings, progress);
}

}  // namespace darp
