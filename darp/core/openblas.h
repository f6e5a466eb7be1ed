#pragma once
// OpenBLAS picks its kernels by CPU model; an older one does not know a newer model and falls back
// to SSE, which makes matrix products, and all that rests on them, about eight times slower. And
// its threads have to get along with LibTorch's.

#include <string>
#include <string_view>

namespace darp {

/// Whether OpenBLAS should be told its kernels: the CPU has AVX-512, the kernels chosen are of a
/// time before AVX, and the user has not chosen any.
bool openblas_needs_repair(std::string_view chosen_core, bool cpu_has_avx512, bool user_chose);

/// Call first thing in main. If the process has OpenBLAS and it needs repair, starts the program
/// anew with OPENBLAS_CORETYPE set (OpenBLAS reads it when it is loaded, so there is no other way);
/// otherwise, or if that fails, returns.
void repair_openblas(char** argv);

/// Before a library that brings OpenBLAS is loaded into a process that has none yet: on a CPU with
/// AVX-512 tells OpenBLAS to use such kernels, unless the user has chosen any. Returns a sentence
/// about it for the log, or nothing if nothing was done.
std::string prepare_openblas();

/// OpenBLAS's threads beside `count` threads of OpenMP in the same process: those same threads
/// where it was built for OpenMP. One where it has threads of its own: two sets that wait busily
/// for each other on the same cores are slower than a single thread. Does nothing where OpenBLAS is
/// not loaded when it is first called. The number is the whole process's.
void share_openblas_threads(int count);

}  // namespace darp
