"""Genotype distances of DataFrames whose rows are sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Sequence

import numpy as np

from .. import _core
from .._call import options
from ..genotype import PairCounts
from .blocks import _Bad, _type_of, binary_of, cores_of_a_task, matrix_of_lists, number_column

__all__ = ["genotype_distances", "genotype_pair_counts"]

TRIANGLES = ["ibs1", "ibs0", "shared", "hethet", "het"]
SCHEMA = "band int, samples int, sites long, complete boolean, totals binary, " + ", ".join(
    f"{name} binary" for name in TRIANGLES
) + ", error string"
#: Bytes of the triangles of one band of rows, at most (a row at least).
BAND_BYTES = 32 << 20


def band_edges(samples: int, triangles: int) -> list[int]:
    """Rows at which bands of a lower triangle begin, and the number of samples."""
    cells = max(1, BAND_BYTES // (8 * triangles))
    edges = [0]
    while edges[-1] < samples:
        end, filled = edges[-1], 0
        while end < samples and (end == edges[-1] or filled + end + 1 <= cells):
            filled += end + 1
            end += 1
        edges.append(end)
    return edges


@dataclass
class _CountSites:
    """Counts of a partition's sites, as bands of rows of the triangles; runs on the executors."""

    names: list[str]
    is_binary: bool
    is_list: bool
    hethet: bool
    call: tuple

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        counted, samples = _core.genotype.PairCounts(), None
        for batch in batches:
            if batch.num_rows == 0:
                continue
            try:
                calls = self._calls(batch, samples)
            except _Bad as bad:
                yield _record(error=bad.text)
                for _ in batches:
                    pass
                return
            samples = calls.shape[1]
            with options(**self.call) as call:
                counted.add_sites(call, calls, self.hethet)
        if samples is not None:
            yield from self._bands(counted, samples)

    def _calls(self, batch: Any, samples: int | None) -> np.ndarray:
        """Sites x samples, int8, a missing call negative; where it lies if that is what it is."""
        if self.is_binary:
            column = batch.column(0)
            if column.null_count:
                raise _Bad(0, f"column '{self.names[0]}' is null")
            ends = np.frombuffer(column.buffers()[1], np.int32)[
                column.offset : column.offset + len(column) + 1
            ]
            samples = int(ends[1] - ends[0]) if samples is None else samples
            lengths = np.diff(ends)
            if (lengths != samples).any():
                got = lengths[int(np.argmax(lengths != samples))]
                raise _Bad(0, f"column '{self.names[0]}': expected {samples} calls, got {got}")
            calls = np.frombuffer(column.buffers()[2], np.int8)[ends[0] : ends[-1]]
            calls = calls.reshape(len(column), samples)
        elif self.is_list:
            calls = matrix_of_lists(_filled(batch.column(0)), self.names[0], samples)
        else:
            columns = [batch.column(c).fill_null(-1).to_numpy() for c in range(len(self.names))]
            calls = np.stack(columns, axis=1)
        return _as_calls(calls)

    def _bands(self, counted: Any, samples: int) -> Iterator[Any]:
        names = TRIANGLES[: 5 if self.hethet else 3]
        edges = band_edges(samples, len(names))
        for band, (begin, end) in enumerate(zip(edges, edges[1:])):
            cells = {
                name: counted.triangle(name, begin, end).astype(np.uint32)
                for name in names
                if not (name == "shared" and counted.complete)
            }
            totals = counted.sample_totals() if band == 0 else None
            yield _record(band, samples, counted.sites, counted.complete, totals, cells)


def _filled(column: Any) -> Any:
    """Lists with missing numbers in them as lists with -1 there."""
    import pyarrow as pa

    values = column.flatten()
    if column.null_count or not values.null_count:
        return column
    lengths = np.diff(column.offsets.to_numpy())
    ends = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    return pa.ListArray.from_arrays(ends, values.fill_null(-1))


def _as_calls(calls: np.ndarray) -> np.ndarray:
    called = calls >= 0  # false for NaN
    bad = called & (calls > 2)
    if calls.dtype.kind == "f":
        bad |= called & (calls != np.rint(calls))
    if bad.any():
        site, sample = np.unravel_index(int(np.argmax(bad)), bad.shape)
        raise _Bad(
            int(site),
            "genotypes: expected 0, 1, 2 or, missing, a negative number or null; sample "
            f"{sample + 1} (from 1) has {calls[site, sample]}",
        )
    return calls if calls.dtype == np.int8 else np.where(called, calls, -1).astype(np.int8)


def _record(
    band: int = 0,
    samples: int = 0,
    sites: int = 0,
    complete: bool = True,
    totals: Any = None,
    cells: dict | None = None,
    error: str | None = None,
) -> Any:
    import pyarrow as pa

    cells = cells or {}
    columns = [
        pa.array([band], pa.int32()),
        pa.array([samples], pa.int32()),
        pa.array([sites], pa.int64()),
        pa.array([complete], pa.bool_()),
        binary_of(totals),
        *[binary_of(cells.get(name)) for name in TRIANGLES],
        pa.array([error], pa.string()),
    ]
    names = ["band", "samples", "sites", "complete", "totals", *TRIANGLES, "error"]
    return pa.RecordBatch.from_arrays(columns, names)


def _opened(row: Any) -> tuple[Any, dict]:
    """A band with its counts as numbers that can be added. A partition without a missing call
    shares its sites in every pair: one number."""
    if row.error is not None:
        return -1, {"error": row.error}
    counts: dict[str, Any] = {"sites": row.sites, "samples": {row.samples}}
    if row.totals is not None:
        counts["totals"] = np.frombuffer(row.totals, np.uint64).reshape(3, row.samples)
    for name in TRIANGLES:
        if row[name] is not None:
            counts[name] = np.frombuffer(row[name], np.uint32).astype(np.uint64)
    if row.complete:
        counts["shared"] = np.uint64(row.sites)
    return row.band, counts


