#include "darp/eval/seeds.h"

#include <array>
#include <charconv>
#include <numeric>

#include "darp/core/error.h"
#include "darp/core/suggest.h"

namespace darp {
namespace {

constexpr std::array<std::string_view, 2> kPurposeNames = {"report", "search"};

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
  const bool report = purpose == SeedPurpose::kReport;
  const int64_t most = report ? static_cast<int64_t>(kFirstSearchSeed) : kMostSeeds;
  if (episodes < 1 || episodes > most)
    throw Error("", fmt::format("{} episodes", episodes),
                fmt::format("take 1 to {} to {}", most, name_of(purpose)));
  const uint64_t first = report ? 0 : kFirstSearchSeed;
  return {first, first + static_cast<uint64_t>(episodes) - 1};
}

void check_seeds(SeedPurpose purpose, const SeedRange& seeds) {
  if (purpose == SeedPurpose::kReport && seeds.last >= kFirstSearchSeed)
    throw Error(
        "", fmt::format("seeds {} are not to be reported", seeds.text()),
        fmt::format("those from {} are to search with: take seeds below", kFirstSearchSeed));
  if (purpose == SeedPurpose::kSearch && seeds.first < kFirstSearchSeed)
    throw Error(
        "", fmt::format("seeds {} are not to search with", seeds.text()),
        fmt::format("those below {} are for reports: take seeds from there on", kFirstSearchSeed));
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
