#pragma once
// Which episode does a row lie in, for rows in ascending order.

#include <cstddef>
#include <cstdint>
#include <span>

namespace darp::kernels {

/// Walks rows upward and knows the episode that each lies in.
class EpisodeWalk {
 public:
  explicit EpisodeWalk(std::span<const int64_t> ends) : ends_(ends) {}

  /// The first row of the episode of `row`; rows must not go down from call to call.
  int64_t begin_of(int64_t row) {
    while (ends_[next_] <= row) begin_ = ends_[next_++];
    return begin_;
  }
  /// The row after the last of the episode found last.
  int64_t end() const { return ends_[next_]; }
  /// That row and those after the episodes behind it; the last of all is the number of rows.
  const int64_t* upcoming() const { return &ends_[next_]; }

 private:
  std::span<const int64_t> ends_;
  size_t next_ = 0;
  int64_t begin_ = 0;
};

}  // namespace darp::kernels
