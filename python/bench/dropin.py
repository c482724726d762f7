#!/usr/bin/env python3
"""The drop-ins next to what they replace: SciPy, NumPy, NetworkX and scikit-learn, in turns in one process.

    python python/bench/dropin.py [WORD ...]                               a table on the terminal
    python python/bench/dropin.py --json > bench/results/dropin.jsonl      a line an implementation

of the calls whose name has one of the words: the fastest of the turns, which other work on the machine
disturbs least, and in JSON their median. Turns: as many as fit in 15 seconds, 3 to 25. A case is verified where both answers agree: trees and forests must predict new rows as well, to 0.01.
SciPy's transforms and scikit-learn's forests run on one core, which is their default, and on all.
"""
import json
import os
import platform
import statistics
import subprocess
import sys
import time

import networkx as nx
import numpy as np
import scipy
import scipy.cluster.hierarchy
import scipy.fft
import scipy.sparse as sp
import scipy.spatial.distance
import sklearn
import sklearn.ensemble
import sklearn.tree
from scipy.sparse import csgraph as scipy_csgraph
from scipy.sparse.linalg import spsolve_triangular

import yupana
from yupana import csgraph, distance, hierarchy, scipy_fft

SECONDS, TURNS = 15, (3, 25)


def times_of(functions):
    """Seconds of each, in turns, after one call more where calls are short."""
    times = [[] for _ in functions]
    begin = time.perf_counter()
    while len(times[0]) < TURNS[0] or (len(times[0]) <= TURNS[1] and time.perf_counter() - begin < SECONDS):
        for kept, function in zip(times, functions):
            start = time.perf_counter()
            function()
            kept.append(time.perf_counter() - start)
    return [kept[1:] if len(kept) > TURNS[0] else kept for kept in times]


def transforms():
    rng = np.random.default_rng(0)
    for name, shape, keywords in [
        *(("fft", (1 << bits,), {}) for bits in (10, 12, 14, 16, 18, 20, 22, 24)),
        ("fft", (1_000_003,), {}),
        ("fft", (1024, 4096), {"axis": 0}),
        ("rfft", (1 << 20,), {}),
        ("fft2", (2048, 2048), {}),
        ("rfftn", (128, 128, 128), {}),
        ("rfftn", (256, 256, 256), {}),
        ("irfftn", (128, 128, 65), {}),
    ]:
        x = rng.normal(size=shape)
        x = x if name.startswith("r") else x + 1j * rng.normal(size=shape)
        ours, theirs = getattr(scipy_fft, name), getattr(scipy.fft, name)
        calls = [
            lambda: ours(x, **keywords),
            lambda: theirs(x, **keywords),
            lambda: theirs(x, workers=-1, **keywords),
        ]
        right = np.allclose(calls[0](), calls[1](), rtol=1e-11, atol=1e-11 * np.sqrt(x.size))
        size = f"2^{len(bin(shape[0])) - 3}" if len(shape) == 1 and shape[0] & (shape[0] - 1) == 0 else None
        axis = f", axis {keywords['axis']}" if keywords else ""
        yield f"{name} {size or ' x '.join(map(str, shape))}{axis}", right, "SciPy", calls


def graphs():
    rng = np.random.default_rng(1)
    for n, density, function in [
        *((n, 1.0, "floyd_warshall") for n in (500, 1000, 2000, 4000)),
        (1000, 0.1, "shortest_path"),
        (4000, 0.001, "dijkstra"),
        (1000, 0.01, "johnson"),
    ]:
        graph = sp.random_array((n, n), density=density, rng=rng, format="csr")
        graph = graph.toarray() if density > 0.3 else graph
        calls = [lambda f=f: getattr(f, function)(graph) for f in (csgraph, scipy_csgraph)]
        small = graph if n < 4000 else graph[:900, :900]
        right = np.allclose(*(getattr(f, function)(small) for f in (csgraph, scipy_csgraph)))
        yield f"{function} n={n}, {'all edges' if density == 1 else f'density {density}'}", right, "SciPy", calls
    nx.config.warnings_to_ignore.add("cache")
    graph = nx.gnm_random_graph(300, 1500, seed=2)
    for u, v in graph.edges:
        graph[u][v]["weight"] = (u * 7 + v * 13) % 17 + 0.5
    for name in ("floyd_warshall", "all_pairs_dijkstra_path_length"):
        calls = [lambda b=b: dict(getattr(nx, name)(graph, backend=b)) for b in ("yupana", "networkx")]
        got, wanted = (call() for call in calls)
        right = all(np.isclose(got[u][v], wanted[u][v]) for u in wanted for v in wanted[u])
        yield f"{name} n=300, 1500 edges", right, "NetworkX", calls


