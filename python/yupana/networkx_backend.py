"""A backend of NetworkX for the paths between all vertices.

``networkx.floyd_warshall(G, backend="yupana")``, or for all calls that gain
``networkx.config.backend_priority = ["yupana"]`` (the variable NETWORKX_BACKEND_PRIORITY). Graphs
whose weights are no plain numbers, negative cycles and functions that are not here stay NetworkX's.

Examples
--------
>>> import networkx as nx
>>> nx.floyd_warshall(nx.path_graph(3), backend="yupana")[0]
{0: 0.0, 1: 1.0, 2: 2.0}
"""

from __future__ import annotations

import inspect
from itertools import chain
from typing import Any, Iterator

import numpy as np

from ._all_pairs import Edges, all_pairs, closure, closure_is_faster, searches

#: The functions; fewer vertices than these take NetworkX less time (docs/drop-in.md).
_FEWEST_VERTICES = {
    "all_pairs_bellman_ford_path_length": 32,
    "all_pairs_dijkstra": 48,
    "all_pairs_dijkstra_path": 48,
    "all_pairs_dijkstra_path_length": 32,
    "all_pairs_shortest_path_length": 128,
    "floyd_warshall": 24,
    "floyd_warshall_numpy": 96,
    "floyd_warshall_predecessor_and_distance": 24,
}
#: Sources searched from at a time, whose rows are in memory.
_BLOCK = 512
_EXACT = 2**53


class Graph:
    """A NetworkX graph as this backend takes it: itself, which is read when a function runs."""

    __networkx_backend__ = "yupana"

    def __init__(self, original: Any) -> None:
        self.original = original

    def is_directed(self) -> bool:
        return self.original.is_directed()

    def is_multigraph(self) -> bool:
        return self.original.is_multigraph()

    def __len__(self) -> int:
        return len(self.original)


class _Weighted:
    """The vertices of a graph in order, its edges, and whether its weights are whole numbers."""

    def __init__(self, graph: Any, weight: str | None, default: float = 1, nodelist: Any = None):
        graph = getattr(graph, "original", graph)
        self.nodes = list(graph if nodelist is None else nodelist)
        number = {node: i for i, node in enumerate(self.nodes)}
        ends = list(graph.edges(data=weight, default=default) if weight else graph.edges())
        values = [end[2] for end in ends] if weight else [default] * len(ends)
        if not all(isinstance(value, (int, float, np.number)) for value in values):
            raise NotImplementedError("expected weights that are plain numbers")
        self.is_whole = all(isinstance(value, (int, np.integer)) for value in values)
        if self.is_whole and sum(map(abs, values)) > _EXACT:
            raise NotImplementedError("expected paths below 2**53")
        weights = np.array(values, np.float64)
        if np.isnan(weights).any():
            raise NotImplementedError("expected numbers for weights, got NaN")
        tails = np.fromiter((number[end[0]] for end in ends), np.int64, len(ends))
        heads = np.fromiter((number[end[1]] for end in ends), np.int64, len(ends))
        self.edges = Edges(len(self.nodes), tails, heads, weights)
        if not graph.is_directed():
            self.edges = self.edges.both_ways()

    def numbers(self, lengths: np.ndarray) -> list[Any]:
        """Lengths as Python's numbers: whole ones where all weights are."""
        if not self.is_whole:
            return lengths.tolist()
        is_finite = np.isfinite(lengths)
        values = np.where(is_finite, lengths, 0).astype(np.int64).tolist()
        for i in np.flatnonzero(~is_finite):
            values[i] = float("inf")
        return values


def _or_networkx(function: Any, *arguments: Any) -> Any:
    """What the library refuses, such as a negative cycle, NetworkX answers in its own way."""
    try:
        return function(*arguments)
    except ValueError as error:
        raise NotImplementedError(str(error)) from error


def _rows(edges: Edges, predecessors: bool) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
    """Lengths from each vertex in turn, and the vertices before."""
    if closure_is_faster(edges.n, len(edges.weights), predecessors):
        blocks = iter([closure(edges.matrix(), predecessors)])
    else:
        starts = range(0, edges.n, _BLOCK)
        sources = (np.arange(start, min(start + _BLOCK, edges.n)) for start in starts)
        blocks = (searches(edges, some, predecessors) for some in sources)
    for lengths, before in blocks:
        yield from zip(lengths, [None] * len(lengths) if before is None else before)


def _nearest_first(lengths: np.ndarray, cutoff: float | None) -> np.ndarray:
    limit = np.inf if cutoff is None else cutoff
    order = np.argsort(lengths, kind="stable")
    return order[: np.count_nonzero((lengths <= limit) & (lengths < np.inf))]


def _lengths_of(graph: _Weighted, lengths: np.ndarray, order: np.ndarray) -> dict[Any, Any]:
    return dict(zip([graph.nodes[j] for j in order], graph.numbers(lengths[order])))


