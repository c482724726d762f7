"""``linkage`` of ``scipy.cluster.hierarchy``; everything else is SciPy's.

``from yupana import hierarchy`` stands where ``from scipy.cluster import hierarchy`` stood. Trees
are the same bits as SciPy's, ties included.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster import hierarchy as _scipy

from . import analysis, distance

__all__ = ["average", "complete", "linkage", "single", "ward", "weighted"]

#: Trees of fewer points are faster in SciPy.
_LEAST_POINTS = {"single": 1000, **dict.fromkeys(("complete", "average", "weighted", "ward"), 300)}


def __getattr__(name: str) -> Any:
    return getattr(_scipy, name)


def linkage(
    y: Any, method: str = "single", metric: Any = "euclidean", optimal_ordering: bool = False
) -> Any:
    """``scipy.cluster.hierarchy.linkage``: of many points, but "centroid" and "median".

    Observations have the distances of :func:`yupana.distance.pdist`.

    Examples
    --------
    >>> import numpy as np, yupana.hierarchy
    >>> yupana.hierarchy.linkage(np.random.default_rng(0).normal(size=(700, 3)), "average").shape
    (699, 4)
    """
    given = np.asarray(y)
    # SciPy warns of a square table that looks like a matrix of distances.
    ours = method in _LEAST_POINTS and given.dtype.kind in "biuf"
    ours = ours and given.ndim in (1, 2) and len({*given.shape}) == given.ndim
    ours = ours and not (method == "ward" and given.ndim == 2 and metric != "euclidean")
    if ours and given.ndim == 2 and len(given) >= _LEAST_POINTS[method]:
        y = given = distance.pdist(given, metric)
    points = int(np.sqrt(2 * given.size)) + 1
    ours = ours and given.ndim == 1 and points >= max(2, _LEAST_POINTS[method])
    if ours and points * (points - 1) == 2 * given.size:
        condensed = given.astype(np.float64, copy=False)
        if 0 <= condensed.min() and condensed.max() < np.inf:  # False of NaN
            merges = analysis.linkage(condensed, method)
            return _scipy.optimal_leaf_ordering(merges, condensed) if optimal_ordering else merges
    return _scipy.linkage(y, method, metric, optimal_ordering)


def single(y: Any) -> Any:
    """``scipy.cluster.hierarchy.single``."""
    return linkage(y, "single")


def complete(y: Any) -> Any:
    """``scipy.cluster.hierarchy.complete``."""
    return linkage(y, "complete")


def average(y: Any) -> Any:
    """``scipy.cluster.hierarchy.average``."""
    return linkage(y, "average")


def weighted(y: Any) -> Any:
    """``scipy.cluster.hierarchy.weighted``."""
    return linkage(y, "weighted")


def ward(y: Any) -> Any:
    """``scipy.cluster.hierarchy.ward``."""
    return linkage(y, "ward")
