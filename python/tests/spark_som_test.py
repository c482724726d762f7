"""Maps of DataFrames on two executors: the codebooks of one machine, bit for bit."""

import doctest
import pathlib

import numpy as np
import pytest
from cluster import NAMES, PARTITIONS, ROWS, wrong

import yupana
import yupana.spark.blocks
import yupana.spark.som
from yupana.spark import SOM


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


def test_tables_that_a_map_cannot_use_are_said_in_one_line(frame):
    df = frame(3)
    wrong(lambda: SOM(featuresCols=["f0", "g"]).fit(df), "no column 'g'; there are f0, f1")
    wrong(lambda: SOM().fit(df), "featuresCol: no column 'features'")
    text = df.selectExpr("*", "cast(id as string) word", "if(id = 2500, null, f0) hole")
    text = text.selectExpr("*", "if(id = 4000, double('NaN'), f0) nan")
    wrong(lambda: SOM(featuresCols=["f0", "word"]).fit(text), "column 'word' is string")
    wrong(lambda: SOM(featuresCol="word").fit(text), "expected a vector or an array of numbers")
    wrong(lambda: SOM(featuresCols=["hole"]).fit(text), "row 2501 (from 1): column 'hole' is null")
    wrong(lambda: SOM(featuresCols=["nan"]).fit(text), "row 4001 (from 1): column 'nan' is nan")
    wrong(lambda: SOM(rows=0, featuresCols=["f0"]).fit(df), "row")
    wrong(lambda: SOM(initial="pca", featuresCols=["f0"]).fit(df), "got 'pca'")
    wrong(lambda: SOM(lattice="round", featuresCols=["f0"]).fit(df), "got 'round'")
    wrong(lambda: SOM(featuresCols=["f0"], orderCol="label").fit(df), "appears twice")
    wrong(lambda: SOM(featuresCols=["f0"]).fit(df.filter("id < 0")), "no row")


def test_a_null_met_by_a_model_is_said(frame):
    model = small_map().fit(frame(1))
    holes = frame(1).selectExpr("if(id = 7, null, f0) f0", "f1", "f2", "f3")
    with pytest.raises(Exception, match="finite"):
        model.transform(holes).collect()


def test_a_parameter_that_there_is_not_is_refused_by_its_name():
    with pytest.raises(TypeError, match="SOM: expected one of .*rows.*; got 'row'"):
        SOM(row=3)


def test_examples_of_docstrings(spark):
    result = doctest.testmod(yupana.spark.som, extraglobs={"spark": spark})
    assert result.attempted > 0 and result.failed == 0


def test_examples_of_the_page(spark):
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "spark.md"
    result = doctest.testfile(str(page), module_relative=False, globs={"spark": spark})
    assert result.attempted > 0 and result.failed == 0
