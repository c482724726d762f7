"""Paths between all vertices, or from some, by the dense closure or by searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._call import options, run


class NegativeCycle(ValueError):
    """A cycle of negative length, through which no path is shortest."""


@dataclass
class Edges:
    """A directed graph of n vertices; of parallel edges the shortest counts."""

    n: int
    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray

    @classmethod
    def of_matrix(cls, weights: np.ndarray) -> "Edges":
        """The finite entries of a square matrix."""
        tails, heads = np.nonzero(np.isfinite(weights))
        return cls(len(weights), tails, heads, weights[tails, heads])

    def both_ways(self) -> "Edges":
        """Every edge in either direction."""
        tails = np.concatenate([self.tails, self.heads])
        heads = np.concatenate([self.heads, self.tails])
        return Edges(self.n, tails, heads, np.concatenate([self.weights, self.weights]))

    def matrix(self) -> np.ndarray:
        """Weights, inf where no edge is."""
        weights = np.full((self.n, self.n), np.inf)
        np.minimum.at(weights, (self.tails, self.heads), self.weights)
        return weights

    def any_negative(self) -> bool:
        return bool((self.weights < 0).any())


def closure_is_faster(n: int, edges: int, predecessors: bool) -> bool:
    """Whether the closure takes less time than a search from every vertex.

    The closure takes n * n steps a row; how many a search takes for an edge, and for a vertex that
    it settles, is half of what was measured (docs/drop-in.md).
    """
    an_edge, a_vertex = (12, 300) if predecessors else (32, 1000)
    return n * n < an_edge * edges + a_vertex * min(n, edges)


def closure(weights: np.ndarray, predecessors: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Lengths, and the vertex before each (-1: none), of a matrix whose diagonal does not count."""
    if (weights.diagonal() < 0).any():
        raise NegativeCycle("an edge of negative length from a vertex to itself")
    np.fill_diagonal(weights, 0)
    try:
        lengths = run("graph.shortest_paths", {}, weights, "auto")
    except ValueError as error:
        raise _kind_of(error, weights) from None
    if not predecessors:
        return lengths, None
    return lengths, run("graph.predecessors", {}, weights, lengths)


def searches(
    edges: Edges, sources: np.ndarray | None, predecessors: bool
) -> tuple[np.ndarray, np.ndarray | None]:
    """The same by a search from each source, from all without."""
    if edges.n == 0 or (sources is not None and len(sources) == 0):
        empty = np.empty((0, edges.n))
        return empty, empty.astype(np.int32) if predecessors else None
    order = np.argsort(edges.tails, kind="stable")
    offsets = np.searchsorted(edges.tails[order], np.arange(edges.n + 1))
    with options() as call:
        try:
            found = _core.graph.sparse_shortest_paths(
                call,
                offsets.astype(np.int64),
                edges.heads[order].astype(np.int64),
                edges.weights[order].astype(np.float64),
                np.asarray([] if sources is None else sources, np.int64),
                predecessors,
            )
        except ValueError as error:
            raise _kind_of(error, edges.weights) from None
    return found if predecessors else (found, None)


def all_pairs(edges: Edges, predecessors: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """The faster of the two."""
    if closure_is_faster(edges.n, len(edges.weights), predecessors):
        return closure(edges.matrix(), predecessors)
    return searches(edges, None, predecessors)


def _kind_of(error: ValueError, weights: Any) -> ValueError:
    """Numbers are checked before, so what the library refuses in negative ones is a cycle."""
    return NegativeCycle(str(error)) if (weights < 0).any() else error
