"""Fourier transforms of any length, and exact products of polynomials and integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._call import Array, ProgressLike, host_array, on_gpu, options

__all__ = ["fft", "fft2", "ifft", "ifft2", "irfft", "matmul", "multiply", "polymul", "rfft"]


def _complex(x: Any) -> np.ndarray:
    x = host_array(x, "x")
    single = x.dtype in (np.complex64, np.float32, np.float16)
    return np.ascontiguousarray(x, dtype=np.complex64 if single else np.complex128)


def _real(x: Any, name: str = "x") -> np.ndarray:
    x = host_array(x, name)
    if x.dtype.kind == "c":
        raise TypeError(f"{name}: real numbers wanted, {x.dtype} given")
    single = x.dtype in (np.float32, np.float16)
    return np.ascontiguousarray(x, dtype=np.float32 if single else np.float64)


def _rows(x: np.ndarray) -> np.ndarray:
    """Signals along the last axis, one a row."""
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(f"x: at least one value along the last axis wanted, shape {x.shape} given")
    return x.reshape(-1, x.shape[-1])


def _transform(x: Any, inverse: bool, keywords: tuple[Any, ...]) -> Any:
    if on_gpu(x):
        from . import _device

        return _device.fft(x, inverse, *keywords)
    x = _complex(x)
    with options(*keywords) as call:
        return _core.spectral.fft(call, _rows(x), inverse).reshape(x.shape)


def fft(
    x: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """Transforms along the last axis: ``X[k] = sum over j of x[j] exp(-2 pi i j k / n)``.

    complex64 for float32 and complex64, else complex128. Relative L2 error at most 3e-7 log2 n
    (single), 1e-15 log2 n (double), for any n. A complex array on a GPU (CuPy, torch) is
    transformed there, without a copy, and comes back as an array of its kind; for short lengths of
    2, 3, 5 and 7 by cuFFT where that is installed, within the same bound.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.fft(np.array([1.0, 0.0, 0.0, 0.0]))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _transform(x, False, (device, threads, memory, progress))


