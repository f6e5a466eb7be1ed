#pragma once
// Runs code once on every bfloat16 level of this CPU, on the portable one with every SIMD level.

#include <string>

#include "darp/kernels/bfloat_level.h"
#include "tests/simd_levels.h"

namespace darp {

template <class Body>
void on_every_bfloat_level(const Body& body) {
  for (const kernels::BfloatLevel level : kernels::available_bfloat_levels()) {
    SCOPED_TRACE(std::string(to_string(level)));
    kernels::force_bfloat_level(level);
    if (level == kernels::BfloatLevel::kPortable)
      on_every_simd_level(body);
    else
      body();
  }
  kernels::force_bfloat_level(std::nullopt);
}

}  // namespace darp