def _paths_of(
    graph: _Weighted, source: int, before: np.ndarray, order: np.ndarray
) -> dict[Any, list[Any]]:
    nodes, known = graph.nodes, {source: [graph.nodes[source]]}
    for vertex in order.tolist():
        way = []
        while vertex not in known:
            way.append(vertex)
            vertex = int(before[vertex])
        for after in reversed(way):
            known[after] = [*known[vertex], nodes[after]]
            vertex = after
    return {nodes[j]: known[j] for j in order.tolist()}


def _dijkstra_rows(
    G: Any, cutoff: float | None, weight: str | None, predecessors: bool
) -> tuple[_Weighted, Iterator[Any]]:
    """(source, lengths, vertices before, order) for every source."""
    graph = _Weighted(G, weight)
    if graph.edges.any_negative():
        raise NotImplementedError("expected weights that are not negative")
    rows = enumerate(_rows(graph.edges, predecessors))
    return graph, ((i, d, p, _nearest_first(d, cutoff)) for i, (d, p) in rows)


def all_pairs_dijkstra_path_length(
    G: Any, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[Any]:
    graph, rows = _dijkstra_rows(G, cutoff, weight, False)
    return ((graph.nodes[i], _lengths_of(graph, d, order)) for i, d, _, order in rows)


def all_pairs_dijkstra_path(
    G: Any, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[Any]:
    graph, rows = _dijkstra_rows(G, cutoff, weight, True)
    return ((graph.nodes[i], _paths_of(graph, i, p, order)) for i, _, p, order in rows)


def all_pairs_dijkstra(
    G: Any, cutoff: float | None = None, weight: str | None = "weight"
) -> Iterator[Any]:
    graph, rows = _dijkstra_rows(G, cutoff, weight, True)
    return (
        (graph.nodes[i], (_lengths_of(graph, d, order), _paths_of(graph, i, p, order)))
        for i, d, p, order in rows
    )


def all_pairs_shortest_path_length(G: Any, cutoff: float | None = None) -> Iterator[Any]:
    return all_pairs_dijkstra_path_length(G, cutoff, None)


def all_pairs_bellman_ford_path_length(G: Any, weight: str | None = "weight") -> Iterator[Any]:
    graph = _Weighted(G, weight)
    lengths, _ = _or_networkx(all_pairs, graph.edges, False)
    rows = ((d, _nearest_first(d, None)) for d in lengths)
    return ((graph.nodes[i], _lengths_of(graph, d, order)) for i, (d, order) in enumerate(rows))


def floyd_warshall_numpy(
    G: Any, nodelist: Any = None, weight: str | None = "weight"
) -> np.ndarray:
    if nodelist is not None and not len(nodelist) == len(G) == len({*nodelist}):
        import networkx

        raise networkx.NetworkXError(
            f"nodelist: expected every one of {len(G)} vertices once; G.subgraph(nodelist) has a part"
        )
    graph = _Weighted(G, weight, nodelist=nodelist)
    return _or_networkx(closure, graph.edges.matrix(), False)[0]


def floyd_warshall(G: Any, weight: str | None = "weight") -> dict[Any, Any]:
    graph = _Weighted(G, weight, 1.0)
    lengths, _ = _or_networkx(closure, graph.edges.matrix(), False)
    return {u: dict(zip(graph.nodes, graph.numbers(d))) for u, d in zip(graph.nodes, lengths)}


def floyd_warshall_predecessor_and_distance(
    G: Any, weight: str | None = "weight"
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    graph = _Weighted(G, weight, 1.0)
    nodes = graph.nodes
    lengths, before = _or_networkx(closure, graph.edges.matrix(), True)
    distances = {u: dict(zip(nodes, graph.numbers(d))) for u, d in zip(nodes, lengths)}
    predecessors = {}
    for u, row in zip(nodes, before):
        reached = np.flatnonzero(row >= 0).tolist()
        if reached:
            predecessors[u] = {nodes[j]: nodes[row[j]] for j in reached}
    return predecessors, distances


class Backend:
    """What NetworkX loads."""

    def convert_from_nx(self, graph: Any, **_: Any) -> Graph:
        return Graph(graph)

    def convert_to_nx(self, result: Any, **_: Any) -> Any:
        return result.original if isinstance(result, Graph) else result

    def can_run(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
        """Whether a call is one that runs here; else why not."""
        if not hasattr(self, name):
            return f"{name} is not of this backend"
        given = inspect.signature(getattr(self, name)).bind(*args, **kwargs).arguments
        weight = given.get("weight", "weight")
        return weight is None or isinstance(weight, str) or "weights of a function"

    def should_run(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
        """Whether a call gains."""
        vertices = len(next(chain(args, kwargs.values())))
        is_enough = vertices >= _FEWEST_VERTICES[name]
        return is_enough or f"{vertices} vertices are done sooner by NetworkX"


for _name in _FEWEST_VERTICES:
    setattr(Backend, _name, staticmethod(globals()[_name]))

backend = Backend()


def backend_info() -> dict[str, Any]:
    """What NetworkX shows of this backend."""
    return {
        "backend_name": "yupana",
        "project": "yupana",
        "package": "yupana",
        "short_summary": "Paths between all vertices by a parallel min-plus closure.",
        "functions": {name: {} for name in _FEWEST_VERTICES},
    }
