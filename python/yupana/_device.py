"""Arrays that are in the memory of a GPU already: they stay there.

Over 400 lines: one table says what each function takes, and the functions read it.
"""

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
    _library(x)
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


def _library(x: Any) -> Any:
    """The library that an array is of, which makes arrays of DLPack."""
    if hasattr(x, "__dlpack_device__"):
        for kind in type(x).__mro__:
            name = kind.__module__.split(".")[0]
            name = "jax.dlpack" if name.startswith("jax") else name
            if name in ("builtins", "numpy"):
                continue
            module = import_module(name)
            if hasattr(module, "from_dlpack"):
                return module
    kind = type(x)
    raise TypeError(
        "an array on a GPU: one of CuPy, torch or JAX wanted, "
        f"{kind.__module__}.{kind.__qualname__} given; cupy.asarray(x) takes it without a copy"
    )


def _back(result: Any, like: Any) -> Any:
    """The result as an array of the library that the argument is of."""
    return _library(like).from_dlpack(result)


_FLOATS = ("float32", "float64")
_WORDS = "a type of 4 or 8 bytes"
_INTEGERS = ("int32", "int64", "uint32", "uint64")

#: Of each function's arrays: types, dimensions, and the order in memory.
_WANTED: dict[str, dict[str, tuple[Any, int, str]]] = {
    "scan": {"x": (PLAIN_TYPES, 1, "C")},
    "reduce": {"x": (PLAIN_TYPES, 1, "C")},
    "segmented_scan": {"x": (PLAIN_TYPES, 1, "C"), "offsets": (("int64",), 1, "C")},
    "reduce_by_key": {"keys": (_INTEGERS, 1, "C"), "values": (PLAIN_TYPES, 1, "C")},
    "sort": {"keys": (PLAIN_TYPES, 1, "C")},
    "sort_by_key": {"keys": (PLAIN_TYPES, 1, "C"), "values": (_WORDS, 1, "C")},
    "merge": {"a": (PLAIN_TYPES, 1, "C"), "b": (PLAIN_TYPES, 1, "C")},
    "merge_by_key": {
        "a": (PLAIN_TYPES, 1, "C"),
        "a_values": (_WORDS, 1, "C"),
        "b": (PLAIN_TYPES, 1, "C"),
        "b_values": (_WORDS, 1, "C"),
    },
    "fft": {"x": (("complex64", "complex128"), 0, "C")},
    "rfft": {"x": (_FLOATS, 0, "C")},
    "fft2": {"x": (("complex64", "complex128"), 2, "C")},
    "polymul": {"a": (("int64", "float64"), 1, "C"), "b": (("int64", "float64"), 1, "C")},
    "matmul": {"a": (_FLOATS, 2, "C"), "b": (_FLOATS, 2, "C")},
    "shortest_paths": {"weights": (("int32", *_FLOATS), 2, "C")},
    "fermat": {"distances": (("int32", *_FLOATS), 2, "C")},
    "paths": {"weights": (("int32", *_FLOATS), 2, "C"), "lengths": (("int32", *_FLOATS), 2, "C")},
    "closest_pair": {"points": (_FLOATS, 2, "C")},
    "distances": {"genotypes": (("int8",), 2, "C")},
    "solve": {"b": (_FLOATS, 0, "C")},
    "SOM": {"X": (("float32",), 2, "C")},
    "trees": {"X": (_FLOATS, 2, "F")},
}


def _dtype(x: Any) -> str:
    """The name of an array's type, as NumPy has it where it has it."""
    return str(x.dtype).split(".")[-1]


def _size_of(x: Any) -> int:
    size = x.dtype.itemsize
    return int(size)


def _is_dense(x: Any, order: str = "C") -> bool:
    x = x if order == "C" else x.T
    if hasattr(x, "is_contiguous"):
        return bool(x.is_contiguous())
    return bool(x.flags.c_contiguous) if hasattr(x, "flags") else True


_DENSE = {
    "C": "rows one after the other without gaps wanted, use {0}.contiguous() (torch) or "
    "cupy.ascontiguousarray({0})",
    "F": "columns one after the other wanted, use {0}.t().contiguous().t() (torch) or "
    "cupy.asfortranarray({0})",
}


