"""Exact decision trees and random forests with scikit-learn's interface.

Every midpoint of consecutive values of every feature is tried, and equal gains go to the lowest
feature, then the lowest threshold: a tree depends on its data alone, not on the order of rows, on
threads or on luck. Missing values (NaN) go to the side that gains more. Over 400 lines: four
estimators, most of them the docstrings and attributes that scikit-learn's users expect.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Callable, Iterator

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from ._call import Array, Note, ProgressLike, host_array, on_gpu, options
from ._tables import checked, columns, feature_names, keep, seed_of

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Tree",
]


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


class _Trees(BaseEstimator):
    """What trees and forests share. A fitted one keeps the library's model as bytes."""

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

    def _call(self) -> options:
        return options(*self._keywords())

    def _call_there(self, X: Any) -> options:
        """On the GPU where X is."""
        from . import _device

        return _device.call(X, *self._keywords())

    def _keywords(self) -> tuple[Any, ...]:
        return self.device, self._threads(), None, getattr(self, "progress", None)

    def _threads(self) -> int | None:
        """``n_jobs`` as joblib reads it, where the estimator has it; else ``threads``."""
        jobs = getattr(self, "n_jobs", None)
        if self.threads is not None or jobs is None:
            return self.threads
        if not isinstance(jobs, Integral) or jobs == 0:
            raise ValueError(f"n_jobs: a whole number other than 0 wanted, {jobs!r} given")
        if jobs > 0:
            return int(jobs)
        return max(1, _core.info()["threads"] + 1 + int(jobs))

    def _check(self) -> None:
        """What a parameter may be, in one line; the library checks the rest."""

        def must(name: str, good: bool, wanted: str) -> None:
            if not good:
                raise ValueError(f"{name}: {wanted} wanted, {getattr(self, name)!r} given")

        depth, leaf, split = self.max_depth, self.min_samples_leaf, self.min_samples_split
        deep = depth is None or (isinstance(depth, Integral) and depth >= 1)
        must("max_depth", deep, "None or a whole number from 1")
        for name, value, least in (
            ("min_samples_leaf", leaf, 1),
            ("min_samples_split", split, 2),
        ):
            whole = isinstance(value, Integral) and value >= least
            share = isinstance(value, Real) and not isinstance(value, Integral) and 0 < value <= 1
            must(name, whole or share, f"{least} or more rows, or a share of them,")
        for name in ("min_impurity_decrease", "ccp_alpha"):
            value = getattr(self, name)
            must(name, isinstance(value, Real) and value >= 0, "0 or more")

    def _max_features(self) -> int:
        """Features drawn at each node."""
        wanted, there = self.max_features, self.n_features_in_
        if wanted is None:
            return there
        if wanted == "sqrt":
            return max(1, int(np.sqrt(there)))
        if wanted == "log2":
            return max(1, int(np.log2(there)))
        if isinstance(wanted, Integral) and 1 <= wanted <= there:
            return int(wanted)
        if isinstance(wanted, Real) and not isinstance(wanted, Integral) and 0 < wanted <= 1:
            return max(1, int(wanted * there))
        raise ValueError(
            f"max_features: None, 'sqrt', 'log2', 1 to {there} or a share of them wanted, "
            f"{wanted!r} given"
        )

    def _growing(self, rows: int, **forest: Any) -> dict[str, Any]:
        """Arguments of the library's Growing."""

        def count(value: Any, least: int) -> int:
            whole = isinstance(value, Integral)
            return int(value) if whole else max(least, int(np.ceil(value * rows)))

        self._check()
        self.max_features_ = self._max_features()
        all_of_them = self.max_features_ == self.n_features_in_
        arguments = {"trees": None, "sampling": "all", "soft": True, "out_of_bag": False, **forest}
        return {
            "criterion": self.criterion,
            "max_depth": None if self.max_depth is None else int(self.max_depth),
            "min_samples_split": count(self.min_samples_split, 2),
            "min_samples_leaf": count(self.min_samples_leaf, 1),
            "min_impurity_decrease": float(self.min_impurity_decrease),
            "max_features": 0 if all_of_them else self.max_features_,
            "seed": seed_of(self.random_state),
            **arguments,
        }

    def _grow(
        self, X: np.ndarray, y: np.ndarray, weights: Any, there: Any, **forest: Any
    ) -> tuple[float, np.ndarray | None]:
        """there: the table once more on a GPU, or None. Gives the score out of bag, and values."""
        growing = _core.forest.Growing(**self._growing(X.shape[0], **forest))
        is_class = hasattr(self, "classes_")
        with self._call() if there is None else self._call_there(there) as call:
            model, *out_of_bag = _core.forest.fit(
                call,
                columns(X),
                codes=y if is_class else None,
                values=None if is_class else y,
                weights=weights,
                classes=[str(c) for c in self.classes_] if is_class else [],
                features=feature_names(self),
                growing=growing,
                resident=there,
            )
        self._model = model.pruned(self.ccp_alpha) if self.ccp_alpha > 0 else model
        return tuple(out_of_bag)

    def _table(self, X: Any, **keywords: Any) -> np.ndarray:
        check_is_fitted(self)
        X = checked(
            self,
            X,
            reset=False,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
            **keywords,
        )
        return columns(X)

    def _fit_table(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, Any]:
        """X and y in host memory, and X on a GPU where it is given there, else None."""
        there = None
        if on_gpu(X):
            from . import _device

            there, X = X, _device.host(_device.table(X))
            y = host_array(y, "y") if on_gpu(y) else y
        X, y = checked(
            self,
            X,
            y,
            reset=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
            y_numeric=isinstance(self, RegressorMixin),
        )
        return X, y, there

    def _shares(self, X: Any) -> Any:
        if on_gpu(X):
            from . import _device

            check_is_fitted(self)
            return _device.shares(self._model, X, *self._keywords())
        X = self._table(X)
        with self._call() as call:
            return self._model.predict_shares(call, X)

    def _leaves(self, X: Any) -> Any:
        """Leaves of each row, (rows, trees); of a table on a GPU an array there."""
        if on_gpu(X):
            from . import _device

            check_is_fitted(self)
            return _device.leaves(self._model, X, *self._keywords())
        X = self._table(X)
        with self._call() as call:
            return self._model.apply(call, X).astype(np.int64)

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
            raise ValueError("a model of " + ("classes" if model.classes else "numbers") + " given")
        estimator.n_features_in_ = len(names)
        if names != [f"x{i}" for i in range(len(names))]:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        if model.classes:
            estimator.classes_ = _typed(model.classes)
            estimator.n_classes_ = len(model.classes)
        estimator.n_outputs_ = 1
        estimator._model = model
        return estimator


