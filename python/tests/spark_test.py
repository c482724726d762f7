"""The Spark package on a cluster of two executors: the results of one machine, bit for bit.

Over 400 lines: starting the cluster takes longest, and one serves all of it.
"""

import doctest
import os
import pathlib
import shutil
import sys

import numpy as np
import pytest

import yupana

pyspark = pytest.importorskip("pyspark", minversion="3.5", reason="PySpark 3.5 is not installed")
if shutil.which("java") is None:
    pytest.skip("no Java: install openjdk-17-jre-headless", allow_module_level=True)

import yupana.spark.blocks  # noqa: E402
import yupana.spark.forest  # noqa: E402
import yupana.spark.genotype  # noqa: E402
import yupana.spark.growing  # noqa: E402
import yupana.spark.som  # noqa: E402
from yupana.spark import (  # noqa: E402
    SOM,
    RandomForestClassificationModel,
    RandomForestClassifier,
    RandomForestRegressor,
    SOMModel,
    genotype_distances,
    genotype_pair_counts,
)

ROWS, FEATURES = 5003, 4
NAMES = [f"f{c}" for c in range(FEATURES)]
PARTITIONS = [1, 4, 7]


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
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


@pytest.fixture(scope="module")
def table():
    """Features of three clouds, with their cloud as the label."""
    rng = np.random.default_rng(5)
    label = rng.integers(0, 3, ROWS)
    X = rng.normal(size=(ROWS, FEATURES)) + label[:, None] * [1.0, -0.5, 0.25, 0.0]
    return X, label


@pytest.fixture(scope="module")
def frame(spark, table, tmp_path_factory):
    """frame(partitions): the table in order, in so many partitions."""
    import pandas as pd

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


@pytest.fixture(scope="module")
def local_map(table):
    return yupana.SOM(rows=3, cols=4, iterations=3, random_state=3, device="cpu").fit(table[0])


def small_map(**keywords):
    return SOM(rows=3, cols=4, iterations=3, seed=3, featuresCols=NAMES, **keywords)


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_codebook_is_that_of_one_machine_for_any_partitions(frame, local_map, partitions):
    model = small_map().fit(frame(partitions))
    assert model.weights.tobytes() == local_map.weights_.tobytes()


def test_codebook_of_shuffled_rows_is_the_same_by_their_order_column(frame, local_map):
    shuffled = frame(4).repartition(5)
    assert [row.id for row in shuffled.select("id").take(5)] != [0, 1, 2, 3, 4]
    model = small_map(orderCol="id").fit(shuffled)
    assert model.weights.tobytes() == local_map.weights_.tobytes()


def test_uniform_codebook_needs_no_order(frame, table):
    keywords = {"rows": 2, "cols": 3, "iterations": 3, "initial": "uniform"}
    local = yupana.SOM(**keywords, random_state=1, device="cpu")
    model = SOM(**keywords, seed=1, featuresCols=NAMES)
    weights = model.fit(frame(3).repartition(5)).weights
    assert weights.tobytes() == local.fit(table[0]).weights_.tobytes()


def test_vectors_and_arrays_train_the_same_map(spark, frame, local_map):
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql.functions import array

    df = VectorAssembler(inputCols=NAMES, outputCol="features").transform(frame(3))
    df = df.withColumn("listed", array(*NAMES))
    for name in ("features", "listed"):
        model = SOM(rows=3, cols=4, iterations=3, seed=3, featuresCol=name).fit(df)
        assert model.weights.tobytes() == local_map.weights_.tobytes()
        assert np.array_equal(
            [row.prediction for row in model.transform(df).select("prediction").collect()],
            local_map.labels_,
        )


def test_a_partition_without_rows_is_no_matter(frame, local_map):
    df = frame(7).filter("id < 3000 or id >= 4400")
    own = yupana.SOM(rows=3, cols=4, iterations=3, random_state=3, device="cpu")
    keep = np.r_[0:3000, 4400:ROWS]
    assert df.rdd.glom().map(len).collect().count(0) > 0
    model = small_map().fit(df)
    X = np.array([[row[name] for name in NAMES] for row in frame(1).collect()])[keep]
    assert model.weights.tobytes() == own.fit(X).weights_.tobytes()


