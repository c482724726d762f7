"""Columns of categories in pandas, polars and pyarrow tables, as the numbers that trees split."""

from __future__ import annotations

from typing import Any

import numpy as np


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
