"""Self-organizing maps of DataFrames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np
from pyspark.ml.base import Estimator, Model
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable

from .. import _core
from .._call import options
from .blocks import Block, packed, table_columns
from .stages import Saved, Stage, add_columns, param, result, take_column

__all__ = ["SOM", "SOMModel"]

#: Parameters that yupana.SOM has under another name.
_RENAMED = {"sigmaF": "sigmaf", "seed": "random_state"}
_SHARED = ["rows", "cols", "lattice", "toroidal", "neighborhood", "iterations", "smooth"]
_SHARED += ["sigma0", "sigmaF", "tau", "initial", "seed"]


class _Map(Stage):
    """Parameters of the map and of its training, as yupana.SOM has them."""

    rows = param("rows", "rows of the map", 8)
    cols = param("cols", "columns of the map", 8)
    lattice = param("lattice", "rectangular or hexagonal", "rectangular")
    toroidal = param("toroidal", "opposite edges of the map are joined", False)
    neighborhood = param("neighborhood", "gaussian, truncated or bubble", "gaussian")
    iterations = param("iterations", "passes over the samples", 20)
    smooth = param("smooth", "last iterations, at sigmaF", 0)
    sigma0 = param("sigma0", "radius at the beginning; 0: half the longer side", 0.0)
    sigmaF = param("sigmaF", "radius at the end", 0.5)
    tau = param("tau", "decay of the radius; 0: reaches sigmaF", 0.0)
    initial = param("initial", "samples or uniform", "samples")
    distanceCol = param("distanceCol", "column for the distance to it; none if empty", "")

    def _local(self) -> Any:
        """The same map as yupana.SOM."""
        from ..som import SOM as LocalSOM

        values = {_RENAMED.get(name, name): self._get(name) for name in _SHARED}
        for name in ("sigma0", "tau"):
            values[name] = values[name] or None
        return LocalSOM(**values, device=self._get("device"), threads=self._get("threads") or None)


@dataclass
class _Learn:
    """The largest absolute value of each feature of a block."""

    call: tuple

    def __call__(self, block: Block) -> np.ndarray:
        with options(**self.call) as call:
            return _core.som.largest_values(call, block.matrix(np.float32, "C"))


@dataclass
class _PickRows:
    """The samples with these numbers."""

    numbers: np.ndarray  # ascending
    starts: list[int]

    def __call__(self, partition: int, blocks: Iterator[Block]) -> Iterator[Any]:
        start = self.starts[partition]
        for block in blocks:
            first, last = np.searchsorted(self.numbers, [start, start + block.rows])
            for number in self.numbers[first:last]:
                yield int(number), block.matrix(np.float32, "C")[number - start].copy()
            start += block.rows


@dataclass
class _SumByNeuron:
    """Counts and sums of a partition's samples by their nearest neuron: integers."""

    codebook: Any  # broadcast
    scale: np.ndarray
    call: tuple

    def __call__(self, blocks: Iterator[Block]) -> Iterator[Any]:
        sums = None
        for block in blocks:
            with options(**self.call) as call:
                own = _core.som.sum_by_neuron(
                    call, block.matrix(np.float32, "C"), self.codebook.value, self.scale
                )
            sums = own if sums is None else _added(sums, own)
        if sums is not None:
            yield sums


def _added(a: Any, b: Any) -> Any:
    return a[0] + b[0], a[1] + b[1]


