#pragma once
// Is it a difference, or chance? Two-sided p-values without assumptions on the shape of
// distributions. Pure functions: the same number each time, from any thread.

#include <cstdint>
#include <span>

namespace darp {

/// What is enumerated or drawn: p-values from draws are never below 1 / (this + 1).
inline constexpr int64_t kSignificanceDraws = 100'000;

/// Paired differences: how often would random signs give a mean as far from 0? Exact up to 16
/// differences that are not 0, beyond that by random flips (never 0: the sample itself is counted).
/// 1 for no differences. The question is whether differences are as likely to either side.
double sign_flip_p_value(std::span<const double> differences, uint64_t seed = 0);

/// Two unpaired groups, neither empty: how often would another division give means as far apart?
/// Exact up to kSignificanceDraws divisions, beyond that by so many random ones. The question is
/// whether both come from one distribution.
double permutation_p_value(std::span<const double> a, std::span<const double> b, uint64_t seed = 0);

/// Paired successes (McNemar, exact): `only_a` pairs in which only a succeeded, `only_b` likewise.
double mcnemar_p_value(int64_t only_a, int64_t only_b);

/// The p-value of the clearest result that so many can give: with 3 and 3 policies it is 0.1, and
/// no difference, however large, is below 0.05.
double smallest_sign_flip_p_value(int64_t differences);
double smallest_permutation_p_value(int64_t count_a, int64_t count_b);

}  // namespace darp
