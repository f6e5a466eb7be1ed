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

namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";
constexpr const char* kKernels = "SkylakeX";

bool cpu_has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}

/// A function of OpenBLAS; null if it is not loaded.
template <class Function>
Function* loaded(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

/// Null if OpenBLAS is not loaded.
const char* loaded_core() {
  const auto name = loaded<const char*()>("openblas_get_corename");
  return name != nullptr ? name() : nullptr;
}

bool user_chose() {
  return std::getenv(kVariable) != nullptr;
}

}  // namespace

void repair_openblas(char** argv) {
  const char* core = loaded_core();
  if (core == nullptr || !openblas_needs_repair(core, cpu_has_avx512(), user_chose())) return;
  ::setenv(kVariable, kKernels, 1);
  ::execv("/proc/self/exe", argv);
}

std::string prepare_openblas() {
  if (loaded_core() != nullptr || user_chose() || !cpu_has_avx512()) return "";
  ::setenv(kVariable, kKernels, 1);
  return "OpenBLAS is told to use its SkylakeX kernels (OPENBLAS_CORETYPE): by itself it takes "
         "those of 2004 on CPUs that it does not know";
}

void share_openblas_threads(int count) {
  constexpr int kOpenMp = 2;
  static const auto kind = loaded<int()>("openblas_get_parallel");
  static const auto get = loaded<int()>("openblas_get_num_threads");
  static const auto set = loaded<void(int)>("openblas_set_num_threads");
  if (kind == nullptr || get == nullptr || set == nullptr) return;
  const int share = kind() == kOpenMp ? count : 1;
  if (get() != share) set(share);
}

}  // namespace darp
