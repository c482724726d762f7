"""The closest pair of points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._call import ProgressLike, host_array, on_gpu, options

__all__ = ["ClosestPair", "closest_pair"]


class ClosestPair(NamedTuple):
    """Two points, i < j, and how far they are apart."""

    i: int
    j: int
    distance: float


def closest_pair(
    points: Any,
    method: str = "auto",
    *,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    progress: ProgressLike = None,
) -> ClosestPair:
    """The two points nearest to each other; of equal pairs the first in order of (i, j).

    Parameters
    ----------
    points : n x d, 2 <= n, 1 <= d <= 8, float32 or float64; of a GPU (CuPy, torch): dense
    method : "auto", "grid" (expected O(n)) or "divide" (O(n log n) in the plane)

    Raises
    ------
    ValueError : fewer than 2 points, another number of dimensions, NaN or infinity (with its row)

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.geometry.closest_pair(np.array([[0.0, 0.0], [5.0, 5.0], [3.0, 4.0]]))
    ClosestPair(i=1, j=2, distance=2.23606797749979)
    """
    if on_gpu(points):
        from . import _device

        return ClosestPair(
            *_device.closest_pair(points, method, device, threads, memory, progress)
        )
    points = host_array(points, "points")
    if points.ndim != 2:
        raise ValueError(f"points: n x d wanted, {points.ndim} dimension(s) given")
    if points.dtype not in (np.float32, np.float64):
        points = points.astype(np.float64)
    # Rows may lie apart, the numbers of a row may not.
    if points.shape[1] > 1 and points.strides[1] != points.itemsize:
        points = np.ascontiguousarray(points)
    with options(device, threads, memory, progress) as call:
        return ClosestPair(*_core.geometry.closest_pair(call, points, method))
