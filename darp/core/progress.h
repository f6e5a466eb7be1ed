#pragma once
// Shows how far a long command is. On a terminal one line is redrawn about ten times a second;
// elsewhere (a log file) a plain line is written every ten seconds and one at the end.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace darp {

/// advance() and status() may be called from any thread. Destroyed without finish() (an exception
/// flies past), it leaves a clean line behind.
class Progress {
 public:
  /// Where it draws. `write` and `width` are called by one thread at a time and must not throw.
  struct Output {
    std::function<void(std::string_view)> write;
    bool terminal = false;
    std::function<int()> width;  ///< columns; asked before each drawing, for windows change
  };
  using Time = std::chrono::nanoseconds;
  /// Time since some fixed moment; never goes back.
  using Clock = std::function<Time()>;

  static Output standard_error();
  static Clock steady_clock();

  /// @param total how many units the work has; 0 if unknown
  /// @param unit  what is counted, in the plural ("steps")
  Progress(std::string_view label, int64_t total, std::string_view unit,
           Output output = standard_error(), Clock clock = steady_clock());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `count` more units are done. Cheap: one addition and one look at the clock, unless a drawing
  /// is due.
  void advance(int64_t count = 1);
  /// A few words shown behind the numbers from the next drawing on ("loss 0.123").
  void status(std::string_view text);
  /// Writes the last line. Calls after the first do nothing, nor does advance() then draw.
  void finish();

 private:
  std::string numbers(Time now) const;
  void draw(Time now);

  const std::string label_, unit_;
  const int64_t total_;
  const Output output_;
  const Clock clock_;
  const Time start_, interval_;
  std::atomic<int64_t> done_{0}, next_drawing_;  // the latter in nanoseconds of the clock
  std::mutex mutex_;                             // guards the output and what follows
  std::string status_;
  bool finished_ = false;
};

/// "8s", "1m05s" or "2h03m".
std::string duration_text(std::chrono::seconds duration);

/// "0.5", "350", "1.2k" or "3.4M": three digits or so, for rates.
std::string short_number(double number);

}  // namespace darp
