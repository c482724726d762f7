"""yupana.csgraph equals scipy.sparse.csgraph, and NetworkX's backend NetworkX."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph as theirs

from yupana import csgraph

networkx = pytest.importorskip("networkx")


def random_weights(n, density, seed, negative=False):
    """Whole numbers, so that sums are exact; 0: no edge. Negative ones without negative cycles."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 50, (n, n)) * (rng.random((n, n)) < density)
    np.fill_diagonal(weights, 0)
    if negative:
        height = rng.integers(0, 30, n)
        weights = np.where(weights > 0, weights + height[:, None] - height, 0)
    return weights.astype(float)


def assert_paths_add_up(weights, lengths, before, sources):
    """Predecessors lead back to the source over edges that add up; -9999 where there is no path."""
    for s, source in enumerate(sources):
        for j in range(len(weights)):
            if j == source or not np.isfinite(lengths[s, j]):
                assert before[s, j] == -9999
                continue
            at, total = j, 0.0
            for _ in range(len(weights)):
                total += weights[before[s, at], at]
                at = before[s, at]
                if at == source:
                    break
            assert at == source and total == lengths[s, j]


FUNCTIONS = ["floyd_warshall", "dijkstra", "johnson", "bellman_ford", "shortest_path"]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("density", [0.02, 0.1, 0.9])
@pytest.mark.parametrize("directed", [True, False])
def test_lengths_and_paths_equal_scipys(name, density, directed):
    weights = random_weights(70, density, 1)
    wanted = getattr(theirs, name)(weights, directed=directed)
    edges = np.where(weights == 0, np.inf, weights)
    edges = edges if directed else np.minimum(edges, edges.T)
    for graph in (weights, sp.csr_array(weights), sp.coo_matrix(weights), weights.astype(np.int64)):
        kept = graph.copy()
        lengths, before = getattr(csgraph, name)(graph, directed=directed, return_predecessors=True)
        assert lengths.dtype == np.float64 and before.dtype == np.int32
        assert np.array_equal(lengths, wanted)
        assert np.array_equal(getattr(csgraph, name)(graph, directed=directed), wanted)
        assert_paths_add_up(edges, lengths, before, range(70))
        assert (kept != graph).sum() == 0
    assert np.array_equal(
        getattr(csgraph, name)(weights, directed=directed, unweighted=True),
        getattr(theirs, name)(weights, directed=directed, unweighted=True),
    )


@pytest.mark.parametrize("name", ["floyd_warshall", "johnson", "bellman_ford", "shortest_path"])
def test_negative_weights_and_cycles(name):
    for density in (0.05, 0.8):
        weights = random_weights(60, density, 2, negative=True)
        assert (weights < 0).any()
        assert np.array_equal(getattr(csgraph, name)(weights), getattr(theirs, name)(weights))
        with pytest.raises(theirs.NegativeCycleError, match="cycle|itself"):
            getattr(csgraph, name)(weights, directed=False)
    weights[3, 3] = -1
    with pytest.raises(theirs.NegativeCycleError):
        getattr(csgraph, name)(weights)


def test_dijkstra_with_negative_weights_is_scipys():
    weights = random_weights(30, 0.3, 2, negative=True)
    with pytest.warns(UserWarning, match="negative weights"):
        wanted = theirs.dijkstra(weights)
    with pytest.warns(UserWarning, match="negative weights"):
        assert np.array_equal(csgraph.dijkstra(weights), wanted)


@pytest.mark.parametrize("options", [{}, {"indices": 1}, {"min_only": True, "indices": [0, 2]}, {"limit": 10.0}])
def test_dijkstra_ran_around_a_negative_cycle_until_no_memory_was_left(options):
    weights = np.array([[0, 5, 0, 0], [3, 0, 1, 0], [0, -2, 0, 0], [0, 0, 0, -1]])
    for graph in (weights, sp.csr_array(weights)):
        with pytest.raises(theirs.NegativeCycleError, match="vertex"):
            csgraph.dijkstra(graph, **options)
        with pytest.raises(theirs.NegativeCycleError, match="vertex"):
            csgraph.dijkstra(graph, directed=False, **options)


@pytest.mark.parametrize("graph_of", [np.array, sp.csr_array])
def test_no_sources_hid_a_negative_cycle_as_it_does_not_from_scipy(graph_of):
    weights = graph_of([[0, -1, 0], [-2, 0, 0], [0, 0, 0]])
    for module in (theirs, csgraph):
        for name in ("johnson", "shortest_path"):
            with pytest.raises(theirs.NegativeCycleError):
                getattr(module, name)(weights, indices=[])
        assert module.bellman_ford(weights, indices=[]).shape == (0, 3)


