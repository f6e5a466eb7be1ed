#pragma once
// A policy file's episodes, kept in a folder.

#include "darp/study/study_run.h"

namespace darp {

/// folder/<name>.json if it is there, else rolled out with its records beside it. Nothing if
/// stopped. Throws Error if the file is of another policy or other conditions.
/// @param label what the evaluation calls the policy
std::optional<Evaluation> evaluate_policy(const std::filesystem::path& policy,
                                          const std::string& label, const StudyEvaluation& wanted,
                                          const std::filesystem::path& folder, int threads,
                                          const StudyOptions& options);

/// The one evaluation in folder/<name>.json.
Evaluation read_evaluation(const std::filesystem::path& folder, const std::string& name);

}  // namespace darp
