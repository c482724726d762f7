"""Tables of the estimators: NumPy, pandas and Arrow in, columns of floats out."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from ._call import host_array, on_gpu


def _from_arrow(X: Any) -> Any:
    """A pyarrow Table or RecordBatch as a matrix, column after column, nulls as NaN."""
    if type(X).__module__.split(".")[0] != "pyarrow" or not hasattr(X, "column_names"):
        return X, None
    table = np.empty((X.num_rows, X.num_columns), np.float64, order="F")
    for c, name in enumerate(X.column_names):
        column = X.column(c)
        if hasattr(column, "combine_chunks"):
            column = column.combine_chunks()
        try:
            table[:, c] = column.to_numpy(zero_copy_only=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"column '{name}': numbers wanted, {column.type} given") from error
    return table, np.asarray(X.column_names, dtype=object)


def keep(estimator: Any, given: dict[str, Any]) -> None:
    """What scikit-learn wants of an ``__init__``: every argument as it is, under its own name."""
    vars(estimator).update((name, value) for name, value in given.items() if name != "self")


def checked(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, **keywords: Any) -> Any:
    """scikit-learn's validation; Arrow tables keep their column names."""
    X, names = _from_arrow(X)
    if on_gpu(X):
        X = host_array(X, "X")
    if y is not None and type(y).__module__.split(".")[0] == "pyarrow":
        y = y.to_numpy() if hasattr(y, "combine_chunks") else y.to_numpy(zero_copy_only=False)
    result = validate_data(estimator, X, y, reset=reset, **keywords)
    if names is not None:
        if reset:
            estimator.feature_names_in_ = names
        elif not np.array_equal(getattr(estimator, "feature_names_in_", names), names):
            raise ValueError(
                "The feature names should match those that were passed during fit: "
                f"{list(estimator.feature_names_in_)} wanted, {list(names)} given"
            )
    return result


def columns(X: np.ndarray) -> np.ndarray:
    """The matrix with columns one after the other; a copy only where they are not."""
    return np.asfortranarray(X)


def seed_of(random_state: Any) -> int:
    """The library's seed: an integer as it is, otherwise a draw, as scikit-learn does."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def feature_names(estimator: Any) -> list[str]:
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return [f"x{i}" for i in range(estimator.n_features_in_)]
    return [str(name) for name in names]
