"""Sparse triangular systems."""

from __future__ import annotations

from typing import Any
from warnings import warn

import numpy as np

from . import _core
from ._call import Keywords, ProgressLike, options, run
from ._views import Array, on_gpu, real_array, refuse_rounding, resident

__all__ = ["TriangularSystem", "spsolve_triangular", "triangular_solve"]


class TriangularSystem:
    """A triangular system A x = b, analysed once, solved for many right-hand sides.

    x has the same bits for every method, device and number of threads.

    Parameters
    ----------
    matrix : scipy sparse, square; float32 or float64 values (others as float64). CSR is read where
        it is; entries of one place are added
    lower : the lower triangle, else the upper
    unit_diagonal : the diagonal is 1, whatever is stored
    ignore_other : leave out entries of the other triangle, which are refused otherwise
    method : "auto", "serial", "level_set" or "sync_free"

    Raises
    ------
    ValueError : naming the first row at fault, from 1: not square, a zero on the diagonal, an entry
        of the other triangle

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
        device: str = "auto",
        threads: int | None = None,
        memory: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        self._keywords = Keywords(
            device=device, threads=threads, memory=memory, progress=progress
        )
        if not hasattr(matrix, "tocsr"):
            raise TypeError(f"matrix: expected a scipy sparse matrix, got {type(matrix).__name__}")
        matrix = matrix.tocsr()
        dtype = np.float32 if matrix.dtype == np.float32 else np.float64
        if matrix.dtype.kind not in "fiub":
            raise TypeError(f"matrix: expected real numbers, got {matrix.dtype}")
        refuse_rounding(matrix.data, "matrix")
        index = np.int32 if matrix.indices.dtype == np.int32 else np.int64
        kind = getattr(_core.sparse, f"System_{np.dtype(dtype)}_{np.dtype(index)}")
        self.dtype = np.dtype(dtype)
        self.shape = matrix.shape
        self._entries = matrix.nnz
        with options(**self._keywords) as call:
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
        values = np.ascontiguousarray(real_array(values, "values"), dtype=self.dtype)
        with options(**self._keywords) as call:
            self._system.update_values(call, values, self._entries)
        return self

    def solve(self, b: Any) -> Array:
        """x with A x = b; b: (rows,) or (rows, k). Infinite and NaN numbers of x are told by a
        :class:`Note`.

        b on a GPU (CuPy, torch), dense and of the matrix's type, is read there and x made there, if
        the system was: with that ``device`` and the method "sync_free" or "level_set"; without a note.
        """
        keywords = self._keywords.copy()
        if on_gpu(b):
            b = resident(b, "b", (self.dtype.name,))
            keywords["device"] = "auto"
        else:
            b = np.ascontiguousarray(real_array(b, "b"), dtype=self.dtype)
        if b.ndim not in (1, 2) or b.shape[0] != self.shape[0]:
            raise ValueError(f"b: expected {self.shape[0]} rows, got shape {tuple(b.shape)}")
        columns = b if b.ndim == 2 else b.reshape(b.shape[0], 1)
        return run(self._system.solve, keywords, columns).reshape(tuple(b.shape))


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
    """``scipy.sparse.linalg.spsolve_triangular``; complex and long numbers stay SciPy's.

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
    if dtype not in (np.float32, np.float64):
        return sparse.linalg.spsolve_triangular(
            A, b, lower, overwrite_A, overwrite_b, unit_diagonal
        )
    if not sparse.issparse(A) or A.format not in ("csr", "csc"):
        message = "CSC or CSR matrix format is required. Converting to CSR matrix."
        warn(message, sparse.SparseEfficiencyWarning, stacklevel=2)
    matrix = sparse.csr_array(A, dtype=dtype)
    if not unit_diagonal and (matrix.diagonal() == 0).any():
        raise linalg.LinAlgError("A is singular: zero entry on diagonal.")
    # To spread the rows over threads takes longer than one right-hand side.
    method = "auto" if b.ndim > 1 else "serial"
    system = TriangularSystem(matrix, lower=lower, unit_diagonal=unit_diagonal, method=method)
    return system.solve(b)
