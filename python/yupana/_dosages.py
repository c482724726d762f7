"""Genotypes' names of files, arrays as int8, filters, which are the arguments of read_genotypes and ld_prune, and pair counts."""

from __future__ import annotations

import errno
import inspect
import os
import re
from contextlib import contextmanager, suppress
from numbers import Real
from typing import Any, Callable, Iterator

import numpy as np

from . import _core
from ._call import Keywords, options, whole
from ._views import host_array, resident, returned


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


@contextmanager
def folder_of(path: str) -> Iterator[None]:
    """Makes the folder that a file goes to, as the program does; takes it back where the call fails.
    A folder that cannot be made or written raises OSError here, as open() would."""
    folder = os.path.dirname(path)
    made: list[str] = []
    try:
        at = folder
        missing: list[str] = []
        while at and not os.path.lexists(at):
            missing.append(at)
            at = os.path.dirname(at)
        for name in reversed(missing):
            os.mkdir(name)
            made.append(name)
        if not os.access(folder or ".", os.W_OK | os.X_OK):
            fault = errno.EACCES if os.path.isdir(folder or ".") else errno.ENOTDIR
            raise OSError(fault, os.strerror(fault), folder)
        yield
    except BaseException:
        for name in reversed(made):
            with suppress(OSError):
                os.rmdir(name)
        raise


def check_opens(path: Any) -> None:
    """Raises OSError, as open() would, where a file cannot be read; it is not opened: a pipe is read once."""
    if path and not os.access(path, os.R_OK):
        fault = errno.EACCES if os.path.exists(path) else errno.ENOENT
        raise OSError(fault, os.strerror(fault), os.fspath(path))


def refuse_overwriting(source: Any, out: str) -> None:
    """ValueError where files that belong to out are among those that belong to source."""
    if not isinstance(source, str):
        return
    stem, ending = os.path.splitext(out)
    written = {".bed": (".bed", ".bim", ".fam"), ".pgen": (".pgen", ".pvar", ".psam")}.get(ending, (ending,))
    own, kind = os.path.splitext(source)
    own = own if kind in (".bed", ".pgen", ".bgen") else source
    read = [source, *(own + part for part in (".bed", ".bim", ".fam", ".pgen", ".pvar", ".pvar.zst", ".psam", ".sample"))]
    for name in (stem + part for part in written):
        if any(os.path.isfile(file) and os.path.exists(name) and os.path.samefile(file, name) for file in read):
            raise ValueError(f"out: {name} is read by this call, which would write over it; give another name")


def _has_objects(frame: Any) -> bool:
    """True for a pandas frame whose matrix NumPy has no type of numbers for, as with NA."""
    return any(kind.kind not in "iufb" or not isinstance(kind, np.dtype) for kind in frame.dtypes)


def _allele_counts(calls: np.ndarray) -> np.ndarray:
    """Calls variants x samples x alleles, as sgkit has them, to samples x sites: x counts ALT alleles, a call
    without one of its alleles is missing. A haploid call, -2 after its allele, counts twice."""
    if calls.ndim != 3 or calls.shape[2] != 2:
        raise ValueError(f"call_genotype: expected variants x samples x 2 alleles, got {calls.shape}")
    if calls.size and calls.max() > 1:
        raise ValueError("call_genotype: expected two alleles, 0 and 1, of each variant, got more; "
                         "leave such variants out, or read the store with its path")
    calls = calls.astype(np.int8, copy=False)
    one, other = calls[:, :, 0], calls[:, :, 1]
    counts = np.where(other == -2, 2 * one, one + other)
    missing = (one < 0) | (other == -1)
    return np.ascontiguousarray(np.where(missing, -1, counts).astype(np.int8).T)


def unwrapped(source: Any) -> tuple[Any, list[str] | None]:
    """The matrix samples x sites and the names of samples that an AnnData (X, obs_names), a Dataset of sgkit
    (call_genotype, or call_dosage where it has no calls; sample_id) or a DataArray of xarray holds; anything else as
    it is, without names. Known by what they have: none of these packages is imported."""
    if hasattr(source, "obs_names") and hasattr(source, "X"):
        matrix = source.X
        matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        return matrix, [str(name) for name in source.obs_names]
    if hasattr(source, "data_vars"):
        held = source.data_vars
        names = [str(name) for name in np.asarray(held["sample_id"])] if "sample_id" in held else None
        if "call_genotype" in held:
            return _allele_counts(np.asarray(held["call_genotype"])), names
        if "call_dosage" in held:
            return np.asarray(held["call_dosage"]).T, names
        raise ValueError("genotypes: expected a Dataset with call_genotype or call_dosage, got one with "
                         + ", ".join(map(str, held)))
    if hasattr(source, "dims") and hasattr(source, "values") and hasattr(source, "coords"):
        dims = list(source.dims)
        values = np.asarray(source.values)
        return (values.T if dims[:2] == ["variants", "samples"] else values), None
    return source, None


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
        others = np.argwhere(called & ~np.isin(rows, (0, 1, 2)))
        if len(others) > 0:
            row, column = others[0]
            raise ValueError(
                "genotypes: expected 0, 1, 2 or, missing, NaN or a negative number, got "
                f"{rows[row, column]} in row {begin + row}, column {column} (from 0)"
            )
        result[begin : begin + 256] = np.where(called, rows, -1)
    return result


