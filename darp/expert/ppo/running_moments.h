#pragma once
// Means and variances of a stream of numbers, in parts that can be put together (Chan et al.,
// 1979).

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace darp {

struct RunningMoments {
  double count = 0;
  std::vector<double> mean, squares;  // squares: sums of squared distances to the mean

  explicit RunningMoments(int64_t dims = 1)
      : mean(static_cast<size_t>(dims)), squares(static_cast<size_t>(dims)) {}

  template <class T>
  void add(std::span<const T> values) {
    count += 1;
    for (size_t i = 0; i < mean.size(); ++i) {
      const double value = static_cast<double>(values[i]), before = value - mean[i];
      mean[i] += before / count;
      squares[i] += before * (value - mean[i]);
    }
  }

  void merge(const RunningMoments& other) {
    if (other.count == 0) return;
    const double all = count + other.count;
    for (size_t i = 0; i < mean.size(); ++i) {
      const double apart = other.mean[i] - mean[i];
      mean[i] += apart * other.count / all;
      squares[i] += other.squares[i] + apart * apart * count * other.count / all;
    }
    count = all;
  }

  /// 1 before there is anything to tell.
  double deviation(size_t i) const { return count < 2 ? 1 : std::sqrt(squares[i] / count); }
};

}  // namespace darp
