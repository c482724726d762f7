"""Arrays of any library as the bindings take them, and results as arrays of that library.

Arrays in host memory are converted where a function takes another type or order. Arrays on a GPU
never are: one that a function cannot read in place is refused in one line that says what to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._libraries import (
    given as given,
    library_of,
    new_array as new_array,
    on_gpu as on_gpu,
    type_name as type_name,
)

#: What functions return: a NumPy array, or one of the library of an argument on a GPU.
Array = Any

PLAIN_TYPES = ("int32", "int64", "uint32", "uint64", "float32", "float64")
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
#: The same in host memory, which need no conversion.
_REAL, _COMPLEX = ({*map(np.dtype, types)} for types in (FLOATS, COMPLEX))
#: What narrower numbers in host memory are read as.
_WIDER = {
    **dict.fromkeys(("int8", "int16"), "int64"),
    **dict.fromkeys(("bool", "uint8", "uint16"), "uint64"),
    **dict.fromkeys(("float16", "bfloat16"), "float64"),
}
WEIGHTS = ("int32", *FLOATS)
#: Values that move with their keys.
WORDS = ("a type of 4 or 8 bytes",)

_DLPACK_CPU, _DLPACK_MANAGED = 1, 13


def any_on_gpu(**arrays: Any) -> bool:
    """True if all arrays are on a GPU, False if none is; TypeError for a mix."""
    there = {name: on_gpu(array) for name, array in arrays.items()}
    if any(there.values()) and not all(there.values()):
        name = next(name for name in there if not there[name])
        raise TypeError(f"{name}: expected an array on a GPU, as the other is, got one in host memory")
    return any(there.values())


def returned(result: Any, likes: tuple[Any, ...] = (None,)) -> Any:
    """A result whose arrays on a GPU are of the libraries of likes, the last for all that follow."""
    if isinstance(result, np.ndarray):
        # NumPy prints the type of 64-bit integers from DLPack as another than its own int64.
        return result.view(result.dtype.str) if result.dtype.char in "qQ" else result
    if isinstance(result, tuple):
        last = len(likes) - 1
        return tuple(returned(x, (likes[min(i, last)],)) for i, x in enumerate(result))
    if isinstance(result, dict):
        return {name: returned(value, likes) for name, value in result.items()}
    return library_of(likes[0]).from_dlpack(result) if on_gpu(result) else result


def dtype_of(array: Any) -> np.dtype:
    """An array's type, as NumPy has it."""
    return array.dtype if isinstance(array.dtype, np.dtype) else np.dtype(type_name(array))


def is_dense(array: Any, order: str) -> bool:
    """Whether the values lie without gaps, by rows ("C") or columns ("F")."""
    array = array if order == "C" else array.T
    if hasattr(array, "is_contiguous"):
        return bool(array.is_contiguous())
    return bool(array.flags.c_contiguous) if hasattr(array, "flags") else True


_DENSE = {
    "C": "rows one after the other without gaps, use {0}.contiguous() (torch) or "
    "cupy.ascontiguousarray({0})",
    "F": "columns one after the other, use {0}.t().contiguous().t() (torch) or "
    "cupy.asfortranarray({0})",
}


def resident(
    array: Any, name: str, types: tuple[str, ...], dimensions: int = 0, order: str = "C"
) -> Any:
    """The array on a GPU itself, if it has one of the types, so many dimensions (0: any), the order."""
    library = library_of(array)
    if dimensions and array.ndim != dimensions:
        shape = tuple(array.shape)
        raise ValueError(f"{name}: expected {dimensions} dimension(s), got shape {shape}")
    fits = array.dtype.itemsize in (4, 8) if types is WORDS else type_name(array) in types
    if not fits:
        known = " or ".join(types)
        raise TypeError(f"{name}: expected {known} on a GPU, got {type_name(array)}")
    problem = library.problem(array, name)
    if problem is None and not is_dense(array, order):
        problem = _DENSE[order].format(name)
    if problem is not None:
        raise TypeError(f"{name}: expected {problem}")
    return array


def same_types(**arrays: Any) -> None:
    """Refuses arrays whose type is not the first one's."""
    (first, x), *rest = arrays.items()
    for name, other in rest:
        if type_name(other) != type_name(x):
            raise TypeError(
                f"{name}: expected {type_name(x)}, as {first} has, got {type_name(other)}"
            )


def to_host(array: Any) -> np.ndarray:
    """The array, or a copy in host memory, in the same order, of one on a GPU."""
    if not on_gpu(array):
        return array
    if array.ndim == 2 and not is_dense(array, "C"):
        return to_host(array.T).T
    library_of(array)
    return _core.device.host(array.reshape(-1)).reshape(tuple(array.shape))


