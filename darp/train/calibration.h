#pragma once
// The constants of the data that some policies need in use (PolicyContents::calibration).

#include <vector>

#include "darp/policy/policy_spec.h"
#include "darp/train/objective.h"

namespace darp {

/// As many as PolicySpec::calibration_count says, all above 0.
///   REGENT                     the 95th percentile, over all queries, of the distances from the
///                              nearest neighbour's state to the others' and to the query's
///   diffusion with neighbours  half the range of each column of (neighbour - query)
/// 0 becomes 1. `examples` are the training rows with their neighbours in `memory`.
std::vector<float> calibrate(const PolicySpec& spec, const MemoryRows& memory,
                             const Examples& examples);

}  // namespace darp
