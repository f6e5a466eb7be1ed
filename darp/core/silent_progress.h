#pragma once

#include "darp/core/progress.h"

namespace darp {

/// Progress that nobody sees: of parts of a larger work, which shows its own.
inline Progress::Output silent_progress() {
  return {.write = [](std::string_view) {}, .terminal = false, .width = [] { return 80; }};
}

}  // namespace darp
