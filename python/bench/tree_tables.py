#!/usr/bin/env python3
"""Trees and forests from Python next to scikit-learn, of tables in the order of rows that everybody has: both
predict in turns in one process, and medians are compared, of the time and of the processor's.

    python python/bench/tree_tables.py [rows]
"""
import statistics
import sys
import time

import numpy as np
import sklearn.ensemble
import sklearn.tree

import yupana.forest

LEARNED, FEATURES, TURNS = 100_000, 18, 7


def table(rows):
    """Uniform numbers; the class is the side of a curved surface, turned around for one row in six."""
    random = np.random.default_rng(1)
    x = random.random((rows, FEATURES), dtype=np.float32)
    above = x[:, 0] + x[:, 1] * x[:, 2] + np.sin(6 * x[:, 3]) * x[:, 4] > 0.9
    return x, (above != (random.random(rows) < 1 / 6)).astype(int)


def seconds(call):
    begin, cpu = time.perf_counter(), time.process_time()
    result = call()
    return result, time.perf_counter() - begin, time.process_time() - cpu


def compare(case, ours, theirs):
    turns = [(seconds(ours), seconds(theirs)) for _ in range(TURNS + 1)][1:]
    same = np.mean(turns[0][0][0].argmax(1) == turns[0][1][0].argmax(1))
    wall, cpu = ([statistics.median(turn[who][kind] for turn in turns) for who in (0, 1)] for kind in (1, 2))
    print(f"{case}: yupana {wall[0]:.4f} s (processor {cpu[0]:.4f}), scikit-learn {wall[1]:.4f} s ({cpu[1]:.4f}), "
          f"{wall[1] / wall[0]:.2f} x (processor {cpu[1] / cpu[0]:.2f} x), same classes {same:.4f}", flush=True)


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    x, y = table(rows)
    threads = yupana.info()["threads"]
    print(f"{rows} x {FEATURES}, {threads} threads, scikit-learn {sklearn.__version__}")
    for kind in (np.float32, np.float64):
        cells = np.ascontiguousarray(x, kind)
        for depth in (10, None):
            own, peer = (module.DecisionTreeClassifier(max_depth=depth, random_state=0)
                         for module in (yupana.forest, sklearn.tree))
            own.fit(cells[:LEARNED], y[:LEARNED])
            peer.fit(cells[:LEARNED], y[:LEARNED])
            compare(f"one tree of {'any depth' if depth is None else f'depth {depth}'}, {kind.__name__}",
                    lambda: own.predict_proba(cells), lambda: peer.predict_proba(cells))


main()
