#include "darp/policy/action_chunks.h"

#include <algorithm>

namespace darp {
namespace {

/// Row t becomes the rows t + first, ..., t + first + count - 1, kept within its episode.
Matrix with_neighbors_in_time(MatrixView rows, const std::vector<int64_t>& episode_ends,
                              int64_t first, int64_t count) {
  Matrix out = Matrix::zeros(rows.rows(), count * rows.cols());
  int64_t begin = 0;
  for (const int64_t end : episode_ends) {
    for (int64_t t = begin; t < end; ++t)
      for (int64_t i = 0; i < count; ++i) {
        const std::span<const float> from = rows.row(std::clamp(t + first + i, begin, end - 1));
        std::ranges::copy(from, out.row(t).begin() + i * rows.cols());
      }
    begin = end;
  }
  return out;
}

}  // namespace

Matrix action_chunks(MatrixView actions, const std::vector<int64_t>& episode_ends, int64_t length) {
  return with_neighbors_in_time(actions, episode_ends, 0, length);
}

Matrix stacked_observations(MatrixView observations, const std::vector<int64_t>& episode_ends,
                            int64_t horizon) {
  return with_neighbors_in_time(observations, episode_ends, 1 - horizon, horizon);
}

}  // namespace darp
