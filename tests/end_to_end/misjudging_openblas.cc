// An OpenBLAS that does not know the CPU, to be preloaded: it says what it was told when loaded.

#include <cstdio>
#include <cstdlib>

extern "C" const char* openblas_get_corename() {
  return "Prescott";
}

__attribute__((constructor)) static void say_what_was_told() {
  const char* told = std::getenv("OPENBLAS_CORETYPE");
  std::fprintf(stderr, "kernels: %s\n", told != nullptr ? told : "not told");
}