@pytest.mark.parametrize("graph_of", [np.array, sp.csr_array])
def test_negative_cycles_that_no_source_reaches_are_no_error(graph_of):
    weights = graph_of([[0, 5, 0, 0], [3, 0, 1, 0], [0, 0, 0, 0], [0, 0, 2, -1]])
    for options in ({"indices": 0}, {"indices": [0, 2]}, {"indices": [0, 1], "return_predecessors": True}):
        for wanted, ours in zip(
            map(np.asarray, theirs.bellman_ford(weights, **options)),
            map(np.asarray, csgraph.bellman_ford(weights, **options)),
        ):
            assert np.array_equal(ours, wanted)
    with pytest.warns(UserWarning, match="negative weights"):
        assert csgraph.dijkstra(weights, indices=0).tolist() == [0, 5, 6, np.inf]
    with pytest.raises(theirs.NegativeCycleError):
        csgraph.bellman_ford(weights, indices=[0, 3])
    with pytest.raises(theirs.NegativeCycleError):
        csgraph.johnson(weights, indices=0)


def test_a_limit_that_is_no_number_is_scipys():
    weights = random_weights(20, 0.3, 2)
    for graph in (weights, sp.csr_array(weights)):
        wanted = theirs.dijkstra(graph, limit=np.nan)
        assert np.array_equal(csgraph.dijkstra(graph, limit=np.nan), wanted)


@pytest.mark.parametrize("name", ["dijkstra", "johnson", "bellman_ford", "shortest_path"])
@pytest.mark.parametrize("indices", [3, -1, [4, 0, 4], [[1, 2], [3, 4]], []])
def test_sources_shape_the_result(name, indices):
    weights = random_weights(40, 0.1, 3)
    graph = sp.csr_array(weights)
    wanted = getattr(theirs, name)(graph, indices=indices)
    lengths, before = getattr(csgraph, name)(graph, indices=indices, return_predecessors=True)
    assert np.array_equal(lengths, wanted) and before.shape == wanted.shape
    sources = np.reshape(indices, -1).astype(int) % 40
    assert_paths_add_up(weights, lengths.reshape(-1, 40), before.reshape(-1, 40), sources)


def test_limit_and_the_nearest_source():
    graph = sp.csr_array(random_weights(50, 0.1, 4))
    for limit in (0, 20, 45.0):
        wanted = theirs.dijkstra(graph, limit=limit)
        lengths, before = csgraph.dijkstra(graph, limit=limit, return_predecessors=True)
        assert np.array_equal(lengths, wanted) and np.isinf(wanted).any()
        assert ((before == -9999) == (np.isinf(lengths) | np.eye(50, dtype=bool))).all()
    ours = csgraph.dijkstra(graph, indices=[1, 7], min_only=True, return_predecessors=True)
    wanted = theirs.dijkstra(graph, indices=[1, 7], min_only=True, return_predecessors=True)
    assert all(np.array_equal(a, b) for a, b in zip(ours, wanted))


def test_what_is_no_edge():
    weights = random_weights(20, 0.6, 5)
    holes = weights.copy()
    holes[1], holes[2, ::2], holes[3, 5] = 0, np.nan, -np.inf
    holes[4, holes[4] == 0] = np.inf
    np.fill_diagonal(holes, 7)
    masked = np.ma.masked_equal(weights, 0)
    zero = np.ma.masked_array(np.where(weights == 3, 0, weights), weights == 0)
    stored = sp.csr_array(weights)
    stored.data[stored.data < 25] = 0
    for graph in (holes, masked, zero, stored):
        for name in FUNCTIONS[:4]:
            got, wanted = getattr(csgraph, name)(graph), getattr(theirs, name)(graph)
            assert np.array_equal(got, wanted), name
        assert np.array_equal(csgraph.shortest_path(graph), theirs.johnson(graph))


