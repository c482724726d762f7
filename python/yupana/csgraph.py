"""The shortest paths of ``scipy.sparse.csgraph`` with its signatures; everything else is SciPy's.

``from yupana import csgraph`` stands where ``from scipy.sparse import csgraph`` stood. Lengths are
float64 as there; of equally short paths another one may be given than there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csgraph as _scipy
from scipy.sparse import csr_array, issparse

from ._all_pairs import Edges, NegativeCycle, closure, closure_is_faster, searches

__all__ = ["bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"]

NegativeCycleError = _scipy.NegativeCycleError
_NONE = -9999


def __getattr__(name: str) -> Any:
    return getattr(_scipy, name)


def _square(csgraph: Any) -> Any:
    if len(csgraph.shape) != 2 or csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError(f"csgraph: expected a square matrix, got shape {tuple(csgraph.shape)}")
    return csgraph


def _matrix(csgraph: Any) -> np.ndarray:
    """A new matrix of weights, inf where no edge is; zeros are edges of a masked array alone."""
    if np.ma.isMaskedArray(csgraph):
        return np.ma.filled(csgraph.astype(np.float64), np.inf)
    weights = np.array(csgraph, dtype=np.float64)
    weights[(weights == 0) | ~np.isfinite(weights)] = np.inf
    return weights


class _Graph:
    """A graph as SciPy takes it: zeros of a dense matrix are no edges, stored ones are."""

    def __init__(self, csgraph: Any, directed: bool, unweighted: bool) -> None:
        self._directed = directed
        self._dense: np.ndarray | None = None
        self._edges: Edges | None = None
        if issparse(csgraph) or hasattr(csgraph, "to_scipy_sparse"):
            csgraph = csgraph if issparse(csgraph) else csgraph.to_scipy_sparse()
            entries = _square(csgraph).tocsr().tocoo()
            weights = np.ones(entries.nnz) if unweighted else entries.data.astype(np.float64)
            self._edges = Edges(entries.shape[0], entries.row, entries.col, weights)
            if not directed:
                self._edges = self._edges.both_ways()
        else:
            self._dense = _square(_matrix(csgraph))
            if unweighted:
                self._dense[np.isfinite(self._dense)] = 1
            if not directed:
                self._dense = np.minimum(self._dense, self._dense.T)
        self.n = len(self._dense) if self._edges is None else self._edges.n

    @property
    def edges(self) -> Edges:
        if self._edges is None:
            self._edges = Edges.of_matrix(self._dense)
        return self._edges

    @property
    def matrix(self) -> np.ndarray:
        return self.edges.matrix() if self._dense is None else self._dense

    def keep_edges(self, edges: Edges) -> None:
        """Takes these edges in place of the graph's."""
        self._dense, self._edges = None, edges

    def any_negative(self) -> bool:
        weights = self.edges.weights if self._dense is None else self._dense
        return bool((weights < 0).any())

    def wants_closure(self, predecessors: bool) -> bool:
        count = len(self.edges.weights) if self._dense is None else np.isfinite(self._dense).sum()
        return closure_is_faster(self.n, int(count), predecessors)


def _sources(indices: Any, n: int) -> tuple[np.ndarray | None, tuple[int, ...]]:
    """The sources in one row, and the shape that the result has."""
    if indices is None:
        return None, (n, n)
    given = np.array(indices, dtype=np.int64)
    sources = np.where(given < 0, given + n, given).reshape(-1)
    if ((sources < 0) | (sources >= n)).any():
        raise ValueError(f"indices: expected vertices below {n}, got {indices!r}")
    return sources, (*given.shape, n)


def _reached(edges: Edges, sources: np.ndarray) -> Edges:
    """The edges on paths from the sources."""
    n = edges.n
    # A vertex more, with an edge to each source.
    tails = np.concatenate([edges.tails, np.full(len(sources), n)])
    heads = np.concatenate([edges.heads, sources])
    links = csr_array((np.ones(len(tails)), (tails, heads)), shape=(n + 1, n + 1))
    is_reached = np.zeros(n + 1, bool)
    is_reached[_scipy.breadth_first_order(links, n, return_predecessors=False)] = True
    kept = is_reached[edges.tails]
    return Edges(n, edges.tails[kept], edges.heads[kept], edges.weights[kept])


def _refuse_negative_cycle(graph: _Graph, indices: Any) -> None:
    """Raises for a negative cycle that the sources reach, around which SciPy's Dijkstra runs until no
    memory is left, and ends the process."""
    sources, _ = _sources(indices, graph.n)
    edges = graph.edges if sources is None else _reached(graph.edges, sources)
    try:
        searches(edges, np.arange(min(graph.n, 1)), False)
    except NegativeCycle as error:
        raise NegativeCycleError(str(error)) from None