def _complaint(x: Any, name: str, types: Any, order: str) -> str | None:
    """What is wrong with an array, or None."""
    if not on_gpu(x):
        return f"{name}: an array on a GPU wanted, as the other is"
    dtype = _dtype(x)
    if types is _WORDS:
        if _size_of(x) not in (4, 8):
            return f"{name}: {types} wanted, {dtype} given"
    elif dtype not in types:
        return f"{name}: {' or '.join(types)} wanted on a GPU, {dtype} given"
    if getattr(x, "requires_grad", False):
        return f"{name}: a tensor without gradients wanted, use {name}.detach()"
    if getattr(x, "layout", None) is not None and "sparse" in str(x.layout):
        return f"{name}: a dense tensor wanted, use {name}.to_dense()"
    if (hasattr(x, "is_conj") and x.is_conj()) or (hasattr(x, "is_neg") and x.is_neg()):
        return (
            f"{name}: values as they lie in memory wanted, use {name}.resolve_conj().resolve_neg()"
        )
    if not _is_dense(x, order):
        return f"{name}: {_DENSE[order].format(name)}"
    return None


def _check(function: str, **arrays: Any) -> None:
    """In one line what a function cannot take: nothing is converted on the way in."""
    for name, x in arrays.items():
        types, dimensions, order = _WANTED[function][name]
        if on_gpu(x):
            _library(x)
        if on_gpu(x) and dimensions and x.ndim != dimensions:
            raise ValueError(
                f"{name}: {dimensions} dimension(s) wanted, shape {tuple(x.shape)} given"
            )
        complaint = _complaint(x, name, types, order)
        if complaint is not None:
            raise TypeError(complaint)


def _called(function: Any, *arguments: Any) -> Any:
    """A function of _core.device; what it cannot take after all is said in one line too."""
    try:
        return function(*arguments)
    except TypeError as error:
        if "incompatible function arguments" not in str(error):
            raise
        given = ", ".join(f"{_dtype(x)} {tuple(x.shape)}" for x in arguments if on_gpu(x))
        raise TypeError(f"{function.__name__}: other arrays wanted, {given} given") from None


def _same_types(function: str, **arrays: Any) -> None:
    _check(function, **arrays)
    (first, x), *rest = arrays.items()
    for name, other in rest:
        if _dtype(other) != _dtype(x):
            raise TypeError(f"{name}: {_dtype(x)} wanted, as {first} has, {_dtype(other)} given")


def _scalar(x: Any, value: Any) -> Any:
    return np.dtype(_dtype(x)).type(value)


def dtype_of(x: Any) -> np.dtype:
    """NumPy's name of an array's type; TypeError where the functions on vectors do not take it."""
    _check("reduce", x=x)
    return np.dtype(_dtype(x))


def _output(out: Any, x: Any) -> None:
    if out is None:
        return
    if not on_gpu(out) or tuple(out.shape) != tuple(x.shape) or _dtype(out) != _dtype(x):
        raise ValueError(
            f"out: an array on the GPU of {x.shape[0]} {_dtype(x)} values wanted, as the other has"
        )
    if _library(out).__name__.startswith("jax"):
        raise ValueError("out: an array that may be written to wanted, which none of JAX may")
    complaint = _complaint(out, "out", PLAIN_TYPES, "C")
    if complaint is not None:
        raise TypeError(complaint)


def scan(x: Any, op: str, first: Any, exclusive: bool, out: Any, *keywords: Any) -> Any:
    _check("scan", x=x)
    _output(out, x)
    with call(x, *keywords) as made:
        result = _called(_core.device.scan, made, x, op, first, exclusive, out)
    return out if result is None else _back(result, x)


def reduce(x: Any, op: str, init: Any, *keywords: Any) -> Any:
    _check("reduce", x=x)
    with call(x, *keywords) as made:
        return _scalar(x, _called(_core.device.reduce, made, x, op, init))


def _offsets(offsets: Any) -> Any:
    if not on_gpu(offsets):
        return np.ascontiguousarray(offsets, dtype=np.int64)
    _check("segmented_scan", offsets=offsets)
    return offsets


def segmented_scan(x: Any, offsets: Any, op: str, *keywords: Any) -> Any:
    _check("segmented_scan", x=x)
    with call(x, *keywords) as made:
        return _back(_called(_core.device.segmented_scan, made, x, _offsets(offsets), op), x)


