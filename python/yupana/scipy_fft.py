"""The Fourier transforms of ``scipy.fft`` with its signatures, and its backend.

``scipy.fft.set_global_backend(yupana.scipy_fft)`` or ``with scipy.fft.set_backend(yupana.scipy_fft):``
hands the calls of ``scipy.fft`` to these functions. Sine, cosine and Hankel transforms, and arrays of
long doubles, stay SciPy's. ``workers`` counts threads; None, SciPy's default, is all cores here unless
``scipy.fft.set_workers`` says more than one. ``overwrite_x`` is taken and never needed.

Examples
--------
>>> import numpy as np, scipy.fft, yupana
>>> with scipy.fft.set_backend(yupana.scipy_fft):
...     scipy.fft.rfft(np.ones(4)).real
array([4., 0., 0.])
"""

from __future__ import annotations

import os
from typing import Any, Callable

import numpy as np
from scipy.fft import get_workers, set_backend

from ._call import Keywords, integer
from ._transforms import (
    OPPOSITE,
    complex_to_complex,
    complex_to_real,
    length_and_axis,
    real_to_complex,
)
from ._views import Array, on_gpu

__all__ = [
    "fft",
    "fft2",
    "fftn",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]

__ua_domain__ = "numpy.scipy.fft"


#: Types that are transformed as they are.
_TAKEN = {np.dtype(kind) for kind in (np.float32, np.float64, np.complex64, np.complex128)}


class LongDoubles(TypeError):
    """What the library has no numbers for."""


def __ua_function__(method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What uarray calls; SciPy's own backend gets the rest, which a global one stands before."""
    if method.__name__ in __all__:
        try:
            return globals()[method.__name__](*args, **kwargs)
        except LongDoubles:
            pass
    with set_backend("scipy"):
        return method(*args, **kwargs)


def _numbers(x: Any) -> Any:
    """float32 and float64, or complex of these, as SciPy converts: integers are float64."""
    if type(x) is np.ndarray and x.dtype in _TAKEN and x.ndim or on_gpu(x):
        return x
    x = np.asarray(x)
    if x.ndim == 0:
        raise ValueError("x: expected at least 1 dimension, got a number")
    if x.dtype in (np.longdouble, np.clongdouble):
        raise LongDoubles(f"x: expected numbers up to double, got {x.dtype}; scipy.fft takes these")
    if x.dtype == np.float16:
        return x.astype(np.float32)
    return x.astype(x.dtype.newbyteorder("=") if x.dtype.kind in "fc" else np.float64, copy=False)


def _real(x: Any) -> Any:
    x = _numbers(x)
    if not on_gpu(x) and x.dtype.kind == "c":
        raise TypeError(f"x must be a real sequence, got {x.dtype}")
    return x


def _keywords(workers: int | None, plan: Any) -> Keywords:
    if plan is not None:
        raise NotImplementedError("a precomputed plan is not supported: expected None for plan")
    if workers is None:
        given = get_workers()
        return {"threads": given} if given > 1 else {}
    workers, cores = integer("workers", workers), os.cpu_count() or 1
    if workers == 0:
        raise ValueError("workers must not be zero: expected a number of threads, or -1 for all cores")
    if workers < -cores:
        raise ValueError(f"workers value out of range; got {workers}, expected at least {-cores}")
    return {"threads": workers if workers > 0 else workers + 1 + cores}


def _conjugate(x: Any) -> Any:
    return x.conj() if np.iscomplexobj(x) or on_gpu(x) else x


def _names_no_axis(s: Any, axes: Any) -> bool:
    """Whether no axis is transformed, of which SciPy returns the array as it is, of any type."""
    is_empty = [np.iterable(given) and len(given) == 0 for given in (s, axes)]
    return is_empty[0] and axes is None or is_empty[1] and (s is None or is_empty[0])


def _c2c(x: Any, s: Any, axes: Any, norm: Any, inverse: bool, keywords: Keywords) -> Array:
    if type(axes) is not int and _names_no_axis(s, axes) and not on_gpu(x):
        return np.asarray(x)
    return complex_to_complex(_numbers(x), s, axes, norm, inverse, keywords)


def _r2c(x: Any, s: Any, axes: Any, norm: Any, inverse: bool, keywords: Keywords) -> Array:
    x = _real(x)
    if not inverse:
        return real_to_complex(x, s, axes, norm, keywords)
    return _conjugate(real_to_complex(x, s, axes, OPPOSITE.get(norm, norm), keywords))


def _c2r(x: Any, s: Any, axes: Any, norm: Any, inverse: bool, keywords: Keywords) -> Array:
    x = _numbers(x)
    if inverse:
        return complex_to_real(x, s, axes, norm, keywords)
    return complex_to_real(_conjugate(x), s, axes, OPPOSITE.get(norm, norm), keywords)


def _along_one(name: str, transform: Callable[..., Array], inverse: bool) -> Callable[..., Array]:
    def function(
        x: Any,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        *,
        plan: Any = None,
    ) -> Array:
        return transform(x, *length_and_axis(n, axis), norm, inverse, _keywords(workers, plan))

    return _named(function, name)


def _along_several(
    name: str, transform: Callable[..., Array], inverse: bool, default: Any
) -> Callable[..., Array]:
    def function(
        x: Any,
        s: Any = None,
        axes: Any = default,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: int | None = None,
        *,
        plan: Any = None,
    ) -> Array:
        return transform(x, s, axes, norm, inverse, _keywords(workers, plan))

    return _named(function, name)


def _named(function: Callable[..., Array], name: str) -> Callable[..., Array]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``scipy.fft.{name}``, with its parameters and its conversions."
    return function


fft = _along_one("fft", _c2c, False)
ifft = _along_one("ifft", _c2c, True)
rfft = _along_one("rfft", _r2c, False)
irfft = _along_one("irfft", _c2r, True)
hfft = _along_one("hfft", _c2r, False)
ihfft = _along_one("ihfft", _r2c, True)
fft2 = _along_several("fft2", _c2c, False, (-2, -1))
ifft2 = _along_several("ifft2", _c2c, True, (-2, -1))
rfft2 = _along_several("rfft2", _r2c, False, (-2, -1))
irfft2 = _along_several("irfft2", _c2r, True, (-2, -1))
hfft2 = _along_several("hfft2", _c2r, False, (-2, -1))
ihfft2 = _along_several("ihfft2", _r2c, True, (-2, -1))
fftn = _along_several("fftn", _c2c, False, None)
ifftn = _along_several("ifftn", _c2c, True, None)
rfftn = _along_several("rfftn", _r2c, False, None)
irfftn = _along_several("irfftn", _c2r, True, None)
hfftn = _along_several("hfftn", _c2r, False, None)
ihfftn = _along_several("ihfftn", _r2c, True, None)
