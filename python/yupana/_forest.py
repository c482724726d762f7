"""What forests share: how trees sample rows, growth in turns, scores out of bag, the trees."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Iterator

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._call import Note, options
from ._tables import cells, dense, seed_of
from ._tree import OneTree
from ._trees import Trees
from ._views import Array


class Forest(Trees):
    """A sequence of trees."""

    # Of the trees that scikit-learn grows.
    estimator_params = (
        "criterion",
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "max_features",
        "max_leaf_nodes",
        "min_impurity_decrease",
        "ccp_alpha",
        "monotonic_cst",
    )
    _tree_class: type[OneTree]
    _peer_tree: Any  # scikit-learn's class of the same name

    def _sampling(self) -> str:
        if isinstance(self.bootstrap, str) and self.bootstrap == "partition":
            return "partition"
        if not isinstance(self.bootstrap, (bool, np.bool_)):
            raise ValueError(
                f"bootstrap: expected True, False or 'partition', got {self.bootstrap!r}"
            )
        return "bootstrap" if self.bootstrap else "all"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Grows the trees. X: (rows, features), NaN where missing; y: (rows,) classes or numbers."""
        beyond = self._beyond(y)
        own = {"bootstrap": self._sampling() == "partition", "voting": self._voting() == "hard"}
        for name, is_given in own.items():
            if is_given and beyond is not None:
                raise ValueError(
                    f"{name}: expected what scikit-learn has with {beyond}, which it grows, got "
                    f"{getattr(self, name)!r}"
                )
        grown = len(self) if self.warm_start and self.__sklearn_is_fitted__() else 0
        if grown > 0 and self._is_ours != (beyond is None):
            if self.n_estimators == grown:
                self._warn_of_no_more()
                return self
            raise ValueError(
                "warm_start: expected trees that the same library grows, yupana or scikit-learn; "
                "set warm_start=False"
            )
        return super().fit(X, y, sample_weight)

    @staticmethod
    def _warn_of_no_more() -> None:
        message = "Warm-start fitting without increasing n_estimators does not fit new trees."
        warnings.warn(message, UserWarning, stacklevel=5)

    def _voting(self) -> str:
        voting = getattr(self, "voting", "soft")
        if voting not in ("soft", "hard"):
            raise ValueError(f"voting: expected soft or hard, got {voting!r}")
        return voting

    def _draws(self, rows: int, sampling: str) -> dict[str, Any]:
        """How trees sample rows, as arguments of the library's Growing."""
        if self.max_samples is not None and sampling == "partition":
            raise ValueError("max_samples: expected None with bootstrap='partition', which deals out all rows")
        if self.max_samples is not None and sampling != "bootstrap":
            raise ValueError(
                "`max_sample` cannot be set if `bootstrap=False`. "
                "Either switch to `bootstrap=True` or set `max_sample=None`."
            )
        if self.oob_score and sampling == "all":
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        draws = self.max_samples
        if draws is not None and not isinstance(draws, Integral):
            draws = max(1, int(draws * rows))
        return {
            "sampling": sampling,
            "max_samples": int(draws or 0),
            "soft": self._voting() == "soft",
            "all_trees": int(self.n_estimators) if sampling == "partition" else 0,
        }

    def _fit_ours(self, X: np.ndarray, y: np.ndarray, weights: Any, on_device: Any) -> None:
        sampling = self._sampling()
        before = len(self) if self.warm_start and self._is_ours else 0
        more = self.n_estimators - before
        if before > 0 and (sampling == "partition" or "_drawn" not in vars(self)):
            raise ValueError(
                "warm_start: expected bootstrap=True or False and a forest that was not read from "
                "bytes; set warm_start=False"
            )
        if more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={before} when warm_start==True"
            )
        draws = self._draws(X.shape[0], sampling)
        draws["seed"] = self._drawn["seed"] if before > 0 else seed_of(self.random_state)
        if more == 0:
            self._warn_of_no_more()
        else:
            growing = self._growing(X.shape[0], trees=more, first_tree=before, **draws)
            grown = self._grow(X, y, weights, on_device, growing)
            joined = _core.forest.Model.joined
            self._model = joined([self._model, grown]) if before > 0 else grown
        # Private names that scikit-learn's own forests have.
        self._n_samples = X.shape[0]
        self._n_samples_bootstrap = draws["max_samples"] or self._n_samples
        self._sample_weight = weights
        self._drawn = draws
        if self.oob_score and (more > 0 or not hasattr(self, "oob_score_")):
            score = self.oob_score if callable(self.oob_score) else None
            self._set_oob_score_and_attributes(X, y, scoring_function=score)

    def _set_oob_score_and_attributes(self, X: Any, y: Any, scoring_function: Any = None) -> None:
        """Of what trees say of the rows that they did not see."""
        if not self._is_ours:
            return super()._set_oob_score_and_attributes(X, y, scoring_function)
        is_class = isinstance(self, ClassifierMixin)
        growing = self._growing_again()
        labels = {"codes": y if is_class else None, "values": None if is_class else y}
        with options(**self._keywords()) as call:
            score, values = self._model.out_of_bag(call, cells(dense(X)), **labels, growing=growing)
        seen = np.isnan(values[:, 0])
        if seen.any():
            warnings.warn(
                f"Some inputs do not have OOB scores: {np.count_nonzero(seen)} of {len(values)} "
                "rows were seen by every tree and are not scored; grow more trees",
                Note,
                stacklevel=5,
            )
        name = "oob_decision_function_" if is_class else "oob_prediction_"
        setattr(self, name, values if is_class else values[:, 0])
        self.oob_score_ = score
        if scoring_function is not None:
            says = self.classes_[values.argmax(axis=1)] if is_class else values[:, 0]
            right = self.classes_[y] if is_class else y
            self.oob_score_ = scoring_function(right[~seen], says[~seen])

    def _growing_again(self) -> Any:
        """The library's Growing of all trees so far."""
        if "_drawn" not in vars(self):
            raise AttributeError("the draws of a forest that was read from bytes are not known")
        arguments = self._growing(self._n_samples, trees=len(self), **self._drawn)
        return _core.forest.Growing(**arguments)

    def _validate_estimator(self, default: Any = None) -> None:
        self._estimator = self._peer_tree()

    @property
    def estimator(self) -> OneTree:
        """What each tree is, but for its parameters."""
        return self._tree_class()

    @property
    def estimator_(self) -> Any:
        """What each tree is, unfitted."""
        if not self._is_ours and "_estimator" in vars(self):
            return self._estimator
        kept = self._tree_class()
        names = set(kept.get_params()) & set(self.get_params())
        return kept.set_params(**{name: getattr(self, name) for name in names})

    @property
    def estimators_(self) -> list[Any]:
        """The trees as estimators of their own."""
        check_is_fitted(self)
        return list(self) if self._is_ours else self._estimators

    @estimators_.setter
    def estimators_(self, trees: list[Any]) -> None:
        self._estimators = trees

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each tree drew, int32."""
        check_is_fitted(self)
        if not self._is_ours:
            return super().estimators_samples_
        growing, rows_of = self._growing_again(), _core.forest.rows_of_tree
        return [rows_of(growing, self._n_samples, t).astype(np.int32) for t in range(len(self))]

    def __len__(self) -> int:
        check_is_fitted(self)
        return self._model.trees if self._is_ours else len(self._estimators)

    def __getitem__(self, index: int) -> Any:
        """One tree as an estimator of its own."""
        trees = len(self)
        if not -trees <= index < trees:
            raise IndexError(f"expected a tree from 0 to {trees - 1}, got {index}")
        if not self._is_ours:
            return self._estimators[index]
        tree = self.estimator_
        for attribute in ("classes_", "n_classes_", "n_outputs_", "n_features_in_"):
            if hasattr(self, attribute):
                setattr(tree, attribute, getattr(self, attribute))
        tree._model = self._model.alone(index % trees)
        if "_drawn" in vars(self):
            # The same rows grow the same tree again.
            seed = _core.forest.tree_seed(self._growing_again(), index % trees)
            tree.random_state = seed
        return tree

    def __iter__(self) -> Iterator[Any]:
        return (self[t] for t in range(len(self)))

    def decision_path(self, X: Any) -> tuple[Any, np.ndarray]:
        """The nodes that each row passes, trees beside each other: a sparse indicator matrix
        (rows, nodes), and where each tree's columns begin."""
        from scipy.sparse import hstack

        if not self._is_ours:
            return super().decision_path(X)
        paths = [tree.decision_path(X) for tree in self]
        begins = np.cumsum([0, *(path.shape[1] for path in paths)])
        return hstack(paths).tocsr(), begins

    def apply(self, X: Any) -> Array:
        """The number of the leaf that each row ends in, (rows, trees), int64; on the GPU of X."""
        return self._predict("apply", X) if self._is_ours else super().apply(X)
