#include "darp/cli/interrupt.h"

#include <csignal>
#include <cstdlib>

namespace darp {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> last_signal{SIGINT};

void remember_interrupt(int signal) {
  interrupted = true;
  last_signal = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  std::signal(SIGINT, remember_interrupt);
  std::signal(SIGTERM, remember_interrupt);
  return interrupted;
}

void end_by_interrupt() {
  std::signal(last_signal, SIG_DFL);
  std::raise(last_signal);
  std::_Exit(128 + last_signal);  // where the signal is blocked
}

}  // namespace darp
