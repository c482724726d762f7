"""Arrays that are in the memory of a GPU already: they stay there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import _core

if not hasattr(_core, "device"):
    raise TypeError(
        "x: an array in host memory wanted, one on a GPU given; this build has no CUDA backend"
    )


def _back(result: Any, like: Any) -> Any:
    """The result as an array of the library that the argument is of."""
    name = type(like).__module__.split(".")[0]
    if name.startswith("jax"):
        return import_module("jax.dlpack").from_dlpack(result)
    return import_module(name).from_dlpack(result)


def _called(function: str, x: Any, *rest: Any) -> Any:
    try:
        return getattr(_core.device, function)(x, *rest)
    except TypeError:
        raise TypeError(
            f"{function}: a dense array of a type that it knows wanted, {x.dtype} of shape "
            f"{tuple(x.shape)} on a GPU given"
        ) from None


def inclusive_scan(x: Any, op: str) -> Any:
    _only_plus("inclusive_scan", op)
    return _back(_called("inclusive_scan", x), x)


def reduce(x: Any, op: str) -> Any:
    _only_plus("reduce", op)
    return _called("reduce", x)


def sort(x: Any) -> Any:
    return _back(_called("sort", x), x)


def fft(x: Any, inverse: bool) -> Any:
    shape = tuple(x.shape)
    rows = x.reshape(-1, shape[-1])
    return _back(_called("fft", rows, inverse), x).reshape(shape)


def _only_plus(function: str, op: str) -> None:
    if op != "plus":
        raise ValueError(f"{function}: op='plus' wanted for an array on a GPU, '{op}' given")
