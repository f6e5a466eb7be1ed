#pragma once
// Minari's HDF5 layout (docs/formats/minari.md): <dataset>/data/{main_data.hdf5, metadata.json},
// one group an episode.

#include <filesystem>
#include <optional>

#include "darp/data/ingest/hdf5_planner.h"
#include "darp/data/ingest/read_settings.h"

namespace darp {

/// The main_data.hdf5 of a Minari dataset folder (or of its data/ folder), if `folder` is one.
std::optional<std::filesystem::path> find_minari_data(const std::filesystem::path& folder);
bool is_minari(const Hdf5Group& file);

/// Observations have one row more than actions (the last, after which nothing was done): it is left
/// out. The parts of dictionary observations are named by their path, "achieved_goal" or
/// "pose/position"; a box is "observation".
void plan_minari(const Hdf5Group& file, const ReadSettings& settings, Hdf5Planner& planner);

}  // namespace darp
