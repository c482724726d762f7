"""Estimators' parameters, and their tables: NumPy, pandas and Arrow in, columns of floats out; categories by their types."""

from __future__ import annotations

import inspect
from functools import wraps
from typing import Any, Callable, Iterator, TypeVar, TypedDict

import numpy as np
from scipy.sparse import issparse
from sklearn.base import RegressorMixin
from sklearn.utils import assert_all_finite, check_array, check_random_state
from sklearn.utils.validation import validate_data

from ._call import Keywords, ProgressLike, run, whole
from ._views import host_array, on_gpu, refuse_masked, refuse_rounded_list, refuse_rounding


BLOCK_BYTES = 2**26  # of rows of a sparse matrix with their zeros


def _from_arrow(X: Any) -> Any:
    """A pyarrow Table or RecordBatch as a matrix, column after column, nulls as NaN."""
    if type(X).__module__.split(".")[0] != "pyarrow" or not hasattr(X, "column_names"):
        return X, None
    from pyarrow import types

    kinds = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    table = np.empty((X.num_rows, X.num_columns), np.float64, order="F")
    for c, name in enumerate(X.column_names):
        column = X.column(c)
        if not any(is_kind(column.type) for is_kind in kinds):
            raise ValueError(f"column '{name}': expected numbers, got {column.type}")
        if hasattr(column, "combine_chunks"):
            column = column.combine_chunks()
        values = column.to_numpy(zero_copy_only=False)
        refuse_rounding(values, f"column '{name}'")
        table[:, c] = values
    return table, np.asarray(X.column_names, dtype=object)


def _named_column(X: Any, error: Exception) -> Exception:
    """An error that names the pandas column that holds no numbers; else the error."""
    if type(X).__module__.split(".")[0] != "pandas" or not hasattr(X, "columns"):
        return error
    for name, kind in zip(X.columns, X.dtypes):
        try:
            X[name].to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            return ValueError(f"column '{name}': expected numbers, got {kind}")
    return error


def _is_whole_list(X: Any) -> bool:
    try:
        return np.asarray(X).dtype.kind in "iu"
    except ValueError:  # rows of unequal length, which are refused elsewhere
        return False


def refuse_rounded_cells(X: Any) -> None:
    """ValueError for integers of a table, NumPy's, SciPy's or pandas', that no double equals."""
    refuse_rounded_list(X, "X")
    if isinstance(X, (list, tuple)) and _is_whole_list(X):
        X = np.asarray(X)
    if isinstance(X, np.ndarray):
        refuse_rounding(X, "X")
    elif issparse(X) and X.dtype.kind in "iuf" and X.dtype.itemsize >= 8 and X.dtype != np.float64:
        refuse_rounding(X.tocsr().data, "X")
    elif type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "columns"):
        for name, kind in zip(X.columns, X.dtypes):
            if isinstance(kind, np.dtype):
                refuse_rounding(X[name].to_numpy(), f"column '{name}'")


def _refuse_dates(X: Any) -> None:
    """NumPy would take them as numbers."""
    kinds = [("X", X.dtype)] if isinstance(X, np.ndarray) else []
    if type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "columns"):
        kinds = [(f"column '{name}'", kind) for name, kind in zip(X.columns, X.dtypes)]
    for name, kind in kinds:
        if getattr(kind, "kind", "O") in "mM":
            raise ValueError(f"{name}: expected numbers, got {kind}")


def keep(estimator: Any, given: dict[str, Any]) -> None:
    """Sets every argument of an ``__init__`` under its own name, as scikit-learn requires."""
    vars(estimator).update((name, value) for name, value in given.items() if name != "self")


class _Parameters(TypedDict, total=False):
    """What trees and forests take."""

    criterion: str
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    max_features: float | str | None
    random_state: Any
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    class_weight: dict[Any, float] | str | None
    ccp_alpha: float
    monotonic_cst: Any
    categorical_features: Any
    device: str
    threads: int | None


class TreeParameters(_Parameters, total=False):
    splitter: str