def host_array(array: Any, name: str, dtype: Any = None) -> np.ndarray:
    """A NumPy view of an array in host memory; a copy only for another dtype."""
    if on_gpu(array):
        raise TypeError(
            f"{name}: expected an array in host memory, got one on a GPU; copy it with .get() "
            "(CuPy) or .cpu() (torch)"
        )
    if not isinstance(array, np.ndarray) and hasattr(array, "__dlpack__"):
        _wait_for(array)
        try:
            array = np.from_dlpack(array)
        except (BufferError, RuntimeError) as error:
            kind = getattr(array, "dtype", type(array).__name__)
            raise TypeError(f"{name}: {kind}: {str(error).splitlines()[0]}") from error
        if array.__dlpack_device__()[0] != _DLPACK_CPU:
            array = np.asarray(_WithoutDevice(array))
    refuse_masked(array, name)
    result = np.asarray(array, dtype=dtype)
    # NumPy makes doubles of lists that hold an integer beyond 64 bits, or a fraction.
    if isinstance(array, (list, tuple)) and result.dtype.kind == "f" and (abs(result) >= 2.0**53).any():
        refuse_rounded_list(array, name)
    return result


def refuse_masked(array: Any, name: str) -> None:
    """Raises ValueError for values that a mask hides, which NumPy would hand over as they are."""
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise ValueError(f"{name}: expected an array without masked values; fill them first, as with .filled()")


class _WithoutDevice:
    """Managed or page-locked memory as plain host memory: NumPy's DLPack would report the device."""

    def __init__(self, array: np.ndarray) -> None:
        self.__array_interface__ = array.__array_interface__
        self._array = array  # owns the memory


def _wait_for(array: Any) -> None:
    """Waits for the GPU's work on managed memory, which the host may read meanwhile."""
    kind, number = array.__dlpack_device__()
    if kind == _DLPACK_MANAGED and hasattr(_core, "device"):
        _core.device.wait(int(number))


def _real_on_host(array: Any, name: str) -> np.ndarray:
    """float32 from float32, float16 and bfloat16, else float64; what no double equals is refused."""
    if type(array) is np.ndarray and array.dtype in _REAL:
        return array
    array = host_array(array, name)
    is_bfloat16 = array.dtype.name == "bfloat16"  # of ml_dtypes, which need not be installed
    if array.dtype.kind not in "biuf" and not is_bfloat16:
        raise TypeError(f"{name}: expected real numbers, got {array.dtype}")
    if array.dtype in (np.float32, np.float16) or is_bfloat16:
        return array.astype(np.float32, copy=False)
    refuse_rounding(array, name)
    return array.astype(np.float64, copy=False)


def refuse_rounding(array: np.ndarray, name: str) -> None:
    """Raises ValueError for numbers that no double equals, which would change silently."""
    if array.dtype in (np.longdouble, np.clongdouble):
        with np.errstate(over="ignore"):
            doubles = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
        if ((doubles != array) & (array == array)).any():
            raise ValueError(
                f"{name}: expected numbers that a double equals, got {array.dtype} of more digits; "
                f"convert it with .astype({doubles.dtype}) if it may be rounded"
            )
    if array.dtype.kind == "O":
        if any(isinstance(number, int) and _is_rounded(number) for number in array.flat):
            raise _rounded_integer(name)
        return
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8 or array.size == 0:
        return
    if -(2**53) <= int(array.min()) and int(array.max()) <= 2**53:
        return
    doubles = array.astype(np.float64)
    above = 2.0 ** (63 if array.dtype.kind == "i" else 64)
    with np.errstate(invalid="ignore"):
        if (doubles >= above).any() or (doubles.astype(array.dtype) != array).any():
            raise _rounded_integer(name)


def refuse_rounded_list(values: Any, name: str) -> None:
    """As refuse_rounding() of a list, of which NumPy makes float64 where some integers are beyond 64
    bits, or beyond 63 beside smaller ones."""
    if not isinstance(values, (list, tuple)):
        return
    try:
        is_float = np.asarray(values).dtype.kind in "fO"
    except ValueError:  # rows of unequal length, which are refused elsewhere
        return
    if is_float:
        refuse_rounding(np.asarray(values, dtype=object), name)


def _is_rounded(number: int) -> bool:
    try:
        return abs(number) > 2**53 and int(float(number)) != number
    except OverflowError:
        return True


def _rounded_integer(name: str) -> ValueError:
    return ValueError(
        f"{name}: expected integers that a double equals, got one beyond 2**53; "
        "convert it with .astype(float) if it may be rounded"
    )


def real_array(array: Any, name: str, dimensions: int = 0) -> Array:
    """Real numbers, so many dimensions (0: any): float32 or float64, any strides in host memory."""
    if on_gpu(array):
        return resident(array, name, FLOATS, dimensions)
    array = _real_on_host(array, name)
    if dimensions and array.ndim != dimensions:
        raise ValueError(f"{name}: expected {dimensions} dimension(s), got shape {array.shape}")
    return array


