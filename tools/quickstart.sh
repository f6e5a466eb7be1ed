#!/usr/bin/env bash
# Shows what darp is for: one demonstration, behaviour cloning and DARP trained on it, both evaluated on 50 starts that neither
# has seen, and a page about it. Interrupted, it goes on where it was; when settings or data change, it starts over.
# TRAININGS=5 trains each of them five times and compares the methods.
set -euo pipefail
cd "$(dirname "$0")/.."
out=runs/quickstart
darp=build/release/bin/darp
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() {
  local word line='$ darp'
  for word in "${@:2}"; do
    case $word in *' '*) word="\"$word\"" ;; esac
    line+=" $word"
  done
  echo "$line"
  "$@"
}

made_from=$(cat configs/quickstart/*.yaml demos/hopper.hdf5 | cksum)
[ "$(cat "$out/made_from" 2>/dev/null)" = "$made_from" ] || rm -rf "$out"
mkdir -p "$out/bc" "$out/darp"
echo "$made_from" > "$out/made_from"

say "1. One demonstration: 1,000 steps of Hopper by an expert that learned it by trial and error (darp expert, darp collect)"
run $darp info demos/hopper.hdf5

say "2. Learn from it: behaviour cloning, then DARP, with the same network and the same number of epochs"
for method in bc darp; do
  run $darp train configs/quickstart/$method.yaml --out "$out/$method" --resume
done

say "3. How far do they get, from 50 starts that were not in the demonstration?"
for method in bc darp; do
  run $darp eval "$out/$method" --env hopper --episodes 50 --json "$out/$method.json"
done

say "4. Start by start, is DARP better?"
run $darp compare "$out/bc.json" "$out/darp.json" || [ $? -ge 3 ]  # 3 and 4: no, and undecided

trainings=${TRAININGS:-1}
if [ "$trainings" -gt 1 ]; then
  say "And the methods? $trainings trainings of each, from different seeds"
  for method in bc darp; do
    runs=("$out/$method")
    for seed in $(seq 1 $((trainings - 1))); do
      runs+=("$out/$method-$seed")
      mkdir -p "$out/$method-$seed"
      run $darp train configs/quickstart/$method.yaml --seed "$seed" --out "$out/$method-$seed" --resume
    done
    run $darp eval "${runs[@]}" --env hopper --episodes 50 --json "$out/$method-trainings.json"
  done
  run $darp compare "$out/bc-trainings.json" "$out/darp-trainings.json" || [ $? -ge 3 ]
fi

say "5. A page with curves, intervals and films"
films=()
for method in bc darp; do
  film="$out/$method.mp4"
  if [ -s "$film" ] || run $darp eval "$out/$method" --env hopper --seeds 0 --width 480 --height 360 --video "$film"; then
    films+=(--video "$method, seed 0=$film")
  else
    echo "no films, then; everything else works without them"
    break
  fi
done
run $darp report "$out/bc" "$out/darp" "$out/bc.json" "$out/darp.json" ${films[@]+"${films[@]}"} \
  --title "Hopper from one demonstration" --out "$out/report.html"

say "Look at $out/report.html. And then?"
cat <<'NEXT'
  other seeds     TRAININGS=5 make quickstart  does it hold when both are trained again?
  your own data   darp info YOUR_FILE          robomimic, D4RL, Minari, zarr, NPZ, pickle
                  darp train configs/quickstart/darp.yaml --data YOUR_FILE --out runs/mine
  other tasks     darp environments            bundled demonstrations are in demos/
  step by step    docs/tutorial/01-load-demonstrations.md
NEXT
