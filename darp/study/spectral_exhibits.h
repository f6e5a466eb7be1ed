#pragma once
// The figures and tables of a spectral study, from its records.

#include "darp/exhibit/exhibit.h"
#include "darp/study/analysis/spectral_records.h"

namespace darp {

struct SpectralGraph {
  GraphPlan plan;
  NamedNumbers record;  // filter_record
};
struct SpectralPolicy {
  std::string method;
  NamedNumbers record;  // policy_record
};
struct SpectralTask {
  std::string name;
  int64_t rows = 0;
  std::vector<SpectralGraph> graphs;
  std::vector<SpectralPolicy> policies;  // trainings of a method stand together
};

/// The paper's figure of filters on a real graph: curves of theory, points of measurement.
ExhibitCurves filters_figure(const SpectralTask& task, const SpectralGraph& graph);
/// The energy of actions up to each eigenvalue: demonstrated and by method.
ExhibitCurves energy_figure(const SpectralTask& task, const SpectralGraph& graph);
/// What trained policies keep of the demonstrated actions, by bands of eigenvalues.
ExhibitCurves kept_figure(const SpectralTask& task, const SpectralGraph& graph);
/// What the theorems say against what is measured, a column for each graph.
ExhibitTable claims_table(const SpectralTask& task);
/// Imitation error, roughness on each graph and local slopes by method.
ExhibitTable roughness_table(const SpectralTask& task);
/// What came out, in words with numbers.
std::string spectral_summary(const SpectralTask& task);

}  // namespace darp
