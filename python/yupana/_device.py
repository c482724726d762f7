"""Arrays that are in the memory of a GPU already: they stay there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from . import _core
from ._call import PLAIN_TYPES, on_gpu, options

if not hasattr(_core, "device"):
    raise TypeError(
        "x: an array in host memory wanted, one on a GPU given; this build has no CUDA backend"
    )


def call(x: Any, *keywords: Any) -> options:
    """The options of a call on the GPU where x is: ``device`` first, as of :class:`options`."""
    there = f"cuda:{ordinal(x)}"
    device, *rest = keywords or ("auto",)
    if device not in ("auto", "cuda", there):
        raise ValueError(
            f"device: 'auto' or '{there}' wanted, where the array is, '{device}' given"
        )
    return options(there, *rest)


def ordinal(x: Any) -> int:
    """The number of the GPU that an array is on."""
    return int(x.__dlpack_device__()[1])


def _back(result: Any, like: Any) -> Any:
    """The result as an array of the library that the argument is of."""
    name = type(like).__module__.split(".")[0]
    if name.startswith("jax"):
        return import_module("jax.dlpack").from_dlpack(result)
    return import_module(name).from_dlpack(result)


_PLAIN = ", ".join(PLAIN_TYPES)
_FLOATS = "float32 or float64"
_TYPES = {
    "inclusive_scan": _PLAIN,
    "reduce": _PLAIN,
    "sort": _PLAIN,
    "merge": f"one type of {_PLAIN}",
    "fft": "complex64 or complex128",
    "polymul": "int64 or both float64",
    "matmul": f"one type of {_FLOATS}",
    "shortest_paths": f"int32, {_FLOATS}",
    "closest_pair": _FLOATS,
    "genotypes": "int8 (samples x sites)",
    "solve": "the matrix's type",
    "SOM": "float32",
    "host": f"int32, {_FLOATS}",
    "predict": _FLOATS,
}


def _called(function: Any, name: str, arrays: dict[str, Any], *rest: Any) -> Any:
    """function(rest), which takes no array that it would have to convert first."""
    try:
        return function(*rest)
    except TypeError as error:
        if "incompatible function arguments" not in str(error):
            raise
        given = ", ".join(f"{key} {x.dtype} {tuple(x.shape)}" for key, x in arrays.items())
        raise TypeError(
            f"{name}: dense arrays on a GPU, of {_TYPES[name]}, wanted; given {given}"
        ) from None


def _both_there(name: str, a: Any, b: Any) -> None:
    for key, x in (("a", a), ("b", b)):
        if not on_gpu(x):
            raise TypeError(f"{name}: {key}: an array on a GPU wanted, as the other is")


def inclusive_scan(x: Any, op: str) -> Any:
    _only_plus("inclusive_scan", op)
    return _back(_called(_core.device.inclusive_scan, "inclusive_scan", {"x": x}, x), x)


def reduce(x: Any, op: str) -> Any:
    _only_plus("reduce", op)
    return _called(_core.device.reduce, "reduce", {"x": x}, x)


def sort(x: Any) -> Any:
    return _back(_called(_core.device.sort, "sort", {"x": x}, x), x)


def fft(x: Any, inverse: bool) -> Any:
    shape = tuple(x.shape)
    rows = x.reshape(-1, shape[-1])
    return _back(_called(_core.device.fft, "fft", {"x": x}, rows, inverse), x).reshape(shape)


def _only_plus(function: str, op: str) -> None:
    if op != "plus":
        raise ValueError(f"{function}: op='plus' wanted for an array on a GPU, '{op}' given")


def _binary(function: str, a: Any, b: Any, keywords: tuple[Any, ...]) -> Any:
    _both_there(function, a, b)
    with call(a, *keywords) as made:
        arrays = {"a": a, "b": b}
        return _back(_called(getattr(_core.device, function), function, arrays, made, a, b), a)


def merge(a: Any, b: Any, *keywords: Any) -> Any:
    return _binary("merge", a, b, keywords)


def polymul(a: Any, b: Any, *keywords: Any) -> Any:
    return _binary("polymul", a, b, keywords)


def matmul(a: Any, b: Any, *keywords: Any) -> Any:
    return _binary("matmul", a, b, keywords)


def shortest_paths(weights: Any, method: str, *keywords: Any) -> Any:
    with call(weights, *keywords) as made:
        closure = _called(
            _core.device.shortest_paths,
            "shortest_paths",
            {"weights": weights},
            made,
            weights,
            method,
        )
    return _back(closure, weights)


def pair_counts(calls: Any, hethet: bool, *keywords: Any) -> Any:
    with call(calls, *keywords) as made:
        count = _core.device.pair_counts
        return _called(count, "genotypes", {"source": calls}, made, calls, hethet)


def closest_pair(points: Any, method: str, *keywords: Any) -> tuple[int, int, float]:
    if method not in ("auto", "grid"):
        raise ValueError(f"method: 'auto' or 'grid' wanted for points on a GPU, '{method}' given")
    with call(points, *keywords) as made:
        return _called(
            _core.device.closest_pair, "closest_pair", {"points": points}, made, points
        )


def solve(system: Any, b: Any, *keywords: Any) -> Any:
    """x of a TriangularSystem's _core object, for b of one or two dimensions."""
    columns = b.reshape(b.shape[0], -1) if b.ndim == 1 else b
    with call(b, *keywords) as made:
        x = _called(system.solve_there, "solve", {"b": b}, made, columns)
    return _back(x, b).reshape(tuple(b.shape))


