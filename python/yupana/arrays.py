"""Scans, reductions, merges and sorts of vectors: the building blocks.

Vectors hold int32, int64, uint32, uint64, float32 or float64. Results do not depend on the device or
the number of threads, floats included. NaN counts as the greatest number, -0 equals +0; sums of integers wrap
around, with a note where ``overflow`` says so. Vectors on a GPU (CuPy, torch, JAX) are read there, and results made there; they are never
converted. Every function takes ``device``, ``threads``, ``memory`` and ``progress``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._call import Keywords, run, with_keywords
from ._views import (
    WORDS,
    Array,
    any_on_gpu,
    dtype_of,
    given,
    host_array,
    new_array,
    on_gpu,
    output,
    plain_vector,
    resident,
    same_types,
    type_name,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

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


_INTEGERS = ("int32", "int64", "uint32", "uint64")


def _neutral(dtype: np.dtype, op: str) -> Any:
    """What an operation begins with by default."""
    if op == "plus":
        return dtype.type(0)
    if op not in ("min", "max"):
        raise ValueError(f"op: expected one of plus, min, max; got '{op}'")
    if dtype.kind == "f":
        # NaN is the greatest number.
        return dtype.type(np.nan if op == "min" else -np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.max if op == "min" else limits.min)


def _start(init: Any, x: Any, op: str) -> Any:
    dtype = dtype_of(x)
    if init is None:
        return _neutral(dtype, op).item()
    number = np.asarray(init)
    if number.ndim > 0 or number.dtype.kind not in "biufO":
        raise TypeError(f"init: expected a number, got {init!r}")
    try:
        start = dtype.type(init)
    except (OverflowError, ValueError):  # 2**64, NaN
        raise ValueError(f"init: expected a number that {dtype} holds, got {init!r}") from None
    if dtype.kind != "f" and start != init:
        raise ValueError(f"init: expected a whole number, as x is of {dtype}, got {init!r}")
    return start.item()


def _overflow(x: Any, op: str, overflow: str) -> tuple[str, ...]:
    """What a call in host memory takes; on a GPU sums wrap around."""
    if overflow in ("wrap", "error") and (op in ("min", "max") or dtype_of(x).kind == "f"):
        without = f"op={op!r}" if op in ("min", "max") else "floats"
        raise ValueError(f"overflow has no effect on {without}: it is of sums of integers; leave it out")
    if not on_gpu(x):
        return (overflow,)
    if overflow == "error":
        raise ValueError("overflow: expected 'note' or 'wrap' for an x on a GPU, got 'error'")
    return ()


@with_keywords
def inclusive_scan(
    x: Any,
    op: str = "plus",
    *,
    out: Array | None = None,
    overflow: str = "note",
    **keywords: Unpack[Keywords],
) -> Array:
    """Running totals: ``out[i] = x[0] op x[1] op ... op x[i]``.

    Parameters
    ----------
    x : vector, shape (n,)
    op : "plus", "min" or "max"
    out : array to write to, of the shape and type of x; may be x itself
    overflow : of sums of integers beyond their type: "note" wraps around with a :class:`Note`, "wrap"
        without, "error" raises. An x on a GPU wraps around without a note

    Raises
    ------
    ValueError : an unknown operation, a shape that does not fit, a sum beyond the type of x
    TypeError : another type of numbers

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.inclusive_scan(np.array([3, 1, 4, 1, 5]))
    array([ 3,  4,  8,  9, 14])
    """
    x = plain_vector(x, "x")
    out = output(out, x)
    run("arrays.scan", keywords, x, op, None, False, out, *_overflow(x, op, overflow))
    return given(out, x)


@with_keywords
def exclusive_scan(
    x: Any,
    init: Any = None,
    op: str = "plus",
    *,
    out: Array | None = None,
    overflow: str = "note",
    **keywords: Unpack[Keywords],
) -> Array:
    """Running totals before each value: ``out[0] = init, out[i] = init op x[0] op ... op x[i-1]``.

    Parameters
    ----------
    x : vector, shape (n,)
    init : number; by default 0, for "min" and "max" the greatest (of floats NaN) and least of the type
    op : "plus", "min" or "max"
    out : array to write to, of the shape and type of x; may be x itself
    overflow : of sums of integers beyond their type: "note" wraps around with a :class:`Note`, "wrap"
        without, "error" raises. An x on a GPU wraps around without a note

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.exclusive_scan(np.array([3, 1, 4, 1, 5]))
    array([0, 3, 4, 8, 9])
    """
    x = plain_vector(x, "x")
    out = output(out, x)
    start = _start(init, x, op)
    run("arrays.scan", keywords, x, op, start, True, out, *_overflow(x, op, overflow))
    return given(out, x)


@with_keywords
def reduce(
    x: Any,
    op: str = "plus",
    init: Any = None,
    *,
    overflow: str = "note",
    **keywords: Unpack[Keywords],
) -> Any:
    """The total ``init op x[0] op ... op x[n-1]``, a NumPy scalar of the type of x.

    Parameters
    ----------
    x : vector, shape (n,)
    op : "plus", "min" or "max"
    init : number; by default 0, for "min" and "max" the greatest (of floats NaN) and least of the type
    overflow : of sums of integers beyond their type: "note" wraps around with a :class:`Note`, "wrap"
        without, "error" raises. An x on a GPU wraps around without a note

    Examples
    --------
    >>> import numpy as np, yupana
    >>> int(yupana.arrays.reduce(np.array([3, 1, 4, 1, 5]), "max"))
    5
    """
    x = plain_vector(x, "x")
    start = _start(init, x, op)
    total = run("arrays.reduce", keywords, x, op, start, *_overflow(x, op, overflow))
    return dtype_of(x).type(total)


def _offsets(offsets: Any, x: Any) -> Any:
    """int64 in host memory, or on the GPU of x."""
    if on_gpu(x) and on_gpu(offsets):
        return resident(offsets, "offsets", ("int64",), 1)
    offsets = host_array(offsets, "offsets")
    if offsets.size > 0 and offsets.dtype.kind not in "iu":
        raise TypeError(f"offsets: expected integers, got {offsets.dtype}")
    return np.ascontiguousarray(offsets, dtype=np.int64)


@with_keywords
def segmented_scan(x: Any, offsets: Any, op: str = "plus", **keywords: Unpack[Keywords]) -> Array:
    """Running totals within segments: segment s is ``x[offsets[s]:offsets[s + 1]]``.

    Values outside ``x[offsets[0]:offsets[-1]]`` are copied. Sums of integers wrap around without a
    note. Offsets of an x on a GPU may be there
    too (int64), or in host memory.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.segmented_scan(np.array([1, 1, 1, 1, 1]), [0, 2, 5])
    array([1, 2, 1, 2, 3])
    """
    x = plain_vector(x, "x")
    out = new_array(x)
    run("arrays.segmented_scan", keywords, x, _offsets(offsets, x), op, out)
    return given(out, x)


@with_keywords
def segmented_reduce(
    x: Any, offsets: Any, op: str = "plus", init: Any = None, **keywords: Unpack[Keywords]
) -> Array:
    """The total of each segment ``x[offsets[s]:offsets[s + 1]]``; ``init`` for an empty one.

    Sums of integers wrap around without a note.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.segmented_reduce(np.array([3, 1, 4, 1, 5]), [0, 2, 2, 5])
    array([ 4,  0, 10])
    """
    x = plain_vector(x, "x")
    start = _start(init, x, op)
    offsets = _offsets(offsets, x)
    totals = new_array(x, (max(0, int(offsets.shape[0]) - 1),), type_name(x))
    run("arrays.segmented_reduce", keywords, x, offsets, op, start, totals)
    return given(totals, x)


@with_keywords
def reduce_by_key(keys: Any, values: Any, **keywords: Unpack[Keywords]) -> tuple[Array, Array]:
    """Sums of runs: the key of each run of equal neighbouring keys, and the sum of its values.

    Parameters
    ----------
    keys : vector of integers, shape (n,)
    values : vector, shape (n,)

    Sums of integers wrap around without a note, those of floats are made in 64 bits.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> keys, sums = yupana.arrays.reduce_by_key(np.array([7, 7, 2, 7]), np.array([1., 2., 4., 8.]))
    >>> keys
    array([7, 2, 7])
    >>> sums
    array([3., 4., 8.])
    """
    is_there = any_on_gpu(keys=keys, values=values)
    keys, values = plain_vector(keys, "keys", _INTEGERS), plain_vector(values, "values")
    if is_there:
        return run("arrays.reduce_by_key", keywords, keys, values, likes=(keys, values))
    words = keys.astype(np.int64, copy=False)
    wide = values.astype(np.float64 if values.dtype.kind == "f" else np.int64, copy=False)
    found_keys, sums = run("arrays.reduce_by_key", keywords, words, wide)
    return found_keys.astype(keys.dtype), sums.astype(values.dtype)


def _words(values: Any, name: str) -> tuple[Any, np.dtype]:
    """Values that only move, and their type: on a GPU as they are, else as words of 8 bytes."""
    if on_gpu(values):
        return resident(values, name, WORDS, 1), dtype_of(values)
    values = np.ascontiguousarray(host_array(values, name))
    if values.ndim != 1 or values.dtype.hasobject or values.dtype.itemsize not in (4, 8):
        raise TypeError(f"{name}: expected a vector of 4-byte or 8-byte values, got {values.dtype}")
    if values.dtype.itemsize == 8:
        return values.view(np.uint64), values.dtype
    return values.view(np.uint32).astype(np.uint64), values.dtype


def _unwrapped(words: Any, dtype: np.dtype) -> Array:
    """Words of 8 bytes in host memory as the values that they were made of."""
    if on_gpu(words):
        return words
    return (words if dtype.itemsize == 8 else words.astype(np.uint32)).view(dtype)


@with_keywords
def sort(keys: Any, *, out: Array | None = None, **keywords: Unpack[Keywords]) -> Array:
    """The keys in ascending order; NaN last.

    Parameters
    ----------
    keys : vector, shape (n,)
    out : array to write to; keys itself is sorted in place

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.sort(np.array([3, 1, 4, 1, 5]))
    array([1, 1, 3, 4, 5])
    """
    keys = plain_vector(keys, "keys")
    out = output(out, keys)
    run("arrays.sort", keywords, keys, out)
    return given(out, keys)


@with_keywords
def sort_by_key(keys: Any, values: Any, **keywords: Unpack[Keywords]) -> tuple[Array, Array]:
    """Keys in ascending order and the values that go with them; equal keys keep their order.

    Parameters
    ----------
    keys : vector, shape (n,)
    values : vector of any type of 4 or 8 bytes, shape (n,)

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.sort_by_key(np.array([2, 1]), np.array([0.5, 0.25]))
    (array([1, 2]), array([0.25, 0.5 ]))
    """
    any_on_gpu(keys=keys, values=values)
    keys = plain_vector(keys, "keys")
    words, dtype = _words(values, "values")
    ordered, moved = new_array(keys), new_array(words)
    run("arrays.sort_by_key", keywords, keys, words, ordered, moved)
    return given(ordered, keys), _unwrapped(given(moved, words), dtype)


@with_keywords
def argsort(keys: Any, **keywords: Unpack[Keywords]) -> Array:
    """The places of the keys in ascending order (int64); equal keys keep their order.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.argsort(np.array([3, 1, 4, 1, 5]))
    array([1, 3, 0, 2, 4])
    """
    keys = plain_vector(keys, "keys")
    places = new_array(keys, keys.shape, "int64")
    run("arrays.argsort", keywords, keys, places)
    return given(places, keys)


@with_keywords
def merge(a: Any, b: Any, **keywords: Unpack[Keywords]) -> Array:
    """Two sorted vectors of one type as one; of equal keys those of a come first. Vectors that are not
    sorted are refused where the merge meets it, and are in no stated order where it does not.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.merge(np.array([1, 4]), np.array([2, 3, 5]))
    array([1, 2, 3, 4, 5])
    """
    any_on_gpu(a=a, b=b)
    a, b = plain_vector(a, "a"), plain_vector(b, "b")
    same_types(a=a, b=b)
    merged = new_array(a, (int(a.shape[0]) + int(b.shape[0]),), type_name(a))
    run("arrays.merge", keywords, a, b, merged)
    return given(merged, a)


@with_keywords
def merge_by_key(
    a: Any, a_values: Any, b: Any, b_values: Any, **keywords: Unpack[Keywords]
) -> tuple[Array, Array]:
    """As :func:`merge`, with values, of any type of 4 or 8 bytes, that move with their keys.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> a, b = np.array([1, 4]), np.array([2])
    >>> yupana.arrays.merge_by_key(a, np.array([10, 40]), b, np.array([20]))
    (array([1, 2, 4]), array([10, 20, 40]))
    """
    any_on_gpu(a=a, a_values=a_values, b=b, b_values=b_values)
    a, b = plain_vector(a, "a"), plain_vector(b, "b")
    a_words, dtype = _words(a_values, "a_values")
    b_words, b_dtype = _words(b_values, "b_values")
    same_types(a=a, b=b)
    if dtype != b_dtype:
        raise TypeError(f"b_values: expected {dtype}, as a_values has, got {b_dtype}")
    size = (int(a.shape[0]) + int(b.shape[0]),)
    keys, moved = new_array(a, size, type_name(a)), new_array(a_words, size, type_name(a_words))
    run("arrays.merge_by_key", keywords, a, a_words, b, b_words, keys, moved)
    return given(keys, a), _unwrapped(given(moved, a_words), dtype)
