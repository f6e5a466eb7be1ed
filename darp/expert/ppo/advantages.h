#pragma once
// Generalised advantage estimation (Schulman et al., 2016).

#include <cstdint>
#include <span>
#include <vector>

namespace darp {

/// The steps of one environment after the other, `horizon` of each.
struct AdvantageInput {
  int64_t horizon = 0;
  std::span<const float> rewards, values;  // of every row
  std::span<const uint8_t> failed;         // rows after which nothing comes
  std::span<const int64_t> cut_rows;       // rows after which something would have come, ascending:
  std::span<const float>
      cut_values;  // worth that much. An environment's last row is cut or failed.
  double discount = 0.99, lambda = 0.95;
};

/// One per row: how much better things went than the values said. The return is then advantage +
/// value.
std::vector<float> advantages(const AdvantageInput& input);

}  // namespace darp
