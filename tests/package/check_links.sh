#!/usr/bin/env bash
# Checks that programs load nothing but what a robot has to have; no HDF5, LibTorch, MuJoCo, BLAS.
# usage: check_links.sh PROGRAM...
set -euo pipefail
allowed='linux-vdso|ld-linux[^ ]*|libc|libm|libdl|libpthread|libatomic|libgcc_s|libstdc\+\+|libfmt|libyaml-cpp|libhwy'
for program in "$@"; do
  # What ldd does; it prints the libraries instead of running the program.
  libraries=$(LD_TRACE_LOADED_OBJECTS=1 "$program" | sed -E 's/^[[:space:]]+//; s/ .*//; s#.*/##')
  grep -q '^libstdc++' <<< "$libraries" || { echo "error: $program: its libraries cannot be seen" >&2; exit 1; }
  if grep -E -v "^($allowed)\.so" <<< "$libraries"; then
    echo "error: $program loads the above" >&2
    exit 1
  fi
  echo "$program:" $libraries
done
