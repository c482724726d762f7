"""The keywords that every function has, and arrays on their way to the library."""

from __future__ import annotations

import re
from contextlib import contextmanager
from numbers import Integral
from typing import Any, Callable, Iterator, Union

import numpy as np

from . import _core

#: ``True`` shows a bar (tqdm where it is installed, else lines), a callable is told
#: ``(stage, done, total, unit, seconds)``.
ProgressLike = Union[bool, None, Callable[[str, float, float, str, float], Any]]

#: What comes out: a NumPy array, or one of the library of an argument that is on a GPU.
Array = Any

PLAIN_TYPES = ("int32", "int64", "uint32", "uint64", "float32", "float64")


class Note(UserWarning):
    """A fact about a result that a user should know, such as pairs without a shared site."""


class _Bar:
    """Stages as tqdm bars, one after the other."""

    def __init__(self) -> None:
        self._stage: str | None = None
        self._bar: Any = None

    def __call__(self, stage: str, done: float, total: float, unit: str, seconds: float) -> None:
        from tqdm.auto import tqdm

        if stage != self._stage:
            self.close()
            self._stage = stage
            self._bar = tqdm(desc=stage, total=total or None, unit=unit or "step", unit_scale=True)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            if self._bar.total:
                self._bar.update(self._bar.total - self._bar.n)
            self._bar.close()
            self._bar = None


def _has_tqdm() -> bool:
    try:
        import tqdm.auto  # noqa: F401
    except ImportError:
        return False
    return True


_MISFIT = "incompatible function arguments"


def _types_in_one_line(told: str) -> str:
    """What the bindings say of arguments of other types, argument by argument where they can."""
    name = told.split("(", 1)[0]
    signature, _, given = told.partition("Invoked with types:")
    signature = signature.split("\n")[1]
    wanted = dict(re.findall(r"(\w+): ([\w.| ]+)", signature))
    by_place, _, by_name = given.partition("kwargs = ")
    places = (["self"] if "(self" in signature else []) + list(wanted)
    pairs = [*zip(places, re.findall(r"[\w.]+", by_place))]
    pairs += re.findall(r"(\w+): ([\w.]+)", by_name)
    fit = {"bool": ["bool"], "int": ["int", "bool"], "float": ["float", "int", "bool"]}
    fit.update({"str": ["str"], "None": ["NoneType"]})
    wrong = []
    for argument, kind in pairs:
        kinds = wanted.get(argument, "").strip().split(" | ")
        if all(k in fit and kind not in fit[k] for k in kinds):
            wrong.append(f"{argument}: {' | '.join(kinds)} wanted, {kind} given")
    return "; ".join(wrong) or f"{name}: a number out of its range or an argument of another type"


@contextmanager
def one_line() -> Iterator[None]:
    """Arguments of types that the library does not take, told in one line."""
    try:
        yield
    except TypeError as error:
        if _MISFIT not in str(error):
            raise
        raise TypeError(_types_in_one_line(str(error))) from None


def whole(name: str, value: Any, below: int = 2**63) -> int:
    """A number, 0 or more, that the library can take."""
    if not isinstance(value, Integral) or not 0 <= value < below:
        raise ValueError(f"{name}: a whole number from 0 wanted, {value!r} given")
    return int(value)


class options:
    """Context manager: the library's options of one call, its progress bar closed at the end."""

    def __init__(
        self,
        device: str = "auto",
        threads: int | None = None,
        memory: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        self._bar = _Bar() if progress is True and _has_tqdm() else None
        told = self._bar if progress is True else (progress or None)
        with one_line():
            self._options = _core.Options(device, threads or 0, memory or 0, told)

    def __enter__(self) -> _core.Options:
        return self._options

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if self._bar is not None:
            self._bar.close()
        if isinstance(error, TypeError) and _MISFIT in str(error):
            raise TypeError(_types_in_one_line(str(error))) from None


def on_gpu(array: Any) -> bool:
    """True for an array in the memory of a CUDA device (CuPy, torch, JAX, ...)."""
    if isinstance(array, np.ndarray):
        return False
    try:
        return array.__dlpack_device__()[0] == 2
    except AttributeError:
        return hasattr(array, "__cuda_array_interface__")


def host_array(array: Any, name: str, dtype: Any = None) -> np.ndarray:
    """A NumPy view of an array in host memory; a copy only for another dtype."""
    if on_gpu(array):
        raise TypeError(
            f"{name}: an array in host memory wanted, one on a GPU given; copy it with .get() "
            "(CuPy) or .cpu() (torch)"
        )
    if not isinstance(array, np.ndarray) and hasattr(array, "__dlpack__"):
        _wait(array)
        try:
            array = np.from_dlpack(array)
        except (BufferError, RuntimeError) as error:
            kind = getattr(array, "dtype", type(array).__name__)
            raise TypeError(f"{name}: {kind}: {str(error).splitlines()[0]}") from error
        if array.__dlpack_device__()[0] != 1:
            array = np.asarray(_Plain(array))
    return np.asarray(array, dtype=dtype)


class _Plain:
    """Memory that the host may read, without the device that NumPy goes on telling others of."""

    def __init__(self, array: np.ndarray) -> None:
        self.__array_interface__ = array.__array_interface__
        self._array = array  # owns the memory


def _wait(array: Any) -> None:
    """For what was asked of the GPU that memory which the host may read belongs to as well."""
    kind, number = array.__dlpack_device__()
    if kind == 13 and hasattr(_core, "device"):
        _core.device.wait(int(number))


def plain_vector(array: Any, name: str) -> np.ndarray:
    """A dense vector of one of the plain types."""
    vector = host_array(array, name)
    if vector.ndim != 1:
        raise ValueError(f"{name}: one dimension wanted, {vector.ndim} given")
    if vector.dtype.name not in PLAIN_TYPES:
        raise TypeError(f"{name}: {', '.join(PLAIN_TYPES)} wanted, {vector.dtype} given")
    return np.ascontiguousarray(vector)


def output(out: Any, size: int, dtype: Any, name: str = "out") -> np.ndarray:
    """The array to write to: a new one, or the caller's if it has the right shape."""
    if out is None:
        return np.empty(size, dtype)
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape != (size,):
        raise ValueError(f"{name}: a NumPy array of {size} {np.dtype(dtype)} values wanted")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError(f"{name}: a dense and writeable array wanted")
    return out
