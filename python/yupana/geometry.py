"""The closest pair of points, nearest neighbors, and pairs within a radius."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._call import Keywords, run, with_keywords
from ._views import on_gpu, real_array

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["ClosestPair", "Pairs", "closest_between", "closest_pair", "neighbors", "pairs_within"]


class ClosestPair(NamedTuple):
    """Two points, and how far they are apart."""

    i: int
    j: int
    distance: float


class Pairs(NamedTuple):
    """Pairs in the order of (i, j): int64 numbers of rows, and float64 distances."""

    i: np.ndarray
    j: np.ndarray
    distance: np.ndarray


def _points(points: Any, name: str) -> Any:
    """Rows may lie apart, the numbers of a row may not."""
    points = real_array(points, name, 2)
    if not on_gpu(points) and points.shape[1] > 1 and points.strides[1] != points.itemsize:
        return np.ascontiguousarray(points)
    return points


def _sets(points: Any, queries: Any) -> tuple[Any, Any]:
    """Both in one type."""
    points = _points(points, "points")
    if queries is None:
        return points, None
    queries = _points(queries, "queries")
    if points.dtype != queries.dtype:
        points, queries = (np.ascontiguousarray(x, np.float64) for x in (points, queries))
    return points, queries


@with_keywords
def closest_pair(points: Any, method: str = "auto", **keywords: Unpack[Keywords]) -> ClosestPair:
    """The two points nearest to each other; of equal pairs the first in order of (i, j).

    Parameters
    ----------
    points : n x d, 2 <= n, 1 <= d <= 8, float32 or float64; read in place on a GPU (CuPy, torch)
        too, if dense
    method : "auto", "grid" (expected O(n)) or "divide" (O(n log n) in the plane, not on a GPU)

    Raises
    ------
    ValueError : fewer than 2 points, another number of dimensions, NaN or infinity (with its row), a
        distance beyond the range of double

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.geometry.closest_pair(np.array([[0.0, 0.0], [5.0, 5.0], [3.0, 4.0]]))
    ClosestPair(i=1, j=2, distance=2.23606797749979)
    """
    points = _points(points, "points")
    if method != "auto" and keywords.get("device") == "reference":
        raise ValueError(f"method: expected 'auto' for the device 'reference', which tries all pairs, got {method!r}")
    pair = ClosestPair(*run("geometry.closest_pair", keywords, points, method))
    if pair.distance == np.inf:
        raise ValueError(
            "points: expected a distance within the range of double, got one beyond it; divide the "
            "coordinates by 8 first"
        )
    return pair


@with_keywords
def neighbors(
    points: Any, k: int, queries: Any = None, **keywords: Unpack[Keywords]
) -> tuple[np.ndarray, np.ndarray]:
    """The k points nearest to each query, exact, by a k-d tree (Friedman, Bentley, Finkel 1977).

    Nearest first, of equal distances the smaller index first; the same bits for any threads. On the
    processor.

    Parameters
    ----------
    points : n x d, 1 <= d <= 8, float32 or float64, below 2**500
    k : 1 <= k <= n; without queries < n
    queries : m x d; None: the points, each of which is no neighbor of itself (another one at the
        same place is, at distance 0)

    Returns
    -------
    indices : int64 m x k
    distances : float64 m x k, Euclidean

    Raises
    ------
    ValueError : k, another number of dimensions, NaN or infinity (with its row)

    Examples
    --------
    >>> import numpy as np, yupana
    >>> indices, distances = yupana.geometry.neighbors(np.array([[0.0], [1.0], [3.0]]), 1)
    >>> indices.ravel().tolist(), distances.ravel().tolist()
    ([1, 0, 1], [1.0, 1.0, 2.0])
    """
    points, queries = _sets(points, queries)
    return run("geometry.neighbors", keywords, points, k, queries)


@with_keywords
def pairs_within(
    points: Any, radius: float, queries: Any = None, **keywords: Unpack[Keywords]
) -> Pairs:
    """All pairs of points that are at most a radius apart, exact.

    Parameters
    ----------
    points : n x d, as `neighbors` takes them
    radius : at least 0
    queries : m x d; None: pairs i < j of the points, else i of the points and j of the queries

    Raises
    ------
    ValueError : as `neighbors`; a radius that is negative or not finite
    MemoryError : more pairs than `memory` holds

    Examples
    --------
    >>> import numpy as np, yupana
    >>> pairs = yupana.geometry.pairs_within(np.array([[0.0], [1.0], [3.0]]), 2)
    >>> pairs.i.tolist(), pairs.j.tolist(), pairs.distance.tolist()
    ([0, 1], [1, 2], [1.0, 2.0])
    """
    points, queries = _sets(points, queries)
    return Pairs(*run("geometry.pairs_within", keywords, points, radius, queries))


@with_keywords
def closest_between(points: Any, queries: Any, **keywords: Unpack[Keywords]) -> ClosestPair:
    """The nearest pair of a point (i) and a query (j); of equal ones the least i, then the least j.

    Parameters
    ----------
    points, queries : n x d and m x d, as `neighbors` takes them

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.geometry.closest_between(np.array([[0.0], [5.0]]), np.array([[9.0], [6.0]]))
    ClosestPair(i=1, j=1, distance=1.0)
    """
    return ClosestPair(*run("geometry.closest_between", keywords, *_sets(points, queries)))
