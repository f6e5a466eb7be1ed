#pragma once
// Looks through a file in a child process. The HDF5 library crashes or loops on some damaged files
// (one flipped byte can do), and has known ways to be made to; whatever happens there, this process
// lives and reports it.

#include <functional>
#include <string>

#include "darp/data/ingest/hdf5_planner.h"
#include "darp/data/ingest/read_dataset.h"

namespace darp {

/// Runs `plan` in a child with a staging area that both processes share, then carries the plan out
/// here, over the mapped file. Errors that it throws are thrown here; a crash, or more than
/// `cpu_seconds` of computing, is an Error that says so. Uses fork: other threads do not exist in
/// the child, so `plan` must not wait for them.
ReadResult read_isolated(const std::filesystem::path& path, unsigned cpu_seconds,
                         const std::function<ReadPlan(StagingArea&)>& plan);

}  // namespace darp
