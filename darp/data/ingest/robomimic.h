#pragma once
// robomimic's HDF5 layout (docs/formats/robomimic.md): /data/demo_<i>/{actions, obs/<key>, rewards,
// dones}, /mask/<key>.

#include <filesystem>

#include "darp/data/ingest/hdf5_planner.h"
#include "darp/data/ingest/read_settings.h"

namespace darp {

bool is_robomimic(const Hdf5Group& file);

/// Observation parts, unless settings name them: what the file says it was written with; else
/// robomimic's default low-dimensional keys if all are there; else every low-dimensional float key,
/// by name.
void plan_robomimic(const Hdf5Group& file, const ReadSettings& settings, Hdf5Planner& planner);

/// Atomic; the same dataset gives the same bytes.
void write_robomimic(const Dataset& dataset, const std::filesystem::path& path);

}  // namespace darp
