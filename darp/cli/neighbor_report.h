#pragma once
// What a neighbour table says about the data and the settings, for people and programs.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "darp/data/dataset.h"
#include "darp/retrieval/neighbor_table.h"
#include "darp/retrieval/retrieval_session.h"

namespace darp {

/// "3:120": step 120 of episode 3.
std::string place_of(const Dataset& dataset, int64_t row);

/// Distances, how many neighbours are of the same episode, rows that are in most lists or in none.
/// The table must have distances.
nlohmann::json table_json(const NeighborTable& table, const Dataset& dataset);
void print_table(const nlohmann::json& summary, const Dataset& dataset);

/// The neighbours of one row, nearest first; at most `most`.
nlohmann::json neighbors_json(const Neighbors& neighbors, const Dataset& dataset);
void print_neighbors(const Neighbors& neighbors, const Dataset& dataset, int64_t most);

}  // namespace darp
