#!/usr/bin/env python3
"""Writes tests/fixtures/hdf5: small robomimic, D4RL and Minari files as h5py writes them, and hostile ones.

Run it with Debian's python3-h5py; the files are committed, so tests need no Python. Values follow one exact formula,
value(k) = (k % 97) / 4 - 7 for a running index k, which the tests compute by themselves.
"""
import json
import pathlib

import h5py
import numpy as np

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "hdf5"


def values(shape, start=0, dtype="float32"):
    count = int(np.prod(shape))
    return (((np.arange(count) + start) % 97) / 4 - 7).reshape(shape).astype(dtype)


def create(name):
    path = OUT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return h5py.File(path, "w", libver="earliest")


def robomimic(name, lengths, obs, dtype="float64", numbers=None, **options):
    """demo_<i> in h5py's own order of creation, numbers out of order on purpose."""
    with create(name) as f:
        data = f.create_group("data")
        data.attrs["total"] = sum(lengths)
        data.attrs["env_args"] = json.dumps({"env_name": "Lift", "type": 1, "env_kwargs": {}})
        for number, length in zip(numbers or range(len(lengths)), lengths):
            demo = data.create_group(f"demo_{number}")
            demo.attrs["num_samples"] = length
            demo.create_dataset("actions", data=values((length, 7), 1000 * number, dtype), **options)
            demo.create_dataset("rewards", data=values((length,), 500 * number, dtype))
            demo.create_dataset("dones", data=np.zeros(length, dtype="int64"))
            demo.create_dataset("states", data=values((length, 9), 0, dtype))
            for index, (key, width) in enumerate(obs):
                demo.create_dataset(f"obs/{key}", data=values((length, width), 10000 * index + number, dtype), **options)
            demo.create_dataset("obs/agentview_image", data=np.zeros((length, 4, 4, 3), dtype="uint8"))
        return f.filename