def segmented_reduce(x: Any, offsets: Any, op: str, init: Any, *keywords: Any) -> Any:
    _check("segmented_scan", x=x)
    with call(x, *keywords) as made:
        return _back(
            _called(_core.device.segmented_reduce, made, x, _offsets(offsets), op, init), x
        )


def _pair(found: tuple[Any, Any], keys: Any, values: Any) -> tuple[Any, Any]:
    return _back(found[0], keys), _back(found[1], values)


def reduce_by_key(keys: Any, values: Any, *keywords: Any) -> tuple[Any, Any]:
    _check("reduce_by_key", keys=keys, values=values)
    with call(keys, *keywords) as made:
        return _pair(_called(_core.device.reduce_by_key, made, keys, values), keys, values)


def sort(keys: Any, out: Any, *keywords: Any) -> Any:
    _check("sort", keys=keys)
    _output(out, keys)
    with call(keys, *keywords) as made:
        result = _called(_core.device.sort, made, keys, out)
    return out if result is None else _back(result, keys)


def sort_by_key(keys: Any, values: Any, *keywords: Any) -> tuple[Any, Any]:
    _check("sort_by_key", keys=keys, values=values)
    with call(keys, *keywords) as made:
        return _pair(_called(_core.device.sort_by_key, made, keys, values), keys, values)


def argsort(keys: Any, *keywords: Any) -> Any:
    _check("sort", keys=keys)
    with call(keys, *keywords) as made:
        return _back(_called(_core.device.argsort, made, keys), keys)


def merge(a: Any, b: Any, *keywords: Any) -> Any:
    return _binary("merge", a, b, keywords)


def merge_by_key(a: Any, a_values: Any, b: Any, b_values: Any, *keywords: Any) -> tuple[Any, Any]:
    _check("merge_by_key", a=a, a_values=a_values, b=b, b_values=b_values)
    _same_types("merge_by_key", a=a, b=b)
    _same_types("merge_by_key", a_values=a_values, b_values=b_values)
    with call(a, *keywords) as made:
        return _pair(
            _called(_core.device.merge_by_key, made, a, a_values, b, b_values), a, a_values
        )


def _binary(function: str, a: Any, b: Any, keywords: tuple[Any, ...]) -> Any:
    _same_types(function, a=a, b=b)
    with call(a, *keywords) as made:
        return _back(_called(getattr(_core.device, function), made, a, b), a)


def polymul(a: Any, b: Any, *keywords: Any) -> Any:
    return _binary("polymul", a, b, keywords)


def matmul(a: Any, b: Any, *keywords: Any) -> Any:
    return _binary("matmul", a, b, keywords)


def _signals(function: str, x: Any) -> Any:
    """One signal a row; the same memory."""
    _check(function, x=x)
    shape = tuple(x.shape)
    if not shape or shape[-1] == 0:
        raise ValueError(f"x: at least one value along the last axis wanted, shape {shape} given")
    return x.reshape(int(np.prod(shape[:-1])), shape[-1])


def fft(x: Any, inverse: bool, *keywords: Any) -> Any:
    rows = _signals("fft", x)
    with call(x, *keywords) as made:
        return _back(_called(_core.device.fft, made, rows, inverse), x).reshape(tuple(x.shape))


