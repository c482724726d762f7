"""One tree: its arrays, what estimators of one tree share, and what classes and numbers as labels mean."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn import tree as _peers
from sklearn.base import ClassifierMixin
from sklearn.tree._tree import NODE_DTYPE, Tree as _PeerTree
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ._trees import Trees
from ._views import Array, host_array, on_gpu, refuse_rounding, to_host


class Tree(_PeerTree):
    """One tree as arrays of one entry a node: scikit-learn's ``tree_``, nodes in preorder.

    ``children_left`` and ``children_right`` are -1 at leaves, ``feature`` and ``threshold`` -2.
    ``threshold`` is NaN where categories are split. ``value`` has shape (nodes, 1, classes): shares of the classes, or the mean.
    """

    def __reduce__(self) -> Any:
        _, arguments, state = super().__reduce__()
        return Tree, arguments, state

    def __repr__(self) -> str:
        return f"Tree({self.node_count} nodes, depth {self.max_depth}, {self.n_leaves} leaves)"


def tree_of(arrays: dict[str, Any], is_class: bool, n_features: int) -> Tree:
    leaf = arrays["feature"] < 0
    nodes = np.zeros(len(leaf), NODE_DTYPE)
    nodes["left_child"] = np.where(leaf, -1, arrays["left"])
    nodes["right_child"] = np.where(leaf, -1, arrays["right"])
    nodes["feature"] = np.where(leaf, -2, arrays["feature"])
    nodes["threshold"] = np.where(leaf, -2.0, arrays["threshold"])
    nodes["threshold"][arrays["set"] >= 0] = np.nan
    nodes["missing_go_to_left"] = np.where(leaf, 0, arrays["missing_left"])
    nodes["impurity"] = arrays["impurity"]
    nodes["n_node_samples"] = arrays["rows"]
    nodes["weighted_n_node_samples"] = arrays["weight"]
    value = arrays["value"]
    if is_class:
        value = value / value.sum(axis=1, keepdims=True)
    tree = Tree(n_features, np.array([value.shape[1]], np.intp), 1)
    tree.__setstate__(
        {
            "max_depth": arrays["depth"],
            "node_count": len(leaf),
            "nodes": nodes,
            "values": value[:, np.newaxis, :],
        }
    )
    return tree


class OneTree(Trees):
    """A single tree. X is checked whatever ``check_input`` says, which scikit-learn's trees take."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
        """Grows from X, (rows, features), NaN where missing, and y, (rows,) classes or numbers."""
        return super().fit(X, y, sample_weight)

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """The class of each row, of equal shares the first; or the mean of its leaf."""
        return super().predict(X)

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
        self._model = self._grow(X, y, weights, on_device, self._growing(X.shape[0]))

    @property
    def tree_(self) -> Tree:
        """The tree as arrays."""
        check_is_fitted(self)
        if "_tree" not in vars(self):
            is_class = isinstance(self, ClassifierMixin)
            self._tree = tree_of(self._model.tree(0), is_class, self.n_features_in_)
        return self._tree

    @tree_.setter
    def tree_(self, tree: Any) -> None:
        self._tree = tree

    def get_n_leaves(self) -> int:
        """Leaves of the tree."""
        return int(super().get_n_leaves())

    def apply(self, X: Any, check_input: bool = True) -> Array:
        """The number of the leaf that each row ends in, int64; on the GPU of X."""
        return self._predict("apply", X)[:, 0] if self._is_ours else super().apply(X)

    def decision_path(self, X: Any, check_input: bool = True) -> Any:
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
        return self._model.rules(0) if self._is_ours else _peers.export_text(self)


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
        if not on_gpu(X):
            return self.classes_.take(self._predict("predict_classes", X))
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
