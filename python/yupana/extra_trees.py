"""Extremely randomized trees: :mod:`yupana.forest`'s trees whose thresholds are drawn.

Geurts, Ernst, Wehenkel, Extremely randomized trees, Machine Learning 63, 2006.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn import ensemble as _ensemble
from sklearn import tree as _tree

from ._forest import Forest
from ._tables import ForestParameters, TreeParameters, parameters_of
from ._tree import Classes, Numbers, OneTree
from ._trees import constraints
from ._views import Array

if TYPE_CHECKING:
    from typing_extensions import Unpack

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

    @parameters_of(_tree.ExtraTreeClassifier)
    def __init__(self, **parameters: Unpack[TreeParameters]) -> None: ...

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

    @parameters_of(_tree.ExtraTreeRegressor)
    def __init__(self, **parameters: Unpack[TreeParameters]) -> None: ...


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

    @parameters_of(_ensemble.ExtraTreesClassifier, voting="soft", progress=None)
    def __init__(self, n_estimators: int = 100, **parameters: Unpack[ForestParameters]) -> None: ...


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

    @parameters_of(_ensemble.ExtraTreesRegressor, progress=None)
    def __init__(self, n_estimators: int = 100, **parameters: Unpack[ForestParameters]) -> None: ...
