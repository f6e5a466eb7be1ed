#include "darp/kernels/bfloat_kernels.h"

#include "darp/kernels/bfloat_level.h"

namespace darp::kernels::bfloat {
namespace {

constexpr Kernels kPortable = {portable::round, portable::transpose, portable::multiply,
                               portable::normalize};
#if defined(__x86_64__)
constexpr Kernels kAvx512 = {avx512::round, avx512::transpose, avx512::multiply, avx512::normalize};
constexpr Kernels kAmx = {avx512::round, avx512::transpose, amx::multiply, avx512::normalize};
#endif

}  // namespace

const Kernels& kernels() {
#if defined(__x86_64__)
  const BfloatLevel level = bfloat_level();
  if (level == BfloatLevel::kAmx) return kAmx;
  if (level == BfloatLevel::kAvx512Bf16) return kAvx512;
#endif
  return kPortable;
}

}  // namespace darp::kernels::bfloat
