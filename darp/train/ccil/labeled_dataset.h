#pragma once
// From demonstrations to what CCIL learns from: model, labels, both together.

#include <filesystem>
#include <optional>

#include "darp/train/ccil/corrective_labels.h"

namespace darp {

/// Where labels are kept for the next time; the key says what they were made from.
struct LabelFile {
  std::filesystem::path path;
  std::string key;
};

/// The demonstrations and their corrective labels, read from the file if it has them; otherwise
/// they are made (which takes the time) and left there. A damaged file is replaced. Nothing if it
/// was stopped. Throws Error if the model diverges or no label is left.
std::optional<Dataset> labeled_dataset(const Dataset& demonstrations, const CcilSettings& settings,
                                       const LabelFile& file, ThreadPool& pool,
                                       const DynamicsOptions& options);

}  // namespace darp
