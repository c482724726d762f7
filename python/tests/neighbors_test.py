"""Neighbors, radii and two sets against all pairs in NumPy."""

import numpy as np
import pytest

import yupana

RNG = np.random.default_rng(3)


def distances(a, b):
    return np.sqrt(((a[:, None, :].astype(float) - b[None, :, :]) ** 2).sum(axis=2))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_neighbors_are_the_first_of_all_distances(dtype):
    points = RNG.integers(0, 9, (200, 3)).astype(dtype)  # many ties
    queries = RNG.integers(0, 9, (31, 3)).astype(dtype)
    d = distances(points, points)
    np.fill_diagonal(d, np.inf)
    indices, found = yupana.geometry.neighbors(points, 7)
    order = np.argsort(d, axis=1, kind="stable")[:, :7]
    assert np.array_equal(indices, order)
    assert np.array_equal(found, np.take_along_axis(d, order, 1))
    indices, found = yupana.geometry.neighbors(points, 200, queries)
    assert np.array_equal(indices, np.argsort(distances(queries, points), axis=1, kind="stable"))


def test_pairs_within_a_radius_and_between_sets():
    points, queries = RNG.uniform(size=(300, 2)), RNG.uniform(size=(40, 2)).astype("float32")
    pairs = yupana.geometry.pairs_within(points, 0.1)
    i, j = np.nonzero(np.triu(distances(points, points) <= 0.1, 1))
    assert np.array_equal(pairs.i, i) and np.array_equal(pairs.j, j) and len(i) > 100
    d = distances(points, queries)
    pairs = yupana.geometry.pairs_within(points[::-1][::-1], 0.1, queries)
    assert np.array_equal(np.stack(pairs[:2]), np.stack(np.nonzero(d <= 0.1)))
    nearest = yupana.geometry.closest_between(points, queries)
    assert nearest[:2] == np.unravel_index(d.argmin(), d.shape)
    assert nearest.distance == pytest.approx(d.min(), rel=1e-15)


def test_what_cannot_be_answered_is_refused():
    points = np.zeros((4, 2))
    for call, words in (
        (lambda: yupana.geometry.neighbors(points, 4), "k of 1 to 3"),
        (lambda: yupana.geometry.neighbors(points, 1, np.zeros((1, 3))), "queries: expected 2 coordinates"),
        (lambda: yupana.geometry.pairs_within(points, np.nan), "radius"),
        (lambda: yupana.geometry.pairs_within(points, -1.0), "radius"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(MemoryError, match="smaller radius"):
        yupana.geometry.pairs_within(np.zeros((3000, 2)), 1, memory=65536)
