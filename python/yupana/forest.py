"""Exact decision trees and random forests with scikit-learn's interface.

Every midpoint of consecutive values of every feature is tried, and equal gains go to the lowest
feature, then the lowest threshold: a tree depends on its data alone, not on the order of rows, on
threads or on luck. Missing values (NaN) go to the side that gains more.
"""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Callable, Iterator

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._call import Note, ProgressLike
from ._tables import keep
from ._trees import Classes, Numbers, Tree, Trees
from ._views import Array, to_host

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Tree",
]


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

    @property
    def tree_(self) -> Tree:
        """The tree as arrays."""
        check_is_fitted(self)
        return Tree(self._model.tree(0), hasattr(self, "classes_"), self.n_features_in_)

    def get_depth(self) -> int:
        """Edges from the root to the deepest leaf."""
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Leaves of the tree."""
        return self.tree_.n_leaves

    def apply(self, X: Any) -> Array:
        """The number of the leaf that each row ends in, int64; on the GPU of X."""
        return self._predict("apply", X)[:, 0]

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes: a sparse indicator matrix (rows, nodes).

        SciPy's, so of a table on a GPU the leaves come to the host.
        """
        from scipy.sparse import csr_matrix

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

        grown = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        alphas, impurities = grown._model.cost_complexity_path()
        return Bunch(ccp_alphas=alphas, impurities=impurities)

    def export_text(self) -> str:
        """The tree as rules, thresholds unrounded."""
        check_is_fitted(self)
        return self._model.rules(0)


