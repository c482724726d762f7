"""Trees of a forest, spread over the executors and grown there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np

from .. import _core
from .._call import options
from .blocks import Block

#: Bytes of the table that one task may answer with.
PIECE_BYTES = 32 << 20


def labels_of(block: Block) -> np.ndarray:
    """The labels that a block has."""
    return np.unique(block.label_values())


@dataclass
class Grow:
    """Grows trees of a forest on an executor."""

    arguments: dict  # of Growing
    classes: list[str]
    features: list[str]
    call: tuple

    def __call__(self, X: np.ndarray, y: np.ndarray, trees: int, first: int) -> bytes:
        growing = _core.forest.Growing(
            **{**self.arguments, "trees": trees, "first_tree": first}
        )
        with options(**self.call) as call:
            model = _core.forest.fit(
                call,
                X,
                codes=y if self.classes else None,
                values=None if self.classes else y,
                weights=None,
                classes=self.classes,
                features=self.features,
                growing=growing,
            )
        return model.to_bytes()


@dataclass
class GrowRange:
    """Trees [first, last) on the whole table."""

    grow: Grow
    table: Any  # broadcast

    def __call__(self, trees: tuple[int, int]) -> tuple[int, bytes]:
        X, y = self.table.value
        first, last = trees
        return first, self.grow(X, y, last - first, first)


@dataclass
class RowsByTree:
    """Rows of each block to the trees that see them."""

    parts: Any  # broadcast: the tree of each row
    starts: list[int]
    classes: np.ndarray
    dtype: Any

    def __call__(self, partition: int, blocks: Iterator[Block]) -> Iterator[Any]:
        start = self.starts[partition]
        for block in blocks:
            trees = self.parts.value[start : start + block.rows]
            order = np.argsort(trees, kind="stable")
            X = block.matrix(self.dtype, "F")[order]
            y = np.searchsorted(self.classes, block.label_values()[order]).astype(np.int32)
            seen, begins = np.unique(trees[order], return_index=True)
            for tree, begin, end in zip(seen, begins, [*begins[1:], block.rows]):
                yield int(tree), (start, X[begin:end], y[begin:end])
            start += block.rows


@dataclass
class _Numbered:
    """Blocks with the numbers of their first rows."""

    starts: list[int]

    def __call__(self, partition: int, blocks: Iterator[Block]) -> Iterator[Any]:
        begin = self.starts[partition]
        for block in blocks:
            yield begin, block
            begin += block.rows


@dataclass
class GrowPart:
    """One tree on its own rows."""

    grow: Grow

    def __call__(self, assigned: Any) -> tuple[int, bytes]:
        tree, pieces = assigned
        pieces = sorted(pieces, key=lambda piece: piece[0])
        X = np.asfortranarray(np.concatenate([piece[1] for piece in pieces]))
        y = np.concatenate([piece[2] for piece in pieces])
        return tree, self.grow(X, y, 1, tree)


def _small_pieces(table: Any) -> Any:
    """Blocks with the numbers of their first rows, in partitions that fit one answer of a JVM."""
    numbered = table.blocks.mapPartitionsWithIndex(_Numbered(table.starts))
    row_bytes = table.columns * np.dtype(table.dtype).itemsize
    sizes = np.diff([*table.starts, table.rows]) * row_bytes
    if sizes.max() <= PIECE_BYTES:
        return numbered
    pieces, rows = -(-table.rows * row_bytes // PIECE_BYTES), table.rows
    return numbered.partitionBy(pieces, lambda begin: begin * pieces // rows)


def grow_whole(sc: Any, table: Any, classes: np.ndarray, local: Any, grow: Grow) -> list:
    """The table gathered on the driver and broadcast; ranges of trees go to tasks."""
    X = np.empty((table.rows, table.columns), table.dtype, order="F")
    y = np.empty(table.rows, np.int32 if grow.classes else np.float64)
    for begin, block in _small_pieces(table).toLocalIterator(prefetchPartitions=True):
        end = begin + block.rows
        X[begin:end] = block.matrix(table.dtype, "F")
        labels = block.label_values()
        y[begin:end] = np.searchsorted(classes, labels) if grow.classes else labels
    shared = sc.broadcast((X, y))
    del X, y
    try:
        trees = local.n_estimators
        tasks = min(trees, sc.defaultParallelism)
        edges = [trees * task // tasks for task in range(tasks + 1)]
        ranges = sc.parallelize(list(zip(edges, edges[1:])), tasks)
        return ranges.map(GrowRange(grow, shared)).collect()
    finally:
        shared.destroy()


def grow_parts(sc: Any, table: Any, classes: np.ndarray, local: Any, grow: Grow) -> list:
    """Rows shuffled to the one tree that sees them, by their numbers."""
    trees = local.n_estimators
    if trees > table.rows:
        raise ValueError(
            f"{trees} parts of {table.rows} rows: some tree would have none; give at most "
            f"{table.rows} trees"
        )
    parts = _core.forest.parts_of_rows(table.rows, trees, grow.arguments["seed"])
    shared = sc.broadcast(parts)
    try:
        grow.arguments = {**grow.arguments, "sampling": "all"}
        assign = RowsByTree(shared, table.starts, classes, table.dtype)
        assigned = table.blocks.mapPartitionsWithIndex(assign)
        tasks = min(trees, max(sc.defaultParallelism, table.blocks.getNumPartitions()))
        return assigned.groupByKey(tasks).map(GrowPart(grow)).collect()
    finally:
        shared.destroy()
