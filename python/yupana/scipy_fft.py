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
from operator import index
from typing import Any, Callable

import numpy as np

from ._call import Keywords
from ._transforms import (
    OPPOSITE,
    complex_to_complex,
    complex_to_real,
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


def __ua_function__(method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What uarray calls; NotImplemented leaves the call to SciPy."""
    if method.__name__ not in __all__:
        return NotImplemented
    x = args[0] if args else kwargs.get("x")
    if getattr(x, "dtype", None) in (np.longdouble, np.clongdouble):
        return NotImplemented
    return globals()[method.__name__](*args, **kwargs)


def _numbers(x: Any) -> Any:
    """float32 and float64, or complex of these, as SciPy converts: integers are float64."""
    if on_gpu(x):
        return x
    x = np.asarray(x)
    if x.dtype in (np.longdouble, np.clongdouble):
        raise TypeError(f"x: expected numbers up to double, got {x.dtype}; scipy.fft takes these")
    if x.dtype == np.float16:
        return x.astype(np.float32)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def _real(x: Any) -> Any:
    x = _numbers(x)
    if not on_gpu(x) and x.dtype.kind == "c":
        raise TypeError(f"x: expected a real sequence, got {x.dtype}")
    return x


def _keywords(workers: int | None, plan: Any) -> Keywords:
    if plan is not None:
        raise NotImplementedError("plan: expected None; the library keeps plans itself")
    if workers is None:
        from scipy.fft import get_workers

        given = get_workers()
        return {"threads": given if given > 1 else None}
    workers, cores = index(workers), os.cpu_count() or 1
    if workers == 0 or workers < -cores:
        raise ValueError(f"workers: expected a number of threads, or from {-cores} to -1, got {workers}")
    return {"threads": workers if workers > 0 else workers + 1 + cores}


def _length(n: int | None) -> tuple[int] | None:
    return None if n is None else (index(n),)


def _conjugate(x: Any) -> Any:
    return x.conj() if np.iscomplexobj(x) or on_gpu(x) else x


def _needs_two(x: Any, s: Any, axes: Any) -> None:
    """Refuses spectra of one value whose signal might have no value, as SciPy does."""
    last = -1 if axes is None else np.atleast_1d(axes)[-1] if np.size(axes) else -1
    if s is None and x.ndim and -x.ndim <= last < x.ndim and x.shape[last] < 2:
        raise ValueError(f"n: expected a length for spectra of {x.shape[last]} value(s)")


def _c2c(x: Any, s: Any, axes: Any, norm: Any, inverse: bool, keywords: Keywords) -> Array:
    return complex_to_complex(_numbers(x), s, axes, norm, inverse, keywords)


def _r2c(x: Any, s: Any, axes: Any, norm: Any, inverse: bool, keywords: Keywords) -> Array:
    x = _real(x)
    if not inverse:
        return real_to_complex(x, s, axes, norm, keywords)
    return _conjugate(real_to_complex(x, s, axes, OPPOSITE.get(norm, norm), keywords))


def _c2r(x: Any, s: Any, axes: Any, norm: Any, inverse: bool, keywords: Keywords) -> Array:
    x = _numbers(x)
    _needs_two(x, s, axes)
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
        return transform(x, _length(n), (axis,), norm, inverse, _keywords(workers, plan))

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
