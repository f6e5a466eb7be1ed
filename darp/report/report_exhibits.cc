#include "darp/report/report_sections.h"

namespace darp {
namespace {

void append_exhibits(std::vector<Exhibit> more, ExhibitSet& set) {
  for (Exhibit& exhibit : more) set.exhibits.push_back(std::move(exhibit));
}

}  // namespace

ExhibitSet exhibits_of(const ReportInputs& inputs, const std::vector<EnvironmentGroup>& groups) {
  ExhibitSet set{"report", "Evaluations and training runs", ""};
  for (size_t i = 0; i < groups.size(); ++i)
    append_exhibits(
        returns_exhibits(groups[i], groups.size() == 1 ? "" : "-" + std::to_string(i + 1)), set);
  append_exhibits(training_exhibits(inputs.runs), set);
  return set;
}

}  // namespace darp
