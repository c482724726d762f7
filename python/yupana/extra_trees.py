"""Extremely randomized trees: :mod:`yupana.forest`'s trees whose thresholds are drawn.

Geurts, Ernst, Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.
"""

from __future__ import annotations

from typing import Any, Callable

from sklearn import ensemble as _ensemble
from sklearn import tree as _tree

from ._call import ProgressLike
from ._forest import Forest
from ._labels import Classes, Numbers
from ._tables import keep
from ._tree import OneTree
from ._trees import constraints
from ._views import Array

__all__ = [
    "ExtraTreeClassifier",
    "ExtraTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
]


class ExtraTreeClassifier(OneTree, Classes, _tree.ExtraTreeClassifier):
    """A classification tree of drawn thresholds: of each feature that a node draws one threshold,
    uniform between the least and the greatest value there, and the best of these. Parameters as
    DecisionTreeClassifier.

    Examples
    --------
    >>> import yupana
    >>> model = yupana.ExtraTreeClassifier(random_state=0)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]).predict([[0.0], [3.0]])
    array(['a', 'b'], dtype='<U1')
    """

    _parameter_constraints = constraints(_tree.ExtraTreeClassifier)

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = "sqrt",
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

    def predict_proba(self, X: Any, check_input: bool = True) -> Array:
        """Shares of the classes, (rows, classes), in the order of ``classes_``; on the GPU of X."""
        return super().predict_proba(X)


class ExtraTreeRegressor(OneTree, Numbers, _tree.ExtraTreeRegressor):
    """A regression tree of drawn thresholds. Parameters as DecisionTreeRegressor.

    Examples
    --------
    >>> import yupana
    >>> model = yupana.ExtraTreeRegressor(random_state=0)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]).predict([[0.0], [3.0]])
    array([1., 7.])
    """

    _parameter_constraints = constraints(_tree.ExtraTreeRegressor)

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | str | None = 1.0,
        random_state: Any = None,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        device: str = "auto",
        threads: int | None = None,
    ) -> None:
        keep(self, locals())
        self._known_criterion()


class ExtraTreesClassifier(Classes, Forest, _ensemble.ExtraTreesClassifier):
    """A forest of classification trees of drawn thresholds, each on all rows unless ``bootstrap``.
    Parameters and attributes as RandomForestClassifier.

    Examples
    --------
    >>> import yupana
    >>> model = yupana.ExtraTreesClassifier(n_estimators=5, random_state=0)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]).predict([[0.0], [3.0]])
    array(['a', 'b'], dtype='<U1')
    """

    _parameter_constraints = constraints(_ensemble.ExtraTreesClassifier, "bootstrap")
    _splitter = "random"
    _tree_class = ExtraTreeClassifier
    _peer_tree = _tree.ExtraTreeClassifier

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
        bootstrap: bool | str = False,
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


class ExtraTreesRegressor(Numbers, Forest, _ensemble.ExtraTreesRegressor):
    """A forest of regression trees of drawn thresholds, each on all rows unless ``bootstrap``.
    Parameters and attributes as RandomForestRegressor.

    Examples
    --------
    >>> import yupana
    >>> model = yupana.ExtraTreesRegressor(n_estimators=5, random_state=0)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]).predict([[0.0], [3.0]])
    array([1., 7.])
    """

    _parameter_constraints = constraints(_ensemble.ExtraTreesRegressor, "bootstrap")
    _splitter = "random"
    _tree_class = ExtraTreeRegressor
    _peer_tree = _tree.ExtraTreeRegressor

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
        bootstrap: bool | str = False,
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
