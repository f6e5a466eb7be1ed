#!/usr/bin/env python3
"""Writes tests/fixtures/npz/*.npz with real numpy. The same numpy gives the same bytes.

Usage: python3 tools/make_npz_fixtures.py
The tests know the formula below and compare every entry.
"""

import io
import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "npz"
ROWS = 7
ENDS = np.array([4, 7])


def values(*shape, first=0):
    """Entry k, counted in C order, is ((first + k) * 37 % 101 - 50) / 16: exact in every float."""
    k = first + np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    return ((k * 37 % 101 - 50) / 16).astype(np.float32)


OBSERVATIONS, ACTIONS, REWARDS = values(ROWS, 3), values(ROWS, 2, first=100), values(ROWS, first=200)
ALL = dict(observations=OBSERVATIONS, actions=ACTIONS, rewards=REWARDS, episode_ends=ENDS)


class Pipe(io.RawIOBase):
    """A stream that cannot seek, so that sizes go into data descriptors."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def save(name, arrays, compressed=False):
    (np.savez_compressed if compressed else np.savez)(FOLDER / f"{name}.npz", **arrays)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    save("savez", ALL)
    save("compressed", ALL, compressed=True)
    with open(FOLDER / "streamed.npz", "wb") as file:
        np.savez(Pipe(file), **ALL)
    save("fortran", {**ALL, "observations": np.asfortranarray(OBSERVATIONS)})
    for name, dtype in [("float64", "<f8"), ("float16", "<f2"), ("big_endian", ">f4")]:
        converted = {k: ALL[k].astype(dtype) for k in ("observations", "actions", "rewards")}
        ends = ENDS.astype(">i4") if name == "big_endian" else ENDS
        save(name, {**converted, "episode_ends": ends})

    # D4RL: a goal after row 2, a time limit after row 4, two rows of an unfinished episode.
    terminals, timeouts = np.zeros(ROWS, dtype=bool), np.zeros(ROWS, dtype=np.float32)
    terminals[2], timeouts[4] = True, 1
    flags = dict(terminals=terminals, timeouts=timeouts)
    plain = dict(observations=OBSERVATIONS, actions=ACTIONS, rewards=REWARDS[:, None])
    save("terminals", {**plain, **flags})
    save("terminals_fortran", {**plain, **flags, "observations": np.asfortranarray(OBSERVATIONS)})

    pose = np.asfortranarray(values(ROWS, 2, 2, first=300))
    save("parts", {
        "obs/position": OBSERVATIONS, "obs/pose": pose, "obs/gripper": values(ROWS, first=400),
        "actions": ACTIONS, "episode_ends": ENDS,
        "episode_names": np.array(["grasp", "gr\u00fcn \U0001F600"]),
        "mask/train": np.array(["grasp"]), "mask/valid": np.array([1]),
        "env_args": np.array(json.dumps({"env_name": "Lift"})),
        "timestamps": np.arange(3), "camera": np.zeros((2, 2, 2, 3), dtype=np.uint8),
    })
    save("images", {**ALL, "observations": np.zeros((ROWS, 2, 2, 3), dtype=np.uint8)})
    objects = np.array([[0.5, 1.0], [1.5]], dtype=object)
    save("objects", {**ALL, "actions": objects})
    save("structured", {**ALL, "actions": np.zeros(ROWS, dtype=[("x", "<f4"), ("y", "<f4")])})

    # Small enough to try every change of every byte.
    tiny = dict(obs=values(3, 1), action=values(3, 1, first=3), episode_ends=np.array([1, 3], "u1"))
    save("tiny", tiny)
    save("tiny_compressed", tiny, compressed=True)


if __name__ == "__main__":
    main()
