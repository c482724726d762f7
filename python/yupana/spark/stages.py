"""Parameters, result columns and saving of the package's estimators and models."""

import json
from typing import Any, Callable, Iterator, Tuple

import numpy as np
import pandas as pd
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasPredictionCol, HasSeed
from pyspark.ml.util import (
    DefaultParamsReader,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql.functions import col, pandas_udf, size

from .blocks import cores_of_a_task, feature_columns

__all__ = ["Stage", "add_columns", "param"]


_CONVERTERS = {
    int: TypeConverters.toInt,
    float: TypeConverters.toFloat,
    str: TypeConverters.toString,
    bool: TypeConverters.toBoolean,
    list: TypeConverters.toListString,
}


def param(name: str, doc: str, default: Any) -> Param:
    """A parameter of the type of its default; lists are of names."""
    made = Param(Params._dummy(), name, doc, typeConverter=_CONVERTERS[type(default)])
    made.default = default
    return made


class Stage(HasFeaturesCol, HasPredictionCol, HasSeed):
    """Columns in and out, and where the work is done. Arguments are parameters by name."""

    featuresCols = param("featuresCols", "columns of numbers, in place of featuresCol", [])
    orderCol = param("orderCol", "a column without equal values that numbers the rows", "")
    device = param("device", "where executors compute", "cpu")
    threads = param("threads", "threads of a task; 0: as many as Spark gives it cores", 0)

    def __init__(self, **keywords: Any) -> None:
        super().__init__()
        for name in keywords:
            if not self.hasParam(name):
                known = ", ".join(each.name for each in self.params)
                raise TypeError(f"{type(self).__name__}: expected one of {known}; got '{name}'")
        defaults = {each.name: each.default for each in self.params if hasattr(each, "default")}
        self._setDefault(seed=0, **defaults)
        self._set(**{name: value for name, value in keywords.items() if value is not None})

    def setParams(self, **keywords: Any) -> "Stage":
        """Sets parameters by name."""
        return self._set(**keywords)

    def _get(self, name: str) -> Any:
        return self.getOrDefault(self.getParam(name))

    def _call(self, sc: Any) -> dict:
        """Arguments of options() on an executor."""
        threads = self._get("threads") or cores_of_a_task(sc)
        return {"device": self._get("device"), "threads": threads}


def _columns_of(df: Any, stage: Stage, width: int, single: bool) -> list:
    """Features as `width` columns of numbers, and for vectors their length."""
    columns, is_vector, _ = feature_columns(
        df, stage._get("featuresCols"), stage.getFeaturesCol(), single
    )
    if is_vector:
        return [columns[0][c] for c in range(width)] + [size(columns[0])]
    if len(columns) != width:
        raise ValueError(f"featuresCols: expected {width} columns, got {len(columns)}")
    return columns


def _table(batch: tuple, width: int, dtype: Any, order: str) -> np.ndarray:
    if len(batch) > width:
        lengths = batch[width].to_numpy()
        if (lengths != width).any():
            length = lengths[int(np.argmax(lengths != width))]
            got = "null" if length < 0 else f"{length} numbers"
            raise ValueError(f"features: expected vectors of {width} numbers, got {got}")
    table = np.empty((len(batch[0]), width), dtype, order=order)
    for c in range(width):
        table[:, c] = batch[c].to_numpy()
    return table


def add_columns(
    df: Any,
    stage: Stage,
    width: int,
    dtype: Any,
    order: str,
    schema: str,
    load: Callable[[], Callable[[np.ndarray], dict]],
) -> Any:
    """The DataFrame with a struct column "yupana_result": load()(table) of each Arrow batch.

    The function is loaded once a task; columns go in and out as Arrow has them.
    """

    @pandas_udf(schema)
    def compute(batches: Iterator[Tuple[pd.Series, ...]]) -> Iterator[pd.DataFrame]:
        answer = load()
        for batch in batches:
            series = batch if isinstance(batch, tuple) else (batch,)  # one column comes alone
            yield pd.DataFrame(answer(_table(series, width, dtype, order)))

    columns = _columns_of(df, stage, width, dtype == np.float32)
    return df.withColumn("yupana_result", compute(*columns))


def take_column(df: Any, name: str, column: Any) -> Any:
    """Adds a column unless its name is empty."""
    return df.withColumn(name, column) if name else df


def result(field: str) -> Any:
    """A field of what add_columns added."""
    return col("yupana_result")[field]


class ModelWriter(MLWriter):
    """Parameters as pyspark.ml has them, with the model's bytes in a file next to them."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model

    def saveImpl(self, path: str) -> None:
        DefaultParamsWriter.saveMetadata(self._model, path, self.sc)
        row = (json.dumps(self._model._facts()), bytearray(self._model._bytes()))
        data = self.sparkSession.createDataFrame([row], "facts string, model binary")
        data.coalesce(1).write.parquet(path + "/data")


class ModelReader(MLReader):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self._kind = kind

    def load(self, path: str) -> Any:
        metadata = DefaultParamsReader.loadMetadata(path, self.sc)
        row = self.sparkSession.read.parquet(path + "/data").head()
        model = self._kind._from_saved(json.loads(row["facts"]), bytes(row["model"]))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


class Saved(MLReadable, MLWritable):
    """Models that are saved as parameters and bytes."""

    def write(self) -> ModelWriter:
        return ModelWriter(self)

    @classmethod
    def read(cls) -> ModelReader:
        return ModelReader(cls)
