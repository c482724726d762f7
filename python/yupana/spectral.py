"""Fourier transforms of any length, and exact products of polynomials and integers.

Arrays on a GPU (CuPy, torch) are transformed and multiplied there, into new ones: complex64 or
complex128 for ``fft``, ``ifft``, ``irfft``, ``fft2``, ``ifft2``; float32 or float64 for ``rfft`` and
``matmul``; int64 or float64 for ``polymul``; dense, and never converted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._call import HostKeywords, Keywords, integer, note_memory, options, run, with_keywords
from ._transforms import complex_to_complex, complex_to_real, length_and_axis, real_to_complex
from ._views import (
    Array,
    any_on_gpu,
    given,
    host_array,
    new_array,
    on_gpu,
    plain_vector,
    real_array,
    same_types,
    type_name,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "fft",
    "fft2",
    "fftn",
    "ifft",
    "ifft2",
    "ifftn",
    "irfft",
    "irfftn",
    "matmul",
    "multiply",
    "polymul",
    "rfft",
    "rfftn",
]


def _dense_real(x: Any, name: str, dimensions: int = 0) -> Array:
    x = real_array(x, name, dimensions)
    return x if on_gpu(x) else np.ascontiguousarray(x)


@with_keywords
def fft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    **keywords: Unpack[Keywords],
) -> Array:
    """Transforms along one axis: ``X[k] = sum over j of x[j] exp(-2 pi i j k / n)``.

    complex64 for float16, float32 and complex64, else complex128. Relative L2 error at most 3e-7 log2 n
    (single), 1e-15 log2 n (double), for any n; on a GPU short lengths of 2, 3, 5 and 7 go by cuFFT
    where that is installed, within the same bound.

    Parameters
    ----------
    n : values transformed: others are cut off, missing ones are 0; None: the array's own
    norm : "backward" (None) scales the inverse by 1/n, "forward" the forward transform, "ortho" both
        by 1/sqrt(n)

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.fft(np.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return complex_to_complex(x, *length_and_axis(n, axis), norm, False, keywords)


@with_keywords
def ifft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    **keywords: Unpack[Keywords],
) -> Array:
    """Undoes :func:`fft`: ``x[j] = 1/n sum over k of X[k] exp(+2 pi i j k / n)``.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> np.abs(yupana.spectral.ifft(np.array([0.0, 4.0, 0.0, 0.0])))
    array([1., 1., 1., 1.])
    """
    return complex_to_complex(x, *length_and_axis(n, axis), norm, True, keywords)


@with_keywords
def rfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    **keywords: Unpack[Keywords],
) -> Array:
    """The n // 2 + 1 values ``X[0..n/2]`` of real signals along one axis.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> np.abs(yupana.spectral.rfft(np.array([1.0, 0.0, -1.0, 0.0])))
    array([0., 2., 0.])
    """
    return real_to_complex(x, *length_and_axis(n, axis), norm, keywords)


@with_keywords
def irfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    **keywords: Unpack[Keywords],
) -> Array:
    """Undoes :func:`rfft`: n real values (default: the even number) of n // 2 + 1 complex ones.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.irfft(np.array([4.0, 0.0, 0.0]))
    array([1., 1., 1., 1.])
    """
    return complex_to_real(x, *length_and_axis(n, axis), norm, keywords)


@with_keywords
def fftn(
    x: Any, s: Any = None, axes: Any = None, norm: str | None = None, **keywords: Unpack[Keywords]
) -> Array:
    """Transforms along several axes, all by default; s: their lengths, as n of :func:`fft`.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.fftn(np.ones((2, 3, 4)), axes=(0, 2))[0, :, 0].real
    array([8., 8., 8.])
    """
    return complex_to_complex(x, s, axes, norm, False, keywords)


@with_keywords
def ifftn(
    x: Any, s: Any = None, axes: Any = None, norm: str | None = None, **keywords: Unpack[Keywords]
) -> Array:
    """Undoes :func:`fftn`.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.ifftn(np.ones((2, 3, 4)))[0, 0, 0].real
    np.float64(1.0)
    """
    return complex_to_complex(x, s, axes, norm, True, keywords)


@with_keywords
def rfftn(
    x: Any, s: Any = None, axes: Any = None, norm: str | None = None, **keywords: Unpack[Keywords]
) -> Array:
    """The half of the last of the axes, as :func:`rfft`, then :func:`fftn` along the others.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.rfftn(np.ones((2, 3, 4))).shape
    (2, 3, 3)
    """
    return real_to_complex(x, s, axes, norm, keywords)


