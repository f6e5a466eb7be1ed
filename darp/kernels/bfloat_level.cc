#include "darp/kernels/bfloat_level.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "darp/core/error.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace darp::kernels {
namespace {

constexpr int kNotForced = -1;
std::atomic<int> forced_level = kNotForced;

#if defined(__x86_64__)

bool has_avx512_bf16() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bf16");
}

/// CPUID names the tiles and their bfloat16 products; the kernel hands out their 8 KiB of state to
/// processes that ask, and keeps to that for all of their threads.
bool may_use_amx() {
  constexpr unsigned kAmxBf16 = 1u << 22, kAmxTile = 1u << 24;
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if ((edx & kAmxBf16) == 0 || (edx & kAmxTile) == 0) return false;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool is_amd() {
  return __builtin_cpu_is("amd");
}

#else

bool has_avx512_bf16() {
  return false;
}
bool may_use_amx() {
  return false;
}
bool is_amd() {
  return false;
}

#endif

std::vector<BfloatLevel> find_levels() {
  std::vector<BfloatLevel> levels = {BfloatLevel::kPortable};
  if (!has_avx512_bf16()) return levels;
  levels.push_back(BfloatLevel::kAvx512Bf16);
  // The AMX level converts with AVX512-BF16, which every CPU with AMX has.
  if (may_use_amx()) levels.push_back(BfloatLevel::kAmx);
  return levels;
}

const std::vector<BfloatLevel>& levels() {
  static const std::vector<BfloatLevel> found = find_levels();
  return found;
}

BfloatLevel best_level() {
  const BfloatLevel highest = levels().back();
  return highest == BfloatLevel::kAvx512Bf16 && !is_amd() ? BfloatLevel::kPortable : highest;
}

}  // namespace

std::string_view to_string(BfloatLevel level) {
  switch (level) {
    case BfloatLevel::kPortable:
      return "portable";
    case BfloatLevel::kAvx512Bf16:
      return "avx512-bf16";
    case BfloatLevel::kAmx:
      return "amx";
  }
  return "unknown";
}

BfloatLevel bfloat_level() {
  static const BfloatLevel best = best_level();
  const int forced = forced_level.load(std::memory_order_relaxed);
  return forced == kNotForced ? best : static_cast<BfloatLevel>(forced);
}

std::span<const BfloatLevel> available_bfloat_levels() {
  return levels();
}

void force_bfloat_level(std::optional<BfloatLevel> level) {
  DARP_CHECK(!level || std::count(levels().begin(), levels().end(), *level) > 0,
             "this CPU has no bfloat16 level {}", to_string(*level));
  forced_level = level ? static_cast<int>(*level) : kNotForced;
}

}  // namespace darp::kernels
