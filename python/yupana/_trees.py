"""What trees and forests share: tables in, labels as codes or numbers, the library's model.

The estimators are scikit-learn's own classes, grown by the library. What the library does not grow
(`Trees._beyond`) is left to the class beneath.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from ._call import Keywords, options, run
from ._tables import cells, checked, dense, dense_blocks, entries, feature_names, has_types
from ._tables import learned, numbered, refuse_rounded_cells, seed_of
from ._views import FLOATS, Array, host_array, on_gpu, refuse_masked, refuse_rounded_list, resident, to_host


def constraints(peer: Any, *own: str) -> dict[str, Any]:
    """scikit-learn's checks of parameters, but for those that are checked here."""
    theirs = peer._parameter_constraints
    return {name: kinds for name, kinds in theirs.items() if name not in ("random_state", *own)}


class Trees(BaseEstimator):
    """A fitted tree or forest; pickles keep the library's model as bytes."""

    _criteria: frozenset[str]  # that the library grows by
    _splitter = "best"  # of estimators without such a parameter
    categorical_features: Any = None
    # What scikit-learn grew instead of the library, where it did, is kept under these names.
    _peers = ("_tree", "_estimators")

    @property
    def _is_ours(self) -> bool:
        """The library grew the trees."""
        return "_model" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
            state.pop("_tree", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if isinstance(state.get("_model"), bytes):
            state["_model"] = _core.forest.Model.from_bytes(state["_model"])
        super().__setstate__(state)

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_ours or any(name in vars(self) for name in self._peers)

    def _keywords(self) -> Keywords:
        progress = getattr(self, "progress", None)
        if progress is None and getattr(self, "verbose", 0):
            progress = True
        return Keywords(device=self.device, threads=self._threads(), progress=progress)

    def _threads(self) -> int | None:
        """``n_jobs`` as joblib reads it, where the estimator has it; else ``threads``."""
        jobs = getattr(self, "n_jobs", None)
        if self.threads is not None and jobs is not None:
            raise ValueError(f"n_jobs={jobs!r} and threads={self.threads!r} are one thing; leave one of them out")
        if self.threads is not None or jobs is None:
            return self.threads
        if not isinstance(jobs, Integral) or jobs == 0:
            raise ValueError(f"n_jobs: expected a whole number other than 0, got {jobs!r}")
        if jobs > 0:
            return int(jobs)
        return max(1, _core.info()["threads"] + 1 + int(jobs))

    def _beyond(self, y: Any) -> str | None:
        """What was asked for that scikit-learn has to grow; None: nothing."""
        shape = getattr(y, "shape", None) or np.asarray(y).shape
        if len(shape) > 1 and shape[1] > 1:
            return "several outputs"
        if self.monotonic_cst is not None and not self._grows_monotonic(y):
            return "monotonic_cst"
        if not isinstance(self.criterion, str) or self.criterion not in self._criteria:
            return f"criterion={self.criterion!r}"
        if isinstance(getattr(self, "class_weight", None), list):
            return "class_weight of several outputs"
        if getattr(self, "class_weight", None) == "balanced_subsample":
            return "class_weight='balanced_subsample'"
        return None

    def _grows_monotonic(self, y: Any) -> bool:
        """The library grows by ``monotonic_cst``, which it finds right; scikit-learn says what is
        wrong."""
        signs = np.asarray(self.monotonic_cst)
        right = signs.ndim == 1 and signs.dtype.kind in "iu" and bool(np.isin(signs, (-1, 0, 1)).all())
        if isinstance(self, ClassifierMixin):
            return right and len(np.unique(np.asarray(y))) == 2
        return right and self.criterion != "absolute_error"

    def _is_random(self) -> bool:
        return getattr(self, "splitter", self._splitter) == "random"

    def _rules(self) -> dict[str, Any]:
        """What trees keep to, as arguments of the library's Growing."""
        signs = np.zeros(0, int) if self.monotonic_cst is None else np.asarray(self.monotonic_cst)
        if self.monotonic_cst is not None and len(signs) != self.n_features_in_:
            raise ValueError(
                f"monotonic_cst has shape {len(signs)} but the input data X has "
                f"{self.n_features_in_} features."
            )
        monotonic = [int(sign) for sign in signs] if signs.any() else []
        return {"monotonic": monotonic, "random_splits": self._is_random()}

    def _check_place(self, X: Any) -> None:
        """What the CPU alone grows is refused elsewhere."""
        signs = self.monotonic_cst is not None
        if not (signs or self._is_random()):
            return
        name = "monotonic_cst" if signs else "random splits"
        if self.categorical_features is not None:
            raise ValueError(f"categorical_features: expected None with {name}")
        if not (on_gpu(X) or self.device.startswith("cuda")):
            return
        raise ValueError(
            f"device: expected 'auto' or 'cpu' and X in host memory with {name}, which grows on the "
            f"CPU alone, got {self.device!r}"
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grows from X, (rows, features), NaN where missing, and y, (rows,) classes or numbers."""
        self._validate_params()
        beyond = self._beyond(y)
        if beyond is None:
            self._check_place(X)
            refuse_rounded_list(y, "y")
            if isinstance(self, RegressorMixin):
                self._check_numbers(y)
            self._fit_ours(*self._fit_table(X, y, sample_weight))
            for name in self._peers:
                vars(self).pop(name, None)
            return self
        if self.categorical_features is not None:
            raise ValueError(
                f"categorical_features: expected None with {beyond}, which scikit-learn grows"
            )
        if on_gpu(X) or self.device not in ("auto", "cpu"):
            raise ValueError(
                f"device: expected 'auto' or 'cpu' and X in host memory with {beyond}, which "
                f"scikit-learn grows, got {self.device!r}"
            )
        vars(self).pop("_model", None)
        return super().fit(X, y, sample_weight)

    def _max_features(self) -> int:
        """Features drawn at each node."""
        value, features = self.max_features, self.n_features_in_
        if value is None:
            return features
        if isinstance(value, str):
            return max(1, int({"sqrt": np.sqrt, "log2": np.log2}[value](features)))
        if isinstance(value, Integral):
            return int(value)
        return max(1, int(value * features))

    def _categorical(self) -> list[int]:
        """1 for each categorical feature, else 0; empty without any."""
        given, features = self.categorical_features, self.n_features_in_
        if given is None:
            return []
        if self._by_types():
            mask = np.isin(feature_names(self), [str(name) for name in self._categories])
            return [int(own) for own in mask] if mask.any() else []
        chosen = np.atleast_1d(np.asarray(given))
        mask = np.zeros(features, bool)
        if chosen.dtype == bool and chosen.shape == (features,):
            mask = chosen
        elif chosen.dtype.kind in "iu" and ((chosen >= 0) & (chosen < features)).all():
            mask[chosen] = True
        elif chosen.dtype.kind in "UO" and set(chosen) <= set(feature_names(self)):
            mask = np.isin(feature_names(self), chosen.astype(str))
        elif chosen.size > 0:
            raise ValueError(
                f"categorical_features: expected a mask of {features} features, indices below "
                f"{features} or names of features, got {given!r}"
            )
        return [int(own) for own in mask] if mask.any() else []

    def _growing(self, rows: int, **forest: Any) -> dict[str, Any]:
        """Arguments of the library's Growing."""

        def count(value: Any, min_rows: int) -> int:
            is_count = isinstance(value, Integral)
            return int(value) if is_count else max(min_rows, int(np.ceil(value * rows)))

        self._validate_params()
        self.max_features_ = self._max_features()
        draws_all = self.max_features_ >= self.n_features_in_
        arguments = {"trees": None, "sampling": "all", "max_samples": 0, "soft": True, **forest}
        if "seed" not in arguments:
            arguments["seed"] = seed_of(self.random_state)
        # A tree has no more leaves than rows, nor edges to a leaf.
        return {
            "criterion": self.criterion,
            "max_depth": None if self.max_depth is None else min(int(self.max_depth), 2**62),
            "min_samples_split": count(self.min_samples_split, 2),
            "min_samples_leaf": count(self.min_samples_leaf, 1),
            "min_weight_fraction_leaf": float(self.min_weight_fraction_leaf),
            "max_leaf_nodes": min(int(self.max_leaf_nodes or 0), 2**62),
            "min_impurity_decrease": float(self.min_impurity_decrease),
            "max_features": 0 if draws_all else self.max_features_,
            "categorical": self._categorical(),
            **self._rules(),
            **arguments,
        }

    def _grow(
        self, X: np.ndarray, y: np.ndarray, weights: Any, on_device: Any, growing: dict[str, Any]
    ) -> Any:
        """The model of a table, whose copy on a GPU may be on_device, pruned."""
        is_class = isinstance(self, ClassifierMixin)
        labels = {
            "codes": y if is_class else None,
            "values": None if is_class else y,
            "weights": weights,
            "classes": [str(c) for c in self.classes_] if is_class else [],
            "features": feature_names(self),
            "growing": _core.forest.Growing(**growing),
        }
        with options(on_device, **self._keywords()) as call:
            if issparse(X) and (growing["monotonic"] or growing["random_splits"]):
                X = dense(X)
            if issparse(X):
                model = _core.forest.fit_sparse(call, *entries(X), **labels)
            else:
                model = _core.forest.fit(call, cells(X), resident=on_device, **labels)
        return model.pruned(self.ccp_alpha) if self.ccp_alpha > 0 else model

    def _by_types(self) -> bool:
        return isinstance(self.categorical_features, str) and (
            self.categorical_features == "from_dtype"
        )

    def _numbered(self, X: Any, reset: bool) -> Any:
        """The table, its columns of categories as numbers where their types say so."""
        if not self._by_types():
            return X
        if reset:
            self._categories = learned(X) if has_types(X) else {}
        if not has_types(X) and self._categories:
            raise ValueError(
                "X: expected a table of pandas, polars or pyarrow, as fit had, whose types say which "
                f"columns are categories, got {type(X).__name__}"
            )
        return numbered(X, self._categories) if self._categories else X

    def _checked(self, X: Any, y: Any = "no_validation", **keywords: Any) -> Any:
        X = self._numbered(X, keywords.get("reset", False))
        refuse_rounded_cells(X)
        keywords.setdefault("ensure_all_finite", "allow-nan")
        if issparse(X):
            keywords["ensure_all_finite"] = True  # as scikit-learn's
        return checked(self, X, y, dtype=[np.float64, np.float32], accept_sparse=True, **keywords)

    def _fit_table(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        """X, the labels and weights in host memory, and X itself if it is on a GPU, else None."""
        on_device = None
        if on_gpu(X):
            on_device = resident(X, "X", FLOATS, 2, "F")
            X = to_host(X)
            y = host_array(y, "y") if on_gpu(y) else y
        X, y = self._checked(X, y, reset=True, y_numeric=isinstance(self, RegressorMixin))
        X = X if self.categorical_features is None else dense(X)
        self.n_outputs_ = 1
        if sample_weight is not None:
            refuse_masked(sample_weight, "sample_weight")
            if on_gpu(sample_weight):
                sample_weight = host_array(sample_weight, "sample_weight")
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
            if (sample_weight < 0).any():
                row = int(np.argmax(sample_weight < 0))
                got = f"{sample_weight[row]} at row {row}"
                raise ValueError(f"sample_weight: expected weights of 0 or more, got {got}")
        y, sample_weight = self._labels(y, sample_weight)
        return X, y, sample_weight, on_device

    def _predict(self, function: str, X: Any) -> Array:
        model = self._model
        if on_gpu(X):
            return run(getattr(model, function), self._keywords(), resident(X, "X", FLOATS, 2, "F"))
        X = self._checked(X, reset=False, ensure_all_finite=False)
        if issparse(X):
            model, asked = model.on_asked_columns()
            X = X.tocsc()[:, asked]
        predict, blocks = getattr(model, function), dense_blocks(X)
        try:
            parts = [run(predict, self._keywords(), cells(block), True) for block in blocks]
        except ValueError:
            name = type(self).__name__
            assert_all_finite(X, allow_nan=True, estimator_name=name, input_name="X")
            raise
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _shares(self, X: Any) -> Array:
        return self._predict("predict_shares", X)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Mean decrease of impurity by each feature; they add to 1."""
        check_is_fitted(self)
        return self._model.importances() if self._is_ours else super().feature_importances_

    def to_bytes(self) -> bytes:
        """The trees in the binary form of ``yupana tree predict`` and ``forest predict``."""
        check_is_fitted(self)
        if not self._is_ours:
            raise ValueError("to_bytes: expected trees that yupana grew; scikit-learn grew these")
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


def _typed(classes: list[str]) -> np.ndarray:
    for kind in (int, float):
        try:
            values = [kind(c) for c in classes]
        except ValueError:
            continue
        if [str(v) for v in values] == classes:
            return np.asarray(values)
    return np.asarray(classes)
