"""Random forests of DataFrames."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyspark.ml.base import Estimator, Model
from pyspark.ml.functions import array_to_vector
from pyspark.ml.param.shared import HasLabelCol, HasProbabilityCol
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
from pyspark.sql.functions import array

from .. import _core
from .._call import options
from .blocks import packed, table_columns
from .growing import Grow, grow_parts, grow_whole, labels_of
from .stages import Saved, Stage, add_columns, param, result, take_column

__all__ = [
    "RandomForestClassificationModel",
    "RandomForestClassifier",
    "RandomForestRegressionModel",
    "RandomForestRegressor",
]


_MAX_FEATURES = "drawn at a node: sqrt, log2, all, a number, a share"


class _Forest(Stage, HasLabelCol):
    """Parameters of forests."""

    numTrees = param("numTrees", "trees", 100)
    sampling = param("sampling", "rows of a tree: bootstrap, partition or all", "bootstrap")
    maxDepth = param("maxDepth", "edges from the root to the deepest leaf; -1: no limit", -1)
    minSamplesSplit = param("minSamplesSplit", "a node of fewer rows is a leaf", 2)
    minSamplesLeaf = param("minSamplesLeaf", "rows in each child, at least", 1)
    minImpurityDecrease = param("minImpurityDecrease", "of a split, at least", 0.0)

    def _max_features(self) -> Any:
        text = self._get("maxFeatures")
        if text in ("sqrt", "log2"):
            return text
        if text == "all":
            return None
        try:
            return int(text) if text.isdigit() else float(text)
        except ValueError:
            raise ValueError(
                f"maxFeatures: expected sqrt, log2, all, a number or a share, got '{text}'"
            ) from None

    def _local(self) -> Any:
        """The same forest, not yet grown, as yupana's of one machine."""
        depth = self._get("maxDepth")
        sampling = self._get("sampling")
        if sampling not in ("bootstrap", "partition", "all"):
            raise ValueError(f"sampling: expected bootstrap, partition or all, got '{sampling}'")
        if self._get("numTrees") < 1:
            raise ValueError(f"numTrees: expected 1 or more, got {self._get('numTrees')}")
        if depth < -1:
            raise ValueError(f"maxDepth: expected -1 (no limit) or more, got {depth}")
        bootstrap = {"bootstrap": True, "all": False}.get(sampling, sampling)
        return self._local_class()(
            n_estimators=self._get("numTrees"),
            bootstrap=bootstrap,
            max_depth=None if depth < 0 else depth,
            min_samples_split=self._get("minSamplesSplit"),
            min_samples_leaf=self._get("minSamplesLeaf"),
            min_impurity_decrease=self._get("minImpurityDecrease"),
            max_features=self._max_features(),
            random_state=self.getSeed(),
            device=self._get("device"),
            threads=self._get("threads") or None,
            **self._local_extras(),
        )


class _Grower(_Forest):
    """Fitting."""

    def _fit(self, df: Any) -> Any:
        sc = df.sparkSession.sparkContext
        local = self._local()
        selected, columns = table_columns(
            df,
            self._get("featuresCols"),
            self.getFeaturesCol(),
            single=False,
            label=self.getLabelCol(),
            order=self._get("orderCol"),
        )
        learn = labels_of if self._is_class else (lambda block: None)
        with packed(df, selected, columns, "F", missing=True, learn=learn) as table:
            names = self._get("featuresCols") or [f"x{c}" for c in range(table.columns)]
            classes = np.unique(np.concatenate(table.facts)) if self._is_class else np.zeros(0)
            if np.array_equal(classes, np.rint(classes)) and np.abs(classes).max(initial=0) < 2**53:
                classes = classes.astype(np.int64)
            local.n_features_in_ = table.columns
            arguments = local._growing(
                table.rows,
                sampling=self._get("sampling"),
                soft=self._soft(),
                all_trees=local.n_estimators,
            )
            grow = Grow(arguments, [str(c) for c in classes], names, self._call(sc))
            # Parts are grown where only their own rows are needed: with classes and gini a tree is
            # made of integers that do not depend on the other rows.
            by_parts = self._is_class and arguments["criterion"] == "gini"
            if self._get("sampling") == "partition" and by_parts:
                grown = grow_parts(sc, table, classes, local, grow)
            else:
                grown = grow_whole(sc, table, classes, local, grow)
        parts = [_core.forest.Model.from_bytes(data) for _, data in sorted(grown)]
        model = _core.forest.Model.joined(parts)
        return self._copyValues(self._model_class(model=model, classes=classes))

    def _soft(self) -> bool:
        return True


class _ForestModel(_Forest, Model, Saved):
    """A grown forest."""

    def __init__(self, model: Any = None, classes: Any = None) -> None:
        super().__init__()
        self._model = model
        self._classes = np.zeros(0) if classes is None else np.asarray(classes)

    @property
    def featureImportances(self) -> np.ndarray:
        """Mean decrease of impurity by each feature; they add to 1."""
        return self._model.importances()

    @property
    def numFeatures(self) -> int:
        """Features of the table."""
        return len(self._model.features)

    def to_local(self) -> Any:
        """The same forest as yupana's of one machine."""
        return self._local_class().from_bytes(self._model.to_bytes())

    def _shares(self, df: Any, schema: str, rows_of: Any) -> Any:
        shared = df.sparkSession.sparkContext.broadcast(self._model.to_bytes())
        where = self._call(df.sparkSession.sparkContext)

        def load() -> Any:
            model = _core.forest.Model.from_bytes(shared.value)

            def answer(table: np.ndarray) -> dict:
                with options(**where) as call:
                    return rows_of(model.predict_shares(call, table))

            return answer

        return add_columns(df, self, self.numFeatures, np.float64, "F", schema, load)

    def _facts(self) -> dict:
        return {"classes": self._classes.tolist(), "integers": self._classes.dtype.kind == "i"}

    def _bytes(self) -> bytes:
        return self._model.to_bytes()

    @classmethod
    def _from_saved(cls, facts: dict, data: bytes) -> Any:
        classes = np.array(facts["classes"], np.int64 if facts["integers"] else np.float64)
        return cls(model=_core.forest.Model.from_bytes(data), classes=classes)


