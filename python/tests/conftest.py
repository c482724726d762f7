"""What the tests share: the command line of the same build, random genotypes, a Spark cluster."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from sklearn import datasets

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def same_random_numbers():
    """NumPy's shared generator, from which estimators without a random_state draw."""
    np.random.seed(0)


@pytest.fixture
def program():
    """Runs the C++ program: what the package must equal."""
    path = os.environ.get("YUPANA_PROGRAM")
    if not path:
        pytest.skip("YUPANA_PROGRAM names no program to compare with")

    def run(*arguments):
        subprocess.run([path, *map(str, arguments), "--quiet"], check=True)

    return run


@pytest.fixture(scope="session")
def wine():
    return datasets.load_wine(return_X_y=True)


@pytest.fixture
def genotypes():
    """A structured cohort as an array, samples x sites, with missing calls."""
    rng = np.random.default_rng(7)
    calls = rng.binomial(2, rng.uniform(0.05, 0.95, 1031), (83, 1031)).astype(np.int8)
    calls[rng.random(calls.shape) < 0.03] = -1
    return calls


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A cluster of two executors: starting one takes longest."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    home = tmp_path_factory.mktemp("spark")
    os.environ["SPARK_LOCAL_DIRS"] = str(home / "local")
    os.environ["SPARK_WORKER_DIR"] = str(home / "work")
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .appName("yupana")
        .config("spark.driver.memory", "1g")
        .config("spark.executor.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.warehouse.dir", str(home / "warehouse"))
        # Several batches a partition, of other sizes than blocks.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "700")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def table():
    """Features of three clouds, with their cloud as the label."""
    from cluster import NAMES, ROWS

    rng = np.random.default_rng(5)
    label = rng.integers(0, 3, ROWS)
    X = rng.normal(size=(ROWS, len(NAMES))) + label[:, None] * [1.0, -0.5, 0.25, 0.0]
    return X, label


@pytest.fixture(scope="session")
def frame(spark, table):
    """frame(partitions): the table in order, in so many partitions."""
    import pandas as pd
    from cluster import NAMES, ROWS

    X, label = table
    pdf = pd.DataFrame(X, columns=NAMES)
    pdf["label"] = label
    pdf["id"] = np.arange(ROWS)
    schema = ", ".join(f"{name} double" for name in NAMES) + ", label long, id long"
    rows = list(pdf.itertuples(index=False, name=None))

    def made(partitions):
        plain = [tuple(x.item() if hasattr(x, "item") else x for x in row) for row in rows]
        return spark.createDataFrame(spark.sparkContext.parallelize(plain, partitions), schema)

    return made