def test_several_blocks_a_partition_give_the_same_sums(monkeypatch):
    pa = pytest.importorskip("pyarrow")
    monkeypatch.setattr(yupana.spark.blocks, "BLOCK_BYTES", 40 * 8)
    blocks = yupana.spark.blocks
    columns = blocks.Columns(["a", "b"], False, True, False, False)
    values = np.arange(200, dtype=np.float32).reshape(100, 2)
    batches = [
        pa.RecordBatch.from_arrays([pa.array(part[:, 0]), pa.array(part[:, 1])], ["a", "b"])
        for part in np.split(values, [7, 50, 51, 99])
    ]
    records = list(blocks.Packer(columns, "C", False)(iter(batches)))
    assert [record.column(0)[0].as_py() for record in records] == [50, 49, 1]
    whole = b"".join(record.column(2)[0].as_py() for record in records)
    assert whole == values.tobytes()


def test_arrow_lists_are_read_where_they_lie():
    pa = pytest.importorskip("pyarrow")
    numbers = np.arange(12.0)
    lists = pa.ListArray.from_arrays(pa.array(np.arange(0, 13, 3, dtype=np.int32)), pa.array(numbers))
    matrix = yupana.spark.blocks.matrix_of_lists(lists, "x", None)
    assert matrix.shape == (4, 3)
    assert matrix.ctypes.data == lists.values.buffers()[1].address


def forest_bits(model):
    return model.to_local().to_bytes()


@pytest.mark.parametrize(
    ("sampling", "impurity"),
    [("bootstrap", "gini"), ("partition", "gini"), ("partition", "entropy"), ("all", "entropy")],
)
def test_forest_is_that_of_one_machine_for_any_partitions(frame, table, sampling, impurity):
    X, y = table
    keywords = {"bootstrap": True, "all": False}.get(sampling, sampling)
    local = yupana.RandomForestClassifier(
        7, bootstrap=keywords, criterion=impurity, max_depth=6, random_state=4
    ).fit(pandas_of(X), y)
    forest = RandomForestClassifier(
        numTrees=7, sampling=sampling, impurity=impurity, maxDepth=6, seed=4, featuresCols=NAMES
    )
    for partitions in PARTITIONS if impurity == "gini" else PARTITIONS[-1:]:
        assert forest_bits(forest.fit(frame(partitions))) == local.to_bytes()


def test_a_large_partition_is_gathered_in_pieces(frame, table, monkeypatch):
    monkeypatch.setattr(yupana.spark.growing, "PIECE_BYTES", 20_000)
    told = Told(yupana.spark.growing._small_pieces)
    monkeypatch.setattr(yupana.spark.growing, "_small_pieces", told)
    local = yupana.RandomForestClassifier(3, max_depth=4, random_state=4)
    local.fit(pandas_of(table[0]), table[1])
    forest = RandomForestClassifier(numTrees=3, maxDepth=4, seed=4, featuresCols=NAMES)
    assert forest_bits(forest.fit(frame(2))) == local.to_bytes()
    assert told.answers[0].getNumPartitions() == 9


class Told:
    """A function that keeps its answers."""

    def __init__(self, function):
        self.function, self.answers = function, []

    def __call__(self, *arguments):
        self.answers.append(self.function(*arguments))
        return self.answers[-1]


def pandas_of(X):
    import pandas as pd

    return pd.DataFrame(X, columns=NAMES)


def test_forest_of_shuffled_rows_is_the_same_by_their_order_column(frame, table):
    local = yupana.RandomForestClassifier(5, bootstrap="partition", random_state=2)
    local.fit(pandas_of(table[0]), table[1])
    forest = RandomForestClassifier(
        numTrees=5, sampling="partition", seed=2, featuresCols=NAMES, orderCol="id"
    )
    assert forest_bits(forest.fit(frame(4).repartition(6))) == local.to_bytes()


def test_missing_values_are_learnt_as_on_one_machine(spark, table):
    X, y = table[0][:600].copy(), table[1][:600]
    X[::7, 1] = np.nan
    rows = [
        (None if i % 14 == 0 else float(r[1]), float(r[0]), int(label))
        for i, (r, label) in enumerate(zip(X, y))
    ]
    df = spark.createDataFrame(rows, "b double, a double, label long").coalesce(2)
    model = RandomForestClassifier(numTrees=4, seed=1, featuresCols=["a", "b"]).fit(df)
    local = yupana.RandomForestClassifier(4, random_state=1).fit(X[:, :2], y)
    got = [row.prediction for row in model.transform(df).collect()]
    assert np.array_equal(got, local.predict(X[:, :2]))


def test_regression_forest_is_that_of_one_machine(frame, table):
    X = table[0]
    local = yupana.RandomForestRegressor(5, random_state=6, max_depth=5).fit(X[:, :3], X[:, 3])
    df = frame(4)
    forest = RandomForestRegressor(
        numTrees=5, seed=6, maxDepth=5, featuresCols=NAMES[:3], labelCol=NAMES[3]
    )
    model = forest.fit(df)
    got = np.array([row.prediction for row in model.transform(df).select("prediction").collect()])
    assert got.tobytes() == local.predict(X[:, :3]).tobytes()