def _added(a: dict, b: dict) -> dict:
    """Sums; equal keys but where sample numbers differ, which is found on the driver."""
    if "error" in a or "error" in b:
        return a if "error" in a else b
    samples = a["samples"] | b["samples"]
    if len(samples) > 1:
        return {"samples": samples}
    return {"samples": samples, **{key: a[key] + b[key] for key in a if key != "samples"}}


def _check_columns(df: Any, calls: Any) -> tuple[list[Any], list[str], bool, bool]:
    from pyspark.sql.functions import col
    from pyspark.sql.types import ArrayType, BinaryType, NumericType

    if not isinstance(calls, str):
        names = [str(name) for name in calls]
        if not names:
            raise ValueError("calls: expected a column or a list of columns, got none")
        return [number_column(df, name, "calls") for name in names], names, False, False
    kind = _type_of(df, calls, "calls")
    if isinstance(kind, BinaryType):
        return [col(f"`{calls}`")], [calls], True, False
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, NumericType):
        return [col(f"`{calls}`")], [calls], False, True
    raise ValueError(
        f"calls: expected an array of numbers or a binary column, column '{calls}' is "
        f"{kind.simpleString()}"
    )


def genotype_pair_counts(
    df: Any,
    calls: str | Sequence[str] = "calls",
    *,
    samples: Sequence[str] | None = None,
    hethet: bool = False,
    device: str = "cpu",
    threads: int | None = None,
) -> PairCounts:
    """Exact counts of every pair of samples, as :func:`yupana.genotype.pair_counts`.

    Parameters
    ----------
    df : a row a site, in any order and partitions
    calls : the column with the calls of all samples, allele counts 0, 1, 2, else missing (null,
        NaN, negative): an array of numbers, or binary, one int8 a sample; or a list of columns of
        numbers, one a sample
    samples : names; default those of the columns, or 1, 2, ...
    hethet : count also what KING needs where calls are missing
    device, threads : where and on how many threads a task counts; default Spark's cores of a task

    Examples
    --------
    >>> from yupana.spark import genotype_pair_counts
    >>> rows = [([0, 2],), ([1, 1],), ([2, 1],), ([0, None],)]
    >>> df = spark.createDataFrame(rows, "calls array<int>")
    >>> genotype_pair_counts(df).shared
    array([[4, 3],
           [3, 3]])
    """
    columns, names, is_binary, is_list = _check_columns(df, calls)
    sc = df.sparkSession.sparkContext
    where = {"device": device, "threads": threads or cores_of_a_task(sc)}
    count = _CountSites(names, is_binary, is_list, hethet, where)
    selected = df.select(*[column.alias(f"c{c}") for c, column in enumerate(columns)])
    counted = selected.mapInArrow(count.__call__, SCHEMA).rdd.map(_opened)
    bands = counted.reduceByKey(_added, max(1, sc.defaultParallelism))
    total = _collected(bands, names[0] if is_binary or is_list else "", names, samples)
    return PairCounts(total, {"device": device, "threads": threads})


def _collected(bands: Any, column: str, names: list[str], samples: Any) -> Any:
    """The sums of all bands, put together on the driver as they come."""
    total, edges, waiting = None, [], []

    def put(band: int, counts: dict) -> None:
        is_complete = np.ndim(counts["shared"]) == 0
        for name in TRIANGLES:
            if name in counts and not (is_complete and name not in ("ibs1", "ibs0")):
                total.set_triangle(name, edges[band], counts[name])

    for band, counts in bands.toLocalIterator(prefetchPartitions=True):
        if "error" in counts:
            raise ValueError(counts["error"])
        if len(counts["samples"]) > 1:
            few = " and ".join(map(str, sorted(counts["samples"])))
            raise ValueError(f"column '{column}': expected sites of the same samples, got {few}")
        waiting.append((band, counts))
        if band == 0:
            given = list(map(str, samples)) if samples is not None else ([] if column else names)
            (size,) = counts["samples"]
            total = _core.genotype.added_up(given, size, counts["sites"], counts["totals"])
            edges = band_edges(size, 5 if "het" in counts else 3)
        while total is not None and waiting:
            put(*waiting.pop())
    if total is None:
        raise ValueError("the DataFrame has no site")
    return total


def genotype_distances(
    df: Any,
    metric: str = "sqeuclidean",
    calls: str | Sequence[str] = "calls",
    *,
    samples: Sequence[str] | None = None,
    rescale: bool = True,
    device: str = "cpu",
    threads: int | None = None,
) -> np.ndarray:
    """Distances between all samples, float64 n x n: those of :func:`yupana.distances`, bit for bit.

    A partition counts its sites for every pair, in integers, and returns the triangles of counts in
    bands of rows; bands are added on the executors, and the driver applies the metric's formula.

    Parameters
    ----------
    metric, rescale : as :func:`yupana.distances`
    df, calls, samples, device, threads : as :func:`genotype_pair_counts`

    Examples
    --------
    >>> from yupana.spark import genotype_distances
    >>> df = spark.createDataFrame([([0, 2],), ([1, 1],), ([2, 1],)], "calls array<int>")
    >>> genotype_distances(df, "manhattan")
    array([[0., 3.],
           [3., 0.]])
    """
    hethet = _core.genotype.needs_hethet(metric)
    counts = genotype_pair_counts(
        df, calls, samples=samples, hethet=hethet, device=device, threads=threads
    )
    return counts.distances(metric, rescale=rescale)
