#include "darp/core/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "darp/core/error.h"
#include "darp/core/utf8.h"

namespace darp {
namespace {

constexpr std::string_view kEraseToEnd = "\x1b[K";

/// Columns of the character at the start of `text`. Characters of three bytes and more may be two
/// columns wide: counting all of them so never wraps.
int columns_at(std::string_view text, size_t length) {
  return text.empty() ? 0 : length >= 3 ? 2 : 1;
}

int columns(std::string_view text) {
  int total = 0;
  while (!text.empty()) {
    const size_t length = utf8_sequence_length(text);
    total += columns_at(text, length);
    text.remove_prefix(std::max<size_t>(1, length));
  }
  return total;
}

/// The beginning of `text` that fits into `width` columns.
std::string cut(std::string_view text, int width) {
  size_t end = 0;
  while (end < text.size()) {
    const size_t length = utf8_sequence_length(text.substr(end));
    width -= columns_at(text, length);
    if (width < 0) break;
    end += std::max<size_t>(1, length);
  }
  return std::string(text.substr(0, end));
}

std::string bar(double fraction, int width) {
  const int full = static_cast<int>(fraction * width);
  std::string text(static_cast<size_t>(full), '=');
  if (full < width) text += '>';
  text.resize(static_cast<size_t>(width), ' ');
  return "[" + text + "]";
}

double seconds(Progress::Time time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::string duration_text(std::chrono::seconds duration) {
  const int64_t s = std::max<int64_t>(0, duration.count());
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
}

std::string short_number(double number) {
  constexpr std::string_view kSuffixes[] = {"", "k", "M", "G", "T"};
  size_t i = 0;
  // 999.5 would be shown as 1000: it belongs to the next suffix.
  for (; number >= 999.5 && i + 1 < std::size(kSuffixes); ++i) number /= 1000;
  const int decimals = number < 9.95 && (number > 0 || i > 0) ? 1 : 0;
  return fmt::format("{:.{}f}{}", number, decimals, kSuffixes[i]);
}

Progress::Output Progress::standard_error() {
  Output output;
  output.write = [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
  output.terminal = ::isatty(STDERR_FILENO) == 1;
  output.width = [] {
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? int{size.ws_col} : 80;
  };
  return output;
}

Progress::Clock Progress::steady_clock() {
  return [] { return Time(std::chrono::steady_clock::now().time_since_epoch()); };
}

Progress::Progress(std::string_view label, int64_t total, std::string_view unit, Output output,
                   Clock clock)
    : label_(printable(label, 200)),
      unit_(printable(unit, 200)),
      total_(total),
      output_(std::move(output)),
      clock_(std::move(clock)),
      start_(clock_()),
      interval_(output_.terminal ? std::chrono::milliseconds(100) : std::chrono::seconds(10)),
      next_drawing_((start_ + interval_).count()) {
  DARP_CHECK(total >= 0, "progress over {} {}", total, unit_);
  if (output_.terminal) draw(start_);
}

Progress::~Progress() {
  if (!finished_ && output_.terminal) output_.write(fmt::format("\r{}", kEraseToEnd));
}

void Progress::advance(int64_t count) {
  done_.fetch_add(count, std::memory_order_relaxed);
  const Time now = clock_();
  if (now.count() < next_drawing_.load(std::memory_order_relaxed)) return;
  // Whoever finds another thread drawing goes on working.
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || finished_ || now.count() < next_drawing_.load(std::memory_order_relaxed)) return;
  next_drawing_.store((now + interval_).count(), std::memory_order_relaxed);
  draw(now);
}

void Progress::status(std::string_view text) {
  std::lock_guard lock(mutex_);
  status_ = printable(text, 200);
}

void Progress::finish() {
  std::lock_guard lock(mutex_);
  if (std::exchange(finished_, true)) return;
  const Time now = clock_();
  const int64_t done = done_.load(std::memory_order_relaxed);
  const double elapsed = seconds(now - start_);
  std::string line =
      fmt::format("{}: {} {} in {}", label_, done, unit_,
                  duration_text(std::chrono::floor<std::chrono::seconds>(now - start_)));
  if (elapsed > 0)
    line += fmt::format(", {} {}/s", short_number(static_cast<double>(done) / elapsed), unit_);
  if (!status_.empty()) line += ", " + status_;
  output_.write(output_.terminal
                    ? fmt::format("\r{}{}\n", cut(line, output_.width() - 1), kEraseToEnd)
                    : line + "\n");
}

/// Count, rate and time left (elapsed where the total is unknown).
std::string Progress::numbers(Time now) const {
  const int64_t done = done_.load(std::memory_order_relaxed);
  const double elapsed = seconds(now - start_);
  const double rate = elapsed > 0 ? static_cast<double>(done) / elapsed : 0;
  std::string text =
      total_ > 0 ? fmt::format("{}/{} {}", done, total_, unit_) : fmt::format("{} {}", done, unit_);
  if (rate > 0) text += fmt::format("  {} {}/s", short_number(rate), unit_);
  if (total_ == 0) {
    text += "  " + duration_text(std::chrono::floor<std::chrono::seconds>(now - start_));
  } else if (rate > 0 && done < total_) {
    // Rounded up, and cut before a hopeless rate overflows.
    const double left = std::min(std::ceil(static_cast<double>(total_ - done) / rate), 1e9);
    text +=
        fmt::format("  {} left", duration_text(std::chrono::seconds(static_cast<int64_t>(left))));
  }
  if (!status_.empty()) text += "  " + status_;
  return text;
}

void Progress::draw(Time now) {
  const std::string tail = numbers(now);
  const double done = static_cast<double>(done_.load(std::memory_order_relaxed));
  const double fraction =
      total_ > 0 ? std::clamp(done / static_cast<double>(total_), 0.0, 1.0) : 0.0;
  const std::string percent =
      total_ > 0 ? fmt::format("{}%  ", static_cast<int>(fraction * 100)) : "";
  if (!output_.terminal) {
    output_.write(fmt::format("{}: {}{}\n", label_, percent, tail));
    return;
  }
  // One column stays free: terminals wrap when the last one is filled. The bar takes what is left.
  constexpr int kShortestBar = 10, kLongestBar = 40;
  const int width = output_.width() - 1;
  const std::string right = fmt::format("{:>6}{}", percent, tail);
  const int room = std::min(kLongestBar, width - columns(label_) - columns(right) - 5);
  const bool with_bar = total_ > 0 && room >= kShortestBar;
  const std::string line = with_bar ? fmt::format("{} {} {}", label_, bar(fraction, room), right)
                                    : fmt::format("{}: {}{}", label_, percent, tail);
  output_.write(fmt::format("\r{}{}", cut(line, width), kEraseToEnd));
}

}  // namespace darp
