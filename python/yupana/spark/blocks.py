"""Tables of a DataFrame as blocks of numbers: Arrow batches in, dense matrices out.

A block is one record (rows, data, labels): as many rows as fill a few megabytes, their features as
one dense matrix. Blocks stay with Spark, so that passes over the table move bytes, not rows.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator

import numpy as np

#: Bytes of features in a block.
BLOCK_BYTES = 4 << 20

SCHEMA = "rows long, columns long, data binary, labels binary, row long, error string"


def cores_of_a_task(sc: Any) -> int:
    """Spark's own setting."""
    return int(sc.getConf().get("spark.task.cpus", "1"))


@dataclass
class Columns:
    """What of a DataFrame is the table: numbers side by side, or one column of vectors."""

    names: list[str]  # of the features' columns
    is_vector: bool
    is_single: bool  # float32
    has_label: bool
    has_order: bool


def _type_of(df: Any, name: str, role: str) -> Any:
    fields = {field.name: field.dataType for field in df.schema.fields}
    if name not in fields:
        raise ValueError(f"{role}: no column '{name}'; there are {', '.join(fields)}")
    return fields[name]


def _is_number(kind: Any) -> bool:
    from pyspark.sql.types import BooleanType, NumericType

    return isinstance(kind, (NumericType, BooleanType))


def number_column(df: Any, name: str, role: str, hint: str = "") -> Any:
    """A column of numbers; ValueError for another."""
    from pyspark.sql.functions import col

    kind = _type_of(df, name, role)
    if not _is_number(kind):
        raise ValueError(
            f"{role}: expected numbers, column '{name}' is {kind.simpleString()}{hint}"
        )
    return col(f"`{name}`")


