#pragma once
// Sizes that come from files are multiplied and added here, so that they cannot wrap around, and
// are compared with what the file really holds before anything is allocated.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "darp/core/error.h"

namespace darp {

/// The product, or nothing if it does not fit. The product of no factors is 1.
inline std::optional<uint64_t> checked_product(std::span<const uint64_t> factors) {
  uint64_t product = 1;
  for (const uint64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  return product;
}

/// Refuses data that claims to unpack to far more than its stored bytes could hold. Deflate reaches
/// 1032:1 at most; no real recording comes near this limit, and a bomb goes far beyond it.
inline void check_expansion(uint64_t declared_bytes, uint64_t stored_bytes,
                            std::string_view where) {
  constexpr uint64_t kMaxExpansion = 4096, kSlack = 4096;
  if (declared_bytes > kSlack && declared_bytes / kMaxExpansion > stored_bytes)
    throw Error(where,
                fmt::format("declares {} bytes but stores only {}", declared_bytes, stored_bytes),
                "the file is damaged or was made to exhaust memory: copy or create it again");
}

}  // namespace darp
