"""Sparse triangular systems."""

from __future__ import annotations

from typing import Any
from warnings import warn

import numpy as np

from . import _core
from ._call import Keywords, ProgressLike, note_memory, options, run
from ._views import Array, complex_array, on_gpu, real_array, refuse_rounding, resident

__all__ = ["TriangularSystem", "spsolve_triangular", "triangular_solve"]


def _check_values(values: np.ndarray, ends: np.ndarray, indices: np.ndarray, ignored: Any) -> None:
    """Refuses an infinity or NaN among entries that count, as the command line does."""
    for e in np.flatnonzero(~np.isfinite(values)):
        row, column = int(np.searchsorted(ends, e, side="right")), int(indices[e]) + 1
        if not ignored(row, column):
            raise ValueError(
                f"matrix: expected finite values, got {values[e]} in row {row}, column {column} (from 1)"
            )


def _as_type(array: Any, dtype: Any) -> np.ndarray:
    """Dense; what the type does not hold is infinite."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=dtype)


class TriangularSystem:
    """A triangular system op(A) x = b, analysed once, solved for many right-hand sides.

    x has the same bits for every method, device and number of threads.

    Parameters
    ----------
    matrix : scipy sparse, square; float32, float64, complex64 or complex128 values (others as
        float64). CSR is read where it is; entries of one place are added
    lower : A is the lower triangle of the matrix, else the upper
    unit_diagonal : the diagonal is 1, whatever is stored
    ignore_other : leave out entries of the other triangle, which are refused otherwise
    method : "auto", "serial", "level_set" or "sync_free"; the reference is "serial" and takes no other
    trans : op(A) is "N": A, "T": its transpose, "C": its conjugate transpose
    device : complex values are solved on the CPU alone, which "auto" chooses

    Raises
    ------
    ValueError : naming the first row at fault, from 1: not square, a zero on the diagonal, an entry
        of the other triangle, an infinity or NaN in the matrix; complex values for a GPU

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, yupana
    >>> system = yupana.sparse.TriangularSystem(sp.csr_array([[2.0, 0.0], [1.0, 4.0]]))
    >>> system.levels
    2
    >>> system.solve([2.0, 9.0])
    array([1., 2.])
    """

    def __init__(
        self,
        matrix: Any,
        *,
        lower: bool = True,
        unit_diagonal: bool = False,
        ignore_other: bool = False,
        method: str = "auto",
        trans: str = "N",
        device: str = "auto",
        threads: int | None = None,
        memory: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        if not hasattr(matrix, "tocsr"):
            raise TypeError(f"matrix: expected a scipy sparse matrix, got {type(matrix).__name__}")
        matrix = matrix.tocsr()
        if matrix.dtype.kind not in "fiubc":
            raise TypeError(f"matrix: expected numbers, got {matrix.dtype}")
        dtype = np.complex128 if matrix.dtype.kind == "c" else np.float64
        if matrix.dtype in (np.float32, np.complex64):
            dtype = matrix.dtype
        refuse_rounding(matrix.data, "matrix")

        def ignored(row: int, column: int) -> bool:
            return (unit_diagonal and row == column) or (
                ignore_other and (row < column if lower else row > column)
            )

        self._places = (matrix.indptr, matrix.indices, ignored)
        _check_values(matrix.data, *self._places)
        index = np.int32 if matrix.indices.dtype == np.int32 else np.int64
        kind = getattr(_core.sparse, f"System_{np.dtype(dtype)}_{np.dtype(index)}")
        if np.dtype(dtype).kind == "c" and device == "auto":
            device = "cpu"
        if device == "reference" and method in ("level_set", "sync_free"):
            raise ValueError(
                f"method: expected 'auto' or 'serial' for the device 'reference', which solves row "
                f"after row, got '{method}'"
            )
        self._keywords = Keywords(
            device=device, threads=threads, memory=memory, progress=progress
        )
        self.dtype = np.dtype(dtype)
        self.shape = matrix.shape
        self._entries = matrix.nnz
        with options(**self._keywords) as call:
            note_memory("a triangular system", self._keywords)
            self._system = kind(
                call,
                matrix.shape[1],
                np.ascontiguousarray(matrix.indptr, dtype=index),
                np.ascontiguousarray(matrix.indices, dtype=index),
                np.ascontiguousarray(matrix.data, dtype=dtype),
                lower,
                unit_diagonal,
                ignore_other,
                method,
                trans,
            )

    @property
    def levels(self) -> int:
        """Rows of one level can be solved together; the number of levels."""
        return self._system.levels

    @property
    def level(self) -> np.ndarray:
        """The level of every row, from 1."""
        return self._system.level()

    @property
    def method(self) -> str:
        """What solve() uses: never "auto"."""
        return self._system.method

    def update_values(self, values: Any) -> "TriangularSystem":
        """New values in the same places, in the order of the matrix; the analysis stays."""
        numbers = complex_array if self.dtype.kind == "c" else real_array
        values = np.ascontiguousarray(numbers(values, "values"), dtype=self.dtype)
        if values.shape == (self._entries,):
            _check_values(values, *self._places)
        with options(**self._keywords) as call:
            self._system.update_values(call, values, self._entries)
        return self

    def solve(self, b: Any) -> Array:
        """x with op(A) x = b; b: (rows,) or (rows, k) finite numbers, complex too. An x beyond what
        its type holds is told by a :class:`Note`.

        b on a GPU (CuPy, torch), dense and of the matrix's type, is read there and x made there, if
        the system was: with that ``device`` and the method "sync_free" or "level_set"; without a note,
        infinities and NaN as they are.
        """
        keywords = self._keywords.copy()
        parts, numbers = 1, b
        if on_gpu(b):
            if self.dtype.kind == "c":
                raise TypeError("b: expected host memory: a complex system is solved on the CPU")
            b = resident(b, "b", (self.dtype.name,))
            keywords["device"] = "auto"
        elif self.dtype.kind == "c":
            b = _as_type(complex_array(b, "b"), self.dtype)
        elif np.iscomplexobj(b):
            parts = 2
            b = _as_type(complex_array(b, "b"), np.result_type(self.dtype, np.complex64))
        else:
            b = _as_type(real_array(b, "b"), self.dtype)
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ValueError(f"b: expected {self.shape[0]} rows, got shape {tuple(b.shape)}")
        if not on_gpu(b) and not np.isfinite(b).all():
            at = tuple(np.argwhere(~np.isfinite(b))[0])
            number = np.asarray(numbers)[at]
            wanted = f"numbers that {b.dtype} holds, as the matrix is," if np.isfinite(number) else "finite numbers,"
            raise ValueError(f"b: expected {wanted} got {number} in row {at[0] + 1} (from 1)")
        columns = b if b.ndim == 2 else b.reshape(b.shape[0], 1)
        if parts == 2:  # a real system: real and imaginary parts are columns of their own
            columns = columns.view(self.dtype)
        x = run(self._system.solve, keywords, columns, parts)
        return (x.view(b.dtype) if parts == 2 else x).reshape(tuple(b.shape))


def triangular_solve(matrix: Any, b: Any, **keywords: Any) -> np.ndarray:
    """x with A x = b, once; see :class:`TriangularSystem` for the keywords.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, yupana
    >>> yupana.sparse.triangular_solve(sp.csr_array([[2.0, 0.0], [1.0, 4.0]]), [2.0, 9.0])
    array([1., 2.])
    """
    return TriangularSystem(matrix, **keywords).solve(b)


def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> np.ndarray:
    """``scipy.sparse.linalg.spsolve_triangular``; long numbers, infinities and NaN stay SciPy's. Complex matrices are
    solved on the CPU.

    Raises
    ------
    scipy.linalg.LinAlgError : a zero on the diagonal
    ValueError : not square, another number of rows, an entry of the other triangle

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp, yupana
    >>> yupana.sparse.spsolve_triangular(sp.csr_array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]))
    array([1., 2.])
    """
    from scipy import linalg, sparse

    b = np.asarray(b)
    dtype = np.result_type(A.dtype, b.dtype, np.float32)
    if dtype not in (np.float32, np.float64, np.complex64, np.complex128):
        return sparse.linalg.spsolve_triangular(
            A, b, lower, overwrite_A, overwrite_b, unit_diagonal
        )
    if not sparse.issparse(A) or A.format not in ("csr", "csc"):
        message = "CSC or CSR matrix format is required. Converting to CSR matrix."
        warn(message, sparse.SparseEfficiencyWarning, stacklevel=2)
    matrix = sparse.csr_array(A, dtype=dtype)
    if not unit_diagonal and (matrix.diagonal() == 0).any():
        raise linalg.LinAlgError("A is singular: zero entry on diagonal.")
    if not (np.isfinite(matrix.data).all() and np.isfinite(b).all()):
        return sparse.linalg.spsolve_triangular(matrix, b, lower, unit_diagonal=unit_diagonal)
    # To spread the rows over threads takes longer than one right-hand side.
    method = "auto" if b.ndim > 1 else "serial"
    system = TriangularSystem(
        matrix,
        lower=lower,
        unit_diagonal=unit_diagonal,
        method=method,
    )
    return system.solve(b)
