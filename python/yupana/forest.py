"""Exact decision trees and random forests with scikit-learn's interface.

Every midpoint of consecutive values of every feature is tried, and equal gains go to the lowest
feature, then the lowest threshold: a tree depends on its data alone, not on the order of rows, on
threads or on luck. Missing values (NaN) go to the side that gains more.

The classes are scikit-learn's own with every parameter of theirs. The library grows trees of one
output by "gini", "entropy", "log_loss" or "squared_error"; scikit-learn itself grows those of
several outputs or with another criterion, ``splitter="random"``, ``monotonic_cst`` or
``class_weight="balanced_subsample"``, where ``device`` is "auto" or "cpu".
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Callable, Iterator

import numpy as np
from sklearn import ensemble as _ensemble
from sklearn import tree as _tree
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._call import Note, ProgressLike, options
from ._tables import columns, keep, seed_of
from ._trees import Classes, Numbers, Tree, Trees, _tree_of
from ._views import Array, to_host

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Tree",
]


def _constraints(peer: Any, *own: str) -> dict[str, Any]:
    """scikit-learn's checks of parameters, but for those that are checked here."""
    theirs = peer._parameter_constraints
    return {name: kinds for name, kinds in theirs.items() if name not in ("random_state", *own)}


class _OneTree(Trees):
    """A single tree."""

    @classmethod
    def from_bytes(cls, data: bytes) -> Any:
        """A fitted estimator, as of the forests' ``from_bytes``, from the bytes of one tree."""
        estimator = super().from_bytes(data)
        trees = estimator._model.trees
        if trees != 1:
            raise ValueError(
                f"data: expected a model of one tree, got one of {trees}; "
                "use the estimator of forests"
            )
        return estimator

    def _fit_ours(self, X: np.ndarray, y: np.ndarray, weights: Any, on_device: Any) -> None:
        self._model = self._grow(X, y, weights, on_device, self._growing(len(X)))

    @property
    def tree_(self) -> Tree:
        """The tree as arrays."""
        check_is_fitted(self)
        if "_tree" not in vars(self):
            is_class = isinstance(self, ClassifierMixin)
            self._tree = _tree_of(self._model.tree(0), is_class, self.n_features_in_)
        return self._tree

    @tree_.setter
    def tree_(self, tree: Any) -> None:
        self._tree = tree

    def get_n_leaves(self) -> int:
        """Leaves of the tree."""
        return int(super().get_n_leaves())

    def apply(self, X: Any) -> Array:
        """The number of the leaf that each row ends in, int64; on the GPU of X."""
        return self._predict("apply", X)[:, 0] if self._is_ours else super().apply(X)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes: a sparse indicator matrix (rows, nodes).

        SciPy's, so of a table on a GPU the leaves come to the host.
        """
        from scipy.sparse import csr_matrix

        if not self._is_ours:
            return super().decision_path(X)
        leaves = to_host(self.apply(X))
        tree = self.tree_
        parent = np.full(tree.node_count, -1)
        for children in (tree.children_left, tree.children_right):
            inner = children >= 0
            parent[children[inner]] = np.flatnonzero(inner)
        ends, nodes = [], []
        end = here = np.flatnonzero(tree.children_left < 0)
        while len(here):
            ends.append(end)
            nodes.append(here)
            inside = parent[here] >= 0
            end, here = end[inside], parent[here[inside]]
        places = np.concatenate(ends), np.concatenate(nodes)
        shape = (tree.node_count, tree.node_count)
        paths = csr_matrix((np.ones(len(places[0]), np.int64), places), shape=shape)[leaves]
        paths.sort_indices()
        return paths

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """``ccp_alphas`` and ``impurities`` of minimal cost-complexity pruning."""
        from sklearn.base import clone
        from sklearn.utils import Bunch

        if self._beyond(y) is not None:
            return super().cost_complexity_pruning_path(X, y, sample_weight)
        grown = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        alphas, impurities = grown._model.cost_complexity_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def export_text(self) -> str:
        """The tree as rules, thresholds unrounded."""
        check_is_fitted(self)
        return self._model.rules(0) if self._is_ours else _tree.export_text(self)


class DecisionTreeClassifier(Classes, _OneTree, _tree.DecisionTreeClassifier):
    """An exact classification tree.

    Parameters are scikit-learn's, with its defaults, and ``device`` and ``threads``. Of equal splits
    the lowest feature and threshold are taken, so that ``random_state`` matters with
    ``max_features`` alone. With ``max_leaf_nodes`` the tree grows best first; of leaves that gain
    alike the first in preorder is split.

    ``fit`` and the predictions take X in the memory of a GPU (CuPy, torch) too: float32 or float64,
    column after column. It is read there; fit brings a copy to the host besides, which names the
    thresholds. y stays in host memory. Sparse tables are made dense.

    Parameters
    ----------
    criterion : "gini", "entropy" or "log_loss"
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf : as scikit-learn's
    max_features, random_state, max_leaf_nodes, min_impurity_decrease : as scikit-learn's
    class_weight, ccp_alpha : as scikit-learn's
    splitter, monotonic_cst : others than "best" and None leave the tree to scikit-learn
    device, threads : where and on how many threads

    Examples
    --------
    >>> import yupana
    >>> model = yupana.DecisionTreeClassifier(max_depth=2)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]).predict([[0.4], [2.6]])
    array(['a', 'b'], dtype='<U1')
    >>> model.tree_
    Tree(3 nodes, depth 1, 2 leaves)
    """

    _parameter_constraints = _constraints(_tree.DecisionTreeClassifier)

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        keep(self, locals())


class DecisionTreeRegressor(Numbers, _OneTree, _tree.DecisionTreeRegressor):
    """An exact regression tree: splits by variance. Parameters as DecisionTreeClassifier.

    Examples
    --------
    >>> import yupana
    >>> model = yupana.DecisionTreeRegressor(max_depth=1)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]).predict([[0.4], [2.6]])
    array([1., 6.])
    """

    _parameter_constraints = _constraints(_tree.DecisionTreeRegressor)

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        keep(self, locals())
        self._known_criterion()


class _Forest(Trees):
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
    _tree_class: type[_OneTree] = DecisionTreeClassifier
    _peer_tree: Any = _tree.DecisionTreeClassifier

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
        return super().fit(X, y, sample_weight)

    def _voting(self) -> str:
        voting = getattr(self, "voting", "soft")
        if voting not in ("soft", "hard"):
            raise ValueError(f"voting: expected soft or hard, got {voting!r}")
        return voting

    def _draws(self, rows: int, sampling: str) -> dict[str, Any]:
        """How trees sample rows, as arguments of the library's Growing."""
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
        self._n_samples, self._n_samples_bootstrap = rows, rows if draws is None else int(draws)
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
        if before > 0 and sampling == "partition":
            raise ValueError("warm_start: expected bootstrap=True or False, got 'partition'")
        if more < 0:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to "
                f"len(estimators_)={before} when warm_start==True"
            )
        draws = self._draws(len(X), sampling)
        draws["seed"] = self._drawn["seed"] if before > 0 else seed_of(self.random_state)
        self._sample_weight = weights
        if more == 0:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
                UserWarning,
                stacklevel=3,
            )
        else:
            growing = self._growing(len(X), trees=more, first_tree=before, **draws)
            grown = self._grow(X, y, weights, on_device, growing)
            parts = [self._model, grown] if before > 0 else [grown]
            self._model = _core.forest.Model.joined(parts) if before > 0 else grown
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
            score, values = self._model.out_of_bag(call, columns(X), **labels, growing=growing)
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
        arguments = self._growing(self._n_samples, trees=len(self), **self._drawn)
        return _core.forest.Growing(**arguments)

    def _validate_estimator(self, default: Any = None) -> None:
        self._estimator = self._peer_tree()

    @property
    def estimator(self) -> _OneTree:
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