def test_refusals_and_what_is_scipys():
    weights = random_weights(6, 0.9, 6)
    for call in (
        lambda: csgraph.shortest_path(weights, method="none"),
        lambda: csgraph.shortest_path(weights, method="FW", indices=[1]),
        lambda: csgraph.dijkstra(weights, indices=[6]),
        lambda: csgraph.dijkstra(weights, limit=-1),
        lambda: csgraph.johnson(weights[:5]),
        lambda: csgraph.johnson(sp.csr_array(weights[:5])),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()
    assert csgraph.connected_components is theirs.connected_components
    assert csgraph.shortest_path(np.empty((0, 0))).shape == (0, 0)


def graphs():
    """Directed or not, parallel edges, whole numbers or floats, missing weights, apart vertices."""
    for kind in (networkx.Graph, networkx.DiGraph, networkx.MultiDiGraph):
        for scale in (1, 0.5):
            rng = np.random.default_rng(7)
            graph = kind()
            graph.add_nodes_from("abc")
            for u, v, w in rng.integers(0, 40, (160, 3)).tolist():
                graph.add_edge(u, v, weight=w * scale)
            graph.add_edge(1, "a")
            yield graph


def shortest_edge(graph, u, v):
    edges = graph[u][v].values() if graph.is_multigraph() else [graph[u][v]]
    return min(edge.get("weight", 1) for edge in edges)


def both(name, graph, *arguments, **keywords):
    function = getattr(networkx, name)
    ours = function(graph, *arguments, backend="yupana", **keywords)
    wanted = function(graph, *arguments, backend="networkx", **keywords)
    if name.startswith("all_pairs"):
        return dict(ours), dict(wanted)
    return ours, wanted


@pytest.mark.parametrize("graph", graphs(), ids=str)
def test_networkx_lengths_are_networkx_own(graph):
    for name, keywords in (
        ("all_pairs_dijkstra_path_length", {}),
        ("all_pairs_dijkstra_path_length", {"cutoff": 30}),
        ("all_pairs_dijkstra_path_length", {"weight": "none"}),
        ("all_pairs_bellman_ford_path_length", {}),
        ("all_pairs_shortest_path_length", {}),
        ("all_pairs_shortest_path_length", {"cutoff": 2}),
        ("floyd_warshall", {}),
    ):
        ours, wanted = both(name, graph, **keywords)
        assert ours == wanted, name
        types = [
            {type(x) for u in answer for v, x in answer[u].items() if u != v}
            for answer in (ours, wanted)
        ]
        assert name == "floyd_warshall" or types[0] <= types[1], name
    ours, wanted = both("floyd_warshall_numpy", graph)
    assert np.array_equal(ours, wanted)
    order = sorted(graph, key=str, reverse=True)
    ours, wanted = both("floyd_warshall_numpy", graph, nodelist=order)
    assert np.array_equal(ours, wanted)
    with pytest.raises(networkx.NetworkXError, match="nodelist"):
        networkx.floyd_warshall_numpy(graph, [1], backend="yupana")


@pytest.mark.parametrize("graph", graphs(), ids=str)
def test_networkx_paths_are_shortest(graph):
    lengths, wanted = both("all_pairs_dijkstra", graph)
    paths, _ = both("all_pairs_dijkstra_path", graph)
    for u, (length, path) in lengths.items():
        assert length == wanted[u][0] and path == paths[u] and [*path] == [*length]
        for v, vertices in path.items():
            steps = [shortest_edge(graph, a, b) for a, b in zip(vertices, vertices[1:])]
            assert vertices[0] == u and vertices[-1] == v and sum(steps) == length[v]
    (before, distances), (_, wanted) = both("floyd_warshall_predecessor_and_distance", graph)
    assert distances == wanted
    for u in before:
        for v in before[u]:
            vertices = networkx.reconstruct_path(u, v, before)
            assert vertices[0] == u and vertices[-1] == v and len({*vertices}) == len(vertices)


def test_networkx_answers_what_is_not_for_this_backend():
    from yupana.networkx_backend import backend

    graph = networkx.path_graph(40, networkx.DiGraph)
    networkx.set_edge_attributes(graph, -1, "weight")
    with networkx.config(backend_priority=["yupana"]):
        assert networkx.floyd_warshall(graph)[0][39] == -39
        by_function = dict(networkx.all_pairs_dijkstra_path_length(graph, weight=lambda u, v, d: 2))
        assert by_function[0][39] == 78
        graph.add_edge(39, 0, weight=-1)
        with pytest.raises(networkx.NetworkXUnbounded):
            dict(networkx.all_pairs_bellman_ford_path_length(graph))
    assert backend.can_run("floyd_warshall", (graph,), {}) is True
    assert "function" in backend.can_run("floyd_warshall", (graph, lambda u, v, d: 1), {})
    assert backend.should_run("floyd_warshall", (graph,), {}) is True
    assert "sooner" in backend.should_run("floyd_warshall", (networkx.path_graph(3),), {})
