#!/usr/bin/env python3
"""Maps and forests of a simulated table of 2,000,000 x 18 in 1, 4 and 7 partitions, and on one machine
without Spark: the same bits, and seconds.

    python python/bench/spark_partitions.py spark://HOST:7077
"""
import hashlib
import json
import sys

import numpy as np
import spark_tables

import yupana
from yupana.spark import SOM, RandomForestClassifier

ROWS = 2_000_000
MAP = {"rows": 8, "cols": 7, "iterations": 10}
TREES, DEPTH = 16, 10


def told(case, where, seconds, data):
    digest = hashlib.sha256(data).hexdigest()[:16]
    print(json.dumps({"case": case, "where": where, "seconds": round(seconds, 2), "sha256": digest}))
    sys.stdout.flush()


def alone():
    import pandas as pd

    X, label = spark_tables.table(np.arange(ROWS))
    local = yupana.SOM(**MAP, random_state=0, device="cpu")
    seconds, _ = spark_tables.timed(lambda: local.fit(X))
    told("som", "one process", seconds, local.weights_.tobytes())
    frame = pd.DataFrame(X, columns=spark_tables.NAMES)
    del X
    for sampling, bootstrap in (("partition", "partition"), ("bootstrap", True)):
        local = yupana.RandomForestClassifier(
            TREES, max_depth=DEPTH, bootstrap=bootstrap, random_state=0
        )
        seconds, _ = spark_tables.timed(lambda: local.fit(frame, label.astype(int)))
        told(f"forest, {sampling}", "one process", seconds, local.to_bytes())


def main():
    alone()
    spark = spark_tables.session(sys.argv[1])
    for partitions in (1, 4, 7):
        df = spark_tables.frame(spark, 0, ROWS, partitions)
        where = f"{partitions} partitions"
        som = SOM(**MAP, featuresCols=spark_tables.NAMES)
        seconds, model = spark_tables.timed(lambda: som.fit(df))
        told("som", where, seconds, model.weights.tobytes())
        # The gathered table is the same for all: one run of it will do.
        for sampling in ("partition", "bootstrap") if partitions == 4 else ("partition",):
            forest = RandomForestClassifier(
                numTrees=TREES, maxDepth=DEPTH, sampling=sampling, featuresCols=spark_tables.NAMES
            )
            seconds, model = spark_tables.timed(lambda: forest.fit(df))
            told(f"forest, {sampling}", where, seconds, model.to_local().to_bytes())
    spark.stop()


if __name__ == "__main__":
    main()