class DecisionTreeClassifier(Classes, _OneTree):
    """An exact classification tree.

    Parameters are scikit-learn's, with its defaults, and ``device`` and ``threads``. There is no
    ``splitter`` (it is always "best"), ``max_leaf_nodes``, ``min_weight_fraction_leaf`` nor
    ``monotonic_cst``. Of equal splits the lowest feature and threshold are taken, so that
    ``random_state`` matters with ``max_features`` alone.

    ``fit`` and the predictions take X in the memory of a GPU (CuPy, torch) too: float32 or float64,
    column after column. It is read there; fit brings a copy to the host besides, which names the
    thresholds. y stays in host memory.

    Parameters
    ----------
    criterion : "gini", "entropy" or "log_loss"
    max_depth, min_samples_split, min_samples_leaf, max_features, random_state : as scikit-learn's
    min_impurity_decrease, class_weight, ccp_alpha : as scikit-learn's
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

    def __init__(
        self,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_features: float | str | None = None,
        random_state: Any = None,
        min_impurity_decrease: float = 0.0,
        class_weight: dict[Any, float] | str | None = None,
        ccp_alpha: float = 0.0,
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        keep(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "DecisionTreeClassifier":
        """Grows the tree. X: (rows, features), NaN where missing; y: (rows,) classes."""
        self._grow(*self._fit_classes(X, y, sample_weight))
        return self


class DecisionTreeRegressor(Numbers, _OneTree):
    """An exact regression tree: splits by variance. Parameters as DecisionTreeClassifier.

    Examples
    --------
    >>> import yupana
    >>> model = yupana.DecisionTreeRegressor(max_depth=1)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]).predict([[0.4], [2.6]])
    array([1., 6.])
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_features: float | str | None = None,
        random_state: Any = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        keep(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "DecisionTreeRegressor":
        """Grows the tree. X: (rows, features), NaN where missing; y: (rows,) numbers."""
        self._grow(*self._fit_numbers(X, y, sample_weight))
        return self


class _Forest(Trees):
    """A sequence of trees."""

    _tree_class: type[_OneTree] = DecisionTreeClassifier

    def _grow_forest(self, X: Any, y: Any, weights: Any, on_device: Any) -> None:
        if not (isinstance(self.n_estimators, Integral) and self.n_estimators >= 1):
            raise ValueError(f"n_estimators: expected 1 or more, got {self.n_estimators!r}")
        sampling = "bootstrap" if self.bootstrap else "all"
        if isinstance(self.bootstrap, str):
            if self.bootstrap != "partition":
                raise ValueError(
                    f"bootstrap: expected True, False or 'partition', got {self.bootstrap!r}"
                )
            sampling = "partition"
        if self.oob_score and sampling == "all":
            raise ValueError("oob_score: expected rows that trees did not see; set bootstrap=True")
        score, values = self._grow(
            X,
            y,
            weights,
            on_device,
            trees=int(self.n_estimators),
            sampling=sampling,
            out_of_bag=bool(self.oob_score),
            soft=getattr(self, "voting", "soft") == "soft",
        )
        if values is not None:
            self._out_of_bag(y, score, values)

    def _out_of_bag(self, y: np.ndarray, score: float, values: np.ndarray) -> None:
        seen = np.isnan(values[:, 0])
        if seen.any():
            warnings.warn(
                f"oob_score: {np.count_nonzero(seen)} of {len(values)} rows were seen by every "
                "tree and are not scored; grow more trees",
                Note,
                stacklevel=4,
            )
        is_class = hasattr(self, "classes_")
        name = "oob_decision_function_" if is_class else "oob_prediction_"
        setattr(self, name, values if is_class else values[:, 0])
        self.oob_score_ = score
        if callable(self.oob_score):
            says = self.classes_[values.argmax(axis=1)] if is_class else values[:, 0]
            right = self.classes_[y] if is_class else y
            self.oob_score_ = self.oob_score(right[~seen], says[~seen])

    @property
    def estimator_(self) -> _OneTree:
        """What each tree is, unfitted."""
        kept = self._tree_class()
        names = set(kept.get_params()) & set(self.get_params())
        return kept.set_params(**{name: getattr(self, name) for name in names})

    @property
    def estimators_(self) -> list[_OneTree]:
        """The trees as estimators of their own."""
        return list(self)

    def __len__(self) -> int:
        check_is_fitted(self)
        return self._model.trees

    def __getitem__(self, index: int) -> _OneTree:
        """One tree as an estimator of its own."""
        trees = len(self)
        if not -trees <= index < trees:
            raise IndexError(f"expected a tree from 0 to {trees - 1}, got {index}")
        tree = self.estimator_
        for attribute in ("classes_", "n_classes_", "n_outputs_", "n_features_in_"):
            if hasattr(self, attribute):
                setattr(tree, attribute, getattr(self, attribute))
        tree._model = self._model.alone(index % trees)
        return tree

    def __iter__(self) -> Iterator[_OneTree]:
        return (self[t] for t in range(len(self)))

    def decision_path(self, X: Any) -> tuple[Any, np.ndarray]:
        """The nodes that each row passes, trees beside each other: a sparse indicator matrix
        (rows, nodes), and where each tree's columns begin."""
        from scipy.sparse import hstack

        paths = [tree.decision_path(X) for tree in self]
        begins = np.cumsum([0, *(path.shape[1] for path in paths)])
        return hstack(paths).tocsr(), begins

    def apply(self, X: Any) -> Array:
        """The number of the leaf that each row ends in, (rows, trees), int64; on the GPU of X."""
        return self._predict("apply", X)


class RandomForestClassifier(Classes, _Forest):
    """A forest of exact classification trees. Parameters are scikit-learn's, with its defaults,
    and ``progress``: True, or a callable.

    Tree t draws rows and features from (random_state, t) alone: the same forest for any number of
    threads. ``bootstrap="partition"`` gives each tree one of ``n_estimators`` random parts of the
    rows. ``voting``: "soft", the mean of the trees' shares, or "hard", the share of their votes.

    Attributes
    ----------
    classes_, n_classes_, n_outputs_, n_features_in_, feature_names_in_, max_features_
    feature_importances_ : (features,), adding to 1
    estimators_, estimator_ : the trees, and what they are; the forest is a sequence of them too
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

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_features: float | str | None = "sqrt",
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = True,
        oob_score: bool | Callable[[Any, Any], float] = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        class_weight: dict[Any, float] | str | None = None,
        ccp_alpha: float = 0.0,
        voting: str = "soft",
        device: str = "auto",
        threads: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        keep(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "RandomForestClassifier":
        """Grows the trees. X: (rows, features), NaN where missing; y: (rows,) classes."""
        if self.voting not in ("soft", "hard"):
            raise ValueError(f"voting: expected soft or hard, got {self.voting!r}")
        self._grow_forest(*self._fit_classes(X, y, sample_weight))
        return self


class RandomForestRegressor(Numbers, _Forest):
    """A forest of exact regression trees. Parameters and attributes as RandomForestClassifier; with
    ``oob_score`` there are ``oob_score_``, R^2, and ``oob_prediction_``, (rows,).

    Examples
    --------
    >>> import yupana
    >>> model = yupana.RandomForestRegressor(n_estimators=5, random_state=0, bootstrap=False)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]).predict([[0.1], [2.9]])
    array([1., 7.])
    """

    _tree_class = DecisionTreeRegressor

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        max_features: float | str | None = 1.0,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool | str = True,
        oob_score: bool | Callable[[Any, Any], float] = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        ccp_alpha: float = 0.0,
        device: str = "auto",
        threads: int | None = None,
        progress: ProgressLike = None,
    ) -> None:
        keep(self, locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "RandomForestRegressor":
        """Grows the trees. X: (rows, features), NaN where missing; y: (rows,) numbers."""
        self._grow_forest(*self._fit_numbers(X, y, sample_weight))
        return self