def ifft(
    x: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """Undoes :func:`fft`: ``x[j] = 1/n sum over k of X[k] exp(+2 pi i j k / n)``.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> np.abs(yupana.spectral.ifft(np.array([0.0, 4.0, 0.0, 0.0])))
    array([1., 1., 1., 1.])
    """
    return _transform(x, True, (device, threads, memory, progress))


def rfft(
    x: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """The n // 2 + 1 values ``X[0..n/2]`` of real signals along the last axis.

    float32 or float64 of a GPU (CuPy, torch) is transformed there.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> np.abs(yupana.spectral.rfft(np.array([1.0, 0.0, -1.0, 0.0])))
    array([0., 2., 0.])
    """
    if on_gpu(x):
        from . import _device

        return _device.rfft(x, device, threads, memory, progress)
    x = _real(x)
    with options(device, threads, memory, progress) as call:
        result = _core.spectral.rfft(call, _rows(x))
    return result.reshape(*x.shape[:-1], x.shape[-1] // 2 + 1)


def _length(x: Any, n: int | None) -> int:
    """Of the real signals whose spectra these are."""
    values = x.shape[-1] if x.ndim else 0
    if n is None:
        n = max(1, 2 * (values - 1))
    if values and (n < 1 or n // 2 + 1 != values):
        raise ValueError(f"n: a length of {values} = n // 2 + 1 values wanted, {n} given")
    return n


def irfft(
    x: Any,
    n: int | None = None,
    *,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """Undoes :func:`rfft`: n real values (default: the even number) of n // 2 + 1 complex ones.

    A complex array of a GPU (CuPy, torch) is transformed there.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.irfft(np.array([4.0, 0.0, 0.0]))
    array([1., 1., 1., 1.])
    """
    if on_gpu(x):
        from . import _device

        return _device.irfft(x, _length(x, n), device, threads, memory, progress)
    x = _complex(x)
    rows, n = _rows(x), _length(x, n)
    with options(device, threads, memory, progress) as call:
        return _core.spectral.irfft(call, rows, n).reshape(*x.shape[:-1], n)


def _plane(x: Any, inverse: bool, keywords: tuple[Any, ...]) -> Array:
    if on_gpu(x):
        from . import _device

        return _device.fft2(x, inverse, *keywords)
    x = _complex(x)
    if x.ndim != 2 or x.size == 0:
        raise ValueError(f"x: a matrix wanted, shape {x.shape} given")
    with options(*keywords) as call:
        return _core.spectral.fft2(call, x, inverse)


def fft2(
    x: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """The transform of a matrix along rows and columns; of a complex one of a GPU there.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.fft2(np.ones((2, 2)))[0, 0]
    np.complex128(4+0j)
    """
    return _plane(x, False, (device, threads, memory, progress))


def ifft2(
    x: Any,
    *,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """Undoes :func:`fft2`.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.ifft2(np.ones((2, 2)))[0, 0]
    np.complex128(1+0j)
    """
    return _plane(x, True, (device, threads, memory, progress))


def polymul(
    a: Any,
    b: Any,
    *,
    exact: bool | None = None,
    device: str = "auto",
    threads: int | None = None,
    memory: int | None = None,
    progress: ProgressLike = None,
) -> Array:
    """The product of two polynomials, lowest degree first: ``c[k] = sum over i + j = k of a[i] b[j]``.

    Integers are multiplied exactly (int64); floats within a multiple of 2**-53 log2 n |a| |b|.

    Parameters
    ----------
    a, b : vectors of coefficients; both of a GPU (CuPy, torch): int64 or float64, multiplied there
    exact : True wants integers, False takes integers as floats; None: by type

    Raises
    ------
    ValueError : a product that might pass 64 bits, NaN or infinite coefficients

    Examples
    --------
    >>> import yupana
    >>> yupana.polymul([1, 1], [1, 2, 1])
    array([1, 3, 3, 1])
    """
    if on_gpu(a) or on_gpu(b):
        if exact is not None:
            raise ValueError("exact: None wanted for arrays on a GPU, whose types say it")
        from . import _device

        return _device.polymul(a, b, device, threads, memory, progress)
    a, b = host_array(a, "a"), host_array(b, "b")
    whole = a.dtype.kind in "iub" and b.dtype.kind in "iub"
    if exact and not whole:
        raise TypeError(f"a, b: integers wanted for an exact product, {a.dtype}, {b.dtype} given")
    with options(device, threads, memory, progress) as call:
        if whole and exact is not False:
            if any(x.dtype == np.uint64 and x.size and x.max() > 2**63 - 1 for x in (a, b)):
                raise ValueError("a, b: coefficients below 2**63 wanted")
            words = [np.ascontiguousarray(x, dtype=np.int64) for x in (a, b)]
            return _core.spectral.polymul_exact(call, *words).view(np.int64)
        doubles = [np.ascontiguousarray(x, dtype=np.float64) for x in (a, b)]
        return _core.spectral.polymul(call, *doubles)[0]


def multiply(a: int, b: int, *, threads: int | None = None, progress: ProgressLike = None) -> int:
    """The exact product of two integers of any size, by number-theoretic transforms.

    Examples
    --------
    >>> import yupana
    >>> yupana.spectral.multiply(10**40, -(10**30)) == -(10**70)
    True
    """
    with options("cpu", threads, None, progress) as call:
        return int(_core.spectral.multiply(call, format(a, "x"), format(b, "x")), 16)


def matmul(
    a: Any, b: Any, *, threads: int | None = None, progress: ProgressLike = None
) -> Array:
    """The product of two matrices by Strassen and Winograd's halves; float32 or float64.

    Two dense matrices of a GPU (CuPy, torch) are multiplied there, into another one.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.spectral.matmul(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    if on_gpu(a) or on_gpu(b):
        from . import _device

        return _device.matmul(a, b, "auto", threads, None, progress)
    a, b = _real(a, "a"), _real(b, "b")
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("a, b: matrices wanted")
    dtype = np.float32 if a.dtype == b.dtype == np.float32 else np.float64
    with options("cpu", threads, None, progress) as call:
        return _core.spectral.matmul(call, a.astype(dtype, copy=False), b.astype(dtype, copy=False))
