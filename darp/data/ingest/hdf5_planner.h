#pragma once
// How the readers of HDF5 layouts say what they want: "these rows of that dataset go there". Plain
// data are left where they are and read later, straight from the file; packed data are unpacked
// now, into the staging area.

#include "darp/data/ingest/hdf5.h"
#include "darp/data/ingest/read_plan.h"

namespace darp {

/// Memory for unpacked numbers that another process can see; grows as it is used.
class StagingArea {
 public:
  virtual ~StagingArea() = default;
  /// Space for that many floats at the end, and where in the area it begins, in bytes. Throws
  /// std::bad_alloc.
  virtual std::pair<float*, uint64_t> add(uint64_t floats) = 0;
};

class Hdf5Planner {
 public:
  Hdf5Planner(std::string source, StagingArea& staging);

  EpisodeAssembler& assembler() { return plan_.assembler; }
  // The first `rows` rows of a dataset, from row `first_row` of the dataset being made.
  void observations(const Hdf5Dataset& dataset, int64_t rows, int64_t first_row, int64_t part);
  void actions(const Hdf5Dataset& dataset, int64_t rows, int64_t first_row, int64_t first_col = 0);
  void rewards(const Hdf5Dataset& dataset, int64_t rows, int64_t first_row);

  ReadPlan finish(std::string format);

 private:
  void add(PlannedRead read, const Hdf5Dataset& dataset);

  StagingArea& staging_;
  ReadPlan plan_;
};

}  // namespace darp
