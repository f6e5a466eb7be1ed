#include "darp/runtime/act_status.h"

namespace darp {

const char* describe(ActStatus status) noexcept {
  switch (status) {
    case ActStatus::kOk:
      return "good";
    case ActStatus::kWrongSize:
      return "the observation or the action has another size than the policy's";
    case ActStatus::kNotFinite:
      return "the observation holds NaN or infinity";
    case ActStatus::kTooLarge:
      return "the observation is so far from what was demonstrated that distances overflow";
    case ActStatus::kNoNeighbors:
      return "no demonstrated step is left to retrieve";
    case ActStatus::kNoAction:
      return "the network's answer is not finite";
  }
  return "unknown status";
}

}  // namespace darp
