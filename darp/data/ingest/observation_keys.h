#pragma once
// Which observation parts are read, and in which order.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "darp/data/dataset.h"

namespace darp {

/// One entry of ReadSettings::observation_keys: "object" or a column range of it, "object[0:14]".
struct ObservationKey {
  std::string name;
  std::optional<std::pair<int64_t, int64_t>> columns;
};
/// Throws Error when a range is malformed or empty.
ObservationKey parse_observation_key(std::string_view text);

/// Throws Error, listing what there is, for a wanted key that is not available.
void require_keys(const std::vector<std::string>& wanted, const std::vector<std::string>& available,
                  const std::string& source);

/// For formats whose observations are one array without parts: only the key "observation" may be
/// asked for.
void require_single_part(const std::vector<std::string>& wanted, const std::string& source);

/// The dataset with its observation columns cut and ordered as the keys say. Throws Error for a
/// range beyond the part.
Dataset select_columns(const Dataset& dataset, const std::vector<ObservationKey>& keys);

}  // namespace darp
