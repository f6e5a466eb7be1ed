#pragma once
// The paper's published networks as policies, and the conventions of the code that made them.

#include "darp/data/dataset.h"
#include "darp/data/safetensors.h"
#include "darp/policy/policy_archive.h"

namespace darp {

/// Where the published code differs from the paper, follow the code: candidates by the present,
/// then re-ranked by a power-decayed, not renormalised history; rows at distance 0 left out;
/// differences divided by sqrt(2); states standardised with n - 1 (retrieval) or n (behaviour
/// cloning), actions with n. A positive rate of decay changes its sign, as powers want it. All else
/// stays.
void apply_reference_conventions(PolicySpec& spec);

/// The retrieval settings in a published network's metadata, with the code's conventions. Throws
/// Error for metadata that are missing, no numbers or of another method.
RetrievalSettings reference_retrieval(const SafetensorsFile& network);

/// A published network, tensors layers.<i>.linear.{weight,bias} and layers.<i>.norm.{weight,bias},
/// with the demonstrations that it was trained on. Throws Error, naming both, when they do not fit
/// together, and for files that are no such network.
PolicyContents import_reference(const SafetensorsFile& network, const Dataset& demonstrations);

}  // namespace darp