def som_train(samples: Any, codebook: Any, params: Any, *keywords: Any) -> np.ndarray:
    with call(samples, *keywords) as made:
        train = _core.device.som_train
        return _called(train, "SOM", {"X": samples}, made, samples, codebook, params)


def som_nearest(samples: Any, codebook: np.ndarray, *keywords: Any) -> Any:
    with call(samples, *keywords) as made:
        nearest = _core.device.som_nearest
        return _back(_called(nearest, "SOM", {"X": samples}, made, samples, codebook), samples)


def som_judged(
    samples: Any, codebook: np.ndarray, params: Any, neighbors: int, *keywords: Any
) -> tuple[Any, dict[str, float]]:
    """Nearest neurons, and the quality of the map."""
    with call(samples, *keywords) as made:
        best, quality = _called(
            _core.device.som_judged,
            "SOM",
            {"X": samples},
            made,
            samples,
            codebook,
            params,
            neighbors,
        )
    return _back(best, samples), quality


def table(X: Any) -> Any:
    """A table that trees take, or an error: float32 or float64, column after column."""
    if X.ndim != 2 or str(X.dtype).split(".")[-1] not in ("float32", "float64"):
        raise TypeError(
            f"X: a matrix of float32 or float64 wanted on a GPU, {X.dtype} of shape "
            f"{tuple(X.shape)} given"
        )
    if not _is_dense(X.T):
        raise TypeError(
            "X: columns one after the other wanted on a GPU; use cupy.asfortranarray(X), or "
            "X.t().contiguous().t() (torch)"
        )
    return X


def _is_dense(x: Any) -> bool:
    if hasattr(x, "is_contiguous"):
        return bool(x.is_contiguous())
    return bool(x.flags.c_contiguous) if hasattr(x, "flags") else True


def host(x: Any) -> np.ndarray:
    """A copy in host memory; of a matrix with columns one after the other, with columns so."""
    if x.ndim == 2 and not _is_dense(x):
        return host(x.T).T
    return _called(_core.device.host, "host", {"x": x}, x.reshape(-1)).reshape(tuple(x.shape))


def shares(model: Any, X: Any, *keywords: Any) -> Any:
    with call(X, *keywords) as made:
        return _back(_called(model.predict_shares_there, "predict", {"X": X}, made, table(X)), X)