class _Classes(_Forest, HasProbabilityCol):
    _is_class = True
    impurity = param("impurity", "gini or entropy", "gini")
    maxFeatures = param("maxFeatures", _MAX_FEATURES, "sqrt")
    voting = param("voting", "soft: the mean of the trees' shares; hard: of their votes", "soft")

    @staticmethod
    def _local_class() -> Any:
        from ..forest import RandomForestClassifier as Local

        return Local

    def _local_extras(self) -> dict:
        if self._get("voting") not in ("soft", "hard"):
            raise ValueError(f"voting: expected soft or hard, got '{self._get('voting')}'")
        return {"criterion": self._get("impurity"), "voting": self._get("voting")}

    def _soft(self) -> bool:
        return self._get("voting") == "soft"


class _Numbers(_Forest):
    _is_class = False

    impurity = param("impurity", "variance", "variance")
    maxFeatures = param("maxFeatures", _MAX_FEATURES, "all")

    @staticmethod
    def _local_class() -> Any:
        from ..forest import RandomForestRegressor as Local

        return Local

    def _local_extras(self) -> dict:
        if self._get("impurity") != "variance":
            raise ValueError(f"impurity: expected variance, got '{self._get('impurity')}'")
        return {}


class RandomForestClassificationModel(_Classes, _ForestModel):
    """A grown forest; ``transform`` adds the class (double) and the shares (vector)."""

    @property
    def classes(self) -> np.ndarray:
        """The labels, in the order of the shares."""
        return self._classes

    @property
    def numClasses(self) -> int:
        """How many there are."""
        return len(self._classes)

    def _transform(self, df: Any) -> Any:
        classes = self._classes.astype(np.float64)
        fields = [f"share{c}" for c in range(len(classes))]

        def rows_of(shares: np.ndarray) -> dict:
            found = {"prediction": classes[shares.argmax(axis=1)]}
            found.update({name: shares[:, c] for c, name in enumerate(fields)})
            return found

        schema = ", ".join(f"{name} double" for name in ["prediction", *fields])
        df = self._shares(df, schema, rows_of)
        df = take_column(df, self.getPredictionCol(), result("prediction"))
        shares = array_to_vector(array(*[result(name) for name in fields]))
        return take_column(df, self.getProbabilityCol(), shares).drop("yupana_result")


class RandomForestRegressionModel(_Numbers, _ForestModel):
    """A grown forest; ``transform`` adds the mean of its trees' numbers (double)."""

    def _transform(self, df: Any) -> Any:
        df = self._shares(df, "prediction double", lambda shares: {"prediction": shares[:, 0]})
        df = take_column(df, self.getPredictionCol(), result("prediction"))
        return df.drop("yupana_result")


class RandomForestClassifier(
    _Classes, _Grower, Estimator, DefaultParamsReadable, DefaultParamsWritable
):
    """A forest of exact classification trees, as :class:`yupana.RandomForestClassifier`.

    Tree t draws from (seed, t) and the numbers of the rows alone: the same forest for any
    partitions.

    * ``sampling="bootstrap"`` and "all": the table is gathered and broadcast, and ranges of
      trees go to tasks; it must fit a task's memory about three times.
    * ``sampling="partition"``: each row goes to one tree, which grows where its rows are. Entropy
      is gathered as above.

    Parameters: ``featuresCol`` (vectors or arrays) or ``featuresCols`` (columns of numbers; null
    and NaN are missing values), ``labelCol`` (numbers), ``predictionCol``, ``probabilityCol``,
    ``orderCol``, ``numTrees``, ``sampling``, ``impurity``, ``maxDepth``, ``minSamplesSplit``,
    ``minSamplesLeaf``, ``minImpurityDecrease``, ``maxFeatures``, ``voting``, ``seed``, ``threads``.

    Examples
    --------
    >>> from yupana.spark import RandomForestClassifier
    >>> df = spark.createDataFrame([(0.0, 0), (1.0, 0), (2.0, 1), (3.0, 1)], "a double, label int")
    >>> model = RandomForestClassifier(numTrees=5, featuresCols=["a"]).fit(df)
    >>> [row.prediction for row in model.transform(df.filter("a in (0, 3)")).collect()]
    [0.0, 1.0]
    """

    _model_class = RandomForestClassificationModel


class RandomForestRegressor(
    _Numbers, _Grower, Estimator, DefaultParamsReadable, DefaultParamsWritable
):
    """A forest of exact regression trees, as :class:`yupana.RandomForestRegressor`.

    Parameters as :class:`RandomForestClassifier`; the table is gathered and broadcast with any
    ``sampling``.

    Examples
    --------
    >>> from yupana.spark import RandomForestRegressor
    >>> rows = [(0.0, 1.0), (1.0, 1.0), (2.0, 5.0), (3.0, 7.0)]
    >>> df = spark.createDataFrame(rows, "a double, label double")
    >>> forest = RandomForestRegressor(numTrees=3, sampling="all", featuresCols=["a"])
    >>> [row.prediction for row in forest.fit(df).transform(df.filter("a in (0, 3)")).collect()]
    [1.0, 7.0]
    """

    _model_class = RandomForestRegressionModel
