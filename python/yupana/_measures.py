"""How good predictions are: what yupana.analysis has of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._call import HostKeywords, run, with_keywords
from ._views import host_array

if TYPE_CHECKING:
    from typing_extensions import Unpack

_rounding_of_shares = 1e-4  # float32, of many classes


def _check_labels(y_true: np.ndarray) -> None:
    if y_true.ndim != 1 or y_true.size == 0:
        raise ValueError(f"y_true: expected labels of at least one row, shape (rows,), got shape {y_true.shape}")


@with_keywords
def class_measures(
    y_true: Any, shares: Any, classes: Any = None, **keywords: Unpack[HostKeywords]
) -> dict[str, Any]:
    """How good predicted shares of classes are, all measures at once, as scikit-learn's metrics.

    The predicted class is that of the largest share, the first of equal ones. Labels that are not
    among ``classes`` are one class more, which is never predicted. Areas are of one class against
    all others; "roc_auc" and "pr_auc" (average precision) their means. The same bits for any number
    of threads.

    Parameters
    ----------
    y_true : (rows,) labels
    shares : (rows, classes) from 0 to 1, as ``predict_proba`` gives them
    classes : labels of the columns of ``shares``; by default the different labels, sorted

    Returns
    -------
    dict : "rows", "accuracy", "balanced_accuracy", "mcc", "macro_f1", "log_loss", "brier",
        "roc_auc", "pr_auc", "unknown_class_rows"; arrays with an entry a class, "class_rows",
        "class_predicted", "class_precision", "class_recall", "class_f1", "class_roc_auc" and
        "class_pr_auc"; "confusion": rows true, columns predicted. Areas are NaN without rows of
        both kinds or beyond 100 classes, where the confusion is empty too.

    Raises
    ------
    ValueError : no rows, a class that is named twice, shares that are not one a row and class, not from 0 to 1, or of a row
        that does not add to 1 but for the rounding of float32

    Examples
    --------
    >>> import yupana
    >>> shares = [[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]]
    >>> found = yupana.analysis.class_measures(["no", "no", "yes", "yes"], shares)
    >>> found["accuracy"], found["roc_auc"], found["confusion"].tolist()
    (0.75, 0.75, [[2, 0], [1, 1]])
    """
    y_true = host_array(y_true, "y_true")
    shares = host_array(shares, "shares", np.float64)
    names = np.unique(y_true) if classes is None else np.asarray(classes)
    _check_labels(y_true)
    if len(np.unique(names)) < len(names):
        raise ValueError(f"classes: expected each class once, got {names.tolist()}")
    if shares.shape != (len(y_true), len(names)):
        wanted = f"rows of {len(names)} shares, one a class, for {y_true.size} labels"
        raise ValueError(f"shares: expected {wanted}, got shape {shares.shape}")
    wrong = np.argwhere(~((shares >= 0) & (shares <= 1)))
    if len(wrong) > 0:
        row, column = (int(k) for k in wrong[0])
        got = shares[row, column]
        raise ValueError(
            f"shares: expected numbers from 0 to 1, got {got} in row {row} for class {names[column]}"
        )
    sums = shares.sum(axis=1)
    if not (abs(sums - 1) <= _rounding_of_shares).all():
        row = int(np.argmax(abs(sums - 1) > _rounding_of_shares))
        raise ValueError(f"shares: expected rows that add to 1, got {sums[row]} in row {row}")
    order = np.argsort(names, kind="stable")
    places = np.minimum(np.searchsorted(names, y_true, sorter=order), len(names) - 1)
    codes = np.where(names[order[places]] == y_true, order[places], -1).astype(np.int32)
    return run("analysis.class_measures", keywords, codes, np.ascontiguousarray(shares))


@with_keywords
def number_measures(
    y_true: Any, predicted: Any, **keywords: Unpack[HostKeywords]
) -> dict[str, Any]:
    """How good predicted numbers are, as scikit-learn's metrics.

    Returns
    -------
    dict : "rows", "r2", "rmse", "mae", "mean_error" (predicted - true), "error_quantiles":
        a dict of probabilities and quantiles, linear between errors

    Raises
    ------
    ValueError : no rows, other than one number a label, infinities, NaN

    Examples
    --------
    >>> import yupana
    >>> found = yupana.analysis.number_measures([1.0, 2.0, 3.0, 6.0], [2.0, 2.0, 2.0, 8.0])
    >>> found["mae"], found["error_quantiles"][0.5]
    (1.0, 0.5)
    """
    y_true = host_array(y_true, "y_true", np.float64)
    predicted = host_array(predicted, "predicted", np.float64)
    _check_labels(y_true)
    if predicted.shape != y_true.shape:
        raise ValueError(f"predicted: expected {len(y_true)} numbers, one a label, got shape {predicted.shape}")
    for name, numbers in (("y_true", y_true), ("predicted", predicted)):
        for row in np.flatnonzero(~np.isfinite(numbers))[:1]:
            raise ValueError(f"{name}: expected finite numbers, got {numbers[row]} in row {row + 1} (from 1)")
    return run("analysis.number_measures", keywords, *map(np.ascontiguousarray, (y_true, predicted)))