class RandomForestClassifier(Classes, _Forest, _ensemble.RandomForestClassifier):
    """A forest of exact classification trees. Parameters are scikit-learn's, with its defaults,
    and ``progress``: True (as any ``verbose``), or a callable.

    Tree t draws rows and features from (random_state, t) alone: the same forest for any number of
    threads, and of a fit at once or in turns (``warm_start``). ``bootstrap="partition"`` gives each
    tree one of ``n_estimators`` random parts of the rows. ``voting``: "soft", the mean of the trees'
    shares, or "hard", the share of their votes. Weights are multiplied with how often a row was
    drawn. ``max_samples`` is at most 64 times the rows, on a GPU the rows.

    Attributes
    ----------
    classes_, n_classes_, n_outputs_, n_features_in_, feature_names_in_, max_features_
    feature_importances_ : (features,), adding to 1
    estimators_, estimator_ : the trees, and what they are; the forest is a sequence of them too
    estimators_samples_ : the rows that each tree drew
    oob_score_, oob_decision_function_ : with ``oob_score`` (True, or a function of truth and
        prediction): accuracy and (rows, classes) shares by the trees that did not see the row, NaN
        where all saw it

    Examples
    --------
    >>> import yupana
    >>> model = yupana.RandomForestClassifier(n_estimators=5, random_state=0)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]).predict([[0.1], [2.9]])
    array(['a', 'b'], dtype='<U1')
    """

    _parameter_constraints = _constraints(_ensemble.RandomForestClassifier, "bootstrap")

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = True,
        oob_score: bool | Callable[[Any, Any], float] = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: dict[Any, float] | str | None = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        voting: str = "soft",
        device: str = "auto",
        threads: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        keep(self, locals())


class RandomForestRegressor(Numbers, _Forest, _ensemble.RandomForestRegressor):
    """A forest of exact regression trees. Parameters and attributes as RandomForestClassifier; with
    ``oob_score`` there are ``oob_score_``, R^2, and ``oob_prediction_``, (rows,).

    Examples
    --------
    >>> import yupana
    >>> model = yupana.RandomForestRegressor(n_estimators=5, random_state=0, bootstrap=False)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]).predict([[0.1], [2.9]])
    array([1., 7.])
    """

    _parameter_constraints = _constraints(_ensemble.RandomForestRegressor, "bootstrap")
    _tree_class = DecisionTreeRegressor
    _peer_tree = _tree.DecisionTreeRegressor

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = True,
        oob_score: bool | Callable[[Any, Any], float] = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        device: str = "auto",
        threads: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        keep(self, locals())
        self._known_criterion()
