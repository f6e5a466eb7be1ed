#!/usr/bin/env bash
# Checks (or with --fix, repairs) the layout of every C and C++ file that git knows or would add.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.h' '*.c' '*.cc')
if [ "${1:-}" = "--fix" ]; then
  exec clang-format-14 -i "${files[@]}"
fi
clang-format-14 --dry-run --Werror "${files[@]}" && echo "format: ${#files[@]} files are clean"
