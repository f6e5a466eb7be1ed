#include "darp/expert/mpc/first_face.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "darp/expert/mpc/t_outline.h"

namespace darp {
namespace {

/// 0 to 3.
size_t side_of(int face) {
  const Point normal = t_face(face).normal;
  return normal.x != 0 ? (normal.x > 0 ? 0 : 1) : (normal.y > 0 ? 2 : 3);
}

}  // namespace

std::optional<int> drawn_face(std::span<const double> costs, double more, Rng& rng) {
  const auto cost = [&](int face) { return costs[static_cast<size_t>(face)]; };
  std::array<std::vector<int>, 4> sides;
  for (int face = 0; face < kTFaces; ++face)
    if (std::isfinite(cost(face))) sides[side_of(face)].push_back(face);
  for (auto& faces : sides)
    std::sort(faces.begin(), faces.end(), [&](int a, int b) { return cost(a) < cost(b); });
  std::vector<std::vector<int>> good(sides.begin(), sides.end());
  std::erase_if(good, [](const std::vector<int>& faces) { return faces.empty(); });
  std::sort(good.begin(), good.end(),
            [&](const auto& a, const auto& b) { return cost(a[0]) < cost(b[0]); });
  if (good.empty()) return std::nullopt;

  const double most = cost(good[0][0]) + more;
  while (good.size() > 2 && cost(good.back()[0]) > most) good.pop_back();
  auto& faces = good[rng.below(good.size())];
  while (faces.size() > 1 && cost(faces.back()) > most) faces.pop_back();
  return faces[rng.below(faces.size())];
}

}  // namespace darp
