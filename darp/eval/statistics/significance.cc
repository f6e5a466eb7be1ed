#include "darp/eval/statistics/significance.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "darp/core/error.h"
#include "darp/core/rng.h"

namespace darp {
namespace {

constexpr size_t kMostEnumeratedSigns = 16;

/// Counts sums that are as far from 0 as the observed one; equal but for rounding is as far.
class FarSums {
 public:
  FarSums(double observed, std::span<const double> terms) {
    double scale = 0;
    for (const double term : terms) scale += std::abs(term);
    threshold_ = std::abs(observed) - 1e-12 * scale;
  }
  void add(double sum) {
    far_ += std::abs(sum) >= threshold_ ? 1 : 0;
    ++all_;
  }
  double exact_p_value() const { return static_cast<double>(far_) / static_cast<double>(all_); }
  /// With the sample itself as one draw more, which keeps the test's level.
  double drawn_p_value() const {
    return static_cast<double>(far_ + 1) / static_cast<double>(all_ + 1);
  }

 private:
  double threshold_ = 0;
  int64_t far_ = 0, all_ = 0;
};

/// Divisions of `count` into `part` and the rest; infinite where a double ends.
double divisions(int64_t count, int64_t part) {
  double product = 1;
  for (int64_t i = 1; i <= std::min(part, count - part); ++i)
    product *= static_cast<double>(count - i + 1) / static_cast<double>(i);
  return std::round(product);
}

/// The next choice of places in lexical order; false after the last.
bool next_choice(std::span<size_t> chosen, size_t count) {
  for (size_t i = chosen.size(); i-- > 0;) {
    if (chosen[i] == count - chosen.size() + i) continue;
    std::iota(chosen.begin() + static_cast<int64_t>(i), chosen.end(), chosen[i] + 1);
    return true;
  }
  return false;
}

}  // namespace

double sign_flip_p_value(std::span<const double> differences, uint64_t seed) {
  // Zeros have no sign to flip.
  std::vector<double> terms;
  std::ranges::copy_if(differences, std::back_inserter(terms), [](double d) { return d != 0; });
  if (terms.empty()) return 1;
  FarSums sums(std::accumulate(terms.begin(), terms.end(), 0.0), terms);
  if (terms.size() <= kMostEnumeratedSigns) {
    for (uint32_t signs = 0; signs < 1u << terms.size(); ++signs) {
      double sum = 0;
      for (size_t i = 0; i < terms.size(); ++i) sum += (signs >> i & 1) != 0 ? -terms[i] : terms[i];
      sums.add(sum);
    }
    return sums.exact_p_value();
  }
  Rng rng(seed);
  for (int64_t draw = 0; draw < kSignificanceDraws; ++draw) {
    double sum = 0;
    for (size_t begin = 0; begin < terms.size(); begin += 32) {
      const uint32_t signs = rng.next_u32();
      const size_t end = std::min(begin + 32, terms.size());
      for (size_t i = begin; i < end; ++i)
        sum += terms[i] * (1.0 - 2.0 * static_cast<double>(signs >> (i - begin) & 1));
    }
    sums.add(sum);
  }
  return sums.drawn_p_value();
}

double permutation_p_value(std::span<const double> a, std::span<const double> b, uint64_t seed) {
  DARP_CHECK(!a.empty() && !b.empty(), "{} values against {}", a.size(), b.size());
  // With the common mean taken away, the smaller group's sum alone tells how far means are apart.
  std::vector<double> terms(a.begin(), a.end());
  terms.insert(terms.end(), b.begin(), b.end());
  if (b.size() < a.size())
    std::rotate(terms.begin(), terms.begin() + static_cast<int64_t>(a.size()), terms.end());
  const auto count = static_cast<int64_t>(terms.size());
  const size_t part = std::min(a.size(), b.size());
  const double center =
      std::accumulate(terms.begin(), terms.end(), 0.0) / static_cast<double>(count);
  for (double& term : terms) term -= center;
  const std::span<double> group(terms.data(), part);
  FarSums sums(std::accumulate(group.begin(), group.end(), 0.0), terms);

  if (divisions(count, static_cast<int64_t>(part)) <= static_cast<double>(kSignificanceDraws)) {
    std::vector<size_t> chosen(part);
    std::iota(chosen.begin(), chosen.end(), size_t{0});
    do {
      double sum = 0;
      for (const size_t i : chosen) sum += terms[i];
      sums.add(sum);
    } while (next_choice(chosen, terms.size()));
    return sums.exact_p_value();
  }
  Rng rng(seed);
  for (int64_t draw = 0; draw < kSignificanceDraws; ++draw) {
    for (size_t i = 0; i < part; ++i) std::swap(terms[i], terms[i + rng.below(terms.size() - i)]);
    sums.add(std::accumulate(group.begin(), group.end(), 0.0));
  }
  return sums.drawn_p_value();
}

double mcnemar_p_value(int64_t only_a, int64_t only_b) {
  DARP_CHECK(only_a >= 0 && only_b >= 0, "{} and {} pairs", only_a, only_b);
  // Without a difference each such pair falls to either side like a coin: twice the binomial tail.
  const auto n = static_cast<double>(only_a + only_b);
  double tail = 0, log_term = -n * std::numbers::ln2;
  for (int64_t i = 0; i <= std::min(only_a, only_b); ++i) {
    tail += std::exp(log_term);
    log_term += std::log((n - static_cast<double>(i)) / static_cast<double>(i + 1));
  }
  return std::min(1.0, 2 * tail);
}

double smallest_sign_flip_p_value(int64_t differences) {
  const double exact = std::exp2(1 - static_cast<double>(std::max<int64_t>(differences, 1)));
  return differences <= static_cast<int64_t>(kMostEnumeratedSigns)
             ? exact
             : 1.0 / static_cast<double>(kSignificanceDraws + 1);
}

double smallest_permutation_p_value(int64_t count_a, int64_t count_b) {
  DARP_CHECK(count_a > 0 && count_b > 0, "{} against {}", count_a, count_b);
  // Groups of one size can change places: there are two divisions as far apart.
  const double all = divisions(count_a + count_b, count_a);
  return all <= static_cast<double>(kSignificanceDraws)
             ? (count_a == count_b ? 2 : 1) / all
             : 1.0 / static_cast<double>(kSignificanceDraws + 1);
}

}  // namespace darp
