"""The closest pair of points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._call import Keywords, run, with_keywords
from ._views import on_gpu, real_array

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["ClosestPair", "closest_pair"]


class ClosestPair(NamedTuple):
    """Two points, i < j, and how far they are apart."""

    i: int
    j: int
    distance: float


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
    ValueError : fewer than 2 points, another number of dimensions, NaN or infinity (with its row)

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.geometry.closest_pair(np.array([[0.0, 0.0], [5.0, 5.0], [3.0, 4.0]]))
    ClosestPair(i=1, j=2, distance=2.23606797749979)
    """
    points = real_array(points, "points", 2)
    # Rows may lie apart, the numbers of a row may not.
    if not on_gpu(points) and points.shape[1] > 1 and points.strides[1] != points.itemsize:
        points = np.ascontiguousarray(points)
    return ClosestPair(*run("geometry.closest_pair", keywords, points, method))
