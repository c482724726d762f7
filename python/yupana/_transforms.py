"""Fourier transforms along any axes of an array, as NumPy and SciPy shape, cut, pad and scale them.

The transforms are the library's, one call for all axes; what is done here moves values or multiplies
all of them by one number. Errors that SciPy has too begin with its words.
"""

from __future__ import annotations

from math import prod, sqrt
from typing import Any, Sequence

import numpy as np

from . import _core
from ._call import Keywords, integer, note_memory, run, without_keywords
from ._libraries import queueing
from ._views import COMPLEX, Array, complex_array, given, is_dense, new_array, on_gpu, real_array, type_name

Lengths = Sequence[int]

_SINGLE = (np.dtype(np.float32), np.dtype(np.complex64))
_DOUBLE = (np.dtype(np.float64), np.dtype(np.complex128))
#: Real ("f") and complex ("c") numbers as exact as each.
_KINDS = {("fc"[i], x): same[i] for same in (_SINGLE, _DOUBLE) for i in (0, 1) for x in same}
_KIND_NAMES = {(kind, x.name): y.name for (kind, x), y in _KINDS.items()}
#: A call without keywords.
_ANYWHERE = _core.Options("auto", 0, 0, None)

#: The other direction's name of the same scale.
OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _whole_numbers(name: str, values: Any) -> list[int]:
    try:
        return [integer(name, value) for value in (values if np.iterable(values) else (values,))]
    except TypeError:
        raise ValueError(f"{name}: expected whole numbers, got {values!r}") from None


def _checked_axes(x: Any, s: list[int] | None, axes: Any) -> list[int]:
    """The axes from 0, in their order."""
    if axes is None:
        count = x.ndim if s is None else len(s)
        if count > x.ndim:
            raise ValueError(
                f"shape requires more axes than are present: expected up to {x.ndim}, got {count}"
            )
        return [*range(x.ndim - count, x.ndim)]
    axes = _whole_numbers("axes", axes)
    if any(not -x.ndim <= axis < x.ndim for axis in axes):
        raise ValueError(f"axes: expected axes of an array of {x.ndim} dimension(s), got {axes}")
    axes = [axis % x.ndim for axis in axes]
    if len({*axes}) < len(axes):
        raise ValueError(f"axes: expected every axis once, got {axes}")
    if s is not None and len(s) != len(axes):
        raise ValueError(f"s: expected {len(axes)} lengths, one an axis, got {len(s)}")
    return axes


def length_and_axis(n: Any, axis: Any) -> tuple[int | None, int]:
    """Those of a transform along one axis, where -1 is no length."""
    if n is not None and integer("n", n) < 1:
        raise ValueError(f"invalid number of data points ({n}) specified; expected n of 1 or more")
    return n, axis if type(axis) is int else integer("axis", axis)


def lengths_along(x: Any, s: Any, axes: Any) -> tuple[list[int], list[int]]:
    """The lengths of the signals along the axes, and the axes from 0; -1 is the array's own length."""
    if s is None and type(axes) is int:  # the usual case, at once
        shape, dimensions = x.shape, x.ndim
        if -dimensions <= axes < dimensions and shape[axes] > 0:
            return [int(shape[axes])], [axes % dimensions]
    s = None if s is None else _whole_numbers("s", s)
    axes = _checked_axes(x, s, axes)
    lengths = [int(x.shape[a]) if n == -1 else n for n, a in zip(s or [-1] * len(axes), axes)]
    if any(n < 1 for n in lengths):
        raise ValueError(f"invalid number of data points ({lengths}) specified; expected 1 or more")
    return lengths, axes


def _fitted(x: Any, lengths: Lengths, axes: Sequence[int]) -> Any:
    """x cut, or filled with zeros at the ends, to the lengths along the axes."""
    shape = list(x.shape)
    for n, axis in zip(lengths, axes):
        shape[axis] = n
    if tuple(shape) == tuple(x.shape):
        return x
    if on_gpu(x):
        raise ValueError(
            f"n: expected the array's own length on a GPU, {tuple(x.shape)}, got {tuple(shape)}; "
            "cut or fill the array first"
        )
    part = tuple(slice(min(old, new)) for old, new in zip(x.shape, shape))
    if all(old >= new for old, new in zip(x.shape, shape)):
        return np.ascontiguousarray(x[part])
    filled = np.zeros(shape, x.dtype)
    filled[part] = x[part]
    return filled


def _scaled(x: Any, norm: str | None, inverse: bool, lengths: Lengths) -> Any:
    """What the library gives, the inverse divided by the product of the lengths, with norm's scale."""
    if norm is None or norm == "backward":
        return x
    if norm not in OPPOSITE:
        raise ValueError(
            f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"'
        )
    size = prod(lengths)
    scale = sqrt(size) if norm == "ortho" else size
    factor = float(scale) if inverse else 1 / scale
    if on_gpu(x):
        return x * factor
    x *= factor
    return x


