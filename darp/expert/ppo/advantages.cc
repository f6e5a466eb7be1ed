#include "darp/expert/ppo/advantages.h"

#include "darp/core/error.h"

namespace darp {

std::vector<float> advantages(const AdvantageInput& input) {
  const auto rows = static_cast<int64_t>(input.rewards.size());
  std::vector<float> result(input.rewards.size());
  auto cut = static_cast<int64_t>(input.cut_rows.size()) - 1;
  double next_value = 0, next_advantage = 0;
  for (int64_t row = rows - 1; row >= 0; --row) {
    if (input.failed[row] != 0) {
      next_value = next_advantage = 0;
    } else if (cut >= 0 && input.cut_rows[cut] == row) {
      next_value = double{input.cut_values[cut--]};
      next_advantage = 0;
    } else {
      DARP_CHECK((row + 1) % input.horizon != 0, "row {} ends an environment without a cut", row);
    }
    const double error = input.rewards[row] + input.discount * next_value - input.values[row];
    next_advantage = error + input.discount * input.lambda * next_advantage;
    next_value = double{input.values[row]};
    result[row] = static_cast<float>(next_advantage);
  }
  return result;
}

}  // namespace darp
