"""Forests of DataFrames on two executors: the trees of one machine, bit for bit."""

import doctest

import numpy as np
import pytest
from cluster import NAMES, PARTITIONS, wrong

import yupana
import yupana.spark.forest
import yupana.spark.growing
from yupana.spark import (
    SOM,
    RandomForestClassificationModel,
    RandomForestClassifier,
    RandomForestRegressor,
    SOMModel,
)


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
    recorded = Recorded(yupana.spark.growing._small_pieces)
    monkeypatch.setattr(yupana.spark.growing, "_small_pieces", recorded)
    local = yupana.RandomForestClassifier(3, max_depth=4, random_state=4)
    local.fit(pandas_of(table[0]), table[1])
    forest = RandomForestClassifier(numTrees=3, maxDepth=4, seed=4, featuresCols=NAMES)
    assert forest_bits(forest.fit(frame(2))) == local.to_bytes()
    assert recorded.results[0].getNumPartitions() == 9


class Recorded:
    """A function that keeps its results."""

    def __init__(self, function):
        self.function, self.results = function, []

    def __call__(self, *arguments):
        self.results.append(self.function(*arguments))
        return self.results[-1]


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


def test_tables_that_forests_cannot_use_are_said_in_one_line(frame):
    df = frame(3)
    text = df.selectExpr("*", "cast(id as string) word", "if(id = 2500, null, f0) hole")
    forest = RandomForestClassifier(featuresCols=["f0"], labelCol="word", numTrees=2)
    wrong(lambda: forest.fit(text), "StringIndexer")
    forest = RandomForestClassifier(featuresCols=["f0"], labelCol="hole", numTrees=2)
    wrong(lambda: forest.fit(text), "row 2501 (from 1): the label is null")
    forest = RandomForestClassifier(featuresCols=["f0"], numTrees=9, sampling="partition")
    wrong(lambda: forest.fit(df.limit(4)), "9 parts of 4 rows")
    forest = RandomForestClassifier(featuresCols=["f0"], maxFeatures="many")
    wrong(lambda: forest.fit(df), "maxFeatures: expected sqrt, log2")


def test_depths_below_no_limit_were_no_limit(frame):
    with pytest.raises(ValueError, match="maxDepth: expected -1 .no limit. or more, got -2"):
        RandomForestClassifier(numTrees=1, maxDepth=-2, featuresCols=NAMES).fit(frame(1))


def test_examples_of_docstrings(spark):
    result = doctest.testmod(yupana.spark.forest, extraglobs={"spark": spark})
    assert result.attempted > 0 and result.failed == 0