@with_keywords
def irfftn(
    x: Any, s: Any = None, axes: Any = None, norm: str | None = None, **keywords: Unpack[Keywords]
) -> Array:
    """Undoes :func:`rfftn`; s counts real values.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.irfftn(np.ones((1, 3, 3))).shape
    (1, 3, 4)
    """
    return complex_to_real(x, s, axes, norm, keywords)


@with_keywords
def fft2(
    x: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    **keywords: Unpack[Keywords],
) -> Array:
    """:func:`fftn` along two axes.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.fft2(np.ones((2, 2)))[0, 0]
    np.complex128(4+0j)
    """
    return complex_to_complex(x, s, axes, norm, False, keywords)


@with_keywords
def ifft2(
    x: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: str | None = None,
    **keywords: Unpack[Keywords],
) -> Array:
    """Undoes :func:`fft2`.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.ifft2(np.ones((2, 2)))[0, 0]
    np.complex128(1+0j)
    """
    return complex_to_complex(x, s, axes, norm, True, keywords)


@with_keywords
def polymul(a: Any, b: Any, *, exact: bool | None = None, **keywords: Unpack[Keywords]) -> Array:
    """The product of two polynomials, lowest degree first: ``c[k] = sum over i + j = k of a[i] b[j]``.

    Integers are multiplied exactly (int64); floats within a multiple of ``2**-53 log2 n |a| |b|``.

    Parameters
    ----------
    a, b : vectors of coefficients
    exact : True requires integers, False takes integers as floats; None: by type

    Raises
    ------
    ValueError : a product that might pass 64 bits, NaN or infinite coefficients

    Examples
    --------
    >>> import yupana
    >>> yupana.polymul([1, 1], [1, 2, 1])
    array([1, 3, 3, 1])
    """
    if any_on_gpu(a=a, b=b):
        if exact is not None:
            raise ValueError("exact: expected None for arrays on a GPU, whose types decide")
        a, b = (plain_vector(x, name, ("int64", "float64")) for name, x in (("a", a), ("b", b)))
        same_types(a=a, b=b)
        return _product(a, b, keywords)
    a, b = host_array(a, "a"), host_array(b, "b")
    for name, x in (("a", a), ("b", b)):
        if x.ndim != 1:
            raise ValueError(f"{name}: expected one dimension, got {x.ndim}")
    are_whole = a.dtype.kind in "iub" and b.dtype.kind in "iub"
    if not isinstance(exact, (bool, np.bool_, type(None))):
        raise TypeError(f"exact: expected True, False or None, got {exact!r}")
    if exact and not are_whole:
        raise TypeError(f"a, b: expected integers for an exact product, got {a.dtype}, {b.dtype}")
    is_exact = are_whole and (exact is None or bool(exact))
    if is_exact:
        if any(x.dtype == np.uint64 and x.size and x.max() > 2**63 - 1 for x in (a, b)):
            raise ValueError("a, b: expected coefficients below 2**63")
    else:
        a, b = real_array(a, "a"), real_array(b, "b")
    dtype = np.int64 if is_exact else np.float64
    return _product(*(np.ascontiguousarray(x, dtype=dtype) for x in (a, b)), keywords)


def _product(a: Any, b: Any, keywords: Keywords) -> Array:
    sizes = int(a.shape[0]), int(b.shape[0])
    product = new_array(a, (sum(sizes) - 1 if all(sizes) else 0,), type_name(a))
    run("spectral.polymul", keywords, a, b, product)
    return given(product, a)


@with_keywords
def multiply(a: int, b: int, **keywords: Unpack[HostKeywords]) -> int:
    """The exact product of two integers of any size, by number-theoretic transforms.

    Examples
    --------
    >>> import yupana
    >>> yupana.spectral.multiply(10**40, -(10**30)) == -(10**70)
    True
    """
    with options(**keywords) as call:
        note_memory("multiply", keywords)
        digits = [format(integer(name, value), "x") for name, value in (("a", a), ("b", b))]
        return int(_core.spectral.multiply(call, *digits), 16)


@with_keywords
def matmul(a: Any, b: Any, **keywords: Unpack[HostKeywords]) -> Array:
    """The product of two matrices by Strassen and Winograd's halves; float32 or float64.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.matmul(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    is_there = any_on_gpu(a=a, b=b)
    a, b = _dense_real(a, "a", 2), _dense_real(b, "b", 2)
    if is_there:
        same_types(a=a, b=b)
    else:
        dtype = np.result_type(a, b)
        a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    product = new_array(a, (int(a.shape[0]), int(b.shape[1])), type_name(a))
    run("spectral.matmul", keywords, a, b, product)
    return given(product, a)