def rfft(x: Any, *keywords: Any) -> Any:
    rows = _signals("rfft", x)
    with call(x, *keywords) as made:
        spectra = _back(_called(_core.device.rfft, made, rows), x)
    return spectra.reshape(*x.shape[:-1], x.shape[-1] // 2 + 1)


def irfft(x: Any, n: int, *keywords: Any) -> Any:
    rows = _signals("fft", x)
    with call(x, *keywords) as made:
        return _back(_called(_core.device.irfft, made, rows, n), x).reshape(*x.shape[:-1], n)


def fft2(x: Any, inverse: bool, *keywords: Any) -> Any:
    _check("fft2", x=x)
    if 0 in x.shape:
        raise ValueError(f"x: a matrix wanted, shape {tuple(x.shape)} given")
    with call(x, *keywords) as made:
        return _back(_called(_core.device.fft2, made, x, inverse), x)


def shortest_paths(weights: Any, method: str, *keywords: Any) -> Any:
    _check("shortest_paths", weights=weights)
    with call(weights, *keywords) as made:
        return _back(_called(_core.device.shortest_paths, made, weights, method), weights)


def fermat(distances: Any, facts: tuple[Any, ...], *keywords: Any) -> dict[str, Any]:
    """What FermatResult takes; facts: squared, alpha, root, precision."""
    _check("fermat", distances=distances)
    with call(distances, *keywords) as made:
        result = _called(_core.device.fermat, made, distances, *facts)
    result["lengths"] = _back(result["lengths"], distances)
    return result


def path(weights: Any, lengths: Any, start: int, end: int) -> list[int]:
    _check("paths", weights=weights, lengths=lengths)
    with call(weights) as made:
        return _called(_core.device.path, made, weights, lengths, start, end)


def predecessors(weights: Any, lengths: Any, *keywords: Any) -> Any:
    _same_types("paths", weights=weights, lengths=lengths)
    with call(weights, *keywords) as made:
        return _back(_called(_core.device.predecessors, made, weights, lengths), weights)


def pair_counts(calls: Any, hethet: bool, *keywords: Any) -> Any:
    _check("distances", genotypes=calls)
    with call(calls, *keywords) as made:
        return _called(_core.device.pair_counts, made, calls, hethet)


def closest_pair(points: Any, method: str, *keywords: Any) -> tuple[int, int, float]:
    if method not in ("auto", "grid"):
        raise ValueError(f"method: 'auto' or 'grid' wanted for points on a GPU, '{method}' given")
    _check("closest_pair", points=points)
    with call(points, *keywords) as made:
        return _called(_core.device.closest_pair, made, points)


def solve(system: Any, dtype: Any, b: Any, *keywords: Any) -> Any:
    """x of a TriangularSystem's _core object, for b of one or two dimensions."""
    if b.ndim not in (1, 2):
        raise ValueError(f"b: 1 or 2 dimensions wanted, shape {tuple(b.shape)} given")
    _check("solve", b=b)
    if _dtype(b) != np.dtype(dtype).name:
        raise TypeError(f"b: {np.dtype(dtype).name} wanted, as the matrix has, {_dtype(b)} given")
    columns = b.reshape(b.shape[0], 1) if b.ndim == 1 else b
    with call(b, *keywords) as made:
        x = _called(system.solve_there, made, columns)
    return _back(x, b).reshape(tuple(b.shape))


def som_train(samples: Any, codebook: Any, params: Any, *keywords: Any) -> np.ndarray:
    _check("SOM", X=samples)
    with call(samples, *keywords) as made:
        return _called(_core.device.som_train, made, samples, codebook, params)


def som_nearest(samples: Any, codebook: np.ndarray, *keywords: Any) -> Any:
    _check("SOM", X=samples)
    with call(samples, *keywords) as made:
        return _back(_called(_core.device.som_nearest, made, samples, codebook), samples)


def som_distances(samples: Any, codebook: np.ndarray, *keywords: Any) -> Any:
    _check("SOM", X=samples)
    with call(samples, *keywords) as made:
        return _back(_called(_core.device.som_distances, made, samples, codebook), samples)


def som_judged(
    samples: Any, codebook: np.ndarray, params: Any, neighbors: int, *keywords: Any
) -> tuple[Any, dict[str, float]]:
    """Nearest neurons, and the quality of the map."""
    _check("SOM", X=samples)
    with call(samples, *keywords) as made:
        best, quality = _called(_core.device.som_judged, made, samples, codebook, params, neighbors)
    return _back(best, samples), quality


def table(X: Any) -> Any:
    """A table that trees take, or an error: float32 or float64, column after column."""
    _check("trees", X=X)
    return X


def host(x: Any) -> np.ndarray:
    """A copy in host memory; of a matrix with columns one after the other, with columns so."""
    if x.ndim == 2 and not _is_dense(x):
        return host(x.T).T
    _library(x)
    return _called(_core.device.host, x.reshape(-1)).reshape(tuple(x.shape))


def shares(model: Any, X: Any, *keywords: Any) -> Any:
    with call(X, *keywords) as made:
        return _back(_called(model.predict_shares_there, made, table(X)), X)


def leaves(model: Any, X: Any, *keywords: Any) -> Any:
    """The leaf that each row ends in, (rows, trees), int64."""
    with call(X, *keywords) as made:
        return _back(_called(model.apply_there, made, table(X)), X)
