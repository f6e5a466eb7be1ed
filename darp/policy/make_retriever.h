#pragma once
// Where a policy's neighbours come from.

#include <memory>
#include <vector>

#include "darp/core/progress.h"
#include "darp/data/normalizer.h"
#include "darp/retrieval/retriever.h"

namespace darp {

/// The retriever over standardised states, with the metric's raw units brought to theirs: what
/// training and all executors ask. Throws Error as Retriever does.
std::shared_ptr<const Retriever> make_retriever(const RetrievalSettings& wanted,
                                                const Normalizer& observations, MatrixView states,
                                                const std::vector<int64_t>& episode_ends,
                                                Progress* progress = nullptr);

}  // namespace darp
