"""Calls of the library: the keywords that every function takes, and where a call runs."""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from contextlib import contextmanager
from functools import lru_cache, wraps
from numbers import Integral
from operator import index
from typing import Any, Callable, Iterator, TypedDict, TypeVar, Union

from . import _core
from ._libraries import handed, on_gpu, ordinal, place_of
from ._views import returned

#: ``True`` shows a bar (tqdm where it is installed, else lines); a callable is called with
#: ``(stage, done, total, unit, seconds)``.
ProgressLike = Union[bool, None, Callable[[str, float, float, str, float], Any]]


class HostKeywords(TypedDict, total=False):
    """Keywords of the functions that run on the processor alone."""

    threads: int | None
    memory: int | None
    progress: ProgressLike


class Keywords(HostKeywords, total=False):
    """Keywords of all other functions."""

    device: str


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


class _Lines:
    """Stages as lines of standard error: one as each begins, then one every few seconds."""

    _seconds_between = 5

    def __init__(self) -> None:
        self._stage: str | None = None
        self._printed = 0.0

    def __call__(self, stage: str, done: float, total: float, unit: str, seconds: float) -> None:
        if stage == self._stage and seconds < self._printed + self._seconds_between:
            return
        self._stage, self._printed = stage, seconds
        of_all = f" of {total:.6g}" if total else ""
        print(f"{stage}: {done:.6g}{of_all} {unit or 'steps'}, {seconds:.1f} s", file=sys.stderr)

    def close(self) -> None:
        pass


def _shown() -> _Bar | _Lines:
    try:
        import tqdm.auto  # noqa: F401
    except ImportError:
        return _Lines()
    return _Bar()


def _in_one_line(message: str) -> str:
    """nanobind's message on arguments of other types, argument by argument where it names them."""
    name = message.split("(", 1)[0]
    signature, _, given = message.partition("Invoked with types:")
    signature = signature.split("\n")[1]
    expected = dict(re.findall(r"(\w+): ([\w.| ]+)", signature))
    by_place, _, by_name = given.partition("kwargs = ")
    places = (["self"] if "(self" in signature else []) + list(expected)
    pairs = [*zip(places, re.findall(r"[\w.]+", by_place))]
    pairs += re.findall(r"(\w+): ([\w.]+)", by_name)
    fit = {"bool": ["bool"], "int": ["int", "bool"], "float": ["float", "int", "bool"]}
    fit.update({"str": ["str"], "None": ["NoneType"]})
    wrong = []
    for argument, kind in pairs:
        kinds = expected.get(argument, "").strip().split(" | ")
        if all(k in fit and kind not in fit[k] for k in kinds):
            wrong.append(f"{argument}: expected {' | '.join(kinds)}, got {kind}")
    return "; ".join(wrong) or (
        f"{name}: a number out of its range or an argument of another type, such as numpy.bool for bool"
    )


def _shortened(error: BaseException | None) -> BaseException | None:
    """The error in one line if it is nanobind's on arguments of other types, else None."""
    is_long = isinstance(error, TypeError) and "incompatible function arguments" in str(error)
    return TypeError(_in_one_line(str(error))) if is_long else None


@contextmanager
def one_line() -> Iterator[None]:
    """Shortens nanobind's message on arguments of other types."""
    try:
        yield
    except TypeError as error:
        raise _shortened(error) or error from None


def whole(name: str, value: Any, below: int = 2**63, least: int = 0) -> int:
    """A number, 0 or more, that the library can take."""
    if not isinstance(value, Integral) or not least <= value < below:
        end = f" to {below - 1}" if below < 2**63 else ""
        raise ValueError(f"{name}: expected a whole number from {least}{end}, got {value!r}")
    return int(value)


def integer(name: str, value: Any) -> int:
    """A number of any size and sign."""
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, got {value!r}") from None


def _device_of(array: Any, device: str) -> str:
    """Where a call on an array runs: on the array's GPU, which ``device`` may name."""
    if not on_gpu(array):
        return device
    own = f"cuda:{ordinal(array)}"
    if device not in ("auto", "cuda", own):
        raise ValueError(f"device: expected 'auto' or '{own}', where the array is, got '{device}'")
    return own


