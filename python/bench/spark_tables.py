"""Simulated tables for the Spark benches: a row depends on its number alone."""

import os
import time

import numpy as np

FEATURES = 18
NAMES = [f"f{c}" for c in range(FEATURES)]
SCHEMA = "id long, " + ", ".join(f"{name} double" for name in NAMES) + ", label double"


def words(ids, stream):
    """Random words of (row, stream): the finaliser of SplitMix64."""
    x = (ids.astype(np.uint64) * np.uint64(64) + np.uint64(stream)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def uniform(ids, stream):
    return (words(ids, stream) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def table(ids):
    """Features of five clouds, (rows, 18), and labels 0 and 1 that depend on six of them."""
    cloud = (words(ids, 40) % np.uint64(5)).astype(np.float64)
    X = np.stack([uniform(ids, c) + cloud * ((c * 7) % 5) / 4 for c in range(FEATURES)], axis=1)
    score = X[:, 0] * X[:, 3] + np.sin(4 * X[:, 7]) - X[:, 11] * (X[:, 2] > 0.8) + X[:, 16] / 2
    noise = uniform(ids, 41) < 0.05
    return X, ((score > 0.9) ^ noise).astype(np.float64)


def simulate(batches):
    import pyarrow as pa

    for batch in batches:
        ids = batch.column(0).to_numpy()
        X, label = table(ids)
        columns = [batch.column(0), *[pa.array(X[:, c]) for c in range(FEATURES)], pa.array(label)]
        yield pa.RecordBatch.from_arrays(columns, ["id", *NAMES, "label"])


def frame(spark, begin, end, partitions):
    """Rows [begin, end) in so many partitions."""
    return spark.range(begin, end, 1, partitions).mapInArrow(simulate, SCHEMA)


def session(master):
    from pyspark.sql import SparkSession

    here = os.path.dirname(os.path.abspath(__file__))
    spark = (
        SparkSession.builder.master(master)
        .appName("yupana bench")
        .config("spark.driver.memory", "1g")
        .config("spark.executor.memory", "1g")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.addPyFile(os.path.join(here, "spark_tables.py"))
    return spark


def timed(action):
    begin = time.perf_counter()
    answer = action()
    return time.perf_counter() - begin, answer
