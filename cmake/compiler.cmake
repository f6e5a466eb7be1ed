# Warnings, sanitizers and the compiler cache: one interface target that every module links.
add_library(darp_compiler INTERFACE)
target_compile_options(darp_compiler INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 on "text" + std::string (GCC bug 105651).
  target_compile_options(darp_compiler INTERFACE -Wno-restrict)
endif()
target_include_directories(darp_compiler INTERFACE ${PROJECT_SOURCE_DIR})
# SIMD levels that Highway compiles for: not SSSE3, which x86 CPUs since 2008 leave behind. Where memory is watched, the widest, AVX2 and the
# plain one will do.
set(DARP_SIMD_LEFT_OUT HWY_SSSE3)
if(DARP_SANITIZE)
  set(DARP_SIMD_LEFT_OUT HWY_SSSE3|HWY_SSE4)
endif()
target_compile_definitions(darp_compiler INTERFACE "HWY_DISABLED_TARGETS=(${DARP_SIMD_LEFT_OUT})")
if(DARP_SANITIZE)
  target_compile_options(darp_compiler INTERFACE -fsanitize=${DARP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(darp_compiler INTERFACE -fsanitize=${DARP_SANITIZE})
  # Instrumented standard headers make GCC see uninitialised values where there are none.
  target_compile_options(darp_compiler INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

if(DARP_FUZZ)
  target_compile_options(darp_compiler INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
