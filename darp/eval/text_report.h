#pragma once
// Evaluations and comparisons for the terminal: plain text, about 100 columns, every line ended.

#include <span>
#include <string>
#include <string_view>

#include "darp/eval/comparison.h"
#include "darp/eval/evaluation.h"

namespace darp {

/// A line for each policy, one over all if there are several, and lines about mishaps if there were
/// any. Columns that no policy has are left out. Throws Error unless environment, settings and
/// seeds are the same for all. `evaluations` is not empty.
std::string evaluation_table(std::span<const Evaluation> evaluations);

/// What went wrong how often: "3 unstable simulation, 1 policy failed".
std::string mishap_text(const EvaluationSummary& summary);

/// Means, difference, p-values and the verdict in words.
std::string comparison_text(const Comparison& comparison, std::string_view name_a,
                            std::string_view name_b);

}  // namespace darp
