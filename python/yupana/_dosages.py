"""Inputs of genotypes: names of files, and arrays as int8."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._views import host_array


def readable(path: Any) -> str:
    """The path as text. What cannot be opened raises OSError here, as open() would."""
    text = os.fspath(path)
    is_name = text == "-" or text.startswith("simulate:")
    is_name = is_name or any(os.path.exists(text + ending) for ending in (".bed", ".pgen"))
    is_name = is_name or os.path.isdir(os.path.join(text, "call_genotype"))  # VCF-Zarr
    if not is_name:
        with open(text, "rb"):
            pass
    return text


def _has_objects(frame: Any) -> bool:
    """True for a pandas frame whose matrix NumPy has no type of numbers for, as with NA."""
    return any(kind.kind not in "iufb" or not isinstance(kind, np.dtype) for kind in frame.dtypes)


def dosages(array: Any) -> np.ndarray:
    """An int8 view of an array; a copy for other types (NaN: a missing call)."""
    if hasattr(array, "toarray"):
        kind = type(array).__name__
        raise TypeError(f"genotypes: expected a dense array, got {kind}; use .toarray()")
    if type(array).__module__.split(".")[0] == "pandas" and hasattr(array, "columns"):
        try:
            array = array.to_numpy(np.float64, na_value=np.nan) if _has_objects(array) else array
        except (TypeError, ValueError) as error:
            raise TypeError("genotypes: expected numbers in every column of the frame") from error
    array = host_array(array, "genotypes")
    if array.ndim != 2:
        raise ValueError(f"genotypes: expected samples x sites, got {array.ndim} dimension(s)")
    if array.dtype == np.int8:
        return array
    if array.dtype == np.bool_:
        return array.view(np.int8)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"genotypes: expected integers or floats, got {array.dtype}")
    result = np.empty_like(array, dtype=np.int8)
    for begin in range(0, array.shape[0], 256):
        rows = array[begin : begin + 256]
        called = rows >= 0
        if not (np.isin(rows, (0, 1, 2)) | ~called).all():
            raise ValueError("genotypes: expected 0, 1, 2 or, missing, NaN or a negative number")
        result[begin : begin + 256] = np.where(called, rows, -1)
    return result