class ForestParameters(_Parameters, total=False):
    bootstrap: bool | str
    oob_score: bool | Callable[[Any, Any], float]
    n_jobs: int | None
    verbose: int
    warm_start: bool
    max_samples: float | None
    voting: str
    progress: ProgressLike


_KINDS = {"n_estimators": int, **TreeParameters.__annotations__, **ForestParameters.__annotations__}
_Init = TypeVar("_Init", bound=Callable[..., None])


def parameters_of(peer: Any, **own: Any) -> Callable[[_Init], _Init]:
    """An ``__init__`` of the parameters of scikit-learn's class, in its order, with its defaults, and of
    ``own``. It keeps what it is given."""
    named = {**own, "device": "auto", "threads": None}
    theirs = inspect.signature(peer.__init__).parameters.values()
    more = (inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=named[name]) for name in named)
    kinds = {name: getattr(kind, "__forward_arg__", kind) for name, kind in _KINDS.items()}
    kinds["self"] = inspect.Parameter.empty
    known = [p.replace(annotation=kinds[p.name]) for p in (*theirs, *more) if p.name in kinds]
    signature = inspect.Signature(known)

    def keeping(function: _Init) -> _Init:
        @wraps(function)
        def init(*arguments: Any, **keywords: Any) -> None:
            try:
                given = signature.bind(*arguments, **keywords)
            except TypeError as error:
                raise TypeError(f"{function.__qualname__}() {error}") from None
            given.apply_defaults()
            keep(arguments[0], given.arguments)
            if isinstance(arguments[0], RegressorMixin):
                arguments[0]._known_criterion()

        setattr(init, "__signature__", signature)
        return init  # type: ignore[return-value]

    return keeping


def checked(
    estimator: Any,
    X: Any,
    y: Any = "no_validation",
    *,
    reset: bool,
    ensure_all_finite: bool | str = True,
    **keywords: Any,
) -> Any:
    """scikit-learn's validation; Arrow tables keep their column names."""
    if issparse(X):
        return _converted(
            estimator, X, y, reset=reset, ensure_all_finite=ensure_all_finite, **keywords
        )
    result = _converted(estimator, X, y, reset=reset, ensure_all_finite=False, **keywords)
    table = result[0] if isinstance(result, tuple) else result
    if ensure_all_finite is False:
        return result
    allow_nan = ensure_all_finite == "allow-nan"
    # One thread takes longer to look at a large table than a GPU to predict it.
    if isinstance(table, np.ndarray):
        threads = estimator._threads() if hasattr(estimator, "_threads") else estimator.threads
        if run("forest.all_finite", Keywords(device="cpu", threads=threads), cells(table), allow_nan):
            return result
    name = type(estimator).__name__
    assert_all_finite(table, allow_nan=allow_nan, estimator_name=name, input_name="X")
    return result


def _converted(estimator: Any, X: Any, y: Any, *, reset: bool, **keywords: Any) -> Any:
    X, names = _from_arrow(X)
    if on_gpu(X):
        X = host_array(X, "X")
    if y is not None and type(y).__module__.split(".")[0] == "pyarrow":
        y = y.to_numpy() if hasattr(y, "combine_chunks") else y.to_numpy(zero_copy_only=False)
    if names is not None and not reset and hasattr(estimator, "feature_names_in_"):
        if not np.array_equal(estimator.feature_names_in_, names):
            raise ValueError(
                "The feature names should match those that were passed during fit: "
                f"expected {list(estimator.feature_names_in_)}, got {list(names)}"
            )
        # Not validate_data, which would warn that the matrix has no names.
        return check_array(X, estimator=estimator, input_name="X", **keywords)
    _refuse_dates(X)
    refuse_masked(X, "X")
    refuse_masked(y, "y")
    try:
        result = validate_data(estimator, X, y, reset=reset, **keywords)
    except (TypeError, ValueError) as error:
        named = _named_column(X, error)
        if named is error:
            raise
        raise named from error
    if names is not None and reset:
        estimator.feature_names_in_ = names
    return result


