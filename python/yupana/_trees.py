"""What trees and forests share: tables in, labels as codes or numbers, the library's model."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from ._call import Keywords, options, run
from ._tables import checked, columns, feature_names, refuse_rounded_cells, seed_of
from ._views import FLOATS, Array, host_array, on_gpu, refuse_rounding, resident, to_host


class Tree:
    """One tree as arrays of one entry a node, named as scikit-learn's ``tree_``.

    Nodes are in preorder; ``children_left`` and ``children_right`` are -1 at leaves, ``feature``
    and ``threshold`` -2. ``value`` has shape (nodes, 1, classes): shares of the classes, or the
    mean.
    """

    def __init__(self, arrays: dict[str, Any], is_class: bool, n_features: int) -> None:
        leaf = arrays["feature"] < 0
        self.node_count = len(leaf)
        self.n_features = n_features
        self.n_outputs = 1
        self.max_depth = int(arrays["depth"])
        self.n_leaves = int(arrays["leaves"])
        self.children_left = np.where(leaf, -1, arrays["left"])
        self.children_right = np.where(leaf, -1, arrays["right"])
        self.feature = np.where(leaf, -2, arrays["feature"])
        self.threshold = np.where(leaf, -2.0, arrays["threshold"])
        self.missing_go_to_left = np.where(leaf, 0, arrays["missing_left"]).astype(np.uint8)
        self.impurity = arrays["impurity"]
        self.n_node_samples = arrays["rows"]
        self.weighted_n_node_samples = arrays["weight"]
        value = arrays["value"]
        if is_class:
            value = value / value.sum(axis=1, keepdims=True)
        self.value = value[:, np.newaxis, :]
        self.n_classes = np.array([value.shape[1] if is_class else 1])
        self.max_n_classes = int(self.n_classes[0])

    def __repr__(self) -> str:
        return f"Tree({self.node_count} nodes, depth {self.max_depth}, {self.n_leaves} leaves)"


class Trees(BaseEstimator):
    """A fitted tree or forest; pickles keep the library's model as bytes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if isinstance(state.get("_model"), bytes):
            state["_model"] = _core.forest.Model.from_bytes(state["_model"])
        super().__setstate__(state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def _keywords(self) -> Keywords:
        progress = getattr(self, "progress", None)
        return Keywords(device=self.device, threads=self._threads(), progress=progress)

    def _threads(self) -> int | None:
        """``n_jobs`` as joblib reads it, where the estimator has it; else ``threads``."""
        jobs = getattr(self, "n_jobs", None)
        if self.threads is not None or jobs is None:
            return self.threads
        if not isinstance(jobs, Integral) or jobs == 0:
            raise ValueError(f"n_jobs: expected a whole number other than 0, got {jobs!r}")
        if jobs > 0:
            return int(jobs)
        return max(1, _core.info()["threads"] + 1 + int(jobs))

    def _check(self) -> None:
        """Parameters that the library would not refuse by their own names."""

        def must(name: str, good: bool, expected: str) -> None:
            if not good:
                raise ValueError(f"{name}: expected {expected}, got {getattr(self, name)!r}")

        depth = self.max_depth
        is_depth = depth is None or (isinstance(depth, Integral) and depth >= 1)
        must("max_depth", is_depth, "None or a whole number from 1")
        for name, min_rows in (("min_samples_leaf", 1), ("min_samples_split", 2)):
            value = getattr(self, name)
            is_count = isinstance(value, Integral) and value >= min_rows
            must(name, is_count or _is_share(value), f"{min_rows} or more rows, or a share of them")
        for name in ("min_impurity_decrease", "ccp_alpha"):
            value = getattr(self, name)
            must(name, isinstance(value, Real) and value >= 0, "0 or more")

    def _max_features(self) -> int:
        """Features drawn at each node."""
        value, features = self.max_features, self.n_features_in_
        if value is None:
            return features
        if value == "sqrt":
            return max(1, int(np.sqrt(features)))
        if value == "log2":
            return max(1, int(np.log2(features)))
        if isinstance(value, Integral) and 1 <= value <= features:
            return int(value)
        if _is_share(value):
            return max(1, int(value * features))
        raise ValueError(
            f"max_features: expected None, 'sqrt', 'log2', 1 to {features} or a share of them, "
            f"got {value!r}"
        )

    def _growing(self, rows: int, **forest: Any) -> dict[str, Any]:
        """Arguments of the library's Growing."""

        def count(value: Any, min_rows: int) -> int:
            is_count = isinstance(value, Integral)
            return int(value) if is_count else max(min_rows, int(np.ceil(value * rows)))

        self._check()
        self.max_features_ = self._max_features()
        draws_all = self.max_features_ == self.n_features_in_
        arguments = {"trees": None, "sampling": "all", "soft": True, "out_of_bag": False, **forest}
        return {
            "criterion": self.criterion,
            "max_depth": None if self.max_depth is None else int(self.max_depth),
            "min_samples_split": count(self.min_samples_split, 2),
            "min_samples_leaf": count(self.min_samples_leaf, 1),
            "min_impurity_decrease": float(self.min_impurity_decrease),
            "max_features": 0 if draws_all else self.max_features_,
            "seed": seed_of(self.random_state),
            **arguments,
        }

    def _grow(
        self, X: np.ndarray, y: np.ndarray, weights: Any, on_device: Any, **forest: Any
    ) -> tuple[float, np.ndarray | None]:
        """Grows from the table, whose copy on a GPU may be on_device; the score and values out of bag."""
        growing = _core.forest.Growing(**self._growing(X.shape[0], **forest))
        is_class = hasattr(self, "classes_")
        with options(on_device, **self._keywords()) as call:
            model, *out_of_bag = _core.forest.fit(
                call,
                columns(X),
                codes=y if is_class else None,
                values=None if is_class else y,
                weights=weights,
                classes=[str(c) for c in self.classes_] if is_class else [],
                features=feature_names(self),
                growing=growing,
                resident=on_device,
            )
        self._model = model.pruned(self.ccp_alpha) if self.ccp_alpha > 0 else model
        return tuple(out_of_bag)

    def _checked(self, X: Any, y: Any = "no_validation", **keywords: Any) -> Any:
        refuse_rounded_cells(X)
        dtype = [np.float64, np.float32]
        return checked(self, X, y, dtype=dtype, ensure_all_finite="allow-nan", **keywords)

    def _fit_table(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """X, y and weights in host memory, and X itself if it is on a GPU, else None."""
        on_device = None
        if on_gpu(X):
            on_device = resident(X, "X", FLOATS, 2, "F")
            X = to_host(X)
            y = host_array(y, "y") if on_gpu(y) else y
        X, y = self._checked(X, y, reset=True, y_numeric=isinstance(self, RegressorMixin))
        self.n_outputs_ = 1
        if sample_weight is not None:
            if on_gpu(sample_weight):
                sample_weight = host_array(sample_weight, "sample_weight")
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return X, y, sample_weight, on_device

    def _predict(self, function: str, X: Any) -> Array:
        check_is_fitted(self)
        if on_gpu(X):
            X = resident(X, "X", FLOATS, 2, "F")
        else:
            X = columns(self._checked(X, reset=False))
        return run(getattr(self._model, function), self._keywords(), X)

    def _shares(self, X: Any) -> Array:
        return self._predict("predict_shares", X)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Mean decrease of impurity by each feature; they add to 1."""
        check_is_fitted(self)
        return self._model.importances()

    def to_bytes(self) -> bytes:
        """The trees in the binary form of ``yupana tree predict`` and ``forest predict``."""
        check_is_fitted(self)
        return self._model.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Any:
        """A fitted estimator from :meth:`to_bytes`, or from what the command line wrote.

        Classes come back as integers or floats where all of them read as such, else as strings.
        """
        estimator = cls()
        model = _core.forest.Model.from_bytes(bytes(data))
        names = model.features
        if bool(model.classes) != isinstance(estimator, ClassifierMixin):
            kinds = ("numbers", "classes") if model.classes else ("classes", "numbers")
            raise ValueError(
                f"data: expected a model of {kinds[0]}, got one of {kinds[1]}; "
                f"use the estimator of {kinds[1]}"
            )
        estimator.n_features_in_ = len(names)
        if names != [f"x{i}" for i in range(len(names))]:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        if model.classes:
            estimator.classes_ = _typed(model.classes)
            estimator.n_classes_ = len(model.classes)
        estimator.n_outputs_ = 1
        estimator._model = model
        return estimator


def _is_share(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, Integral) and 0 < value <= 1


def _typed(classes: list[str]) -> np.ndarray:
    for kind in (int, float):
        try:
            values = [kind(c) for c in classes]
        except ValueError:
            continue
        if [str(v) for v in values] == classes:
            return np.asarray(values)
    return np.asarray(classes)


class Classes(ClassifierMixin):
    """Labels as codes, shares as probabilities."""

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        X, y, weights, on_device = self._fit_table(X, y, sample_weight)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        weighing = self.class_weight
        if not (weighing is None or weighing == "balanced" or isinstance(weighing, dict)):
            raise ValueError(
                f"class_weight: expected None, 'balanced' or a dict of classes, got {weighing!r}"
            )
        if weighing is not None:
            by_class = compute_sample_weight(weighing, y)
            weights = by_class if weights is None else weights * by_class
        return X, codes.astype(np.int32), weights, on_device

    def predict_proba(self, X: Any) -> Array:
        """Shares of the classes, (rows, classes), in the order of ``classes_``; on the GPU of X."""
        return self._shares(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(to_host(self._shares(X)))

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row; of equal shares the first of ``classes_``."""
        shares = to_host(self._shares(X))
        return self.classes_[shares.argmax(axis=1)]


class Numbers(RegressorMixin):
    """Labels as numbers."""

    def _fit_numbers(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        X, y, weights, on_device = self._fit_table(X, y, sample_weight)
        refuse_rounding(y, "y")
        return X, np.ascontiguousarray(y, dtype=np.float64), weights, on_device

    def predict(self, X: Any) -> Array:
        """The mean of each row's leaf, or of its leaves; on the GPU of X."""
        return self._shares(X)[:, 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared of the predictions for X, which may be on a GPU; y in host memory."""
        if not on_gpu(X):
            return super().score(X, y, sample_weight)
        from sklearn.metrics import r2_score

        predicted = to_host(self._shares(X))[:, 0]
        return r2_score(host_array(y, "y"), predicted, sample_weight=sample_weight)