def feature_columns(
    df: Any, names: list[str], vector: str, single: bool
) -> tuple[list[Any], bool, bool]:
    """Spark columns of the features, whether they are one of vectors, and whether float32."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql.functions import col
    from pyspark.sql.types import ArrayType, FloatType

    if names:
        columns = [number_column(df, name, "featuresCols") for name in names]
        single = single or all(isinstance(_type_of(df, n, ""), FloatType) for n in names)
        return [column.cast("float" if single else "double") for column in columns], False, single
    kind = _type_of(df, vector, "featuresCol")
    if isinstance(kind, VectorUDT):
        numbers = vector_to_array(col(f"`{vector}`"), "float32" if single else "float64")
        return [numbers], True, single
    if isinstance(kind, ArrayType) and _is_number(kind.elementType):
        single = single or isinstance(kind.elementType, FloatType)
        numbers = col(f"`{vector}`").cast("array<float>" if single else "array<double>")
        return [numbers], True, single
    raise ValueError(
        f"featuresCol: expected a vector or an array of numbers, column '{vector}' is "
        f"{kind.simpleString()}; name columns of numbers in featuresCols"
    )


def table_columns(
    df: Any, names: list[str], vector: str, *, single: bool, label: str = "", order: str = ""
) -> tuple[list[Any], Columns]:
    """Checks names and types; float32 where `single` asks for it or the columns are.

    The Spark columns are the features', then the label's and the order's where these are named.
    """
    features, is_vector, is_single = feature_columns(df, names, vector, single)
    selected = [column.alias(f"x{c}") for c, column in enumerate(features)]
    if label:
        hint = "; StringIndexer makes numbers of strings"
        selected.append(number_column(df, label, "labelCol", hint).cast("double").alias("label"))
    if order:
        _type_of(df, order, "orderCol")
        from pyspark.sql.functions import col

        selected.append(col(f"`{order}`").alias("place"))
    shown = names or [vector]
    return selected, Columns(list(shown), is_vector, is_single, bool(label), bool(order))


class _Bad(Exception):
    """A value that the table may not have: row in the batch, what is wrong."""

    def __init__(self, row: int, text: str) -> None:
        super().__init__(text)
        self.row, self.text = row, text


def matrix_of_lists(column: Any, name: str, width: int | None) -> np.ndarray:
    """A view of an Arrow column of equally long lists, (rows, length)."""
    if column.null_count:
        at = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise _Bad(at, f"column '{name}' is null")
    lengths = np.diff(column.offsets.to_numpy())
    width = int(lengths[0]) if width is None else width
    if (lengths != width).any():
        at = int(np.argmax(lengths != width))
        raise _Bad(at, f"column '{name}': expected {width} numbers, got {lengths[at]}")
    values = column.flatten()
    return values.to_numpy(zero_copy_only=False).reshape(len(column), width)


@dataclass
class Packer:
    """Turns the Arrow batches of a partition into blocks; runs on the executors."""

    columns: Columns
    order: str  # of the matrix: "C", row after row, or "F"
    missing: bool  # whether NaN and null are missing values

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        parts: list[tuple[list[np.ndarray], np.ndarray | None]] = []
        gathered, done, width, last = 0, 0, None, None
        for batch in batches:
            if batch.num_rows == 0:
                continue
            try:
                last = self._check_order(batch, last)
                features = self._features(batch, width)
                labels = self._labels(batch)
                self._check(features)
            except _Bad as bad:
                yield self._record(0, 0, None, None, done + bad.row, bad.text)
                for _ in batches:  # the JVM's writer waits for a reader
                    pass
                return
            width = features.shape[1] if self.columns.is_vector else len(features)
            parts.append((features, labels))
            gathered += batch.num_rows
            done += batch.num_rows
            if gathered * width * self._dtype().itemsize >= BLOCK_BYTES:
                yield self._block(parts, gathered, width)
                parts, gathered = [], 0
        if gathered:
            yield self._block(parts, gathered, width)

    def _dtype(self) -> np.dtype:
        return np.dtype(np.float32 if self.columns.is_single else np.float64)

    def _features(self, batch: Any, width: int | None) -> Any:
        if self.columns.is_vector:
            return matrix_of_lists(batch.column(0), self.columns.names[0], width)
        features = []
        for c, name in enumerate(self.columns.names):
            column = batch.column(c)
            if column.null_count and not self.missing:
                at = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
                raise _Bad(at, f"column '{name}' is null")
            features.append(column.to_numpy(zero_copy_only=False))
        return features

    def _check(self, features: Any) -> None:
        """Refuses what is infinite and, where it means nothing, NaN."""
        bad_of = np.isinf if self.missing else (lambda values: ~np.isfinite(values))
        if self.columns.is_vector:
            bad = bad_of(features)
            if bad.any():
                row, c = np.unravel_index(int(np.argmax(bad)), bad.shape)
                name = self.columns.names[0]
                raise _Bad(int(row), f"column '{name}' has {features[row, c]} at place {c}")
            return
        for name, values in zip(self.columns.names, features):
            bad = bad_of(values)
            if bad.any():
                row = int(np.argmax(bad))
                raise _Bad(row, f"column '{name}' is {values[row]}")

    def _labels(self, batch: Any) -> np.ndarray | None:
        if not self.columns.has_label:
            return None
        column = batch.column(batch.num_columns - 1 - self.columns.has_order)
        labels = column.to_numpy(zero_copy_only=False)
        bad = ~np.isfinite(labels)
        if bad.any():
            raise _Bad(int(np.argmax(bad)), "the label is null, NaN or infinite")
        return labels

    def _check_order(self, batch: Any, last: Any) -> Any:
        """Numbers of rows mean something only where no two rows have the same place."""
        if not self.columns.has_order:
            return None
        import pyarrow.compute as pc

        column = batch.column(batch.num_columns - 1)
        if column.null_count:
            raise _Bad(0, "the column of orderCol is null")
        rises = pc.less(column.slice(0, len(column) - 1), column.slice(1))
        row = -1 if pc.all(rises, min_count=0).as_py() else rises.to_pylist().index(False) + 1
        if last is not None and not last < column[0].as_py():
            row = 0
        if row >= 0:
            raise _Bad(row, f"orderCol: {column[row].as_py()!r} appears twice")
        return column[len(column) - 1].as_py()

    def _block(self, parts: Any, rows: int, width: int) -> Any:
        data = np.empty((rows, width), self._dtype(), order=self.order)
        labels = np.empty(rows if self.columns.has_label else 0, np.float64)
        begin = 0
        for features, own in parts:
            end = begin + (len(features) if self.columns.is_vector else len(features[0]))
            if self.columns.is_vector:
                data[begin:end] = features
            else:
                for c, values in enumerate(features):
                    data[begin:end, c] = values
            if own is not None:
                labels[begin:end] = own
            begin = end
        return self._record(rows, width, data.ravel(order="K"), labels, 0, None)

    @staticmethod
    def _record(rows: int, width: int, data: Any, labels: Any, row: int, error: Any) -> Any:
        import pyarrow as pa

        columns = [
            pa.array([rows], pa.int64()),
            pa.array([width], pa.int64()),
            binary_of(data),
            binary_of(labels),
            pa.array([row], pa.int64()),
            pa.array([error], pa.string()),
        ]
        names = ["rows", "columns", "data", "labels", "row", "error"]
        return pa.RecordBatch.from_arrays(columns, names)


def binary_of(array: np.ndarray | None) -> Any:
    """One Arrow value with the bytes of a dense array, where they lie; null for None."""
    import pyarrow as pa

    if array is None:
        return pa.array([None], pa.binary())
    ends = pa.py_buffer(np.array([0, array.nbytes], np.int32))
    return pa.Array.from_buffers(pa.binary(), 1, [None, ends, pa.py_buffer(array)])


@dataclass
class Block:
    """Rows of the table."""

    rows: int
    columns: int
    data: bytes
    labels: bytes
    row: int
    error: str | None

    def matrix(self, dtype: Any, order: str) -> np.ndarray:
        """The features, (rows, columns), where they lie."""
        return np.frombuffer(self.data, dtype).reshape((self.rows, self.columns), order=order)

    def label_values(self) -> np.ndarray:
        return np.frombuffer(self.labels, np.float64)


def _plain(records: Iterator[Any]) -> Iterator[Block]:
    for record in records:
        yield Block(*record)


@dataclass
class Table:
    """The blocks of a DataFrame, and what is known of it."""

    blocks: Any  # an RDD of Block, in the order of the rows
    dtype: Any
    order: str
    starts: list[int]  # number of the first row of each partition
    rows: int
    columns: int
    facts: list[Any]  # what `learn` said of each partition that has rows


class _Survey:
    """Sizes, errors, and what `learn` says of the blocks of each partition."""

    def __init__(self, learn: Callable[[Block], Any]) -> None:
        self._learn = learn

    def __call__(self, partition: int, blocks: Iterator[Block]) -> Iterator[Any]:
        rows, widths, facts = 0, set(), []
        for block in blocks:
            if block.error is not None:
                yield partition, rows, widths, [], (block.row, block.error)
                return
            rows += block.rows
            widths.add(block.columns)
            facts.append(self._learn(block))
        yield partition, rows, widths, facts, None


@contextmanager
def packed(
    df: Any,
    selected: list[Any],
    columns: Columns,
    order: str,
    *,
    missing: bool,
    learn: Callable[[Block], Any],
) -> Iterator[Table]:
    """The table as blocks that Spark keeps while the context lasts (memory, then disk).

    Rows are numbered in the DataFrame's order, or by the column of orderCol. Raises ValueError for
    the first row that cannot be used.
    """
    from pyspark import StorageLevel

    df = df.select(*selected)
    if columns.has_order:
        df = df.orderBy("place")
    records = df.mapInArrow(Packer(columns, order, missing).__call__, SCHEMA)
    blocks = records.rdd.mapPartitions(_plain)
    blocks.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        surveyed = sorted(
            blocks.mapPartitionsWithIndex(_Survey(learn)).collect(), key=lambda fact: fact[0]
        )
        starts, rows, widths, facts = [], 0, set(), []
        for _, count, own_widths, own_facts, error in surveyed:
            if error is not None:
                raise ValueError(f"row {rows + error[0] + 1} (from 1): {error[1]}")
            starts.append(rows)
            rows += count
            widths |= own_widths
            facts += own_facts
        if rows == 0:
            raise ValueError("the DataFrame has no row")
        if len(widths) != 1:
            raise ValueError(
                f"column '{columns.names[0]}': expected vectors of one length, "
                f"got {' and '.join(map(str, sorted(widths)))}"
            )
        dtype = np.float32 if columns.is_single else np.float64
        yield Table(blocks, dtype, order, starts, rows, widths.pop(), facts)
    finally:
        blocks.unpersist()
