#!/usr/bin/env python3
"""Calls on arrays of a GPU next to those of torch and CuPy, in turns in one process.

    python python/bench/device_calls.py > bench/results/dropin_cuda.jsonl      a line an implementation

Each array is there before the clock starts; a turn is as many calls as take 20 ms or more, and one wait for the GPU at its
end. A case is verified where the answers agree.
"""
import json
import os
import platform
import statistics
import subprocess
import time
from pathlib import Path

import cupy
import numpy as np
import torch

import yupana

TURNS, TURN_SECONDS = 15, 0.02


def seconds_of(functions):
    """Seconds of a call of each, for every turn."""

    def turn(function, calls):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        torch.cuda.synchronize()
        return (time.perf_counter() - begin) / calls

    calls = []
    for function in functions:
        turn(function, 3)
        calls.append(max(1, int(TURN_SECONDS / turn(function, 3))))
    turns = [[turn(*pair) for pair in zip(functions, calls)] for _ in range(TURNS)]
    return list(zip(*turns))


def host(x):
    return x.cpu().numpy() if isinstance(x, torch.Tensor) else cupy.asnumpy(x)


def transforms():
    rng = np.random.default_rng(0)
    shapes = [*((1 << bits,) for bits in range(10, 25, 2)), (1_000_003,), (2048, 2048)]
    for dtype in (np.complex64, np.complex128):
        for shape in shapes:
            x = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
            there, theirs = torch.from_numpy(x).cuda(), cupy.asarray(x)
            name = "fft2" if len(shape) == 2 else "fft"
            size = f"2^{shape[0].bit_length() - 1}" if shape[0] & (shape[0] - 1) == 0 and name == "fft" else " x ".join(map(str, shape))
            calls = [lambda: getattr(yupana.spectral, name)(there), lambda: getattr(torch.fft, name)(there),
                     lambda: getattr(cupy.fft, name)(theirs)]
            yield f"{name} {size}, {dtype.__name__}", calls, 1e-5 if dtype == np.complex64 else 1e-12


def vectors():
    rng = np.random.default_rng(1)
    for n in (1_000_000, 10_000_000, 100_000_000):
        for dtype in ("float32", "int64"):
            # Small whole numbers, whose sums are exact in any order.
            x = rng.integers(-4, 5, n).astype(dtype) if dtype == "float32" else rng.integers(-(2**31), 2**31, n)
            there, theirs = torch.from_numpy(x).cuda(), cupy.asarray(x)
            arrays = yupana.arrays
            yield (f"sum of {n:,} {dtype}, on the host",
                   [lambda: arrays.reduce(there), lambda: there.sum().item(), lambda: theirs.sum().item()], 1e-3)
            yield (f"cumulative sum of {n:,} {dtype}",
                   [lambda: arrays.inclusive_scan(there), lambda: there.cumsum(0), lambda: theirs.cumsum()], 1e-3)
            keys = rng.integers(-(2**62), 2**62, n) if dtype == "int64" else rng.normal(size=n).astype(dtype)
            there_too, theirs_too = torch.from_numpy(keys).cuda(), cupy.asarray(keys)
            yield (f"sort of {n:,} {dtype}", [lambda: arrays.sort(there_too), lambda: torch.sort(there_too).values,
                                              lambda: cupy.sort(theirs_too)], 0)
            yield (f"argsort of {n:,} {dtype}, stable",
                   [lambda: arrays.argsort(there_too), lambda: torch.argsort(there_too, stable=True),
                    lambda: cupy.argsort(theirs_too, kind="stable")], 0)


def agree(calls, tolerance):
    ours, *others = (np.asarray(host(found) if hasattr(found, "shape") and not isinstance(found, np.generic) else found)
                     for found in (call() for call in calls))
    scale = max(1.0, float(np.abs(ours).max()))
    return all(np.allclose(ours, other, rtol=0, atol=tolerance * scale) for other in others)


def main():
    described = subprocess.run(("git", "describe", "--always", "--dirty", "--exclude=*"), stdout=subprocess.PIPE, text=True,
                               cwd=Path(__file__).resolve().parent).stdout.strip()
    versions = {"yupana": None, "torch": torch.__version__, "CuPy": cupy.__version__}
    for cases in (transforms, vectors):
        for name, calls, tolerance in cases():
            right = agree(calls, tolerance)
            for (impl, version), times in zip(versions.items(), seconds_of(calls)):
                print(json.dumps({
                    "bench": "dropin", "case": name, "impl": impl, "version": version, "value": min(times) * 1e3, "unit": "ms",
                    "share_of_limit": None, "verified": bool(right), "repeats": TURNS,
                    "seconds_median": statistics.median(times), "seconds_min": min(times), "seconds_max": max(times),
                    "note": f"1 GPU, load {os.getloadavg()[0]:.1f}", "device": torch.cuda.get_device_name(), "compiler": f"Python {platform.python_version()}",
                    "commit": described or "unknown"}), flush=True)


if __name__ == "__main__":
    main()
