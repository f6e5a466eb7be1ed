#include "darp/eval/seeds.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "darp/core/error.h"
#include "darp/core/suggest.h"

namespace darp {
namespace {

constexpr std::array<std::string_view, 3> kPurposeNames = {"report", "search", "demonstration"};

/// A purpose's range, both ends included, and what its seeds are for in words.
struct PurposeSeeds {
  uint64_t first, last;
  std::string_view use;
};
constexpr std::array<PurposeSeeds, 3> kPurposeSeeds = {{
    {0, kFirstSearchSeed - 1, "to be reported"},
    {kFirstSearchSeed, kFirstDemonstrationSeed - 1, "to search with"},
    {kFirstDemonstrationSeed, ~uint64_t{0}, "to start demonstrations from"},
}};

const PurposeSeeds& seeds_for(SeedPurpose purpose) {
  return kPurposeSeeds[static_cast<size_t>(purpose)];
}

bool lie_within(const SeedRange& seeds, const PurposeSeeds& range) {
  return seeds.first >= range.first && seeds.last <= range.last;
}

/// Decimal digits and nothing else, up to the largest number of 64 bits.
uint64_t parse_seed(std::string_view digits, std::string_view text) {
  uint64_t seed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    throw Error("", fmt::format("'{}' are no seeds", printable(text, 100)),
                "write first and last like 0..99, or one seed like 7");
  return seed;
}

}  // namespace

std::vector<uint64_t> SeedRange::seeds() const {
  DARP_CHECK(first <= last && last - first < uint64_t{kMostSeeds}, "seeds {}", text());
  std::vector<uint64_t> all(static_cast<size_t>(count()));
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::string SeedRange::text() const {
  return fmt::format("{}..{}", first, last);
}

SeedRange parse_seed_range(std::string_view text) {
  const size_t dots = text.find("..");
  SeedRange range;
  range.first = parse_seed(text.substr(0, dots), text);
  range.last =
      dots == std::string_view::npos ? range.first : parse_seed(text.substr(dots + 2), text);
  if (range.last < range.first)
    throw Error("", fmt::format("seeds {} end before they begin", range.text()),
                fmt::format("write {}..{}", range.last, range.first));
  if (range.last - range.first >= uint64_t{kMostSeeds})
    throw Error("", fmt::format("seeds {} are more than {}", range.text(), kMostSeeds),
                "take fewer: a hundred are usual");
  return range;
}

SeedRange default_seeds(SeedPurpose purpose, int64_t episodes) {
  const PurposeSeeds& range = seeds_for(purpose);
  const auto most =
      static_cast<int64_t>(std::min(range.last - range.first, uint64_t{kMostSeeds} - 1)) + 1;
  if (episodes < 1 || episodes > most)
    throw Error("", fmt::format("{} episodes", episodes),
                fmt::format("take 1 to {} for a {}", most, name_of(purpose)));
  return {range.first, range.first + static_cast<uint64_t>(episodes) - 1};
}

void check_seeds(SeedPurpose purpose, const SeedRange& seeds) {
  const PurposeSeeds& range = seeds_for(purpose);
  if (lie_within(seeds, range)) return;
  const std::string remedy = range.last == ~uint64_t{0}
                                 ? fmt::format("take seeds from {} on", range.first)
                                 : fmt::format("take seeds from {} to {}", range.first, range.last);
  throw Error("", fmt::format("seeds {} are not {}", seeds.text(), range.use),
              remedy + ": reports, searches and demonstrations each have their own");
}

SeedPurpose purpose_of(const SeedRange& seeds) {
  for (size_t i = 0; i < kPurposeSeeds.size(); ++i)
    if (lie_within(seeds, kPurposeSeeds[i])) return static_cast<SeedPurpose>(i);
  throw Error("", fmt::format("seeds {} are for more than one purpose", seeds.text()),
              fmt::format("stay below {} for reports, below {} for searches, or above",
                          kFirstSearchSeed, kFirstDemonstrationSeed));
}

std::string_view name_of(SeedPurpose purpose) {
  return kPurposeNames[static_cast<size_t>(purpose)];
}

SeedPurpose seed_purpose_named(std::string_view name) {
  for (size_t i = 0; i < kPurposeNames.size(); ++i)
    if (kPurposeNames[i] == name) return static_cast<SeedPurpose>(i);
  throw Error(
      "", fmt::format("'{}' is no purpose of seeds", printable(name, 100)),
      suggestion(name, std::vector<std::string>(kPurposeNames.begin(), kPurposeNames.end())));
}

}  // namespace darp
