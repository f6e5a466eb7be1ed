#include "darp/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "darp/core/numbers.h"

namespace darp {
namespace {

constexpr double kSmallestDrawn = 1e-100;
/// Of the range, free at each end.
constexpr double kRoom = 0.04;

/// The smallest of 1, 2, 5, 10, ... times a power of ten that is no smaller.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// A typographer's minus: as wide as a digit.
std::string with_minus_sign(const std::string& number) {
  return number.starts_with('-') ? "\xE2\x88\x92" + number.substr(1) : number;
}

/// As many decimals as the step between ticks has.
std::string tick_label(double value, double step, double largest) {
  if (value == 0) return "0";
  const int order = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  if (largest >= 1e7 || order < -4) {
    const int digits = static_cast<int>(std::floor(std::log10(largest))) - order;
    return with_minus_sign(fmt::format("{:.{}e}", value, std::clamp(digits, 0, 15)));
  }
  if (order >= 0) return with_minus_sign(grouped(std::llround(value)));
  return with_minus_sign(fmt::format("{:.{}f}", value, -order));
}

std::string power_label(double value) {
  const bool plain = value >= 0.0009 && value < 1e5;
  return plain ? fmt::format("{:.{}g}", value, 6) : fmt::format("{:.0e}", value);
}

std::vector<Tick> linear_ticks(const Interval& range, int wanted) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  for (double step = round_step((range.high - range.low) / wanted);; step /= 2) {
    std::vector<Tick> ticks;
    const double nice = round_step(step), first = std::ceil(range.low / nice);
    for (double k = first; k * nice <= range.high && k < first + 100; ++k)
      ticks.push_back({k * nice, tick_label(k * nice, nice, largest)});
    if (!ticks.empty()) return ticks;
  }
}

/// Powers of ten, or every second, third, ... of them where there are many; two and five times them
/// too where there are few.
std::vector<Tick> power_ticks(const Interval& range, int wanted) {
  const int first = static_cast<int>(std::ceil(std::log10(range.low) - 1e-9)),
            last = static_cast<int>(std::floor(std::log10(range.high) + 1e-9));
  if (last <= first) return {};
  const int stride = std::max(1, (last - first + wanted) / wanted);
  const bool few = 2 * (last - first + 1) <= wanted + 1;
  std::vector<Tick> ticks;
  for (int power = first - 1; power <= last; ++power)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, power);
      const bool chosen = factor == 1 ? (power - first) % stride == 0 : few;
      if (chosen && value >= range.low * (1 - 1e-9) && value <= range.high * (1 + 1e-9))
        ticks.push_back({value, power_label(value)});
    }
  return ticks;
}

}  // namespace

bool can_draw(double value, AxisScale scale) {
  if (!std::isfinite(value) || std::abs(value) > kLargestDrawn) return false;
  return scale == AxisScale::kLinear || value >= kSmallestDrawn;
}

Axis::Axis(const std::vector<double>& values, AxisScale scale) : scale_(scale) {
  const bool logarithmic = scale == AxisScale::kLogarithmic;
  std::vector<double> drawn;
  for (const double value : values)
    if (can_draw(value, scale)) drawn.push_back(logarithmic ? std::log10(value) : value);
  double low = logarithmic ? -1 : 0, high = 1;
  if (!drawn.empty()) {
    const auto [least, most] = std::minmax_element(drawn.begin(), drawn.end());
    low = *least;
    high = *most;
    const double size = std::max(std::abs(low), std::abs(high));
    // What differs by rounding alone is one value.
    if (high - low <= std::max(size * 1e-9, kSmallestDrawn)) {
      const double about = logarithmic ? 0.5 : size < kSmallestDrawn ? 1 : size / 2;
      low -= about;
      high += about;
    } else {
      const double room = kRoom * (high - low);
      // Nothing below zero where there are no values below it.
      low = !logarithmic && low >= 0 ? std::max(0.0, low - room) : low - room;
      high += room;
    }
  }
  range_ = logarithmic ? Interval{std::pow(10.0, low), std::pow(10.0, high)} : Interval{low, high};
}

double Axis::position(double value) const {
  if (scale_ == AxisScale::kLinear) return (value - range_.low) / (range_.high - range_.low);
  return std::log10(value / range_.low) / std::log10(range_.high / range_.low);
}

std::vector<Tick> Axis::ticks(int wanted) const {
  if (scale_ == AxisScale::kLogarithmic) {
    std::vector<Tick> powers = power_ticks(range_, wanted);
    if (!powers.empty()) return powers;
  }
  return linear_ticks(range_, wanted);
}

}  // namespace darp
