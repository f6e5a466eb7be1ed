#pragma once
// How `darp info` shows demonstrations: for people and for programs.

#include <nlohmann/json_fwd.hpp>

#include "darp/data/ingest/read_dataset.h"
#include "darp/data/summary.h"

namespace darp {

void print_dataset(const ReadResult& read, const DatasetSummary& summary, bool all_columns);
nlohmann::json dataset_json(const ReadResult& read, const DatasetSummary& summary);

}  // namespace darp
