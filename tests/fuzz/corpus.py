#!/usr/bin/env python3
"""The corpus of the fuzz targets: one file a target, its inputs one after the other, each after its
length in four bytes.

    corpus.py pack FOLDER FILE    the inputs of a folder, the smallest first, at most 220 kB
    corpus.py unpack FILE FOLDER  the inputs as files, for libFuzzer to begin with
"""
import hashlib
import pathlib
import struct
import sys

MOST = 220_000  # bytes of a target, so that all stay below 5 MB
MOST_EACH = 20_000


def pack(folder, file):
    inputs = sorted({p.read_bytes() for p in folder.iterdir()}, key=lambda data: (len(data), data))
    packed, left_out = b"", 0
    for data in inputs:
        if len(data) > MOST_EACH or len(packed) + 4 + len(data) > MOST:
            left_out += 1
        else:
            packed += struct.pack("<I", len(data)) + data
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(packed)
    print(f"{file.name}: {len(inputs) - left_out} inputs, {len(packed)} bytes, {left_out} left out")


def unpack(file, folder):
    folder.mkdir(parents=True, exist_ok=True)
    packed, at = file.read_bytes(), 0
    while at < len(packed):
        size, = struct.unpack_from("<I", packed, at)
        data = packed[at + 4:at + 4 + size]
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)
        at += 4 + size


if __name__ == "__main__":
    {"pack": pack, "unpack": unpack}[sys.argv[1]](*map(pathlib.Path, sys.argv[2:]))
