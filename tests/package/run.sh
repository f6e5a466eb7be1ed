#!/usr/bin/env bash
# Installs a build, then builds and runs programs that use it, as somebody with the installed files would.
# usage: run.sh BUILD POLICY C_COMPILER CXX_COMPILER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 policy=$2 cc=$3 cxx=$4
out=$build/package_test
fail() { echo "error: $*" >&2; exit 1; }

rm -rf "$out"
cmake --install "$build" --prefix "$out/installed" > /dev/null
# Elsewhere than where it was installed: nothing in it may know the place.
mv "$out/installed" "$out/prefix"

cmake -G Ninja -S "$here" -B "$out/cmake" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_PREFIX_PATH="$out/prefix" > "$out/configure.log" 2>&1 || { cat "$out/configure.log"; fail "the package is not found"; }
cmake --build "$out/cmake"
if grep -E -e ' -W| -ffp-contract| -fsanitize|ccache' "$out/cmake/compile_commands.json"; then
  fail "our compiler flags reach programs that use the package"
fi

flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$out/prefix" -name darp.pc)") pkg-config --static --cflags --libs darp)
# shellcheck disable=SC2086
"$cc" -std=c99 -Wall -Wextra -pedantic -Werror "$here/main.c" $flags -o "$out/pkg_config_program"

expected=$("$out/cmake/cpp_program" "$policy")
echo "$expected"
[[ $expected == good:* ]] || fail "the C++ program has no action"
for program in "$out/cmake/c_program" "$out/pkg_config_program"; do
  said=$("$program" "$policy")
  [ "$said" = "$expected" ] || fail "$program says $said"
done
"$here/check_links.sh" "$out/pkg_config_program"