def trees():
    rng = np.random.default_rng(3)
    for name, rows, keywords in [
        ("DecisionTreeClassifier", 10_000, {}),
        ("RandomForestClassifier", 1_000, {"n_estimators": 100}),
        ("RandomForestClassifier", 10_000, {"n_estimators": 50}),
        ("RandomForestClassifier", 100_000, {"n_estimators": 10}),
    ]:
        X = rng.normal(size=(2 * rows, 20)).astype(np.float32)
        y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X)) / 2 > 0).astype(int)
        peer = getattr(sklearn.tree, name, None) or getattr(sklearn.ensemble, name)
        models = [getattr(yupana, name)(random_state=0, **keywords), peer(random_state=0, **keywords)]
        if "Forest" in name:
            models.append(peer(random_state=0, n_jobs=-1, **keywords))
        scores = [model.fit(X[:rows], y[:rows]).score(X[rows:], y[rows:]) for model in models]
        right = scores[0] > scores[1] - 0.01
        what = f"{name}, {rows:,} x 20{''.join(f', {k}={v}' for k, v in keywords.items())}"
        yield f"{what}: fit", right, "scikit-learn", [lambda m=m: m.fit(X[:rows], y[:rows]) for m in models]
        yield f"{what}: predict", right, "scikit-learn", [lambda m=m: m.predict(X[rows:]) for m in models]


def clusters():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(10_000, 8))
    y = scipy.spatial.distance.pdist(X)
    both = hierarchy, scipy.cluster.hierarchy
    for method in ("single", "complete", "average", "ward"):
        right = np.array_equal(*(f.linkage(y[: 2000 * 1999 // 2], method) for f in both))
        yield f"linkage, 10,000 points, {method}", right, "SciPy", [lambda f=f: f.linkage(y, method) for f in both]
    right = np.array_equal(*(f.linkage(X[:2000], "ward") for f in both))
    yield "linkage, table of 10,000 x 8, ward", right, "SciPy", [lambda f=f: f.linkage(X, "ward") for f in both]
    calls = rng.integers(0, 3, (1000, 10_000), dtype=np.int8)
    pairs = [lambda f=f: f.pdist(calls, "cityblock") for f in (distance, scipy.spatial.distance)]
    yield "pdist, 1,000 x 10,000 genotypes, cityblock", np.array_equal(*(p() for p in pairs)), "SciPy", pairs


def arrays():
    rng = np.random.default_rng(5)
    for n in (1_000_000, 10_000_000):
        for x in (rng.normal(size=n), rng.integers(-(2**62), 2**62, n)):
            pairs = [lambda: yupana.arrays.sort(x), lambda: np.sort(x)]
            yield f"sort, {n:,} {x.dtype}", np.array_equal(*(p() for p in pairs)), "NumPy", pairs
            pairs = [lambda: yupana.arrays.argsort(x), lambda: np.argsort(x, kind="stable")]
            yield f"argsort, {n:,} {x.dtype}, stable", np.array_equal(*(p() for p in pairs)), "NumPy", pairs
    n = 100_000
    rows = np.repeat(np.arange(n), 10)
    entries = rng.normal(size=10 * n), (rows, np.maximum(0, rows - rng.integers(1, 1000, 10 * n)))
    lower = sp.csr_array(sp.coo_array(entries, shape=(n, n)) + 30 * sp.eye_array(n))
    lower = sp.tril(lower, format="csr")
    b = rng.normal(size=n)
    pairs = [lambda f=f: f(lower, b) for f in (yupana.sparse.spsolve_triangular, spsolve_triangular)]
    yield f"spsolve_triangular n={n:,}, {lower.nnz:,} entries", np.allclose(*(p() for p in pairs)), "SciPy", pairs


def commit():
    words = ("git", "describe", "--always", "--dirty", "--exclude=*")
    found = subprocess.run(words, stdout=subprocess.PIPE, text=True, cwd=os.path.dirname(os.path.abspath(__file__)))
    return found.stdout.strip() or "unknown"


def lines(name, right, peer, seconds, commit):
    """A JSON object an implementation."""
    versions = {"SciPy": scipy, "NumPy": np, "NetworkX": nx, "scikit-learn": sklearn}
    facts = yupana.info()
    for impl, times in zip(("yupana", peer, f"{peer}, all cores"), seconds):
        yield {
            "bench": "dropin", "case": name, "impl": impl,
            "version": None if impl == "yupana" else versions[peer].__version__,
            "value": min(times) * 1e3, "unit": "ms", "share_of_limit": None, "verified": bool(right),
            "repeats": len(times), "seconds_median": statistics.median(times), "seconds_min": min(times), "seconds_max": max(times),
            "note": f"{facts['threads']} cores, load {os.getloadavg()[0]:.1f}",
            "device": f"{facts['processor']}, {facts['simd']}", "compiler": f"Python {platform.python_version()}",
            "commit": commit,
        }


def main(words):
    as_json = "--json" in words
    words = [word for word in words if word != "--json"]
    measured = commit()
    for cases in (transforms, graphs, trees, clusters, arrays):
        for name, right, peer, calls in cases():
            if words and not any(word in name for word in words):
                continue
            seconds = times_of(calls)
            if as_json:
                for line in lines(name, right, peer, seconds, measured):
                    print(json.dumps(line), flush=True)
            else:
                best = [min(times) * 1e3 for times in seconds]
                shown = " ".join(f"{value:.4g}" for value in best)
                print(f"{name}: {shown} ms{'' if right else ' DIFFERS'}, {min(best[1:]) / best[0]:.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
