#pragma once
// Timings as a table beside the paper's, and as curves over k.

#include <span>
#include <string>
#include <vector>

#include "darp/exhibit/exhibit.h"
#include "darp/study/runtime_case.h"

namespace darp {

/// A line of the paper's table, in seconds: "hopper 100 0.126 0.00413", "hopper bc 0.102 0.00127".
struct PaperTiming {
  std::string task, row;
  double epoch = 0, step = 0;
};
/// Throws Error for anything else.
PaperTiming parse_paper_timing(const std::string& line);

struct RuntimeRow {
  std::string label;  // "bc", or k
  int64_t k = 0;      // 0: retrieves nothing
  RuntimeRecord record;
};

/// A table and two figures for one task. `about` says what was measured ("hopper.hdf5, ...").
std::vector<Exhibit> runtime_exhibits(const std::string& task, const std::string& about,
                                      std::span<const RuntimeRow> rows,
                                      std::span<const PaperTiming> paper);

}  // namespace darp
