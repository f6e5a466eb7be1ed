#pragma once
// Seeds of episodes. Choosing on the seeds that one reports makes reports too good, and so does
// starting where a demonstration did, so there are three ranges: those to report, those to search
// with, and those to make demonstrations from.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace darp {

enum class SeedPurpose { kReport, kSearch, kDemonstrate };

/// Report seeds lie below the first, search seeds from there to below the second, demonstrations
/// start from all others.
inline constexpr uint64_t kFirstSearchSeed = 100'000, kFirstDemonstrationSeed = 1'000'000;
/// That a range may have.
inline constexpr int64_t kMostSeeds = 1'000'000;

/// Both ends included; first <= last, at most kMostSeeds.
struct SeedRange {
  uint64_t first = 0, last = 99;

  int64_t count() const { return static_cast<int64_t>(last - first) + 1; }
  std::vector<uint64_t> seeds() const;
  /// "0..99"
  std::string text() const;
  bool operator==(const SeedRange&) const = default;
};

/// "0..99", or "7" for one. Throws Error for anything else and for more than kMostSeeds.
SeedRange parse_seed_range(std::string_view text);

/// 0..99, 100000..100099 or 1000000..1000099, or as many as `episodes`. Throws Error for none and
/// for more than there are.
SeedRange default_seeds(SeedPurpose purpose, int64_t episodes = 100);

/// Throws Error when a seed lies in another range: nothing is tuned on report seeds, nothing
/// reported on search seeds, and nothing evaluated where demonstrations start.
void check_seeds(SeedPurpose purpose, const SeedRange& seeds);
/// Whose range the seeds lie in. Throws Error if that is more than one.
SeedPurpose purpose_of(const SeedRange& seeds);

/// "report", "search", "demonstration".
std::string_view name_of(SeedPurpose purpose);
/// The purpose with that name; throws Error that lists the names.
SeedPurpose seed_purpose_named(std::string_view name);

}  // namespace darp
