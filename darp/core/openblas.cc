#include "darp/core/openblas.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace darp {

bool openblas_needs_repair(std::string_view chosen_core, bool cpu_has_avx512, bool user_chose) {
  constexpr std::array<std::string_view, 9> kBeforeAvx = {"Prescott",   "Core2",     "Penryn",
                                                          "Dunnington", "Nehalem",   "Atom",
                                                          "Katmai",     "Northwood", "Generic"};
  return cpu_has_avx512 && !user_chose &&
         std::find(kBeforeAvx.begin(), kBeforeAvx.end(), chosen_core) != kBeforeAvx.end();
}

void repair_openblas(char** argv) {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  const auto core_name =
      reinterpret_cast<const char* (*)()>(::dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  if (core_name == nullptr) return;
#if defined(__x86_64__)
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
#else
  const bool avx512 = false;
#endif
  if (!openblas_needs_repair(core_name(), avx512, std::getenv(kVariable) != nullptr)) return;
  ::setenv(kVariable, "SkylakeX", 1);
  ::execv("/proc/self/exe", argv);
}

}  // namespace darp