def complex_array(array: Any, name: str) -> Array:
    """Complex numbers, dense: complex64 from complex64 and float32, else complex128."""
    if type(array) is np.ndarray and array.dtype in _COMPLEX:
        return array if array.flags.c_contiguous else np.ascontiguousarray(array)
    if on_gpu(array):
        return resident(array, name, COMPLEX)
    array = host_array(array, name)
    if array.dtype.kind != "c":
        array = _real_on_host(array, name)
    refuse_rounding(array, name)
    single = array.dtype in (np.complex64, np.float32)
    return np.asarray(array, dtype=np.complex64 if single else np.complex128, order="C")


def plain_vector(array: Any, name: str, types: tuple[str, ...] = PLAIN_TYPES) -> Array:
    """A dense vector of one of the types, in host memory made of narrower ones too."""
    if on_gpu(array):
        return resident(array, name, types, 1)
    vector = host_array(array, name)
    if vector.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, got {vector.ndim}")
    kind = _WIDER.get(vector.dtype.name, vector.dtype.name)
    if kind not in types:
        raise TypeError(f"{name}: expected {', '.join(types)}, got {vector.dtype}")
    return np.ascontiguousarray(vector, dtype=kind)


def as_narrow_as(result: Array, *keys: Any) -> Array:
    """Some of the keys in their own type where plain_vector() made a wider one of each."""
    if on_gpu(result):
        return result
    kinds = {dtype_of(key) if hasattr(key, "dtype") else None for key in keys}
    kind = kinds.pop()
    return result if kinds or kind is None or kind.name not in _WIDER else result.astype(kind.newbyteorder("="))


def output(out: Any, like: Any) -> Array:
    """The caller's array to write to, of the shape and type of another and beside it, or a new one."""
    if out is None:
        return new_array(like)
    size, kind = int(like.shape[0]), type_name(like)
    where = "an array on the GPU" if on_gpu(like) else "a NumPy array"
    if on_gpu(like):
        fits = on_gpu(out) and type_name(out) == kind
    else:
        fits = isinstance(out, np.ndarray) and out.dtype == like.dtype
    if not fits or tuple(out.shape) != (size,):
        raise ValueError(f"out: expected {where} of {size} {kind} values")
    if on_gpu(out):
        if library_of(out).module.__name__.startswith("jax"):
            raise ValueError("out: expected an array that may be written to, which none of JAX may")
        return resident(out, "out", PLAIN_TYPES, 1)
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise ValueError("out: expected a dense and writeable array")
    if np.may_share_memory(out, like) and out.ctypes.data != like.ctypes.data:
        raise ValueError("out: expected the vector itself or an array apart from it, got one that overlaps it")
    return out


def square_matrix(array: Any, name: str) -> Array:
    """A dense square matrix of int32, float32 or float64."""
    if on_gpu(array):
        return resident(array, name, WEIGHTS, 2)
    matrix = host_array(array, name)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name}: expected a square matrix, got shape {matrix.shape}")
    if matrix.dtype.kind in "iu" and matrix.dtype != np.int32:
        largest = int(matrix.max(initial=0))
        fits = largest < 2**30 and int(matrix.min(initial=0)) > -(2**30)
        refuse_rounding(matrix, name)
        matrix = matrix.astype(np.int32 if fits else np.float64)
    elif matrix.dtype.kind != "f" and matrix.dtype != np.int32:
        raise TypeError(f"{name}: expected integers or floats, got {matrix.dtype}")
    elif matrix.dtype.kind == "f" and matrix.dtype not in (np.float32, np.float64):
        refuse_rounding(matrix, name)
        matrix = matrix.astype(np.float64)
    return np.ascontiguousarray(matrix)


def distance_matrix(matrix: Any) -> np.ndarray:
    """A square matrix in host memory, 0 on its diagonal, symmetric but for rounding."""
    matrix = square_matrix(host_array(matrix, "distances"), "distances")
    (loops,) = np.nonzero(abs(matrix.diagonal()) > 0)
    if loops.size:
        raise ValueError(
            f"distances: expected 0 on the diagonal, got {matrix[loops[0], loops[0]]} in row {loops[0] + 1} (from 1)"
        )
    step = 512
    for begin in range(0, len(matrix), step):
        below, above = matrix[begin : begin + step, :begin], matrix[:begin, begin : begin + step].T
        own = matrix[begin : begin + step, begin : begin + step]
        for ours, theirs, first in ((below, above, 0), (own, own.T, begin)):
            rows, columns = np.nonzero(~np.isclose(ours, theirs, rtol=1e-6, atol=0, equal_nan=True))
            if rows.size:
                i, j = rows[0] + begin + 1, columns[0] + first + 1
                raise ValueError(
                    f"distances: expected a symmetric matrix, got {ours[rows[0], columns[0]]} in row {i}, "
                    f"column {j} and {theirs[rows[0], columns[0]]} in row {j}, column {i} (from 1)"
                )
    return matrix
