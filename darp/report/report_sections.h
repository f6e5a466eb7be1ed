#pragma once
// The sections of a report. Each looks at the inputs and nothing else.

#include <string>
#include <vector>

#include "darp/eval/comparison.h"
#include "darp/report/markup.h"
#include "darp/report/report_inputs.h"

namespace darp {

/// Evaluations in the same environment with the same settings, as given.
struct EnvironmentGroup {
  std::string title;
  std::vector<const EvaluationInput*> inputs;
};
/// By environment, in the order in which they come first. They point into `inputs`.
std::vector<EnvironmentGroup> group_by_environment(const std::vector<EvaluationInput>& inputs);

/// One input against the group's first.
struct GroupComparison {
  const EvaluationInput *a = nullptr, *b = nullptr;
  std::optional<Comparison> comparison;
  std::string why_not = {};  // it could not be made
};
std::vector<GroupComparison> compare_with_first(const EnvironmentGroup& group);

/// Returns of both where they have the same seed. Both are single policies.
struct PairedReturns {
  std::vector<double> a, b;
};
PairedReturns paired_returns(const EvaluationInput& a, const EvaluationInput& b);

/// What to know after ten seconds: who is better, by how much, how sure.
Markup findings(const EnvironmentGroup& group, const std::vector<GroupComparison>& comparisons);
/// Table and chart of each input's returns.
Markup returns_section(const EnvironmentGroup& group);
/// Differences from the first; nothing where there is one input only.
Markup comparison_section(const std::vector<GroupComparison>& comparisons);
/// Learning curves; `runs` is not empty.
Markup training_section(const std::vector<RunInput>& runs);
/// Where everything came from, and the commands to make it again.
Markup provenance_section(const ReportInputs& inputs, const std::string& report_command);

/// Returns as a table and as boxes for each environment, and learning curves: what evaluations and
/// runs show, as exhibits.
ExhibitSet exhibits_of(const ReportInputs& inputs, const std::vector<EnvironmentGroup>& groups);
/// The parts of it.
std::vector<Exhibit> returns_exhibits(const EnvironmentGroup& group, const std::string& suffix);
std::vector<Exhibit> training_exhibits(const std::vector<RunInput>& runs);

/// As one word of a shell's command line, whatever is in it.
std::string shell_word(std::string_view text);

}  // namespace darp
