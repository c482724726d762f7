#!/usr/bin/env python3
"""Forests on Spark beside MLlib's: seconds to fit, and accuracy on rows that none has seen.

    python python/bench/spark_forest.py spark://HOST:7077 [ROWS] >> bench/results/spark.jsonl
"""
import json
import platform
import subprocess
import sys

import numpy as np
import spark_tables

import yupana
from yupana.spark import RandomForestClassifier

TREES, DEPTH, PARTITIONS = 20, 10, 4


def commit():
    answer = subprocess.run(
        ["git", "-C", sys.path[0], "rev-parse", "--short", "HEAD"],
        stdout=subprocess.PIPE,
        text=True,
    )
    return answer.stdout.strip()


def lines(case, impl, seconds, accuracy, verified):
    info = yupana.info()
    facts = {"share_of_limit": None, "verified": verified, "device": f"{info['processor']}, {info['simd']}"}
    facts.update({"compiler": f"Python {platform.python_version()}", "commit": commit()})
    for value, unit in ((seconds, "s"), (accuracy, "accuracy")):
        print(json.dumps({"bench": "spark", "case": case, "impl": impl, "value": value,
                          "unit": unit, **facts}))
    sys.stdout.flush()


def accuracy_of(model, test):
    right = model.transform(test).selectExpr("avg(double(prediction = label)) as right")
    return right.head()["right"]


def main():
    import pyspark
    from pyspark.ml.classification import RandomForestClassifier as MLlib
    from pyspark.ml.feature import VectorAssembler

    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 500_000
    spark = spark_tables.session(sys.argv[1])
    add = VectorAssembler(inputCols=spark_tables.NAMES, outputCol="features")
    data = add.transform(spark_tables.frame(spark, 0, rows, PARTITIONS)).persist()
    test = add.transform(spark_tables.frame(spark, rows, rows + rows // 10, PARTITIONS)).persist()
    data.count(), test.count()
    case = f"forest of {TREES} trees of depth {DEPTH}, {rows} x {spark_tables.FEATURES}, 2 executors"
    X, label = spark_tables.table(np.arange(rows))
    common = {"numTrees": TREES, "maxDepth": DEPTH, "seed": 0}
    for sampling, bootstrap in (("bootstrap", True), ("partition", "partition")):
        forest = RandomForestClassifier(**common, sampling=sampling)
        seconds, model = spark_tables.timed(lambda: forest.fit(data))
        local = yupana.RandomForestClassifier(
            TREES, max_depth=DEPTH, bootstrap=bootstrap, random_state=0
        ).fit(X, label.astype(int))
        same = model.to_local().to_bytes() == local.to_bytes()
        lines(case, f"yupana {sampling}", seconds, accuracy_of(model, test), same)
    seconds, model = spark_tables.timed(lambda: MLlib(**common).fit(data))
    lines(case, f"MLlib {pyspark.__version__}", seconds, accuracy_of(model, test), False)
    spark.stop()


if __name__ == "__main__":
    main()
