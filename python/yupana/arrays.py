"""Scans, reductions, merges and sorts of vectors: the building blocks.

Vectors hold int32, int64, uint32, uint64, float32 or float64. In host memory int8, int16, bool, uint8,
uint16, float16 and bfloat16 are taken too: keys keep their type, sums, least and greatest are int64, uint64
and float64, as ``yupana scan`` has them. Results do not depend on the device or
the number of threads, floats included. NaN counts as the greatest number, -0 equals +0; sums of integers wrap
around, with a note where ``overflow`` says so. Vectors on a GPU (CuPy, torch, JAX) are read there, and results made there; they are never
converted. Every function takes ``device``, ``threads``, ``memory`` and ``progress``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._call import Keywords, run, with_keywords
from ._vectors import first, offsets_of, overflow_of, selected_of, start_of, unwrapped, vectors_of, words_of
from ._views import Array, any_on_gpu, dtype_of, given, new_array
from ._views import as_narrow_as, output, plain_vector, same_types, type_name

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "argsort",
    "exclusive_scan",
    "inclusive_scan",
    "lexsort",
    "merge",
    "merge_by_key",
    "reduce",
    "reduce_by_key",
    "segmented_reduce",
    "segmented_scan",
    "sort",
    "sort_by_key",
    "unique",
]

_INTEGERS = ("int32", "int64", "uint32", "uint64")


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
    run("arrays.scan", keywords, x, op, None, False, out, *overflow_of(x, op, overflow))
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
    start = start_of(init, x, op)
    run("arrays.scan", keywords, x, op, start, True, out, *overflow_of(x, op, overflow))
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
    start = start_of(init, x, op)
    total = run("arrays.reduce", keywords, x, op, start, *overflow_of(x, op, overflow))
    return dtype_of(x).type(total)


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
    run("arrays.segmented_scan", keywords, x, offsets_of(offsets, x), op, out)
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
    start = start_of(init, x, op)
    offsets = offsets_of(offsets, x)
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
    own, keys, values = keys, plain_vector(keys, "keys", _INTEGERS), plain_vector(values, "values")
    if is_there:
        return run("arrays.reduce_by_key", keywords, keys, values, likes=(keys, values))
    words = keys.astype(np.int64, copy=False)
    wide = values.astype(np.float64 if values.dtype.kind == "f" else np.int64, copy=False)
    found_keys, sums = run("arrays.reduce_by_key", keywords, words, wide)
    return as_narrow_as(found_keys.astype(keys.dtype), own), sums.astype(values.dtype)


@with_keywords
def sort(
    keys: Any,
    *,
    descending: bool = False,
    unique: bool = False,
    top: int | None = None,
    out: Array | None = None,
    **keywords: Unpack[Keywords],
) -> Array:
    """The keys in ascending order, or in descending order; NaN last in both. Equal keys keep their order.

    Parameters
    ----------
    keys : vector, shape (n,)
    descending : from the greatest down
    unique : of equal keys the first alone; -0 equals +0, NaN equals NaN
    top : as many from the beginning of the order, at most all, shape (min(top, n),); with ``descending``
        the greatest, without the least. By default all
    out : array to write to; keys itself is sorted in place. Not with ``unique`` or ``top``. A sort that is
        interrupted or fails leaves no particular order there and, with ``descending``, other numbers:
        pass another array than keys where they must outlive it

    On a GPU all keys are sorted, in ascending order. The order is that of ``yupana sort``.

    Raises
    ------
    ValueError : a top that is no whole number from 0, an ``out`` of another size or type
    TypeError : another type of numbers; ``descending``, ``unique`` or ``top`` of keys on a GPU

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.sort(np.array([3, 1, 4, 1, 5]))
    array([1, 1, 3, 4, 5])
    >>> yupana.arrays.sort(np.array([3, 1, 4, 1, 5]), descending=True, top=2)
    array([5, 4])
    """
    own, keys = keys, plain_vector(keys, "keys")
    if out is not None and (unique or top is not None):
        raise ValueError("out: expected none with unique or top, which may keep fewer keys; leave it out")
    selected = selected_of(keys, descending, unique, top)
    written = output(out, keys)
    kept = run("arrays.sort", keywords, keys, written, *selected)
    ordered = first(given(written, keys), kept)
    return as_narrow_as(ordered, own) if out is None else ordered


@with_keywords
def unique(keys: Any, **keywords: Unpack[Keywords]) -> Array:
    """The different keys in ascending order, as ``numpy.unique`` gives them: ``sort(keys, unique=True)``.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.unique(np.array([3, 1, 4, 1, 5]))
    array([1, 3, 4, 5])
    """
    return sort(keys, unique=True, **keywords)


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
    own, keys = keys, plain_vector(keys, "keys")
    words, dtype = words_of(values, "values")
    ordered, moved = new_array(keys), new_array(words)
    run("arrays.sort_by_key", keywords, keys, words, ordered, moved)
    return as_narrow_as(given(ordered, keys), own), unwrapped(given(moved, words), dtype)


@with_keywords
def argsort(
    keys: Any,
    *,
    descending: bool = False,
    unique: bool = False,
    top: int | None = None,
    **keywords: Unpack[Keywords],
) -> Array:
    """The places of the keys in the order of :func:`sort` (int64): ``keys[argsort(keys)]`` is ``sort(keys)``.

    Parameters are those of :func:`sort`; equal keys keep their order in both directions.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.arrays.argsort(np.array([3, 1, 4, 1, 5]))
    array([1, 3, 0, 2, 4])
    >>> yupana.arrays.argsort(np.array([3, 1, 4, 1, 5]), descending=True, top=2)
    array([4, 2])
    """
    keys = plain_vector(keys, "keys")
    selected = selected_of(keys, descending, unique, top)
    places = new_array(keys, keys.shape, "int64")
    kept = run("arrays.argsort", keywords, keys, places, *selected)
    return first(given(places, keys), kept)


@with_keywords
def lexsort(keys: Any, **keywords: Unpack[Keywords]) -> Array:
    """The places of rows in the order of several columns (int64), as ``numpy.lexsort``: by the last of the
    keys, rows that are equal there by the one before it, and so on; equal in all, they keep their order.

    Parameters
    ----------
    keys : vectors of one length and any of the types each, or a matrix whose rows they are

    Raises
    ------
    ValueError : no keys, or vectors of different lengths
    TypeError : another type of numbers

    Examples
    --------
    >>> import numpy as np, yupana
    >>> surnames, names = np.array([2, 1, 2, 1]), np.array([0.5, 0.25, 0.125, 0.25])
    >>> yupana.arrays.lexsort((names, surnames))
    array([1, 3, 2, 0])
    """
    vectors = vectors_of(keys)
    places = argsort(vectors[0], **keywords)
    for vector in vectors[1:]:
        _, places = sort_by_key(vector[places], places, **keywords)
    return places


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
    own, a, b = (a, b), plain_vector(a, "a"), plain_vector(b, "b")
    same_types(a=a, b=b)
    merged = new_array(a, (int(a.shape[0]) + int(b.shape[0]),), type_name(a))
    run("arrays.merge", keywords, a, b, merged)
    return as_narrow_as(given(merged, a), *own)


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
    own, a, b = (a, b), plain_vector(a, "a"), plain_vector(b, "b")
    a_words, dtype = words_of(a_values, "a_values")
    b_words, b_dtype = words_of(b_values, "b_values")
    same_types(a=a, b=b)
    if dtype != b_dtype:
        raise TypeError(f"b_values: expected {dtype}, as a_values has, got {b_dtype}")
    size = (int(a.shape[0]) + int(b.shape[0]),)
    keys, moved = new_array(a, size, type_name(a)), new_array(a_words, size, type_name(a_words))
    run("arrays.merge_by_key", keywords, a, a_words, b, b_words, keys, moved)
    return as_narrow_as(given(keys, a), *own), unwrapped(given(moved, a_words), dtype)
