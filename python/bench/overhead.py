#!/usr/bin/env python3
"""What a call from Python costs beside the same call from C++: a NumPy array of 2,000 x 100,000
genotypes to distances. Python and C++ take turns; each turn gives the median of five runs after one
more, and the median of the turns is compared.

    YUPANA_PROGRAM=build/release/yupana python python/bench/overhead.py > bench/results/python.jsonl
"""
import json
import os
import platform
import statistics
import subprocess
import sys
import time

import numpy as np

import yupana

TURNS, RUNS = 5, 5
SAMPLES, SITES = 2000, 100_000


def cpp_seconds(program):
    answer = subprocess.run([program, "bench", "array", "--json", "--device", "cpu"],
                            stdout=subprocess.PIPE, text=True, check=True)
    lines = [json.loads(line) for line in answer.stdout.splitlines()]
    return next(line for line in lines if line["unit"] == "s")


def python_seconds(calls):
    seconds = []
    for _ in range(RUNS + 1):
        begin = time.perf_counter()
        result = yupana.distances(calls, device="cpu")
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[1:])


def is_right(calls):
    """The first sites by the reference; all of them would take minutes."""
    some = calls[:, :200]
    ours, obvious = (yupana.distances(some, device=d) for d in ("cpu", "reference"))
    read = yupana.read_genotypes(calls)._source
    return ours.tobytes() == obvious.tobytes() and read.ctypes.data == calls.ctypes.data


def main():
    program = os.environ.get("YUPANA_PROGRAM") or sys.exit("YUPANA_PROGRAM: the yupana program")
    calls = np.random.default_rng(1).integers(0, 3, (SAMPLES, SITES), dtype=np.int8)
    verified = is_right(calls)
    ours, theirs, ratios = [], [], []
    for _ in range(TURNS):
        line = cpp_seconds(program)
        theirs.append(line["value"])
        ours.append(python_seconds(calls))
        ratios.append(ours[-1] / theirs[-1])
    common = {"share_of_limit": None, "device": line["device"], "commit": line["commit"]}
    case = f"distances of an int8 array, n={SAMPLES} m={SITES}, {yupana.info()['threads']} threads"
    compiler = f"Python {platform.python_version()}"
    for impl, value, unit, right in (
        ("yupana from C++", statistics.median(theirs), "s", line["verified"]),
        ("yupana from Python, a NumPy array", statistics.median(ours), "s", verified),
        ("yupana from Python, a NumPy array", statistics.median(ratios), "of the time from C++", verified),
    ):
        print(json.dumps({"bench": "python", "case": case, "impl": impl, "value": value, "unit": unit,
                          "verified": right, "compiler": compiler, **common}))


if __name__ == "__main__":
    main()
