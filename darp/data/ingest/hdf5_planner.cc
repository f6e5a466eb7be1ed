#include "darp/data/ingest/hdf5_planner.h"

namespace darp {

Hdf5Planner::Hdf5Planner(std::string source, StagingArea& staging)
    : staging_(staging),
      plan_{.format = "",
            .assembler = EpisodeAssembler(std::move(source)),
            .with_rewards = false,
            .reads = {}} {}

void Hdf5Planner::observations(const Hdf5Dataset& dataset, int64_t rows, int64_t first_row,
                               int64_t part) {
  add({.target = PlannedRead::Target::kObservations,
       .type = {},
       .rows = rows,
       .first_row = first_row,
       .first_col = plan_.assembler.declared().parts[static_cast<size_t>(part)].begin},
      dataset);
}

void Hdf5Planner::actions(const Hdf5Dataset& dataset, int64_t rows, int64_t first_row,
                          int64_t first_col) {
  add({.target = PlannedRead::Target::kActions,
       .type = {},
       .rows = rows,
       .first_row = first_row,
       .first_col = first_col},
      dataset);
}

void Hdf5Planner::rewards(const Hdf5Dataset& dataset, int64_t rows, int64_t first_row) {
  plan_.with_rewards = true;
  add({.target = PlannedRead::Target::kRewards, .type = {}, .rows = rows, .first_row = first_row},
      dataset);
}

void Hdf5Planner::add(PlannedRead read, const Hdf5Dataset& dataset) {
  read.width = static_cast<int64_t>(dataset.width());
  if (const auto offset = dataset.contiguous_offset()) {
    read.type = dataset.element_type();
    read.offset = *offset;
  } else {
    const auto [floats, offset_in_area] =
        staging_.add(static_cast<uint64_t>(read.rows) * dataset.width());
    dataset.read_floats(static_cast<uint64_t>(read.rows), floats);
    read.source = PlannedRead::Source::kStaging;
    read.offset = offset_in_area;
  }
  plan_.reads.push_back(read);
}

ReadPlan Hdf5Planner::finish(std::string format) {
  plan_.format = std::move(format);
  return std::move(plan_);
}

}  // namespace darp
