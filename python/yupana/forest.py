"""Exact decision trees and random forests with scikit-learn's interface.

Every midpoint of consecutive values of every feature is tried, and equal gains go to the lowest
feature, then the lowest threshold: a tree depends on its data alone, not on the order of rows, on
threads or on luck. Missing values (NaN) go to the side that gains more.

The classes are scikit-learn's own with every parameter of theirs. The library grows trees of one
output; scikit-learn itself grows those of several outputs, with
``class_weight="balanced_subsample"``, or with ``monotonic_cst`` by absolute errors, where ``device``
is "auto" or "cpu".
``categorical_features`` are split by the library alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn import ensemble as _ensemble
from sklearn import tree as _tree

from ._forest import Forest
from ._tables import ForestParameters, TreeParameters, parameters_of
from ._tree import Classes, Numbers, OneTree, Tree
from ._trees import constraints
from ._views import Array

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Tree",
]


class DecisionTreeClassifier(OneTree, Classes, _tree.DecisionTreeClassifier):
    """An exact classification tree.

    Parameters are scikit-learn's, with its defaults, and ``device`` and ``threads``. Of equal splits
    the lowest feature and threshold are taken, so that ``random_state`` matters with
    ``max_features`` and the splitter "random" alone. With ``max_leaf_nodes`` the tree grows best first; of leaves that gain
    alike the first in preorder is split.

    ``fit`` and the predictions take X in the memory of a GPU (CuPy, torch) too: float32 or float64,
    column after column. It is read there; fit brings a copy to the host besides, which names the
    thresholds. y stays in host memory. Sparse tables grow trees from their entries.

    Parameters
    ----------
    criterion : "gini", "entropy" or "log_loss"
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf : as scikit-learn's
    max_features, random_state, max_leaf_nodes, min_impurity_decrease : as scikit-learn's
    class_weight, ccp_alpha : as scikit-learn's
    splitter : "best", or "random": of each feature one threshold is drawn at a node
    monotonic_cst : of each feature 1 where predictions never fall as it rises, -1 where they never
        rise, or 0; for numbers, and the share of the second of two classes. X may have NaN
    categorical_features : mask, indices or names of the features whose values number categories,
        0, 1, ..., or "from_dtype": the columns of a pandas, polars or pyarrow table whose type is
        one of categories, by their values; each node parts them in two: the best of all partings for numbers, for two classes
        and for up to 10 categories. Those that a node did not see go where missing values go. Of
        such trees ``tree_.threshold`` is NaN there, ``export_text`` has the categories
    device, threads : where and on how many threads

    Examples
    --------
    >>> import yupana
    >>> model = yupana.DecisionTreeClassifier(max_depth=2)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]).predict([[0.4], [2.6]])
    array(['a', 'b'], dtype='<U1')
    >>> model.tree_
    Tree(3 nodes, depth 1, 2 leaves)
    >>> kinds = yupana.DecisionTreeClassifier(categorical_features=[0])
    >>> print(kinds.fit([[0], [1], [2], [3]], ["a", "b", "b", "a"]).export_text(), end="")
    if x0 in {0, 3}: a (2 rows, impurity 0)
    if x0 not in {0, 3}: b (2 rows, impurity 0)
    missing values go to the child of more rows, of equal ones to the second
    """

    _parameter_constraints = constraints(_tree.DecisionTreeClassifier)

    @parameters_of(_tree.DecisionTreeClassifier, categorical_features=None)
    def __init__(self, **parameters: Unpack[TreeParameters]) -> None: ...

    def predict_proba(self, X: Any, check_input: bool = True) -> Array:
        """Shares of the classes, (rows, classes), in the order of ``classes_``; on the GPU of X."""
        return super().predict_proba(X)


class DecisionTreeRegressor(OneTree, Numbers, _tree.DecisionTreeRegressor):
    """An exact regression tree. Parameters as DecisionTreeClassifier, but for ``criterion``.

    Parameters
    ----------
    criterion : "squared_error"; "absolute_error", whose leaves predict weighted medians, and which
        takes no ``categorical_features``; or "poisson", half the deviance of y of 0 and more. Trees
        by the latter two grow on the CPU.

    Examples
    --------
    >>> import yupana
    >>> model = yupana.DecisionTreeRegressor(max_depth=1)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]).predict([[0.4], [2.6]])
    array([1., 6.])
    """

    _parameter_constraints = constraints(_tree.DecisionTreeRegressor)

    @parameters_of(_tree.DecisionTreeRegressor, categorical_features=None)
    def __init__(self, **parameters: Unpack[TreeParameters]) -> None: ...


class RandomForestClassifier(Classes, Forest, _ensemble.RandomForestClassifier):
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

    _parameter_constraints = constraints(_ensemble.RandomForestClassifier, "bootstrap")
    _tree_class = DecisionTreeClassifier
    _peer_tree = _tree.DecisionTreeClassifier

    @parameters_of(_ensemble.RandomForestClassifier, categorical_features=None, voting="soft", progress=None)
    def __init__(self, n_estimators: int = 100, **parameters: Unpack[ForestParameters]) -> None: ...


class RandomForestRegressor(Numbers, Forest, _ensemble.RandomForestRegressor):
    """A forest of exact regression trees. Parameters and attributes as RandomForestClassifier; with
    ``oob_score`` there are ``oob_score_``, R^2, and ``oob_prediction_``, (rows,).

    Examples
    --------
    >>> import yupana
    >>> model = yupana.RandomForestRegressor(n_estimators=5, random_state=0, bootstrap=False)
    >>> model.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 1.0, 5.0, 7.0]).predict([[0.1], [2.9]])
    array([1., 7.])
    """

    _parameter_constraints = constraints(_ensemble.RandomForestRegressor, "bootstrap")
    _tree_class = DecisionTreeRegressor
    _peer_tree = _tree.DecisionTreeRegressor

    @parameters_of(_ensemble.RandomForestRegressor, categorical_features=None, progress=None)
    def __init__(self, n_estimators: int = 100, **parameters: Unpack[ForestParameters]) -> None: ...
