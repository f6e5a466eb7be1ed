#pragma once
// Returns for people.

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace darp {

/// Returns of one table have the same number of decimals, by the largest of them.
class ReturnText {
 public:
  explicit ReturnText(double largest) {
    const double size = std::abs(largest);
    plain_ = size == 0 || (size >= 0.01 && size < 1e7);
    decimals_ = size >= 1000 ? 1 : size >= 10 ? 2 : 3;
  }
  std::string operator()(double value) const {
    return plain_ ? fmt::format("{:.{}f}", value, decimals_) : fmt::format("{:.3e}", value);
  }
  std::string with_sign(double value) const {
    return plain_ ? fmt::format("{:+.{}f}", value, decimals_) : fmt::format("{:+.3e}", value);
  }

 private:
  bool plain_ = true;
  int decimals_ = 1;
};

}  // namespace darp