def fields_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of read_genotypes as attributes of a GenotypeInput."""
    fields = {name: value for name, value in arguments.items() if value is not None}
    snps_only = fields.pop("snps_only", False)
    if snps_only not in (False, True, "just-acgt"):
        raise ValueError(f"snps_only: expected True, False or 'just-acgt', got {snps_only!r}")
    fields["snps_only"] = bool(snps_only)
    fields["just_acgt"] = snps_only == "just-acgt"
    filters = fields.pop("var_filter", False)
    fields.pop("indep_pairwise", None)
    fields["filtered"] = filters is not False
    if not isinstance(filters, bool):
        fields["ignored_filters"] = [filters] if isinstance(filters, str) else list(filters)
    return fields


#: Arguments that change nothing unless one of others is given.
_NEEDS = {
    "hwe_mid_p": ("min_hwe",),
    "king_largest": ("king_cutoff",),
    "nonfounders": ("min_maf", "max_maf", "min_mac", "min_hwe", "indep_pairwise"),
    "seed": ("thin",),
}


def refuse_idle(arguments: dict[str, Any], function: Callable[..., Any]) -> None:
    """Refuses arguments of the function that change nothing for want of another one."""
    defaults = inspect.signature(function).parameters

    def is_given(name: str) -> bool:
        return bool(arguments[name] != defaults[name].default)

    for name, others in _NEEDS.items():
        if is_given(name) and not any(map(is_given, others)):
            raise ValueError(f"{name} has no effect without {' or '.join(others)}; leave it out")


def check_number(name: str, value: Any, below: float) -> None:
    """Refuses what is no number from 0 to below another."""
    if not isinstance(value, Real) or not 0 <= value < below:
        raise ValueError(f"{name}: expected a number from 0 to below {below}, got {value!r}")


def check_windows(window: Any, step: Any) -> None:
    """Refuses what are no windows of --indep-pairwise, in the words of the caller's parameters."""
    if isinstance(window, str) and window.endswith("kb"):
        if not re.fullmatch(r"(\d+\.?\d*|\.\d+)(e[+-]?\d+)?kb", window) or float(window[:-2]) <= 0:
            raise ValueError(f"window: expected kilobases above 0, as '200kb', got {window!r}")
        whole("step", step, 2, 1)
    else:
        is_number = isinstance(window, str) and window.isdecimal()
        sites = whole("window", int(window) if is_number else window, least=2)
        whole("step", step, sites + 1, 1)


class PairCounts:
    """Exact counts for every pair of samples, from which each metric is a formula.

    Over the sites where both are called: ``ibs1`` differ by one allele, ``ibs0`` by two,
    ``shared`` are all of them; int64 matrices, samples x samples.
    """

    def __init__(self, counts: _core.genotype.PairCounts, keywords: dict[str, Any]) -> None:
        self._counts = counts
        self._keywords = keywords

    @property
    def samples(self) -> list[str]:
        """Names of the samples, in the order of rows and columns."""
        return self._counts.samples

    @property
    def sites(self) -> int:
        """Sites counted."""
        return self._counts.sites

    @property
    def summary(self) -> dict[str, Any]:
        """Samples and sites read and kept, and why others were dropped."""
        return self._counts.summary

    def _matrix(self, which: str) -> np.ndarray:
        with options(**self._keywords) as call:
            return returned(self._counts.matrix(call, which))

    @property
    def ibs1(self) -> np.ndarray:
        """Sites where the genotypes differ by 1."""
        return self._matrix("ibs1")

    @property
    def ibs0(self) -> np.ndarray:
        """Sites where they differ by 2."""
        return self._matrix("ibs0")

    @property
    def shared(self) -> np.ndarray:
        """Sites where both are called."""
        return self._matrix("shared")

    def distances(self, metric: str = "sqeuclidean", *, rescale: bool = True) -> np.ndarray:
        """The matrix of a metric, float64; see :func:`yupana.genotype.distances`."""
        with options(**self._keywords) as call:
            return self._counts.distances(call, metric, rescale)


def counted_on_gpu(calls: Any, hethet: bool, keywords: dict[str, Any]) -> PairCounts:
    """The counts of genotypes on a GPU, made there."""
    if set(keywords) - Keywords.__optional_keys__:
        raise ValueError(
            "filters: expected genotypes in host memory; copy the array with .get() (CuPy) or "
            ".cpu() (torch)"
        )
    calls = resident(calls, "genotypes", ("int8",), 2)
    source = _core.genotype.GenotypeInput()
    source.set_array(calls, [])
    with options(calls, **keywords) as call:
        return PairCounts(_core.genotype.count(source, call, hethet), keywords)