def cells(X: np.ndarray) -> np.ndarray:
    """The matrix in any order; a copy only where its values are not aligned or whole values apart."""
    as_it_is = X.flags.aligned and all(stride % X.itemsize == 0 for stride in X.strides)
    return X if as_it_is else np.array(X)


def dense(X: Any) -> np.ndarray:
    """The matrix, its zeros filled in where it is sparse."""
    return X.toarray(order="F") if issparse(X) else X


def dense_blocks(X: Any) -> Iterator[np.ndarray]:
    """The matrix, or some rows of a sparse one at a time."""
    if not issparse(X):
        yield X
        return
    X = X.tocsr()
    rows = max(1, BLOCK_BYTES // (X.dtype.itemsize * max(1, X.shape[1])))
    for first in range(0, max(1, X.shape[0]), rows):
        yield dense(X[first : first + rows])


def entries(X: Any) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """The rows of a sparse matrix; where each column's entries start; their rows and values."""
    X = X.tocsc()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X.shape[0], X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data


def seed_of(random_state: Any) -> int:
    """The library's seed: an integer as it is, otherwise a draw, as scikit-learn does."""
    if isinstance(random_state, (int, np.integer)):
        return whole("random_state", random_state, 2**64)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def feature_names(estimator: Any) -> list[str]:
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{i}" for i in range(estimator.n_features_in_)]
    return [str(name) for name in names]


def _library(X: Any) -> str:
    return type(X).__module__.split(".")[0]


def _names(X: Any) -> list[Any]:
    return list(X.column_names if _library(X) == "pyarrow" else X.columns)


def _values(X: Any, name: Any) -> list[Any] | None:
    """A column's values, None where missing, if its type is one of categories; else None."""
    library = _library(X)
    if library == "pandas":
        if str(X[name].dtype) != "category":
            return None
        missing = X[name].isna()
        return [None if gone else value for value, gone in zip(X[name].tolist(), missing)]
    if library == "polars":
        return X[name].to_list() if X[name].dtype in _polars_kinds() else None
    from pyarrow import types

    column = X.column(name)
    return column.to_pylist() if types.is_dictionary(column.type) else None


def _polars_kinds() -> tuple[Any, ...]:
    import polars

    return (polars.Categorical, polars.Enum)


def _kinds(X: Any, name: Any, values: list[Any]) -> list[Any]:
    """The categories in the order of their type; of polars' and pyarrow's, sorted."""
    if _library(X) == "pandas":
        return X[name].cat.categories.tolist()
    kinds = {value for value in values if value is not None}
    return sorted(kinds, key=lambda value: (str(type(value)), value))


def _replaced(X: Any, name: Any, numbers: np.ndarray) -> Any:
    library = _library(X)
    if library == "pandas":
        return X.assign(**{name: numbers}) if isinstance(name, str) else _assigned(X, name, numbers)
    if library == "polars":
        import polars

        return X.with_columns(polars.Series(name, numbers))
    import pyarrow

    return X.set_column(X.column_names.index(name), name, pyarrow.array(numbers))


def _assigned(X: Any, name: Any, numbers: np.ndarray) -> Any:
    X = X.copy()
    X[name] = numbers
    return X


def has_types(X: Any) -> bool:
    """The table's columns may be of a type of categories."""
    return _library(X) in ("pandas", "polars", "pyarrow") and (
        hasattr(X, "columns") or hasattr(X, "column_names")
    )


def learned(X: Any) -> dict[Any, dict[Any, int]]:
    """Of each column of categories, the number of each."""
    numbers = {}
    for name in _names(X):
        values = _values(X, name)
        if values is not None:
            kinds = _kinds(X, name, values)
            numbers[name] = {kind: number for number, kind in enumerate(kinds)}
    return numbers


def numbered(X: Any, known: dict[Any, dict[Any, int]]) -> Any:
    """The table with numbers for categories; NaN where missing or not known."""
    for name in _names(X):
        if name not in known:
            continue
        values = _values(X, name)
        if values is None:
            raise ValueError(f"column '{name}': expected categories, as fit had, got other values")
        numbers = [known[name].get(value, np.nan) for value in values]
        X = _replaced(X, name, np.asarray(numbers, np.float64))
    return X
