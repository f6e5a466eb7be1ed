#pragma once
// Which instructions multiply bfloat16 numbers on this CPU.

#include <optional>
#include <span>
#include <string_view>

namespace darp::kernels {

enum class BfloatLevel {
  kPortable,    // float arithmetic on rounded numbers, any CPU
  kAvx512Bf16,  // the dot product of pairs
  kAmx,         // tiles of 16 x 16 sums
};

std::string_view to_string(BfloatLevel level);

/// The fastest level of this CPU, found once. AVX512-BF16 only where it beats float arithmetic,
/// which on Intel's CPUs it does not; AMX only if the kernel lets this process use tiles.
BfloatLevel bfloat_level();

/// The levels that this CPU can run, the portable one first.
std::span<const BfloatLevel> available_bfloat_levels();

/// Makes bfloat_level() give an available level, or its own choice again; for tests. All levels
/// share one memory layout, so that it may change at any time between two calls.
void force_bfloat_level(std::optional<BfloatLevel> level);

}  // namespace darp::kernels
