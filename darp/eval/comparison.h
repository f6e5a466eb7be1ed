#pragma once
// Which of two is better? There are two such questions, and the second is the one that papers mean:
//   Is this network better than that one?    compare(). Episodes with the same seed start the same,
//       so they are compared in pairs: what a hard start costs both does not count.
//   Is this method better than that one?     compare_methods(). Networks of one method differ from
//       each other as well, so the trained networks are the units, and episodes only tell how good
//       each is. A compare() of one network each cannot answer it, however many episodes it has.

#include <optional>
#include <span>
#include <string_view>

#include "darp/eval/evaluation.h"

namespace darp {

enum class Verdict { kBetter, kWorse, kUndecided };
/// "better", "worse", "undecided".
std::string_view name_of(Verdict verdict);

/// The verdict is decided below it.
inline constexpr double kSignificance = 0.05;

/// Of b against a: differences are b - a.
struct Comparison {
  bool paired = true;  // episodes by seed; false: trained policies
  /// Paired: seeds that both have, twice the same number. Unpaired: policies of each.
  int64_t count_a = 0, count_b = 0;
  double mean_a = 0, mean_b = 0, difference = 0;
  Interval interval;  // of the difference: 95 %, BCa
  /// How likely a difference so large is by chance: sign flips, or divisions of the policies.
  double p_value = 1;
  double smallest_p_value = 1;  // that so many could have shown
  struct Successes {
    int64_t both = 0, only_a = 0, only_b = 0, neither = 0;
    double p_value = 1;  // McNemar: whether the success rates differ
  };
  std::optional<Successes> successes;     // paired, where the environment has successes
  Verdict verdict = Verdict::kUndecided;  // of b, by returns; decided if p_value < kSignificance
};

/// These two policies, paired by seed; the interval is over starts. Throws Error unless environment
/// and settings are the same and they share at least two seeds; what one has alone is left out.
Comparison compare(const Evaluation& a, const Evaluation& b);

/// Two methods with several trained policies each (at least two): mean returns of policies are the
/// units, so the verdict is about training again, not about these networks. Throws Error unless all
/// were evaluated in the same environment, with the same settings and seeds.
///
/// Few policies: 3 against 3 cannot be decided (smallest_p_value is 0.1), 4 against 4 can. The
/// interval is a bootstrap over policies within each method, too narrow for few: where means are
/// normal it covers the truth in 66, 81, 85, 88 and 91 % of cases for 2, 3, 4, 5 and 10 policies of
/// each method instead of 95 %. The p-value has no such flaw.
Comparison compare_methods(std::span<const Evaluation> a, std::span<const Evaluation> b);

}  // namespace darp
