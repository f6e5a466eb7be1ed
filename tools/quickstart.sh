#!/usr/bin/env bash
# Shows darp at work on demonstrations that it makes itself: generate, convert, inspect, retrieve,
# train.
set -euo pipefail
cd "$(dirname "$0")/.."
out=runs/quickstart
mkdir -p "$out"
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
run() { echo "\$ $*"; "$@"; }

say "1. Demonstrations: a point mass reaches 20 goals under a PD controller (examples/00_make_demonstrations.cc)"
run build/release/examples/00_make_demonstrations "$out/reach.npz"
say "2. Convert them to robomimic HDF5"
run build/release/bin/darp convert "$out/reach.npz" "$out/reach.hdf5"
say "3. What is inside?"
run build/release/bin/darp info "$out/reach.hdf5"
say "4. Which demonstrated steps are nearest to step 50 of episode 3, in other episodes?"
run build/release/bin/darp neighbors "$out/reach.hdf5" --at 3:50 -r k=5 -r exclude=episode
say "5. Learn a policy from them: a small network, 30 epochs"
rm -rf "$out/run"
run build/release/bin/darp train configs/reach/darp.yaml --data "$out/reach.hdf5" --out "$out/run"
say "6. What came out?"
run build/release/bin/darp info "$out/run"
run build/release/bin/darp info "$out/run/policy.darp"
say "Now your own:  build/release/bin/darp info YOUR_FILE    (robomimic, D4RL, Minari, zarr, NPZ, pickle)"