def _paths(
    graph: _Graph,
    indices: Any,
    return_predecessors: bool,
    limit: float = np.inf,
    dense: bool | None = None,
) -> Any:
    """Lengths, or lengths and predecessors as SciPy has them."""
    sources, shape = _sources(indices, graph.n)
    if sources is not None and len(sources) == 0 and graph.any_negative():
        _refuse_negative_cycle(graph, None)
    if dense is None:
        dense = sources is None and limit == np.inf and graph.wants_closure(return_predecessors)
    try:
        if dense:
            lengths, before = closure(graph.matrix, return_predecessors)
        else:
            lengths, before = searches(graph.edges, sources, return_predecessors)
    except NegativeCycle as error:
        raise NegativeCycleError(str(error)) from None
    far = lengths > limit if limit < np.inf else None
    if far is not None:
        lengths[far] = np.inf
    lengths = lengths.reshape(shape)
    if before is None:
        return lengths
    before[before < 0] = _NONE
    if far is not None:
        before[far] = _NONE
    return lengths, before.reshape(shape)


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
) -> Any:
    """``scipy.sparse.csgraph.shortest_path``; "auto" takes the closure for dense graphs.

    Examples
    --------
    >>> import yupana.csgraph
    >>> yupana.csgraph.shortest_path([[0, 1, 5], [0, 0, 1], [0, 0, 0]])
    array([[ 0.,  1.,  2.],
           [inf,  0.,  1.],
           [inf, inf,  0.]])
    """
    if method not in ("auto", "FW", "D", "BF", "J"):
        raise ValueError(f"method: expected auto, FW, D, BF or J, got {method!r}")
    if method == "FW":
        if indices is not None:
            raise ValueError("indices: expected None with method FW; index its result")
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    if method == "D":
        return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)
    if method == "BF":
        return bellman_ford(csgraph, directed, indices, return_predecessors, unweighted)
    return _paths(_Graph(csgraph, directed, unweighted), indices, return_predecessors)


def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """``scipy.sparse.csgraph.floyd_warshall`` by the dense closure; ``overwrite`` saves nothing here.

    Examples
    --------
    >>> import yupana.csgraph
    >>> lengths, before = yupana.csgraph.floyd_warshall([[0, 1], [3, 0]], return_predecessors=True)
    >>> before
    array([[-9999,     0],
           [    1, -9999]], dtype=int32)
    """
    if np.ma.isMaskedArray(csgraph):
        csgraph = np.ma.filled(csgraph, 0)  # SciPy's takes no zero for an edge here, masked or not
    return _paths(_Graph(csgraph, directed, unweighted), None, return_predecessors, dense=True)


def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """``scipy.sparse.csgraph.dijkstra``; from all vertices of a dense graph the closure.

    SciPy runs for ``min_only`` and for negative weights, of which it warns; cycles of negative length
    that the sources reach, with which it does not end, are a ``NegativeCycleError``.

    Examples
    --------
    >>> import yupana.csgraph
    >>> yupana.csgraph.dijkstra([[0, 1, 0], [0, 0, 1], [0, 0, 0]], indices=0, limit=1)
    array([ 0.,  1., inf])
    """
    limit = float(limit)
    if limit < 0:
        raise ValueError(f"limit: expected 0 or more, got {limit}")
    graph = _Graph(csgraph, directed, unweighted)
    is_negative = graph.any_negative()
    if is_negative:
        _refuse_negative_cycle(graph, indices)
    if is_negative or min_only or np.isnan(limit):
        return _scipy.dijkstra(
            csgraph, directed, indices, return_predecessors, unweighted, limit, min_only
        )
    return _paths(graph, indices, return_predecessors, limit)


def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """``scipy.sparse.csgraph.johnson``; from all vertices of a dense graph the closure.

    Examples
    --------
    >>> import yupana.csgraph
    >>> yupana.csgraph.johnson([[0, -1, 0], [0, 0, 2], [0, 0, 0]], indices=[0])
    array([[ 0., -1.,  1.]])
    """
    return _paths(_Graph(csgraph, directed, unweighted), indices, return_predecessors)


def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """``scipy.sparse.csgraph.bellman_ford``, as :func:`johnson`, but for negative cycles that ``indices``
    do not reach, which are no error.

    Examples
    --------
    >>> import yupana.csgraph
    >>> yupana.csgraph.bellman_ford([[0, -1, 0], [0, 0, 2], [0, 0, 0]], indices=0)
    array([ 0., -1.,  1.])
    """
    graph = _Graph(csgraph, directed, unweighted)
    sources, _ = _sources(indices, graph.n)
    if sources is not None and graph.any_negative():
        graph.keep_edges(_reached(graph.edges, sources))
    return _paths(graph, indices, return_predecessors)
