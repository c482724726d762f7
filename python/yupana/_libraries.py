"""The libraries of arrays on a GPU: where their arrays are, on which stream they work, how they make new ones."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Sequence

import numpy as np

from . import _core

#: An array of a library.
Array = Any

_DLPACK_CUDA = 2
_DLPACK_CODES = {"i": 0, "u": 1, "f": 2, "c": 5}


def on_gpu(array: Any) -> bool:
    """True for an array in the memory of a CUDA device (CuPy, torch, JAX, ...)."""
    library = _LIBRARIES.get(type(array))
    if library is not None:
        return library.has_on_gpu(array)
    if array is None or isinstance(array, np.ndarray):
        return False
    try:
        return array.__dlpack_device__()[0] == _DLPACK_CUDA
    except AttributeError:
        return hasattr(array, "__cuda_array_interface__")


def ordinal(array: Any) -> int:
    """The number of the GPU that an array is on."""
    return library_of(array).ordinal(array)


class _Library:
    """What a library tells of its arrays on a GPU; of JAX no more than DLPack has."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.from_dlpack = module.from_dlpack

    def has_on_gpu(self, array: Any) -> bool:
        return bool(array.__dlpack_device__()[0] == _DLPACK_CUDA)

    def ordinal(self, array: Any) -> int:
        return int(array.__dlpack_device__()[1])

    def stream(self, array: Any) -> int | None:
        """Where the library queues work on the array; None: only it knows."""
        return None

    def empty(self, like: Any, shape: Sequence[int], kind: str) -> Array:
        """A new array beside another, in memory of the library; of JAX's arrays, to which nobody may
        write, memory of ours."""
        dtype = np.dtype(kind)
        return _core.device.empty(
            list(shape), _DLPACK_CODES[dtype.kind], 8 * dtype.itemsize, self.ordinal(like)
        )

    def empty_like(self, like: Any) -> Array:
        """The same of the shape and type of the other."""
        return self.empty(like, like.shape, type_name(like))

    def handle(self, array: Any) -> Any:
        """What the bindings take for an array: its capsule, where they ask for it once for each type."""
        return array

    def problem(self, array: Any, name: str) -> str | None:
        """What keeps a kernel from reading the array's values, but for their order, and what to do."""
        return None


class _Torch(_Library):
    def has_on_gpu(self, array: Any) -> bool:
        return bool(array.is_cuda)

    def ordinal(self, array: Any) -> int:
        return int(array.get_device())

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        # As fast as a tenth of a call where this version has it.
        self.stream_of = getattr(module._C, "_cuda_getCurrentRawStream", None)
        self.capsule_of = module.utils.dlpack.to_dlpack

    def problem(self, array: Any, name: str) -> str | None:
        if array.requires_grad:
            return f"a tensor without gradients, use {name}.detach()"
        if array.layout is not self.module.strided:
            return f"a dense tensor, use {name}.to_dense()"
        if array.is_conj() or array.is_neg():
            return f"values as they lie in memory, use {name}.resolve_conj().resolve_neg()"
        return None

    def handle(self, array: Any) -> Any:
        return self.capsule_of(array)

    def address(self, array: Any) -> int:
        return int(array.data_ptr())

    def stream(self, array: Any) -> int | None:
        if self.stream_of is not None:
            return int(self.stream_of(array.get_device()))
        return int(self.module.cuda.current_stream(array.device).cuda_stream)

    def empty(self, like: Any, shape: Sequence[int], kind: str) -> Array:
        return self.module.empty(shape, dtype=getattr(self.module, kind), device=like.device)

    def empty_like(self, like: Any) -> Array:
        return self.module.empty_like(like)  # half the time


class _Cupy(_Library):
    def handle(self, array: Any) -> Any:
        return array.__dlpack__()

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def stream(self, array: Any) -> int | None:
        with array.device:
            return int(self.module.cuda.get_current_stream().ptr)

    def empty(self, like: Any, shape: Sequence[int], kind: str) -> Array:
        with like.device:
            return self.module.empty(shape, kind)

    def empty_like(self, like: Any) -> Array:
        with like.device:
            return self.module.empty_like(like)


#: Of the types of arrays seen so far.
_LIBRARIES: dict[type, _Torch | _Cupy] = {}


def queueing(array: Any) -> _Torch | _Cupy | None:
    """The library of an array on a GPU that tells its address and its stream, if it was seen before."""
    library = _LIBRARIES.get(type(array))
    return library if library is not None and library.has_on_gpu(array) else None


def library_of(array: Any) -> _Library:
    """The library of an array on a GPU."""
    known = _LIBRARIES.get(type(array))
    if known is not None:
        return known
    if not hasattr(_core, "device"):
        raise TypeError(
            "x: expected an array in host memory, got one on a GPU; this build has no CUDA backend"
        )
    if hasattr(array, "__dlpack_device__"):
        for kind in type(array).__mro__:
            name = kind.__module__.split(".")[0]
            name = "jax.dlpack" if name.startswith("jax") else name
            if name in ("builtins", "numpy"):
                continue
            module = import_module(name)
            if hasattr(module, "from_dlpack"):
                library = {"torch": _Torch, "cupy": _Cupy}.get(name, _Library)(module)
                if name in ("torch", "cupy"):
                    _LIBRARIES[type(array)] = library
                return library
    kind = type(array)
    raise TypeError(
        "an array on a GPU: expected one of CuPy, torch or JAX, got "
        f"{kind.__module__}.{kind.__qualname__}; cupy.asarray(x) takes it without a copy"
    )


#: Of the types of values seen so far.
_TYPE_NAMES: dict[Any, str] = {}


def type_name(array: Any) -> str:
    kind = array.dtype
    try:
        return _TYPE_NAMES[kind]
    except KeyError:
        return _TYPE_NAMES.setdefault(kind, str(kind).split(".")[-1])


def place_of(array: Any) -> tuple[int, int | None]:
    """The GPU that an array is on, and the stream on which its library queues its work."""
    library = library_of(array)
    return library.ordinal(array), library.stream(array)


def new_array(like: Any, shape: Sequence[int] | None = None, kind: str = "") -> Array:
    """What a function writes its result to: a dense array where another is, by default of its shape and
    type, in memory of its library. given() makes it the result."""
    if isinstance(like, np.ndarray):
        return np.empty_like(like) if shape is None else np.empty(shape, kind)
    library = library_of(like)
    return library.empty_like(like) if shape is None else library.empty(like, shape, kind)


def given(result: Any, like: Any) -> Array:
    """What a function wrote to, as an array of the library of another."""
    if isinstance(result, np.ndarray) or type(result) in _LIBRARIES:
        return result
    return library_of(like).from_dlpack(result)


def handed(array: Any) -> Any:
    """An argument as the bindings take it fastest."""
    library = queueing(array)
    return array if library is None else library.handle(array)


