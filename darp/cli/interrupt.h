#pragma once
// Ctrl-C, for commands that can be continued.

#include <atomic>

namespace darp {

/// From now on the first Ctrl-C or SIGTERM sets the flag, so that the command can end in good
/// order, and the second ends the program.
const std::atomic<bool>& stop_on_interrupt();

/// Thrown by a command that was stopped, after it has said how to go on.
struct Interrupted {};

/// Ends the process as the signal would have: only so do shells stop their loops and scripts too.
[[noreturn]] void end_by_interrupt();

}  // namespace darp
