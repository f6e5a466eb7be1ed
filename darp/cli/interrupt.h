#pragma once
// Ctrl-C, for commands that can be continued.

#include <atomic>

namespace darp {

/// From now on the first Ctrl-C or SIGTERM sets the flag, so that the command can end in good
/// order, and the second ends the program.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace darp
