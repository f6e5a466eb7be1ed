#!/usr/bin/python3
"""Writes tests/fixtures/zarr/*.zarr with zarr-python 2 (Debian: python3-zarr).

encodings.zarr holds the same 40 x 5 numbers once for each way of storing them; pusht.zarr has the arrays of the
published Push-T demonstrations, shrunk. The tests know the formulas below.
"""
import pathlib
import shutil
import sys
import zipfile

import numcodecs
import numpy as np
import zarr

STEPS = 40
ENDS = np.array([7, 22, 40], dtype=np.int64)


def numbers(rows, width):
    """Entry (i, j) is i + j / 4 - 3: exact in every float type."""
    return np.arange(rows)[:, None] + np.arange(width)[None, :] * 0.25 - 3


def actions():
    """Entry (i, j) is i % 8 - j / 2."""
    return (np.arange(STEPS)[:, None] % 8 - np.arange(2)[None, :] * 0.5).astype(np.float32)


def create(folder, name):
    path = folder / f"{name}.zarr"
    shutil.rmtree(path, ignore_errors=True)
    root = zarr.open_group(str(path), mode="w")
    root.create_group("meta").create_dataset("episode_ends", data=ENDS, compressor=None)
    data = root.create_group("data")
    return data


def make_encodings(folder):
    data = create(folder, "encodings")
    data.create_dataset("action", data=actions(), chunks=(STEPS, 2), compressor=None)
    values = numbers(STEPS, 5)

    def add(name, dtype="<f4", chunks=(24, 5), compressor=None, **more):
        data.create_dataset(name, data=values.astype(dtype), chunks=chunks, compressor=compressor, **more)

    blosc = numcodecs.Blosc
    add("blosc_lz4", compressor=blosc("lz4", shuffle=blosc.SHUFFLE))
    add("blosc_lz4hc_plain", compressor=blosc("lz4hc", shuffle=blosc.NOSHUFFLE))
    add("blosc_zstd", compressor=blosc("zstd", shuffle=blosc.BITSHUFFLE))
    add("blosc_blosclz", compressor=blosc("blosclz", shuffle=blosc.BITSHUFFLE))
    add("blosc_zlib", compressor=blosc("zlib", shuffle=blosc.SHUFFLE))
    add("blosc_copied", compressor=blosc("lz4", clevel=0))
    add("blosc_blocks", dtype="<f8", compressor=blosc("lz4", blocksize=256))
    add("zlib", compressor=numcodecs.Zlib())
    add("gzip", compressor=numcodecs.GZip())
    for chunk in (folder / "encodings.zarr" / "data" / "gzip").glob("[0-9]*"):
        content = bytearray(chunk.read_bytes())
        content[4:8] = bytes(4)  # the time of writing
        chunk.write_bytes(content)
    add("raw")
    add("fortran", order="F")
    add("fortran_whole", chunks=(40, 5), order="F", compressor=numcodecs.Zlib())
    add("float64", dtype="<f8", compressor=numcodecs.Zlib())
    add("float16", dtype="<f2", compressor=numcodecs.Zlib())
    add("big_endian", dtype=">f4")
    add("split", chunks=(24, 2))
    add("split_fortran", chunks=(24, 3), order="F", compressor=blosc("zstd"))
    add("nested", chunks=(24, 3), dimension_separator="/")
    add("oversized", chunks=(64, 8), compressor=numcodecs.Zlib())
    # The chunk of rows 24 to 39 is not stored.
    for name, fill in (("sparse", 1.5), ("sparse_nan", np.nan), ("sparse_null", None)):
        add(name, compressor=numcodecs.Zlib(), fill_value=fill)
        (folder / "encodings.zarr" / "data" / name / "1.0").unlink()


def make_pusht(folder):
    data = create(folder, "pusht")
    compressor = numcodecs.Blosc("zstd", clevel=5, shuffle=numcodecs.Blosc.BITSHUFFLE)
    data.create_dataset("action", data=actions(), chunks=(32, 2), compressor=compressor)
    data.create_dataset("state", data=numbers(STEPS, 5).astype("f4"), chunks=(32, 5), compressor=compressor)
    keypoint = numbers(STEPS, 18).astype("f4").reshape(STEPS, 9, 2)
    data.create_dataset("keypoint", data=keypoint, chunks=(32, 9, 2), compressor=compressor)
    data.create_dataset("n_contacts", data=np.ones((STEPS, 1), "f4"), chunks=(32, 1), compressor=compressor)
    data.create_dataset("reward", data=numbers(STEPS, 1)[:, 0].astype("f4"), chunks=(32,), compressor=compressor)
    data.create_dataset("img", data=np.zeros((STEPS, 8, 8, 3), "u1"), chunks=(40, 8, 8, 3), compressor=compressor)


def zip_store(folder, name):
    """The same store as one file, as zarr.ZipStore lays it out; times are fixed."""
    store = folder / f"{name}.zarr"
    with zipfile.ZipFile(folder / f"{name}.zarr.zip", "w") as archive:
        for file in sorted(path for path in store.rglob("*") if path.is_file()):
            archive.writestr(zipfile.ZipInfo(str(file.relative_to(store))), file.read_bytes())


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/fixtures/zarr")
    target.mkdir(parents=True, exist_ok=True)
    make_encodings(target)
    make_pusht(target)
    zip_store(target, "pusht")
