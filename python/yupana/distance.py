"""``pdist`` and ``cdist`` of ``scipy.spatial.distance`` for tables of genotypes; everything else is SciPy's.

``from yupana import distance`` stands where ``from scipy.spatial import distance`` stood. Tables
whose values are all 0, 1 or 2, of any type but long double, are counted in packed bits: the same bits as SciPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance as _scipy

from .genotype import distances

__all__ = ["cdist", "pdist"]

#: SciPy's metrics, by all of their names, as metrics of genotypes.
_METRICS = {
    **dict.fromkeys(("cityblock", "cblock", "cb", "c"), "manhattan"),
    **dict.fromkeys(("euclidean", "euclid", "eu", "e"), "euclidean"),
    **dict.fromkeys(("sqeuclidean", "sqe", "sqeuclid"), "sqeuclidean"),
    **dict.fromkeys(("hamming", "hamm", "ha", "h", "matching"), "hamming"),
}
#: Fewer columns, or fewer values in all pairs together, are faster in SciPy.
_LEAST_COLUMNS = 200
_LEAST_VALUES = 20_000_000


def __getattr__(name: str) -> Any:
    return getattr(_scipy, name)


def _metric(metric: Any) -> str | None:
    return _METRICS.get(metric.lower()) if isinstance(metric, str) else None


def _calls(X: Any, others: int | None = None) -> np.ndarray | None:
    """X as int8 if its values are all 0, 1 or 2 and so many pairs pay; else None."""
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "biuf" or X.shape[1] < _LEAST_COLUMNS or X.size == 0:
        return None
    if X.dtype == np.longdouble:
        return None
    if X.size * (len(X) if others is None else others) < _LEAST_VALUES:
        return None
    if not (X[0].min() >= 0 and X[0].max() <= 2 and X.min() >= 0 and X.max() <= 2):
        return None
    calls = X.astype(np.int8, copy=False)
    return calls if X.dtype.kind != "f" or (calls == X).all() else None


def _both(XA: Any, XB: Any) -> np.ndarray | None:
    """The rows of XA and then of XB as int8, or None as of _calls."""
    a, b = (x.shape[0] if x.ndim else 0 for x in map(np.asarray, (XA, XB)))
    if (a + b) ** 2 > 8 * a * b:
        return None
    first, second = _calls(XA, b), _calls(XB, a)
    if first is None or second is None or first.shape[1] != second.shape[1]:
        return None
    return np.concatenate((first, second))


def _between(calls: np.ndarray, metric: str) -> np.ndarray:
    lengths = distances(calls, metric)
    return np.divide(lengths, calls.shape[1], out=lengths) if metric == "hamming" else lengths


def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, **keywords: Any) -> Any:
    """``scipy.spatial.distance.pdist``.

    Examples
    --------
    >>> import numpy as np, yupana.distance
    >>> calls = np.random.default_rng(0).integers(0, 3, (300, 1000), dtype=np.int8)
    >>> yupana.distance.pdist(calls, "cityblock")[:3]
    array([896., 901., 886.])
    """
    name = None if keywords or out is not None else _metric(metric)
    calls = _calls(X) if name else None
    if name is None or calls is None:
        return _scipy.pdist(X, metric, out=out, **keywords)
    return _scipy.squareform(_between(calls, name), checks=False)


def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **keywords: Any) -> Any:
    """``scipy.spatial.distance.cdist``, by all pairs of both tables where neither is much longer.

    Examples
    --------
    >>> import numpy as np, yupana.distance
    >>> calls = np.random.default_rng(0).integers(0, 3, (400, 1000), dtype=np.int8)
    >>> yupana.distance.cdist(calls[:190], calls[190:], "hamming").shape
    (190, 210)
    """
    name = None if keywords or out is not None else _metric(metric)
    calls = _both(XA, XB) if name else None
    if name is None or calls is None:
        return _scipy.cdist(XA, XB, metric, out=out, **keywords)
    return _between(calls, name)[: len(XA), len(XA) :].copy()