def _on_gpu_transformed(
    function: str,
    x: Any,
    axes: list[int],
    last: int | None,
    kind: str,
    keywords: Keywords,
    *rest: Any,
) -> Array:
    """Arrays on a GPU go along the last axis, or are matrices; last: the length of a result's rows, None
    for those of x and its type."""
    dimensions = x.ndim
    if axes != [dimensions - 1]:
        if function != "fft" or not dimensions == len(axes) == 2 or 0 in x.shape:
            raise ValueError(
                f"axes: expected the last axis, or both of a matrix, on a GPU, got {axes} of shape "
                f"{tuple(x.shape)}; move the axis to the end and make the array dense"
            )
        function = "fft2"
    if last is None:
        out = new_array(x)
    else:
        out = new_array(x, (*x.shape[:-1], last), _KIND_NAMES[kind, type_name(x)])
    run(f"spectral.{function}", keywords, x, out, *rest)
    return given(out, x)


def _queued(x: Any, axis: int, inverse: bool) -> Array | None:
    """The transform of signals that fill an array on a GPU, from its address: two capsules and the look
    at them take as long as a short transform. None in every other case, wrong ones too."""
    library = queueing(x)
    if library is None or type_name(x) not in COMPLEX:
        return None
    shape = x.shape
    n = shape[-1] if axis in (-1, len(shape) - 1) and 0 not in shape else 0
    if n == 0 or library.problem(x, "x") or not is_dense(x, "C"):
        return None
    out, device = library.empty_like(x), library.ordinal(x)
    _core.spectral.fft_at(
        without_keywords(device, library.stream(x)),
        device,
        library.address(x),
        library.address(out),
        n,
        prod(shape[:-1]) if len(shape) > 1 else 1,
        type_name(x) == "complex128",
        inverse,
    )
    return out


def _to_new(function: Any, x: Any, shape: Sequence[int], kind: str, keywords: Keywords, *rest: Any) -> Array:
    """function(options, x, new array, *rest) and that array, of numbers as exact as those of x."""
    out = np.empty(shape, _KINDS[kind, x.dtype])
    if keywords:
        run(function, keywords, x, out, *rest)
        note_memory("a transform", keywords)
    else:
        function(_ANYWHERE, x, out, *rest)
    return out


def complex_to_complex(
    x: Any, s: Any, axes: Any, norm: str | None, inverse: bool, keywords: Keywords
) -> Array:
    """fftn, ifftn and their cases."""
    if s is None and type(axes) is int and not keywords:
        result = _queued(x, axes, inverse)
        if result is not None:
            return _scaled(result, norm, inverse, [int(x.shape[-1])])
    x = complex_array(x, "x")
    lengths, axes = lengths_along(x, s, axes)
    if not axes:
        return x
    x = x if s is None else _fitted(x, lengths, axes)
    if on_gpu(x):
        result = _on_gpu_transformed("fft", x, axes, None, "c", keywords, inverse)
    elif x.ndim == 2 and len(axes) == 2 and x.size:
        result = _to_new(_core.spectral.fft2, x, x.shape, "c", keywords, inverse)
    else:
        result = _to_new(_core.spectral.fft_axes, x, x.shape, "c", keywords, axes, inverse)
    return _scaled(result, norm, inverse, lengths)


def _needs_an_axis(axes: list[int]) -> None:
    if not axes:
        raise ValueError("at least 1 axis must be transformed, got none")


def real_to_complex(x: Any, s: Any, axes: Any, norm: str | None, keywords: Keywords) -> Array:
    """rfftn and its cases."""
    x = real_array(x, "x")
    lengths, axes = lengths_along(x, s, axes)
    _needs_an_axis(axes)
    x = x if s is None else _fitted(x, lengths, axes)
    shape = list(x.shape)
    shape[axes[-1]] = lengths[-1] // 2 + 1
    if on_gpu(x):
        result = _on_gpu_transformed("rfft", x, axes, shape[-1], "c", keywords)
    else:
        x = np.ascontiguousarray(x)
        result = _to_new(_core.spectral.rfft_axes, x, shape, "c", keywords, axes)
    return _scaled(result, norm, False, lengths)


def complex_to_real(x: Any, s: Any, axes: Any, norm: str | None, keywords: Keywords) -> Array:
    """irfftn and its cases; s counts real values."""
    x = complex_array(x, "x")
    halves, axes = lengths_along(x, s, axes)
    _needs_an_axis(axes)
    own = s is None or _whole_numbers("s", s)[-1] == -1
    n = 2 * (int(x.shape[axes[-1]]) - 1) if own else halves[-1]
    if n == 0:  # one value stands for none, or one, as NumPy says
        raise ValueError(
            "invalid number of data points (0) specified, the even length of which one value is the "
            "spectrum; expected 1 or more: give n=1 for one"
        )
    halves[-1] = n // 2 + 1
    if on_gpu(x) and halves[-1] != x.shape[axes[-1]]:
        values = int(x.shape[axes[-1]])
        raise ValueError(f"n: expected a length of {values} = n // 2 + 1 values, got {n}")
    x = x if s is None else _fitted(x, halves, axes)
    shape = list(x.shape)
    shape[axes[-1]] = n
    if on_gpu(x):
        result = _on_gpu_transformed("irfft", x, axes, n, "f", keywords, n)
    else:
        result = _to_new(_core.spectral.irfft_axes, x, shape, "f", keywords, axes)
    return _scaled(result, norm, True, [*halves[:-1], n])
