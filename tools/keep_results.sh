#!/usr/bin/env bash
# Takes a study's records and its Markdown report into results/, without networks and logs.
#   tools/keep_results.sh runs/study-mujoco-table
set -euo pipefail

[[ $# -eq 1 ]] || { echo "usage: tools/keep_results.sh FOLDER, for example runs/study-mujoco-table" >&2; exit 1; }
folder=$1
[[ -f $folder/study.yaml ]] || { echo "error: $folder has no study.yaml: not a study's folder" >&2; exit 1; }
name=$(sed -n 's/^name: *//p' "$folder/study.yaml" | tr -d '"')
[[ $name =~ ^[a-z0-9-]+$ ]] || { echo "error: $folder/study.yaml: names no study" >&2; exit 1; }
kept=$(cd "$(dirname "$0")/.." && pwd)/results/$name
mkdir -p "$kept"
cd "$folder"
# A run is done when it has a record, a search when its journal says so.
{
  printf '%s\n' study.yaml exhibits.json report.md svg/*.svg
  find . -path '*/searches/*/runs' -prune -o \( -name record.json -o -name journal.jsonl \) -print |
    while read -r done; do
      echo "$done"
      find "$(dirname "$done")" -maxdepth 1 \( -name 'report*.json' -o -name 'env-*.json' \)
    done
} | while read -r file; do
  [[ -f $file ]] && install -D -m 644 "$file" "$kept/$file"
done
# Where this machine has the demonstrations says nothing elsewhere.
for file in "$kept"/{exhibits.json,report.md}; do
  [[ ! -f $file ]] || sed -i -E 's#(--demos )[^ "|]+#\1DIR#' "$file"
done
echo "kept $(find "$kept" -name record.json -o -name journal.jsonl | wc -l) records of $name in results/$name ($(du -sh "$kept" | cut -f1))"
