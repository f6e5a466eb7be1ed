#include "darp/train/ccil/labeled_dataset.h"

namespace darp {
namespace {

std::optional<CorrectiveLabels> kept_labels(const Dataset& demonstrations, const LabelFile& file) {
  if (!std::filesystem::exists(file.path)) return std::nullopt;
  try {
    return read_labels(file.path, file.key, demonstrations.observation_dim(),
                       demonstrations.action_dim());
  } catch (const Error&) {
    // A damaged file is no reason to stop: it is replaced.
    return std::nullopt;
  }
}

}  // namespace

std::optional<Dataset> labeled_dataset(const Dataset& demonstrations, const CcilSettings& settings,
                                       const LabelFile& file, ThreadPool& pool,
                                       const DynamicsOptions& options) {
  std::optional<CorrectiveLabels> labels = kept_labels(demonstrations, file);
  if (!labels) {
    const Transitions transitions(demonstrations);
    const auto model = learn_dynamics(transitions, settings, pool, options);
    if (!model) return std::nullopt;
    labels = corrective_labels(*model, transitions, settings, options.seed, pool);
    if (labels->rows() == 0)
      throw Error("train.ccil", "no corrective label is near enough to the demonstrations",
                  "raise train.ccil.max_distance, or set it to 0");
    write_labels(file.path, *labels, file.key);
  }
  return with_labels(demonstrations, *labels, settings.copies);
}

}  // namespace darp
