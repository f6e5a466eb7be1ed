#!/usr/bin/env python3
"""Writes tests/fixtures/pickle/*.pkl with Python's own pickle and numpy.

The values follow formulas that the tests compute as well (all exact in float16):
  observation(e, t, d) = e + t / 4 - d / 2      action(e, t, d) = -e + t / 2 + d / 4 + 1      reward(e, t) = e - t / 4
Episode e has 3 + e steps, 3 observation columns and 2 action columns.
Nothing written here is ever loaded by this script: some of the files are hostile.
"""

import collections
import io
import os
import pickle
import struct
import sys

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "fixtures", "pickle")


def episode(e, dtype="<f4", order="C", rewards=False):
    t = np.arange(3 + e)[:, None]
    arrays = {
        "observations": np.array(e + t / 4 - np.arange(3) / 2, dtype=dtype, order=order),
        "actions": np.array(-e + t / 2 + np.arange(2) / 4 + 1, dtype=dtype, order=order),
    }
    if rewards:
        arrays["rewards"] = np.array(e - t[:, 0] / 4, dtype=dtype)
    return arrays


def episodes(**options):
    return [episode(e, **options) for e in range(2)]


class Python2Pickler(pickle._Pickler):
    """Writes text and bytes alike as Python 2 wrote its str."""

    def save_native(self, value):
        data = value.encode("latin1") if isinstance(value, str) else value
        if self.proto == 0:
            quoted = repr(data)[1:].encode("latin1")
            self.write(b"S" + quoted + b"\n")
        elif len(data) < 256:
            self.write(b"U" + bytes([len(data)]) + data)
        else:
            self.write(b"T" + struct.pack("<i", len(data)) + data)
        self.memoize(value)

    dispatch = dict(pickle._Pickler.dispatch)
    dispatch[str] = save_native
    dispatch[bytes] = save_native


def python2(value, protocol):
    out = io.BytesIO()
    Python2Pickler(out, protocol).dump(value)
    return out.getvalue()


def numpy2(data):
    """The same pickle as numpy 2 names its modules; in protocols 4 and 5 the lengths before it grow too."""
    out = data
    for module in (b"numpy.core.multiarray", b"numpy.core.numeric"):
        renamed = module.replace(b".core", b"._core")
        spelled = b"\x8c" + bytes([len(module)]) + module
        if spelled in out:
            out = out.replace(spelled, b"\x8c" + bytes([len(renamed)]) + renamed)
        else:
            out = out.replace(b"c" + module + b"\n", b"c" + renamed + b"\n")
    if out[2:3] == b"\x95":
        out = out[:3] + struct.pack("<Q", len(out) - 11) + out[11:]
    assert b"_core" in out
    return out


class Call:
    """Pickles as a call of any function."""

    def __init__(self, function, *arguments):
        self.reduced = (function, arguments)

    def __reduce__(self):
        return self.reduced


def files():
    for protocol in range(6):
        yield f"protocol_{protocol}", pickle.dumps(episodes(), protocol)
        yield f"float64_protocol_{protocol}", pickle.dumps(episodes(dtype="<f8"), protocol)
    yield "float16", pickle.dumps(episodes(dtype="<f2"), 4)
    yield "big_endian", pickle.dumps(episodes(dtype=">f4"), 4)
    yield "big_endian_float64_protocol_5", pickle.dumps(episodes(dtype=">f8"), 5)
    yield "fortran", pickle.dumps(episodes(order="F"), 4)
    yield "fortran_protocol_5", pickle.dumps(episodes(order="F"), 5)
    yield "rewards", pickle.dumps(episodes(rewards=True), 4)
    yield "rewards_of_one_episode", pickle.dumps([episode(0, rewards=True), episode(1)], 4)
    yield "numpy2_protocol_2", numpy2(pickle.dumps(episodes(), 2))
    yield "numpy2_protocol_4", numpy2(pickle.dumps(episodes(), 4))
    yield "numpy2_protocol_5", numpy2(pickle.dumps(episodes(), 5))
    yield "python2_protocol_0", python2(episodes(), 0)
    yield "python2_protocol_2", python2(episodes(), 2)

    shared = episodes()
    shared[1]["actions"] = np.array(shared[1]["actions"][:3])
    shared[1]["observations"] = shared[0]["observations"]
    yield "shared", pickle.dumps(shared, 4)

    extra = episodes()
    for e in extra:
        e.update(number=np.int64(7), text="caf\u00e9 \u20ac \U0001f600\\", flag=True, nothing=None, big=2**62,
                 negative=-(2**40), real=0.1, counts=np.arange(3), nested={"a": [(), (1,), (1, 2, 3, 4)]}, raw=b"\0\xff")
        e["itself"] = e
    for protocol in range(6):
        yield f"extra_keys_protocol_{protocol}", pickle.dumps(extra, protocol)

    # Hostile or unreadable ones.
    yield "bad_system", pickle.dumps([Call(os.system, "touch pickle_was_executed")], 4)
    yield "bad_eval", pickle.dumps([Call(eval, "1 + 1")], 2)
    yield "bad_object_array", pickle.dumps([dict(episode(0), observations=np.array([1, "a"], dtype=object))], 4)
    cycle = []
    cycle.append(cycle)
    yield "bad_cycle", pickle.dumps(cycle, 4)
    yield "bad_ordered_dict", pickle.dumps([collections.OrderedDict(episode(0))], 4)
    yield "bad_integers", pickle.dumps([dict(episode(0), actions=np.ones((3, 2), dtype="i4"))], 4)
    yield "bad_structure", pickle.dumps([dict(episode(0), actions=np.zeros(3, dtype=[("x", "f4")]))], 4)
    yield "bad_set", pickle.dumps([dict(episode(0), extra={1, 2})], 4)
    yield "bad_shared_without_limit", pickle.dumps([episode(0)] * 500, 4)
    yield "bad_root", pickle.dumps(episode(0), 4)
    yield "bad_empty", pickle.dumps([], 4)
    yield "bad_no_actions", pickle.dumps([episode(0), {"observations": episode(1)["observations"], "acts": 1}], 4)
    yield "bad_widths", pickle.dumps([episode(0), dict(episode(1), actions=np.ones((4, 5), dtype="f4"))], 4)
    yield "bad_lengths", pickle.dumps([episode(0), dict(episode(1), actions=np.ones((9, 2), dtype="f4"))], 4)
    yield "bad_rewards_length", pickle.dumps([dict(episode(0), rewards=np.ones(9, dtype="f4"))], 4)
    yield "bad_rank", pickle.dumps([dict(episode(0), actions=np.ones(3, dtype="f4"))], 4)
    yield "bad_list_of_numbers", pickle.dumps([dict(episode(0), actions=[[0.5, 1.5]] * 3)], 4)
    yield "bad_empty_episode", pickle.dumps(
        [episode(0), {"observations": np.zeros((0, 3), "f4"), "actions": np.zeros((0, 2), "f4")}], 4)
    yield "bad_no_columns", pickle.dumps([{"observations": np.zeros((10**15, 0), "f4"), "actions": np.zeros((10**15, 0), "f4")}], 4)


def main():
    os.makedirs(FOLDER, exist_ok=True)
    for name, data in files():
        with open(os.path.join(FOLDER, name + ".pkl"), "wb") as out:
            out.write(data)
    print(f"python {sys.version.split()[0]}, numpy {np.__version__}: {len(os.listdir(FOLDER))} files in {FOLDER}")


main()