class options:
    """Context manager: the library's options of one call; one on a GPU array runs on that GPU."""

    def __init__(
        self,
        array: Any = None,
        *,
        device: str = "auto",
        threads: int | None = None,
        memory: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        if not (progress is None or isinstance(progress, bool) or callable(progress)):
            raise TypeError(f"progress: expected True, False, None or a callable, got {progress!r}")
        self._bar = _shown() if progress is True else None
        report = self._bar if progress is True else (progress or None)
        where = _device_of(array, device)
        stream = place_of(array)[1:] if on_gpu(array) else ()
        threads = whole("threads", threads, 4097) if threads else 0
        memory = whole("memory", memory) if memory else 0
        try:
            self._options = _core.Options(where, threads, memory, report, *stream)
        except TypeError as error:
            raise _shortened(error) or error from None

    def __enter__(self) -> _core.Options:
        return self._options

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if self._bar is not None:
            self._bar.close()
        short = _shortened(error)
        if short is not None:
            raise short from None


#: Functions that a GPU ends in microseconds. They take capsules, which are read once: no argument
#: may make the bindings turn from one type's function to another's after an array.
_QUEUED = {
    *(f"arrays.{name}" for name in ("argsort", "merge", "merge_by_key", "reduce", "scan", "sort", "sort_by_key")),
    *(f"arrays.segmented_{name}" for name in ("reduce", "scan")),
    *(f"spectral.{name}" for name in ("fft", "fft2", "irfft", "rfft")),
}


#: Families whose functions take what their arrays and results need, and those that do not.
_TAKE_WHAT_THEY_NEED = ("analysis", "arrays", "geometry", "graph", "spectral")
_PLAN_BEFORE = ("pairs_within",)


def note_memory(name: str, keywords: Keywords | HostKeywords) -> None:
    """A :class:`Note` where ``memory`` was given to a call that does not plan by it."""
    if keywords.get("memory"):
        message = f"memory has no effect on {name}: it takes what its arrays and results need"
        warnings.warn(message, Note, stacklevel=4)


@lru_cache
def without_keywords(array_device: int | None, stream: int | None) -> _core.Options:
    """Calls take their options by value: one object serves all of a place and a stream."""
    if array_device is None:
        return _core.Options("auto", 0, 0, None)
    return _core.Options(f"cuda:{array_device}", 0, 0, None, stream)


def run(
    function: str | Callable[..., Any],
    keywords: Keywords | HostKeywords,
    array: Any,
    *arguments: Any,
    likes: tuple[Any, ...] = (),
) -> Any:
    """Calls function(options, array, *arguments) where the array is.

    function : "family.name" of _core, or a bound method
    likes : arrays whose libraries the results on a GPU are given to; by default the array's
    """
    likes = likes or (array,)
    there = on_gpu(array)
    place = place_of(array) if there and not keywords else (None, None)
    family = ""
    if isinstance(function, str):
        if there and function in _QUEUED:
            array, arguments = handed(array), tuple(map(handed, arguments))
        family, name = function.split(".")
        function = getattr(getattr(_core, family), name)
    if keywords:
        with options(likes[0], **keywords) as call:
            if family in _TAKE_WHAT_THEY_NEED and name not in _PLAN_BEFORE:
                note_memory(f"{family}.{name}", keywords)
            result = function(call, array, *arguments)
    else:
        try:
            result = function(without_keywords(*place), array, *arguments)
        except TypeError as error:
            raise _shortened(error) or error from None
    return None if result is None else returned(result, likes)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_keywords(function: _Function, more: Callable[..., Any] = options.__init__) -> _Function:
    """Writes the keywords out in the signature that ``help()`` shows, and refuses others.

    more : a function whose keyword-only arguments are keywords too
    """
    signature = inspect.signature(function)
    *parameters, packed = signature.parameters.values()
    every = {**inspect.signature(more).parameters, **inspect.signature(options).parameters}
    shown = [parameter for parameter in every.values() if parameter.kind is parameter.KEYWORD_ONLY]
    if packed.annotation == "Unpack[HostKeywords]":
        shown = [parameter for parameter in shown if parameter.name != "device"]
    known = {parameter.name for parameter in (*parameters, *shown)}

    @wraps(function)
    def checked(*arguments: Any, **keywords: Any) -> Any:
        if not known.issuperset(keywords):
            name = min(set(keywords) - known)
            raise TypeError(
                f"{function.__name__}: expected keywords {', '.join(sorted(known))}; got '{name}'"
            )
        return function(*arguments, **keywords)

    setattr(checked, "__signature__", signature.replace(parameters=[*parameters, *shown]))
    return checked  # type: ignore[return-value]
