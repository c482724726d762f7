#!/usr/bin/env python3
"""What a call from Python costs beside the same call from C++: a NumPy array of 2,000 x 100,000
genotypes to distances. Python and C++ take turns; the best of each is compared.

    YUPANA_PROGRAM=build/release/yupana python python/bench/overhead.py
"""
import json
import os
import subprocess
import sys
import time

import numpy as np

import yupana

TURNS = 3


def cpp_seconds(program):
    answer = subprocess.run([program, "bench", "array", "--json", "--device", "cpu"],
                            stdout=subprocess.PIPE, text=True, check=True)
    lines = [json.loads(line) for line in answer.stdout.splitlines()]
    return next(line["value"] for line in lines if line["unit"] == "s")


def main():
    program = os.environ.get("YUPANA_PROGRAM") or sys.exit("YUPANA_PROGRAM: the yupana program")
    calls = np.random.default_rng(1).integers(0, 3, (2000, 100_000), dtype=np.int8)
    yupana.distances(calls[:, :1000], device="cpu")
    ours, theirs = [], []
    for _ in range(TURNS):
        theirs.append(cpp_seconds(program))
        for _ in range(5):
            begin = time.perf_counter()
            yupana.distances(calls, device="cpu")
            ours.append(time.perf_counter() - begin)
    print(json.dumps({
        "bench": "overhead",
        "case": "int8 NumPy array, n=2000 m=100000, distances",
        "python_seconds": min(ours),
        "cpp_seconds": min(theirs),
        "ratio": min(ours) / min(theirs),
        "version": yupana.__version__,
    }))


if __name__ == "__main__":
    main()
