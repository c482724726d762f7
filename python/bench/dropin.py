#!/usr/bin/env python3
"""The drop-ins beside what they replace: SciPy, NetworkX and scikit-learn, in turns in one process.

    python python/bench/dropin.py [WORD ...]

prints a table of medians in milliseconds, of the rows whose name has one of the words. A row whose
answers differ is not timed but named: trees and forests must predict new rows as well, to 0.01.
SciPy's transforms and scikit-learn's forests run on one core, which is their default, and on all.
"""
import os
import statistics
import sys
import time

import networkx as nx
import numpy as np
import scipy.fft
import scipy.sparse as sp
import sklearn.ensemble
import sklearn.tree
from scipy.sparse import csgraph as scipy_csgraph

import yupana
from yupana import csgraph, scipy_fft

TURNS = 7


def median_times(functions):
    """Milliseconds of each, in turns, after one call more."""
    times = [[] for _ in functions]
    for turn in range(TURNS + 1):
        for kept, function in zip(times, functions):
            begin = time.perf_counter()
            function()
            kept.append((time.perf_counter() - begin) * 1e3)
    return [statistics.median(kept[1:]) for kept in times]


def transforms():
    rng = np.random.default_rng(0)
    for name, shape, keywords in [
        ("fft", (64,), {}),
        ("fft", (1 << 10,), {}),
        ("fft", (1 << 14,), {}),
        ("fft", (1 << 18,), {}),
        ("fft", (1 << 22,), {}),
        ("fft", (1_000_003,), {}),
        ("fft", (4096, 1024), {}),
        ("fft", (1024, 4096), {"axis": 0}),
        ("fft", (64, 512, 128), {"axis": 1}),
        ("rfft", (1 << 20,), {}),
        ("rfft", (4096, 1024), {}),
        ("rfft", (1024, 4096), {"axis": 0}),
        ("irfft", (4096, 513), {}),
        ("fft2", (2048, 2048), {}),
        ("rfft2", (2048, 2048), {}),
        ("fftn", (128, 128, 128), {}),
        ("rfftn", (128, 128, 128), {}),
        ("irfftn", (128, 128, 65), {}),
    ]:
        x = rng.normal(size=shape)
        x = x if name.startswith("r") else x + 1j * rng.normal(size=shape)
        for kind in ("float64", "float32"):
            y = x if kind == "float64" else x.astype(np.complex64 if x.dtype.kind == "c" else kind)
            ours, theirs = getattr(scipy_fft, name), getattr(scipy.fft, name)
            calls = [
                lambda: ours(y, **keywords),
                lambda: theirs(y, **keywords),
                lambda: theirs(y, workers=-1, **keywords),
            ]
            bound = 1e-11 if kind == "float64" else 1e-4
            right = np.allclose(calls[0](), calls[1](), rtol=bound, atol=bound * np.sqrt(y.size))
            extra = f" axis {keywords['axis']}" if keywords else ""
            yield f"{name} {' x '.join(map(str, shape))}{extra} {kind}", right, calls


def graphs():
    rng = np.random.default_rng(1)
    for n, density, function in [
        (500, 1.0, "floyd_warshall"),
        (1000, 1.0, "floyd_warshall"),
        (2000, 1.0, "floyd_warshall"),
        (1000, 0.1, "shortest_path"),
        (1000, 0.01, "shortest_path"),
        (4000, 0.001, "dijkstra"),
        (1000, 0.5, "dijkstra"),
        (1000, 0.01, "johnson"),
    ]:
        graph = sp.random_array((n, n), density=density, rng=rng, format="csr")
        graph = graph.toarray() if density > 0.3 else graph
        for predecessors in (False, True):
            calls = [
                lambda f=f: getattr(f, function)(graph, return_predecessors=predecessors)
                for f in (csgraph, scipy_csgraph)
            ]
            got, wanted = (np.asarray(c()[0] if predecessors else c()) for c in calls)
            right = np.allclose(got, wanted)
            extra = " and predecessors" if predecessors else ""
            yield f"{function}{extra} n={n} density {density}", right, calls


def networks():
    for n, degree in [(10, 3), (16, 4), (30, 4), (100, 6), (300, 10), (300, 100)]:
        graph = nx.gnm_random_graph(n, n * degree // 2, seed=2)
        for u, v in graph.edges:
            graph[u][v]["weight"] = (u * 7 + v * 13) % 17 + 0.5
        for name in (
            "floyd_warshall_numpy",
            "floyd_warshall",
            "all_pairs_dijkstra_path_length",
            "all_pairs_dijkstra_path",
            "all_pairs_shortest_path_length",
        ):
            function, is_matrix = getattr(nx, name), name.endswith("numpy")
            finish = (lambda x: x) if is_matrix else dict
            calls = [
                lambda b=b: finish(function(graph, backend=b)) for b in ("yupana", "networkx")
            ]
            got, wanted = (c() for c in calls)
            if is_matrix:
                right = np.allclose(got, wanted)
            else:
                right = got.keys() == wanted.keys() and all(
                    got[u].keys() == wanted[u].keys()
                    and (name.endswith("path") or np.allclose([*got[u].values()], [wanted[u][v] for v in got[u]]))
                    for u in got
                )
            yield f"networkx {name} n={n} edges {graph.number_of_edges()}", right, calls


def trees():
    rng = np.random.default_rng(3)
    for name, rows, keywords in [
        ("DecisionTreeClassifier", 10_000, {}),
        ("DecisionTreeClassifier", 100_000, {"max_leaf_nodes": 31}),
        ("DecisionTreeRegressor", 100_000, {"max_depth": 8}),
        ("RandomForestClassifier", 1_000, {"n_estimators": 100}),
        ("RandomForestClassifier", 10_000, {"n_estimators": 50}),
        ("RandomForestClassifier", 100_000, {"n_estimators": 10}),
        ("RandomForestRegressor", 10_000, {"n_estimators": 10, "max_samples": 0.5}),
    ]:
        X = rng.normal(size=(2 * rows, 20)).astype(np.float32)
        y = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X)) / 2
        y = (y > 0).astype(int) if "Classifier" in name else y
        peer = getattr(sklearn.tree, name, None) or getattr(sklearn.ensemble, name)
        models = [getattr(yupana, name)(random_state=0, **keywords), peer(random_state=0, **keywords)]
        if "Forest" in name:
            models.append(peer(random_state=0, n_jobs=-1, **keywords))
        scores = [model.fit(X[:rows], y[:rows]).score(X[rows:], y[rows:]) for model in models]
        right = scores[0] > scores[1] - 0.01
        what = f"{name} {rows} x 20 {' '.join(f'{k}={v}' for k, v in keywords.items())}".rstrip()
        yield f"{what}: fit", right, [lambda m=m: m.fit(X[:rows], y[:rows]) for m in models]
        yield f"{what}: predict", right, [lambda m=m: m.predict(X[rows:]) for m in models]


def main(words):
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; milliseconds, medians of {TURNS}")
    print("| call | yupana | peer | peer, all cores | gain |")
    print("|---|---:|---:|---:|---:|")
    for cases in (transforms, graphs, networks, trees):
        for name, right, calls in cases():
            if words and not any(word in name for word in words):
                continue
            if not right:
                print(f"| {name} | differs |||")
                continue
            ours, *peers = median_times(calls)
            shown = [f"{t:.3g}" for t in (ours, *peers)] + [""] * (2 - len(peers))
            print(f"| {name} | {' | '.join(shown)} | {min(peers) / ours:.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