def _weights(sample_weight: Any, X: np.ndarray) -> np.ndarray:
    if on_gpu(sample_weight):
        sample_weight = host_array(sample_weight, "sample_weight")
    return _check_sample_weight(sample_weight, X, dtype=np.float64)


def _here(x: Any) -> np.ndarray:
    """In host memory."""
    if not on_gpu(x):
        return x
    from . import _device

    return _device.host(x)


def _typed(classes: list[str]) -> np.ndarray:
    for kind in (int, float):
        try:
            values = [kind(c) for c in classes]
        except ValueError:
            continue
        if [str(v) for v in values] == classes:
            return np.asarray(values)
    return np.asarray(classes)


class _Classes(ClassifierMixin):
    """Labels as codes, shares as probabilities."""

    def _fit_classes(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        X, y, there = self._fit_table(X, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_classes_ = len(self.classes_)
        self.n_outputs_ = 1
        weights = None
        if sample_weight is not None:
            weights = _weights(sample_weight, X)
        weighing = self.class_weight
        if not (weighing is None or weighing == "balanced" or isinstance(weighing, dict)):
            raise ValueError(
                f"class_weight: None, 'balanced' or a dict of classes wanted, {weighing!r} given"
            )
        if self.class_weight is not None:
            by_class = compute_sample_weight(self.class_weight, y)
            weights = by_class if weights is None else weights * by_class
        return X, codes.astype(np.int32), weights, there

    def predict_proba(self, X: Any) -> Array:
        """Shares of the classes, (rows, classes), in the order of ``classes_``.

        Of a table on a GPU an array there.
        """
        return self._shares(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(_here(self._shares(X)))

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row; of equal shares the first of ``classes_``."""
        shares = _here(self._shares(X))
        return self.classes_[shares.argmax(axis=1)]


class _Numbers(RegressorMixin):
    """Labels as numbers."""

    def _fit_numbers(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, ...]:
        X, y, there = self._fit_table(X, y)
        self.n_outputs_ = 1
        weights = None
        if sample_weight is not None:
            weights = _weights(sample_weight, X)
        return X, np.ascontiguousarray(y, dtype=np.float64), weights, there

    def predict(self, X: Any) -> Array:
        """The mean of each row's leaf, or of its leaves; of a table on a GPU an array there."""
        return self._shares(X)[:, 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared of the predictions for X, which may be on a GPU; y in host memory."""
        if not on_gpu(X):
            return super().score(X, y, sample_weight)
        from sklearn.metrics import r2_score

        predicted = _here(self._shares(X))[:, 0]
        return r2_score(host_array(y, "y"), predicted, sample_weight=sample_weight)


class _OneTree(_Trees):
    """What single trees have besides."""

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
        """The number of the leaf that each row ends in; of a table on a GPU an array there."""
        return self._leaves(X)[:, 0]

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes: a sparse indicator matrix (rows, nodes).

        SciPy's, so of a table on a GPU the leaves come to the host.
        """
        from scipy.sparse import csr_matrix

        leaves = _here(self.apply(X))
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


class DecisionTreeClassifier(_Classes, _OneTree):
    """An exact classification tree.

    Parameters are scikit-learn's, with its defaults, and ``device`` and ``threads``. There is no
    ``splitter`` (it is always "best"), ``max_leaf_nodes``, ``min_weight_fraction_leaf`` nor
    ``monotonic_cst``. Of equal splits the lowest feature and threshold are taken, so that
    ``random_state`` matters with ``max_features`` alone.

    Parameters
    ----------
    criterion : "gini", "entropy" or "log_loss"
    max_depth, min_samples_split, min_samples_leaf, max_features, random_state,
    min_impurity_decrease, class_weight, ccp_alpha : as scikit-learn's
    device, threads : where and on how many threads

    ``fit`` and the predictions take X in the memory of a GPU (CuPy, torch) too: float32 or float64,
    column after column. It is read there; fit brings a copy to the host besides, which names the
    thresholds. y stays in host memory.

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


class DecisionTreeRegressor(_Numbers, _OneTree):
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


class _Forest(_Trees):
    """What forests have besides."""

    _tree_class: type[_OneTree] = DecisionTreeClassifier

    def _grow_forest(self, X: Any, y: Any, weights: Any, there: Any) -> None:
        if not (isinstance(self.n_estimators, Integral) and self.n_estimators >= 1):
            raise ValueError(f"n_estimators: 1 or more wanted, {self.n_estimators!r} given")
        sampling = "bootstrap" if self.bootstrap else "all"
        if isinstance(self.bootstrap, str):
            if self.bootstrap != "partition":
                raise ValueError(
                    f"bootstrap: True, False or 'partition' wanted, {self.bootstrap!r} given"
                )
            sampling = "partition"
        if self.oob_score and sampling == "all":
            raise ValueError("oob_score: wants rows that trees did not see: bootstrap=True")
        score, values = self._grow(
            X,
            y,
            weights,
            there,
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
            raise IndexError(f"a tree from 0 to {trees - 1} wanted, {index} given")
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
        """The number of the leaf that each row ends in, (rows, trees); of a table on a GPU there."""
        return self._leaves(X)


class RandomForestClassifier(_Classes, _Forest):
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
            raise ValueError(f"voting: soft or hard wanted, {self.voting!r} given")
        self._grow_forest(*self._fit_classes(X, y, sample_weight))
        return self


class RandomForestRegressor(_Numbers, _Forest):
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
