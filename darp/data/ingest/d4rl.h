#pragma once
// D4RL's HDF5 layout (docs/formats/d4rl.md): flat arrays over all episodes, whose ends are marked
// by flags.

#include "darp/data/ingest/hdf5_planner.h"
#include "darp/data/ingest/read_settings.h"

namespace darp {

bool is_d4rl(const Hdf5Group& file);

/// The observation is one part, "observation"; infos/<name> arrays can be asked for as further
/// parts by that name.
void plan_d4rl(const Hdf5Group& file, const ReadSettings& settings, Hdf5Planner& planner);

}  // namespace darp
