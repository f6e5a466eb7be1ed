#include "darp/train/roughness.h"

namespace darp {

double roughness(const Smoothness& smoothness, std::span<const int64_t> queries,
                 const BatchRows& met, MatrixView answers, MutableMatrixView gradients) {
  const int64_t count = std::ssize(queries);
  const double factor = smoothness.weight / static_cast<double>(count * answers.cols());
  const auto width = smoothness.neighbors->width();
  double sum = 0;
  for (int64_t q = 0; q < count; ++q)
    for (int64_t p = met.pairs_begin(q); p < met.pairs_end(q); ++p) {
      const float weight = smoothness.weights[queries[q] * width + p - met.pairs_begin(q)];
      const int64_t other = count + met.slots()[p];
      for (int64_t j = 0; j < answers.cols(); ++j) {
        const double apart =
            static_cast<double>(answers(q, j)) - static_cast<double>(answers(other, j));
        sum += static_cast<double>(weight) * apart * apart;
        if (gradients.rows() == 0) continue;
        const auto slope = static_cast<float>(2 * factor * static_cast<double>(weight) * apart);
        gradients(q, j) += slope;
        gradients(other, j) -= slope;
      }
    }
  return factor * sum;
}

}  // namespace darp
