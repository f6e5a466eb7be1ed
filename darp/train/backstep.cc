#include "darp/train/backstep.h"

namespace darp {

void BackstepSettings::visit_fields(FieldVisitor& v) {
  v.field("part", part,
          "Half of the queries are moved by this part of a step against the motion; 0: none.",
          {.min = 0, .max = 10});
  v.choice("when", when, {{"steady", When::kSteady}, {"always", When::kAlways}},
           "Only for demonstrations whose steps keep their direction (persistence above 0), or "
           "always.");
}

double persistence(MatrixView states, std::span<const int64_t> episode_ends) {
  double products = 0, squares = 0;
  int64_t begin = 0;
  for (const int64_t end : episode_ends) {
    for (int64_t t = begin + 1; t + 1 < end; ++t)
      for (int64_t j = 0; j < states.cols(); ++j) {
        const double step = double{states.row(t + 1)[j]} - states.row(t)[j],
                     before = double{states.row(t)[j]} - states.row(t - 1)[j];
        products += step * before;
        squares += step * step;
      }
    begin = end;
  }
  return squares > 0 ? products / squares : 0;
}

Matrix backsteps(const BackstepSettings& settings, MatrixView states,
                 std::span<const int64_t> episode_ends) {
  using When = BackstepSettings::When;
  if (!settings.wanted() ||
      (settings.when == When::kSteady && persistence(states, episode_ends) <= 0))
    return Matrix::zeros(0, states.cols());
  Matrix moves = Matrix::zeros(states.rows(), states.cols());
  int64_t begin = 0;
  for (const int64_t end : episode_ends) {
    for (int64_t t = begin; t + 1 < end; ++t)
      for (int64_t j = 0; j < states.cols(); ++j)
        moves.row(t)[j] =
            static_cast<float>(settings.part * (double{states.row(t)[j]} - states.row(t + 1)[j]));
    begin = end;
  }
  return moves;
}

}  // namespace darp
