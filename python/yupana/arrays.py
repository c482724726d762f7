"""Scans, reductions, merges and sorts of vectors: the building blocks.

Vectors hold int32, int64, uint32, uint64, float32 or float64. Results do not depend on the number
of threads, floats included. NaN counts as the greatest number, -0 equals +0; sums of integers wrap
around. Every function takes ``device``, ``threads`` and ``progress``.

Over 400 lines: a docstring with an example for each of its functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._call import Array, ProgressLike, host_array, on_gpu, options, output, plain_vector

__all__ = [
    "argsort",
    "exclusive_scan",
    "inclusive_scan",
    "merge",
    "merge_by_key",
    "reduce",
    "reduce_by_key",
    "segmented_reduce",
    "segmented_scan",
    "sort",
    "sort_by_key",
]


def _neutral(dtype: np.dtype, op: str) -> Any:
    """What an operation begins with where nothing else is said."""
    if op == "plus":
        return dtype.type(0)
    if op not in ("min", "max"):
        raise ValueError(f"op: '{op}' is unknown; use plus, min or max")
    if dtype.kind == "f":
        # NaN is the greatest number.
        return dtype.type(np.nan if op == "min" else -np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if op == "min" else limits.min)


def _start(init: Any, dtype: np.dtype, op: str) -> Any:
    neutral = _neutral(dtype, op)
    return (neutral if init is None else dtype.type(init)).item()


def inclusive_scan(
    x: Any,
    op: str = "plus",
    *,
    out: Array | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """Running totals: ``out[i] = x[0] op x[1] op ... op x[i]``.

    Parameters
    ----------
    x : vector, shape (n,); of a GPU (CuPy, torch): scanned there
    op : "plus", "min" or "max"
    out : array to write to, of the shape and type of x; may be x itself

    Raises
    ------
    ValueError : an unknown operation, a shape that does not fit
    TypeError : another type of numbers

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.inclusive_scan(np.array([3, 1, 4, 1, 5]))
    array([ 3,  4,  8,  9, 14])
    """
    if on_gpu(x):
        from . import _device

        return _device.scan(x, op, None, False, out, device, threads, None, progress)
    x = plain_vector(x, "x")
    out = output(out, x.size, x.dtype)
    with options(device, threads, None, progress) as call:
        _core.arrays.inclusive_scan(call, x, out, op)
    return out


def exclusive_scan(
    x: Any,
    init: Any = None,
    op: str = "plus",
    *,
    out: Array | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """Running totals before each value: ``out[0] = init, out[i] = init op x[0] op ... op x[i-1]``.

    Parameters
    ----------
    x : vector, shape (n,); of a GPU (CuPy, torch): scanned there
    init : number; by default 0, for "min" and "max" the greatest and least number of the type
    op : "plus", "min" or "max"
    out : array to write to, of the shape and type of x; may be x itself

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.exclusive_scan(np.array([3, 1, 4, 1, 5]))
    array([0, 3, 4, 8, 9])
    """
    if on_gpu(x):
        from . import _device

        first = _start(init, _device.dtype_of(x), op)
        return _device.scan(x, op, first, True, out, device, threads, None, progress)
    x = plain_vector(x, "x")
    out = output(out, x.size, x.dtype)
    with options(device, threads, None, progress) as call:
        _core.arrays.exclusive_scan(call, x, _start(init, x.dtype, op), out, op)
    return out


def reduce(
    x: Any,
    op: str = "plus",
    init: Any = None,
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> Any:
    """The total ``init op x[0] op ... op x[n-1]``, a scalar of the type of x.

    A vector of a GPU (CuPy, torch) is read there; the total comes to the host.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> int(yupana.arrays.reduce(np.array([3, 1, 4, 1, 5]), "max"))
    5
    """
    if on_gpu(x):
        from . import _device

        start = _start(init, _device.dtype_of(x), op)
        return _device.reduce(x, op, start, device, threads, None, progress)
    x = plain_vector(x, "x")
    with options(device, threads, None, progress) as call:
        return x.dtype.type(_core.arrays.reduce(call, x, _start(init, x.dtype, op), op))


def segmented_scan(
    x: Any,
    offsets: Any,
    op: str = "plus",
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """Running totals within segments: segment s is ``x[offsets[s]:offsets[s + 1]]``.

    What stands outside ``x[offsets[0]:offsets[-1]]`` comes out as it is. x of a GPU (CuPy, torch) is
    scanned there; offsets may be there too (int64), or in host memory.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.segmented_scan(np.array([1, 1, 1, 1, 1]), [0, 2, 5])
    array([1, 2, 1, 2, 3])
    """
    if on_gpu(x):
        from . import _device

        return _device.segmented_scan(x, offsets, op, device, threads, None, progress)
    x = plain_vector(x, "x")
    offsets = np.ascontiguousarray(host_array(offsets, "offsets"), dtype=np.int64)
    out = x.copy()
    with options(device, threads, None, progress) as call:
        _core.arrays.segmented_scan(call, x, offsets, out, op)
    return out


def segmented_reduce(
    x: Any,
    offsets: Any,
    op: str = "plus",
    init: Any = None,
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """The total of each segment ``x[offsets[s]:offsets[s + 1]]``; ``init`` for an empty one.

    Arrays of a GPU as for :func:`segmented_scan`.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.segmented_reduce(np.array([3, 1, 4, 1, 5]), [0, 2, 2, 5])
    array([ 4,  0, 10])
    """
    if on_gpu(x):
        from . import _device

        start = _start(init, _device.dtype_of(x), op)
        return _device.segmented_reduce(x, offsets, op, start, device, threads, None, progress)
    x = plain_vector(x, "x")
    offsets = np.ascontiguousarray(host_array(offsets, "offsets"), dtype=np.int64)
    totals = np.empty(max(0, offsets.size - 1), x.dtype)
    with options(device, threads, None, progress) as call:
        _core.arrays.segmented_reduce(call, x, offsets, _start(init, x.dtype, op), totals, op)
    return totals


def reduce_by_key(
    keys: Any,
    values: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> tuple[Array, Array]:
    """Sums of runs: the key of each run of equal neighbouring keys, and the sum of its values.

    Parameters
    ----------
    keys : vector of integers, shape (n,)
    values : vector, shape (n,); both of a GPU (CuPy, torch): summed there

    Sums of integers wrap around, those of floats are made in 64 bits.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> keys, sums = yupana.arrays.reduce_by_key(np.array([7, 7, 2, 7]), np.array([1., 2., 4., 8.]))
    >>> keys
    array([7, 2, 7])
    >>> sums
    array([3., 4., 8.])
    """
    if on_gpu(keys) or on_gpu(values):
        from . import _device

        return _device.reduce_by_key(keys, values, device, threads, None, progress)
    keys, values = plain_vector(keys, "keys"), plain_vector(values, "values")
    if keys.dtype.kind == "f":
        raise TypeError(f"keys: integers wanted, {keys.dtype} given")
    words = keys.astype(np.int64, copy=False)
    wide = values.astype(np.float64 if values.dtype.kind == "f" else np.int64, copy=False)
    out_keys, sums = np.empty_like(words), np.empty_like(wide)
    with options(device, threads, None, progress) as call:
        runs = _core.arrays.reduce_by_key(call, words, wide, out_keys, sums)
    return out_keys[:runs].astype(keys.dtype), sums[:runs].astype(values.dtype)


def _moved(values: Any, name: str) -> np.ndarray:
    """Values as words of 8 bytes, which only move: a view where they have 8."""
    values = np.ascontiguousarray(values)
    if values.ndim != 1 or values.dtype.hasobject or values.dtype.itemsize not in (4, 8):
        raise TypeError(f"{name}: a vector of values of 4 or 8 bytes wanted, {values.dtype} given")
    if values.dtype.itemsize == 8:
        return values.view(np.uint64)
    return values.view(np.uint32).astype(np.uint64)


def _unmoved(words: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Words back as what they were."""
    return (words if dtype.itemsize == 8 else words.astype(np.uint32)).view(dtype)


