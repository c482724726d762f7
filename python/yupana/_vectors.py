"""Arguments and results of the functions on vectors, as the bindings take and give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._call import whole
from ._views import WORDS, Array, any_on_gpu, dtype_of, host_array, on_gpu, plain_vector, resident


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


def start_of(init: Any, x: Any, op: str) -> Any:
    """The number that an operation begins with, of the type of x."""
    dtype = dtype_of(x)
    if init is None:
        return _neutral(dtype, op).item()
    number = np.asarray(init)
    if number.ndim > 0 or number.dtype.kind not in "biufO":
        raise TypeError(f"init: expected a number, got {init!r}")
    try:
        with np.errstate(over="ignore"):
            start = dtype.type(init)
        if np.isinf(start) and not np.isinf(float(init)):
            raise OverflowError
    except (OverflowError, ValueError):  # 2**64, NaN, 1e300 as float32
        raise ValueError(f"init: expected a number that {dtype} holds, got {init!r}") from None
    if dtype.kind != "f" and start != init:
        raise ValueError(f"init: expected a whole number, as x is of {dtype}, got {init!r}")
    return start.item()


def overflow_of(x: Any, op: str, overflow: str) -> tuple[str, ...]:
    """What a call in host memory takes; on a GPU sums wrap around."""
    if overflow in ("wrap", "error") and (op in ("min", "max") or dtype_of(x).kind == "f"):
        without = f"op={op!r}" if op in ("min", "max") else "floats"
        raise ValueError(f"overflow has no effect on {without}: it is of sums of integers; leave it out")
    if not on_gpu(x):
        return (overflow,)
    if overflow == "error":
        raise ValueError("overflow: expected 'note' or 'wrap' for an x on a GPU, got 'error'")
    return ()


def offsets_of(offsets: Any, x: Any) -> Any:
    """int64 in host memory, or on the GPU of x."""
    if on_gpu(x) and on_gpu(offsets):
        return resident(offsets, "offsets", ("int64",), 1)
    offsets = host_array(offsets, "offsets")
    if offsets.size > 0 and offsets.dtype.kind not in "iu":
        raise TypeError(f"offsets: expected integers, got {offsets.dtype}")
    if offsets.ndim != 1:
        raise ValueError(f"offsets: expected one dimension, got {offsets.ndim}")
    return np.ascontiguousarray(offsets, dtype=np.int64)


def words_of(values: Any, name: str) -> tuple[Any, np.dtype]:
    """Values that only move, and their type: on a GPU as they are, else as words of 8 bytes."""
    if on_gpu(values):
        return resident(values, name, WORDS, 1), dtype_of(values)
    values = np.ascontiguousarray(host_array(values, name))
    if values.ndim != 1 or values.dtype.hasobject or values.dtype.itemsize not in (4, 8):
        raise TypeError(f"{name}: expected a vector of 4-byte or 8-byte values, got {values.dtype}")
    if values.dtype.itemsize == 8:
        return values.view(np.uint64), values.dtype
    return values.view(np.uint32).astype(np.uint64), values.dtype


def unwrapped(words: Any, dtype: np.dtype) -> Array:
    """Words of 8 bytes in host memory as the values that they were made of."""
    if on_gpu(words):
        return words
    return (words if dtype.itemsize == 8 else words.astype(np.uint32)).view(dtype)


def selected_of(keys: Any, descending: bool, unique: bool, top: int | None) -> tuple[Any, ...]:
    """What a sort in host memory takes; on a GPU all keys are sorted, in ascending order."""
    if not on_gpu(keys):
        return descending, unique, 2**63 - 1 if top is None else whole("top", top)
    for name, value in (("descending", descending), ("unique", unique), ("top", top)):
        if value is not None and value is not False:
            raise TypeError(
                f"{name}: expected keys in host memory, got some on a GPU; copy them with .get() "
                "(CuPy) or .cpu() (torch)"
            )
    return ()


def first(values: Array, kept: int) -> Array:
    """The first values, in memory of no more than these."""
    return values if kept == values.shape[0] else values[:kept].copy()


def vectors_of(keys: Any) -> list[Array]:
    """At least one vector, all of one length and in one place."""
    vectors = [plain_vector(key, f"keys[{i}]") for i, key in enumerate(keys)]
    if not vectors:
        raise ValueError("keys: expected at least one vector, got none")
    any_on_gpu(**{f"keys[{i}]": vector for i, vector in enumerate(vectors)})
    for i, vector in enumerate(vectors):
        if vector.shape != vectors[0].shape:
            expected, got = vectors[0].shape[0], vector.shape[0]
            raise ValueError(f"keys[{i}]: expected {expected} values, as keys[0] has, got {got}")
    return vectors
