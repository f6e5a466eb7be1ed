#!/usr/bin/env bash
# Fuzzes one target for some seconds, starting from its committed corpus.
# usage: tools/fuzz.sh TARGET SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1 seconds=$2
mkdir -p "build/fuzz/corpus/$target" build/fuzz/findings
echo "fuzzing $target for $seconds s"
build/fuzz/bin/"${target}"_fuzz -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
  -artifact_prefix="build/fuzz/findings/$target-" "build/fuzz/corpus/$target" "tests/fuzz/corpus/$target" \
  > "build/fuzz/$target.log" 2>&1 || { tail -n 40 "build/fuzz/$target.log"; exit 1; }
grep -E 'number_of_executed_units|DONE' "build/fuzz/$target.log"