def sort(
    keys: Any,
    *,
    out: Array | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """The keys in ascending order; NaN last.

    Parameters
    ----------
    keys : vector, shape (n,); of a GPU (CuPy, torch): sorted there
    out : array to write to; keys itself is sorted in place

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.sort(np.array([3, 1, 4, 1, 5]))
    array([1, 1, 3, 4, 5])
    """
    if on_gpu(keys):
        from . import _device

        return _device.sort(keys, out, device, threads, None, progress)
    keys = plain_vector(keys, "keys")
    out = output(out, keys.size, keys.dtype)
    if out is not keys:
        np.copyto(out, keys)
    with options(device, threads, None, progress) as call:
        _core.arrays.sort(call, out)
    return out


def sort_by_key(
    keys: Any,
    values: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> tuple[Array, Array]:
    """Keys in ascending order and the values that go with them; equal keys keep their order.

    Parameters
    ----------
    keys : vector, shape (n,)
    values : vector of any type of 4 or 8 bytes, shape (n,); both of a GPU (CuPy, torch): sorted there

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.sort_by_key(np.array([2, 1]), np.array([0.5, 0.25]))
    (array([1, 2]), array([0.25, 0.5 ]))
    """
    if on_gpu(keys) or on_gpu(values):
        from . import _device

        return _device.sort_by_key(keys, values, device, threads, None, progress)
    keys = plain_vector(keys, "keys").copy()
    values = host_array(values, "values")
    words = _moved(values, "values")
    if np.shares_memory(words, values):
        words = words.copy()
    with options(device, threads, None, progress) as call:
        _core.arrays.sort_by_key(call, keys, words)
    return keys, _unmoved(words, values.dtype)


def argsort(
    keys: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """The places of the keys in ascending order (int64); equal keys keep their order.

    Of keys of a GPU (CuPy, torch) an array there.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.argsort(np.array([3, 1, 4, 1, 5]))
    array([1, 3, 0, 2, 4])
    """
    if on_gpu(keys):
        from . import _device

        return _device.argsort(keys, device, threads, None, progress)
    keys = plain_vector(keys, "keys")
    places = np.arange(keys.size, dtype=np.int64)
    return sort_by_key(keys, places, device=device, threads=threads, progress=progress)[1]


def merge(
    a: Any,
    b: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """Two sorted vectors of one type as one; of equal keys those of a come first.

    Two arrays of a GPU (CuPy, torch) are merged there, into another one.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.merge(np.array([1, 4]), np.array([2, 3, 5]))
    array([1, 2, 3, 4, 5])
    """
    if on_gpu(a) or on_gpu(b):
        from . import _device

        return _device.merge(a, b, device, threads, None, progress)
    a, b = plain_vector(a, "a"), plain_vector(b, "b")
    if a.dtype != b.dtype:
        raise TypeError(f"b: {a.dtype} wanted, as a has, {b.dtype} given")
    out = np.empty(a.size + b.size, a.dtype)
    with options(device, threads, None, progress) as call:
        _core.arrays.merge(call, a, b, out)
    return out


def merge_by_key(
    a: Any,
    a_values: Any,
    b: Any,
    b_values: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    progress: ProgressLike = None,
) -> tuple[Array, Array]:
    """As :func:`merge`, with values, of any type of 4 or 8 bytes, that move with their keys.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> a, b = np.array([1, 4]), np.array([2])
    >>> yupana.arrays.merge_by_key(a, np.array([10, 40]), b, np.array([20]))
    (array([1, 2, 4]), array([10, 20, 40]))
    """
    if any(on_gpu(x) for x in (a, a_values, b, b_values)):
        from . import _device

        return _device.merge_by_key(a, a_values, b, b_values, device, threads, None, progress)
    a, b = plain_vector(a, "a"), plain_vector(b, "b")
    a_values, b_values = host_array(a_values, "a_values"), host_array(b_values, "b_values")
    if a.dtype != b.dtype or a_values.dtype != b_values.dtype:
        raise TypeError("b: keys and values of the types that a has wanted")
    out = np.empty(a.size + b.size, a.dtype)
    words = np.empty(out.size, np.uint64)
    with options(device, threads, None, progress) as call:
        _core.arrays.merge_by_key(
            call,
            a,
            _moved(a_values, "a_values"),
            b,
            _moved(b_values, "b_values"),
            out,
            words,
        )
    return out, _unmoved(words, a_values.dtype)