class SOM(_Map, Estimator, DefaultParamsReadable, DefaultParamsWritable):
    """A self-organizing map by the batch rule of :class:`yupana.SOM`.

    In each iteration every partition searches the broadcast codebook and returns counts and sums by
    neuron as integers of a common fixed point; they are added as a tree, and the driver smooths. So
    the codebook does not depend on partitions, and is that of yupana.SOM on the collected table.

    Parameters are yupana.SOM's in pyspark.ml's spelling: ``rows``, ``cols``, ``lattice``,
    ``toroidal``, ``neighborhood``, ``iterations``, ``smooth``, ``sigma0``, ``sigmaF``, ``tau``,
    ``initial`` ("samples" or "uniform"), ``seed``; ``featuresCol`` (vectors or arrays) or
    ``featuresCols`` (columns of numbers), ``predictionCol``, ``distanceCol``, ``threads``.
    ``initial="samples"`` draws numbers of rows: give an ``orderCol`` where the order of the
    DataFrame is not the same each time.

    Examples
    --------
    >>> from yupana.spark import SOM
    >>> rows = [(0.0, 0.0), (0.1, 0.0), (5.0, 5.0), (5.1, 5.0)]
    >>> df = spark.createDataFrame(rows, "a double, b double")
    >>> model = SOM(rows=1, cols=2, iterations=5, featuresCols=["a", "b"]).fit(df)
    >>> len({row.prediction for row in model.transform(df).collect()})
    2
    """

    def _fit(self, df: Any) -> "SOMModel":
        sc = df.sparkSession.sparkContext
        local = self._local()
        if local.initial == "pca":
            raise ValueError("initial: expected samples or uniform on Spark, got 'pca'")
        params = local._params(self.getSeed())
        _core.som.check(params)
        selected, columns = table_columns(
            df,
            self._get("featuresCols"),
            self.getFeaturesCol(),
            single=True,
            order=self._get("orderCol"),
        )
        where = self._call(sc)
        with packed(
            df, selected, columns, "C", missing=False, learn=_Learn(where)
        ) as table:
            scale = _core.som.scale(table.rows, np.max(table.facts, axis=0))
            codebook = self._initial(table, params)
            for iteration in range(local.iterations):
                shared = sc.broadcast(codebook)
                step = _SumByNeuron(shared, scale, where)
                count, total = table.blocks.mapPartitions(step).treeReduce(_added)
                with options(device="cpu") as call:
                    codebook = _core.som.smoothed(
                        call, codebook, count, total, scale, params, iteration
                    )
                shared.destroy()
        names = self._get("featuresCols")
        return self._copyValues(SOMModel(weights=codebook, names=names))

    def _initial(self, table: Any, params: Any) -> np.ndarray:
        with options(device="cpu") as call:
            if self._get("initial") == "uniform":
                return _core.som.initial(call, np.zeros((1, table.columns), np.float32), params)
        numbers = _core.som.drawn_rows(table.rows, params)
        pick = _PickRows(np.unique(numbers), table.starts)
        rows = dict(table.blocks.mapPartitionsWithIndex(pick).collect())
        return np.stack([rows[int(number)] for number in numbers])


class SOMModel(_Map, Model, Saved):
    """A trained map; ``transform`` adds the nearest neuron (int) and, if ``distanceCol`` is set,
    the Euclidean distance to it."""

    def __init__(self, weights: Any = None, names: list[str] | None = None) -> None:
        super().__init__()
        self._weights = weights
        self._names = names or []

    @property
    def weights(self) -> np.ndarray:
        """The codebook, (rows * cols, features), float32."""
        return self._weights

    def to_local(self) -> Any:
        """The same map as :class:`yupana.SOM`."""
        local = self._local()
        local.weights_ = self._weights
        local.n_features_in_ = self._weights.shape[1]
        local.n_iter_ = local.iterations
        if self._names:
            local.feature_names_in_ = np.asarray(self._names, dtype=object)
        return local

    def _transform(self, df: Any) -> Any:
        shared = df.sparkSession.sparkContext.broadcast(self._weights)
        where = self._call(df.sparkSession.sparkContext)

        def load() -> Any:
            weights = shared.value

            def answer(table: np.ndarray) -> dict:
                with options(**where) as call:
                    neurons, distances = _core.som.nearest_with_distances(call, table, weights)
                return {"neuron": neurons, "distance": distances}

            return answer

        schema = "neuron int, distance double"
        width = self._weights.shape[1]
        df = add_columns(df, self, width, np.float32, "C", schema, load)
        df = take_column(df, self.getPredictionCol(), result("neuron"))
        return take_column(df, self._get("distanceCol"), result("distance")).drop("yupana_result")

    def _facts(self) -> dict:
        return {"columns": self._weights.shape[1], "names": self._names}

    def _bytes(self) -> bytes:
        return np.ascontiguousarray(self._weights, "<f4").tobytes()

    @classmethod
    def _from_saved(cls, facts: dict, data: bytes) -> "SOMModel":
        weights = np.frombuffer(data, "<f4").reshape(-1, facts["columns"])
        return cls(weights=weights, names=facts["names"])
