#include "darp/cli/interrupt.h"

#include <csignal>

namespace darp {
namespace {

std::atomic<bool> interrupted{false};

void remember_interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  std::signal(SIGINT, remember_interrupt);
  std::signal(SIGTERM, remember_interrupt);
  return interrupted;
}

}  // namespace darp
