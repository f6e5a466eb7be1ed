#pragma once
// Runs code once on every SIMD level of this CPU.

#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace darp {

template <class Body>
void on_every_simd_level(const Body& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace darp