def main():
    low_dim = [("object", 10), ("robot0_eef_pos", 3), ("robot0_eef_quat", 4), ("robot0_gripper_qpos", 2), ("robot0_joint_pos", 7)]
    robomimic("robomimic.hdf5", [3, 5, 2], low_dim, numbers=[2, 10, 0])
    with h5py.File(OUT / "robomimic.hdf5", "a") as f:
        f["mask/train"] = np.array([b"demo_0", b"demo_10"])
        f.create_dataset("mask/valid", data=["demo_2"], dtype=h5py.string_dtype())
    robomimic("robomimic_packed.hdf5", [40, 60], [("joints", 5), ("tool", 3)], "float32", compression="gzip", chunks=(16, 2), shuffle=True, fletcher32=True)
    robomimic("robomimic_half.hdf5", [4], [("flat", 6)], "float16")

    n = 30
    terminals = np.zeros(n, dtype=bool)
    timeouts = np.zeros(n, dtype=bool)
    terminals[9], timeouts[19] = True, True  # and ten rows that never end
    with create("d4rl.hdf5") as f:
        f["observations"], f["actions"] = values((n, 4)), values((n, 2), 50)
        f["rewards"], f["terminals"], f["timeouts"] = values((n,), 7), terminals, timeouts
        f["infos/goal"], f["infos/qpos"] = values((n, 2), 300), values((n, 3), 400, "float64")
        f["metadata/algorithm"] = "planner"
    with create("d4rl_columns.hdf5") as f:  # flags and rewards as (N, 1), floats for flags, no timeouts
        f["observations"], f["actions"] = values((n, 4)), values((n, 2), 50)
        f["rewards"], f["terminals"] = values((n, 1), 7), terminals.reshape(n, 1).astype("float32")

    def minari(folder, dictionary):
        with create(f"{folder}/data/main_data.hdf5") as f:
            for i, length in [(0, 3), (1, 4), (10, 2)]:
                episode = f.create_group(f"episode_{i}")
                episode.attrs["id"], episode.attrs["total_steps"], episode.attrs["seed"] = i, length, 7
                if dictionary:
                    episode["observations/achieved_goal"] = values((length + 1, 2), 10 * i)
                    episode["observations/pose/position"] = values((length + 1, 3), 100 + i, "float64")
                    episode["observations/image"] = np.zeros((length + 1, 2, 2, 3), dtype="uint8")
                    episode["actions/_index_0"] = values((length, 1), 20)
                    episode["actions/_index_1"] = values((length, 2), 30)
                else:
                    episode["observations"], episode["actions"] = values((length + 1, 5), 10 * i, "float64"), values((length, 2), 20)
                episode["rewards"] = values((length,), 40, "float64")
                episode["terminations"] = np.zeros(length, dtype=bool)
                episode["truncations"] = np.zeros(length, dtype=bool)
        metadata = {"total_episodes": 3, "total_steps": 9, "data_format": "hdf5", "dataset_id": "test/walk-v0",
                    "env_spec": json.dumps({"id": "Walk-v4", "entry_point": "x:Y"}), "minari_version": "0.5.0"}
        (OUT / folder / "data" / "metadata.json").write_text(json.dumps(metadata))

    minari("minari_box", False)
    minari("minari_dict", True)

    # One flipped byte in the description of a bool array that makes libhdf5 1.10.8 crash.
    with create("crashes_libhdf5.hdf5") as f:
        f.create_dataset("observations", data=values((20, 3)), compression="gzip", chunks=(8, 2))
        f["actions"], f["timeouts"] = values((20, 2)), np.arange(20) == 19
    damaged = bytearray((OUT / "crashes_libhdf5.hdf5").read_bytes())
    damaged[damaged.index(b"FALSE") - 14] ^= 1  # the third byte of the element size: 1 becomes 65537
    (OUT / "crashes_libhdf5.hdf5").write_bytes(damaged)

    # What must be refused, each with its own reason.
    def d4rl_with(name, change):
        with create(f"refused/{name}.hdf5") as f:
            f["observations"], f["actions"], f["timeouts"] = values((4, 2)), values((4, 1)), np.array([0, 0, 0, 1], dtype=bool)
            change(f)

    def replace(f, key, **options):
        del f[key]
        return f.create_dataset(key, **options)

    d4rl_with("lzf", lambda f: replace(f, "actions", data=values((4, 1)), compression="lzf"))
    d4rl_with("integers", lambda f: replace(f, "actions", data=np.arange(4)))
    d4rl_with("text", lambda f: replace(f, "actions", data=["a", "b", "c", "d"], dtype=h5py.string_dtype()))
    d4rl_with("short_actions", lambda f: replace(f, "actions", data=values((3, 1))))
    d4rl_with("nan", lambda f: replace(f, "actions", data=np.array([[0], [1], [np.nan], [2]], dtype="float32")))
    d4rl_with("overflow", lambda f: replace(f, "actions", data=np.array([[0], [1e300], [1], [2]])))
    d4rl_with("never_written", lambda f: replace(f, "observations", shape=(10**12, 2), dtype="float32", chunks=(1000, 2)))
    d4rl_with("no_flags", lambda f: f.pop("timeouts"))
    d4rl_with("no_end", lambda f: replace(f, "timeouts", data=np.zeros(4, dtype=bool)))

    def external_link(f):
        del f["actions"]
        f["actions"] = h5py.ExternalLink("../d4rl.hdf5", "/actions")

    def virtual(f):
        del f["actions"]
        layout = h5py.VirtualLayout(shape=(4, 1), dtype="float32")
        layout[:] = h5py.VirtualSource("../d4rl.hdf5", "/actions", shape=(30, 2))[:4, :1]
        f.create_virtual_dataset("actions", layout)

    d4rl_with("external_link", external_link)
    with h5py.File(OUT / "refused/virtual.hdf5", "w", libver="latest") as f:
        f["observations"], f["actions"], f["timeouts"] = values((4, 2)), values((4, 1)), np.array([0, 0, 0, 1], dtype=bool)
        virtual(f)
    with h5py.File(OUT / "refused/external_storage.hdf5", "w") as f:
        f["observations"], f["timeouts"] = values((4, 2)), np.array([0, 0, 0, 1], dtype=bool)
        f.create_dataset("actions", shape=(4, 1), dtype="float32", external=[("/etc/hostname", 0, 16)])

    def robomimic_with(name, change):
        path = robomimic(f"refused/{name}.hdf5", [3, 3], [("state", 2)], "float32")
        with h5py.File(path, "a") as f:
            change(f)

    robomimic_with("ragged_width", lambda f: replace(f, "data/demo_1/obs/state", data=values((3, 3))))
    robomimic_with("ragged_length", lambda f: replace(f, "data/demo_1/obs/state", data=values((2, 2))))

    def empty_episode(f):
        for key, shape in [("actions", (0, 7)), ("obs/state", (0, 2)), ("rewards", (0,))]:
            replace(f, f"data/demo_1/{key}", data=values(shape))

    robomimic_with("empty_episode", empty_episode)
    robomimic_with("mask_of_nothing", lambda f: f.create_dataset("mask/train", data=np.array([b"demo_7"])))
    robomimic_with("no_obs", lambda f: f["data/demo_0"].pop("obs"))
    with create("refused/unknown_layout.hdf5") as f:
        f["x"] = values((3,))


if __name__ == "__main__":
    main()
