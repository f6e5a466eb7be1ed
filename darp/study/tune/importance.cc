#include "darp/study/tune/importance.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <numeric>
#include <optional>

#include "darp/core/error.h"
#include "darp/core/rng.h"

namespace darp {
namespace {

constexpr int kTrees = 64, kDeepest = 24;
constexpr size_t kSmallestLeaf = 3;
constexpr size_t kNumberCells = 32;  // that a dimension of numbers is divided into
/// Part of a dimension: some of its cells, which are its choices or equal parts of its range.
using Cells = std::bitset<kMostSearchChoices>;

/// Trials as cells and scores.
struct ScoredCells {
  std::vector<size_t> cells_of;           // cells that each dimension has
  std::vector<bool> ordered;              // whether they are parts of a range
  std::vector<std::vector<size_t>> rows;  // the cells of each trial
  std::span<const double> scores;

  ScoredCells(const SearchSpace& space, std::span<const SearchPoint> points,
              std::span<const double> of_points)
      : scores(of_points) {
    for (const SearchDimension& dimension : space.dimensions) {
      ordered.push_back(dimension.choices.empty());
      cells_of.push_back(dimension.choices.empty() ? kNumberCells : dimension.choices.size());
    }
    for (const SearchPoint& point : points) {
      std::vector<size_t>& row = rows.emplace_back();
      for (size_t d = 0; d < point.size(); ++d) {
        const auto cells = static_cast<double>(cells_of[d]);
        row.push_back(static_cast<size_t>(
            std::min(std::floor(space.dimensions[d].unit_of(point[d]) * cells), cells - 1)));
      }
    }
  }
};

/// One extremely randomized tree: of a random cut of each dimension the best one, until few are
/// left.
class ScoreTree {
 public:
  ScoreTree(const ScoredCells& trials, Rng rng) : trials_(trials), rng_(rng) {
    std::vector<size_t> rows(trials.rows.size());
    std::iota(rows.begin(), rows.end(), size_t{0});
    std::vector<Cells> region(trials.cells_of.size());
    for (size_t d = 0; d < region.size(); ++d)
      for (size_t cell = 0; cell < trials.cells_of[d]; ++cell) region[d].set(cell);
    grow(rows, region, 0);
  }

  /// Of what the tree says over the whole space.
  double variance() const {
    double sum = 0, squares = 0;
    for (const Leaf& leaf : leaves_) {
      const double volume = volume_without(leaf, SIZE_MAX);
      sum += volume * leaf.value;
      squares += volume * leaf.value * leaf.value;
    }
    return squares - sum * sum;
  }
  /// Of the same as a function of one dimension, all others averaged.
  double variance_along(size_t dimension) const {
    std::vector<double> marginal(trials_.cells_of[dimension]);
    for (const Leaf& leaf : leaves_) {
      const double volume = volume_without(leaf, dimension);
      for (size_t cell = 0; cell < marginal.size(); ++cell)
        if (leaf.region[dimension][cell]) marginal[cell] += volume * leaf.value;
    }
    const auto count = static_cast<double>(marginal.size());
    const double mean = std::accumulate(marginal.begin(), marginal.end(), 0.0) / count;
    double squares = 0;
    for (const double value : marginal) squares += (value - mean) * (value - mean);
    return squares / count;
  }

 private:
  struct Leaf {
    std::vector<Cells> region;
    double value;
  };
  struct Cut {
    size_t dimension;
    Cells left;
    double gain;
  };

  double mean_score(std::span<const size_t> rows) const {
    double sum = 0;
    for (const size_t row : rows) sum += trials_.scores[row];
    return sum / static_cast<double>(rows.size());
  }

  /// Somewhere between the rows; nothing if all are in one cell.
  std::optional<Cells> random_cut(std::span<const size_t> rows, size_t d) {
    Cells present;
    for (const size_t row : rows) present.set(trials_.rows[row][d]);
    if (present.count() < 2) return std::nullopt;
    size_t nth = 1 + rng_.below(present.count() - 1), cell = 0;
    for (;; ++cell)
      if (present[cell] && nth-- == 0) break;
    Cells left;
    if (!trials_.ordered[d]) return left.set(cell);
    for (size_t below = 0; below < cell; ++below) left.set(below);
    return left;
  }

  std::optional<Cut> best_cut(std::span<const size_t> rows) {
    std::optional<Cut> best;
    for (size_t d = 0; d < trials_.cells_of.size(); ++d) {
      const std::optional<Cells> left = random_cut(rows, d);
      if (!left) continue;
      double sums[2] = {}, counts[2] = {};
      for (const size_t row : rows) {
        const size_t side = (*left)[trials_.rows[row][d]] ? 0 : 1;
        sums[side] += trials_.scores[row];
        counts[side] += 1;
      }
      if (std::min(counts[0], counts[1]) < static_cast<double>(kSmallestLeaf)) continue;
      const double difference = sums[0] / counts[0] - sums[1] / counts[1];
      const double gain = counts[0] * counts[1] * difference * difference;
      if (!best || gain > best->gain) best = Cut{d, *left, gain};
    }
    return best;
  }

  void grow(const std::vector<size_t>& rows, const std::vector<Cells>& region, int depth) {
    const std::optional<Cut> cut =
        depth < kDeepest && rows.size() >= 2 * kSmallestLeaf ? best_cut(rows) : std::nullopt;
    if (!cut) {
      leaves_.push_back({region, mean_score(rows)});
      return;
    }
    for (const bool left : {true, false}) {
      std::vector<size_t> inside;
      for (const size_t row : rows)
        if (cut->left[trials_.rows[row][cut->dimension]] == left) inside.push_back(row);
      std::vector<Cells> part = region;
      part[cut->dimension] &= left ? cut->left : ~cut->left;
      grow(inside, part, depth + 1);
    }
  }

  double volume_without(const Leaf& leaf, size_t dimension) const {
    double volume = 1;
    for (size_t d = 0; d < leaf.region.size(); ++d)
      if (d != dimension)
        volume *=
            static_cast<double>(leaf.region[d].count()) / static_cast<double>(trials_.cells_of[d]);
    return volume;
  }

  const ScoredCells& trials_;
  Rng rng_;
  std::vector<Leaf> leaves_;
};

}  // namespace

std::vector<double> importances(const SearchSpace& space, std::span<const SearchPoint> points,
                                std::span<const double> scores) {
  DARP_CHECK(points.size() == scores.size(), "{} scores of {} points", scores.size(),
             points.size());
  std::vector<double> shares(space.dimensions.size());
  if (points.empty()) return shares;
  const ScoredCells trials(space, points, scores);
  for (int i = 0; i < kTrees; ++i) {
    const ScoreTree tree(trials, Rng(0).split(static_cast<uint64_t>(i)));
    const double variance = tree.variance();
    if (variance <= 0) continue;
    for (size_t d = 0; d < shares.size(); ++d)
      shares[d] += tree.variance_along(d) / variance / kTrees;
  }
  return shares;
}

}  // namespace darp
