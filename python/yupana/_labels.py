"""What classes and numbers as labels mean to trees: codes and criteria, predictions and scores."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from ._views import Array, host_array, on_gpu, refuse_rounding, to_host


class Classes:
    """Labels as codes, shares as probabilities."""

    _criteria = frozenset(("gini", "entropy", "log_loss"))

    def _labels(self, y: Any, weights: Any) -> tuple[np.ndarray, Any]:
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        if self.class_weight is not None:
            by_class = compute_sample_weight(self.class_weight, y)
            weights = by_class if weights is None else weights * by_class
        return codes.astype(np.int32), weights

    def predict_proba(self, X: Any) -> Array:
        """Shares of the classes, (rows, classes), in the order of ``classes_``; on the GPU of X."""
        return self._shares(X) if self._is_ours else super().predict_proba(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of :meth:`predict_proba`."""
        if not self._is_ours:
            return super().predict_log_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(to_host(self._shares(X)))

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row; of equal shares the first of ``classes_``."""
        if not self._is_ours:
            return super().predict(X)
        shares = to_host(self._shares(X))
        # argmax over rows of two numbers takes longer than a tree that predicts them.
        two = shares.shape[1] == 2
        return self.classes_.take(shares[:, 1] > shares[:, 0] if two else shares.argmax(axis=1))


class Numbers:
    """Labels as numbers."""

    _criteria = frozenset(("squared_error", "absolute_error", "poisson"))
    class_weight = None  # for what is scikit-learn's

    def _known_criterion(self) -> None:
        """scikit-learn's other name of the squared error, which it deprecates."""
        if isinstance(self.criterion, str) and self.criterion == "friedman_mse":
            self.criterion = "squared_error"
            message = "criterion: 'friedman_mse' is 'squared_error', which the name gives way to"
            warnings.warn(message, FutureWarning, stacklevel=3)

    def _check_numbers(self, y: Any) -> None:
        """What scikit-learn says of numbers that Poisson's deviance does not take."""
        y = np.asarray(y)
        refuse_rounding(y, "y")
        if self.criterion != "poisson" or y.dtype.kind not in "biuf" or y.size == 0:
            return
        if (y < 0).any():
            raise ValueError(
                "Some value(s) of y are negative which is not allowed for Poisson regression."
            )
        if y.sum() <= 0:
            word = "strictly positive" if hasattr(self, "n_estimators") else "positive"
            raise ValueError(f"Sum of y is not {word} which is necessary for Poisson regression.")

    def _labels(self, y: Any, weights: Any) -> tuple[np.ndarray, Any]:
        refuse_rounding(y, "y")
        return np.ascontiguousarray(y, dtype=np.float64), weights

    def predict(self, X: Any) -> Array:
        """The mean or median of each row's leaf, over the trees their mean; on the GPU of X."""
        return self._shares(X)[:, 0] if self._is_ours else super().predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared of the predictions for X, which may be on a GPU; y in host memory."""
        if not on_gpu(X):
            return super().score(X, y, sample_weight)
        from sklearn.metrics import r2_score

        predicted = to_host(self._shares(X))[:, 0]
        return r2_score(host_array(y, "y"), predicted, sample_weight=sample_weight)