def test_models_stand_in_pipelines_and_come_back_from_disk(spark, frame, table, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import VectorAssembler

    X, y = table
    df = frame(2)
    stages = [
        VectorAssembler(inputCols=NAMES, outputCol="features"),
        SOM(rows=2, cols=2, iterations=3, predictionCol="neuron", distanceCol="far"),
        RandomForestClassifier(numTrees=5, maxDepth=5, seed=1, voting="hard"),
    ]
    Pipeline(stages=stages).save(str(tmp_path / "pipeline"))
    pipeline = Pipeline.load(str(tmp_path / "pipeline"))
    assert pipeline.getStages()[2].getOrDefault("voting") == "hard"
    fitted = pipeline.fit(df)
    fitted.save(str(tmp_path / "model"))
    again = PipelineModel.load(str(tmp_path / "model"))
    local = yupana.RandomForestClassifier(5, max_depth=5, random_state=1, voting="hard").fit(X, y)
    own_map = yupana.SOM(rows=2, cols=2, iterations=3, random_state=0, device="cpu").fit(X)
    for model in (fitted, again):
        rows = model.transform(df).select("neuron", "far", "prediction", "probability").collect()
        assert np.array_equal([row.prediction for row in rows], local.predict(X))
        shares = np.array([row.probability.toArray() for row in rows])
        assert shares.tobytes() == local.predict_proba(X).tobytes()
        assert np.array_equal([row.neuron for row in rows], own_map.labels_)
        assert np.isclose(np.mean([row.far for row in rows]), own_map.quantization_error_)
    assert isinstance(again.stages[1], SOMModel)
    assert isinstance(again.stages[2], RandomForestClassificationModel)
    assert forest_bits(again.stages[2]) == forest_bits(fitted.stages[2])


def test_mllib_evaluators_take_the_predictions(frame):
    from pyspark.ml.evaluation import MulticlassClassificationEvaluator

    df = frame(2)
    model = RandomForestClassifier(numTrees=5, featuresCols=NAMES).fit(df)
    accuracy = MulticlassClassificationEvaluator(metricName="accuracy").evaluate(model.transform(df))
    assert accuracy > 0.9
    assert model.numClasses == 3 and np.isclose(model.featureImportances.sum(), 1)


@pytest.fixture(scope="module")
def calls():
    rng = np.random.default_rng(8)
    whole = rng.binomial(2, rng.uniform(0.05, 0.95, 1031), (37, 1031)).astype(np.int8)
    missing = whole.copy()
    missing[rng.random(whole.shape) < 0.03] = -1
    return whole, missing


def sites_frame(spark, calls, partitions, kind="array<tinyint>"):
    """A row a site."""
    if kind == "binary":
        rows = [(bytearray(site.astype(np.int8).tobytes()),) for site in calls.T]
    else:
        rows = [([None if x < 0 else int(x) for x in site],) for site in calls.T]
    return spark.createDataFrame(spark.sparkContext.parallelize(rows, partitions), f"calls {kind}")


@pytest.mark.parametrize(("metric", "partitions"), [("sqeuclidean", 1), ("king", 5), ("1-ibs", 2)])
def test_distances_are_those_of_one_machine(spark, calls, metric, partitions):
    for array in calls:
        expected = yupana.distances(array, metric, device="cpu")
        got = genotype_distances(sites_frame(spark, array, partitions), metric)
        assert got.tobytes() == expected.tobytes()


def test_binary_calls_and_columns_of_calls_are_the_same_sites(spark, calls):
    _, array = calls
    expected = yupana.distances(array, "euclidean", device="cpu")
    binary = genotype_distances(sites_frame(spark, array, 3, "binary"), "euclidean")
    assert binary.tobytes() == expected.tobytes()
    rows = [tuple(None if x < 0 else int(x) for x in site) for site in array.T]
    names = [f"s{i}" for i in range(len(array))]
    df = spark.createDataFrame(rows, ", ".join(f"{name} int" for name in names)).coalesce(2)
    counts = genotype_pair_counts(df, names)
    assert counts.samples == names
    assert counts.distances("euclidean").tobytes() == expected.tobytes()


def test_sites_with_and_without_missing_calls_may_lie_apart(spark, calls):
    whole, missing = calls
    both = np.concatenate([whole, missing], axis=1)
    df = sites_frame(spark, whole, 2).unionAll(sites_frame(spark, missing, 2))
    expected = yupana.genotype.pair_counts(both, device="cpu", hethet=True)
    got = genotype_pair_counts(df, hethet=True)
    assert np.array_equal(got.shared, expected.shared)
    assert np.array_equal(got.distances("king"), expected.distances("king"), equal_nan=True)


@pytest.mark.parametrize("bytes_of_band", [1, 24 * 40, 1 << 20])
def test_bands_cover_the_triangle_once(monkeypatch, bytes_of_band):
    monkeypatch.setattr(yupana.spark.genotype, "BAND_BYTES", bytes_of_band)
    for samples in (1, 2, 37):
        edges = yupana.spark.genotype.band_edges(samples, 3)
        assert edges[0] == 0 and edges[-1] == samples and sorted(set(edges)) == edges


def wrong(action, text):
    with pytest.raises(ValueError) as caught:
        action()
    assert text in str(caught.value) and "\n" not in str(caught.value)


def test_what_cannot_be_used_is_said_in_one_line(spark, frame):
    df = frame(3)
    wrong(lambda: SOM(featuresCols=["f0", "g"]).fit(df), "no column 'g'; there are f0, f1")
    wrong(lambda: SOM().fit(df), "featuresCol: no column 'features'")
    text = df.selectExpr("*", "cast(id as string) word", "if(id = 2500, null, f0) hole")
    text = text.selectExpr("*", "if(id = 4000, double('NaN'), f0) nan")
    wrong(lambda: SOM(featuresCols=["f0", "word"]).fit(text), "column 'word' is string")
    wrong(lambda: SOM(featuresCol="word").fit(text), "a vector or an array of numbers wanted")
    wrong(lambda: SOM(featuresCols=["hole"]).fit(text), "row 2500: column 'hole' is null")
    wrong(lambda: SOM(featuresCols=["nan"]).fit(text), "row 4000: column 'nan' is nan")
    wrong(lambda: SOM(rows=0, featuresCols=["f0"]).fit(df), "row")
    wrong(lambda: SOM(initial="pca", featuresCols=["f0"]).fit(df), "'pca' given")
    wrong(lambda: SOM(lattice="round", featuresCols=["f0"]).fit(df), "'round' is unknown")
    wrong(lambda: SOM(featuresCols=["f0"], orderCol="label").fit(df), "stands twice")
    wrong(lambda: SOM(featuresCols=["f0"]).fit(df.filter("id < 0")), "no row")
    forest = RandomForestClassifier(featuresCols=["f0"], labelCol="word", numTrees=2)
    wrong(lambda: forest.fit(text), "StringIndexer")
    forest = RandomForestClassifier(featuresCols=["f0"], labelCol="hole", numTrees=2)
    wrong(lambda: forest.fit(text), "row 2500: the label is null")
    forest = RandomForestClassifier(featuresCols=["f0"], numTrees=9, sampling="partition")
    wrong(lambda: forest.fit(df.limit(4)), "9 parts of 4 rows")
    forest = RandomForestClassifier(featuresCols=["f0"], maxFeatures="many")
    wrong(lambda: forest.fit(df), "maxFeatures: sqrt, log2")


def test_wrong_calls_are_said_in_one_line(spark):
    df = spark.createDataFrame([([0, 1],), ([2, 5],)], "calls array<int>")
    wrong(lambda: genotype_distances(df), "sample 1 (counted from 0) has 5")
    df = spark.createDataFrame([([0, 1],), ([2],)], "calls array<int>").coalesce(1)
    wrong(lambda: genotype_distances(df), "has 1 numbers, 2 wanted")
    apart = spark.sparkContext.parallelize([([0, 1],), ([2],)], 2)
    df = spark.createDataFrame(apart, "calls array<int>")
    wrong(lambda: genotype_distances(df), "sites of the same samples wanted, 1 and 2 given")
    wrong(lambda: genotype_distances(df.filter("false")), "no site")
    wrong(lambda: genotype_distances(df, calls="x"), "no column 'x'")
    wrong(lambda: genotype_distances(df, "cosine"), "cosine")


def test_a_null_met_by_a_model_is_said(frame):
    model = small_map().fit(frame(1))
    holes = frame(1).selectExpr("if(id = 7, null, f0) f0", "f1", "f2", "f3")
    with pytest.raises(Exception, match="finite"):
        model.transform(holes).collect()


@pytest.mark.parametrize("name", ["forest", "genotype", "som"])
def test_examples_of_docstrings(spark, name):
    module = getattr(yupana.spark, name)
    result = doctest.testmod(module, extraglobs={"spark": spark})
    assert result.attempted > 0 and result.failed == 0


def test_examples_of_the_page(spark):
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "spark.md"
    result = doctest.testfile(str(page), module_relative=False, globs={"spark": spark})
    assert result.attempted > 0 and result.failed == 0
