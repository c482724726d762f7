"""Coordinates, trees of clusters, and agreement with labels, from a matrix of distances; and how
good predictions are.

Matrices are n x n, symmetric, in host memory, int32, float32 or float64 (others are converted); inf,
in integers 2**30 - 1, marks a pair without a distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, NamedTuple, Sequence

import numpy as np

from . import _core
from ._call import HostKeywords, Keywords, one_line, run, with_keywords
from ._measures import class_measures, number_measures
from ._views import distance_matrix, host_array, real_array, returned

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "LabelScores",
    "Mds",
    "Phylogeny",
    "adjusted_rand",
    "class_measures",
    "cut_tree",
    "label_scores",
    "leaf_order",
    "linkage",
    "mds",
    "minimum_spanning_tree",
    "neighbor_joining",
    "newick",
    "number_measures",
]


class Mds(NamedTuple):
    """Coordinates and what they hold of the distances.

    ``points``: (n, dimensions), column k of norm ``sqrt(eigenvalues[k])``; ``eigenvalues``:
    positive, the largest first; ``share``: eigenvalues / trace; ``trace``: the sum of all.
    """

    points: np.ndarray
    eigenvalues: np.ndarray
    share: np.ndarray
    trace: float


class LabelScores(NamedTuple):
    """How well distances agree with labels.

    ``silhouette``: mean over labelled individuals; ``adjusted_rand``: of the average-linkage tree
    cut at the number of classes; ``nearest_neighbor``: share whose nearest other has their label.
    """

    silhouette: float
    adjusted_rand: float
    nearest_neighbor: float
    individuals: int
    classes: int


class Phylogeny(NamedTuple):
    """A tree of n leaves.

    ``parent``: of each node, -1 of the last one, the root; leaves are 0 .. n - 1, and inner nodes
    follow, each after its children. ``length``: of the branch to the parent; NaN of the root.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> d = np.array([[0, 3, 5, 6], [3, 0, 6, 7], [5, 6, 0, 7], [6, 7, 7, 0]])
    >>> tree = yupana.analysis.neighbor_joining(d)
    >>> tree.newick(support=tree.support([tree, tree]))
    '(3:3,4:4,(1:1,2:2)100:1);'
    """

    parent: np.ndarray
    length: np.ndarray

    @property
    def leaves(self) -> int:
        """How many leaves there are."""
        inner = self.parent[self.parent >= 0]
        return int(inner.min()) if len(inner) > 0 else len(self.parent)

    def newick(self, names: Sequence[str] | None = None, support: Any = None) -> str:
        """The tree in Newick format; leaves without names are "1", "2", ...

        ``support``: a number a node, as ``support()`` gives them, written after the brackets.
        """
        if names is None:
            names = [str(i + 1) for i in range(self.leaves)]
        numbers = [] if support is None else np.asarray(support, np.float64).tolist()
        return _core.analysis.tree_newick(
            self.parent.tolist(), self.length.tolist(), [str(name) for name in names], numbers
        )

    def support(self, others: Iterable[Phylogeny]) -> np.ndarray:
        """Percent of other trees of the same leaves that have the branch above each node.

        A branch parts the leaves in two, wherever the root is. NaN for the root and where one leaf
        is parted from all others, as in every tree.
        """
        lists = [(tree.parent.tolist(), tree.length.tolist()) for tree in others]
        own = self.parent.tolist(), self.length.tolist()
        return returned(_core.analysis.tree_support(*own, lists))


@with_keywords
def mds(
    distances: Any, dimensions: int = 10, *, squared: bool = False, **keywords: Unpack[Keywords]
) -> Mds:
    """Classical multidimensional scaling: eigenpairs of ``-1/2 J (D o D) J``, J = I - 11'/n.

    Each axis is signed so that its entry of largest size is positive. The same bits for any number
    of threads.

    Parameters
    ----------
    distances : n x n matrix of distances
    dimensions : at most so many coordinates: fewer where n or the positive eigenvalues are
    squared : the matrix holds d**2

    Raises
    ------
    ValueError : not square, not symmetric, NaN, negative or infinite distances

    Examples
    --------
    >>> import numpy as np, yupana
    >>> x = np.array([0.0, 3.0, 4.0])
    >>> found = yupana.analysis.mds(np.abs(x[:, None] - x), dimensions=1)
    >>> np.abs(found.points[0, 0] - found.points[2, 0]).round(9)
    np.float64(4.0)
    """
    return Mds(**run("analysis.mds", keywords, distance_matrix(distances), squared, dimensions))


@with_keywords
def linkage(
    distances: Any, method: str = "average", **keywords: Unpack[HostKeywords]
) -> np.ndarray:
    """The tree of clusters in scipy's form: n - 1 rows of left, right, height and size.

    The height of a merge is the smallest ("single"), largest ("complete") or mean ("average")
    distance between the points of its two clusters; "weighted" takes the mean of the distances of
    the clusters that were merged, "ward" the root of twice what the sum of squares grows by, of
    Euclidean distances. Pairs without a distance merge last, at inf.

    Parameters
    ----------
    distances : n x n matrix, or its upper triangle row after row as of ``pdist``, read in place

    Raises
    ------
    ValueError : not square, not symmetric, not n (n - 1) / 2 pairs, NaN or negative distances

    Examples
    --------
    >>> import numpy as np, yupana
    >>> d = np.array([[0, 1, 5], [1, 0, 4], [5, 4, 0]])
    >>> yupana.analysis.linkage(d)
    array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 4.5, 3. ]])
    """
    given = host_array(distances, "distances")
    if given.ndim == 1:
        pairs = np.ascontiguousarray(real_array(given, "distances"), np.float64)
    else:
        pairs = distance_matrix(given)
    return run("analysis.linkage", keywords, pairs, method)


@with_keywords
def neighbor_joining(
    distances: Any, method: str = "nj", **keywords: Unpack[Keywords]
) -> Phylogeny:
    """The neighbour-joining tree, exact: the same bits on every device, for any number of threads.

    Of m clusters the two of the smallest (m - 2) d(i, j) - r_i - r_j, r the sums of rows, are
    joined, until three are left, which the root joins. Ties go to the pair whose larger number is
    smallest. Negative branches stay as they come out.

    Parameters
    ----------
    distances : n x n matrix
    method : "nj" (Saitou, Nei 1987) or "bionj" (Gascuel 1997)

    Raises
    ------
    ValueError : not square, not symmetric, NaN, negative or infinite distances

    Examples
    --------
    >>> import numpy as np, yupana
    >>> d = np.array([[0, 3, 5, 6], [3, 0, 6, 7], [5, 6, 0, 7], [6, 7, 7, 0]])
    >>> yupana.analysis.neighbor_joining(d).newick(["a", "b", "c", "d"])
    '(c:3,d:4,(a:1,b:2):1);'
    """
    return Phylogeny(**run("analysis.neighbor_joining", keywords, distance_matrix(distances), method))


@with_keywords
def minimum_spanning_tree(distances: Any, **keywords: Unpack[HostKeywords]) -> np.ndarray:
    """Edges (i < j) of the minimum spanning tree, as Prim's algorithm finds them from vertex 0.

    A forest where pairs have no distance. Ties go to the smaller vertex.

    Examples
    --------
    >>> import numpy as np, yupana
    >>> yupana.analysis.minimum_spanning_tree(np.array([[0, 1, 5], [1, 0, 4], [5, 4, 0]]))
    array([[0, 1],
           [1, 2]])
    """
    return run("analysis.minimum_spanning_tree", keywords, distance_matrix(distances))


def _merges(merges: Any) -> np.ndarray:
    merges = host_array(merges, "merges", np.float64)
    if merges.ndim != 2 or merges.shape[1] != 4:
        raise ValueError(f"merges: expected rows of 4 numbers, got shape {merges.shape}")
    return np.ascontiguousarray(merges)


def leaf_order(merges: Any) -> np.ndarray:
    """The order of the leaves when the tree is drawn, the left branch first.

    Examples
    --------
    >>> import yupana
    >>> yupana.analysis.leaf_order([[0, 2, 1.0, 2], [1, 3, 2.0, 3]])
    array([1, 0, 2])
    """
    return returned(_core.analysis.leaf_order(_merges(merges)))


def cut_tree(merges: Any, clusters: int) -> np.ndarray:
    """The cluster of every point, from 0, numbered as they appear.

    Raises
    ------
    ValueError : clusters outside 1 .. n, rows that are no merges

    Examples
    --------
    >>> import yupana
    >>> yupana.analysis.cut_tree([[0, 2, 1.0, 2], [1, 3, 2.0, 3]], 2)
    array([0, 1, 0])
    """
    with one_line():
        return returned(_core.analysis.cut_tree(_merges(merges), clusters))


def newick(merges: Any, names: Sequence[str]) -> str:
    """The tree in Newick format; branch lengths are differences of height / 2, 0 where a
    merge is below one that it joins, and left out where they are infinite.

    Examples
    --------
    >>> import yupana
    >>> yupana.analysis.newick([[0, 1, 2.0, 2]], ["a", "b"])
    '(a:1,b:1);'
    """
    return _core.analysis.newick(_merges(merges), [str(name) for name in names])


def _numbered(labels: Any, is_none: Callable[[Any], bool]) -> list[int]:
    """Different labels from 0, as they appear; -1 for none."""
    known: dict[Any, int] = {}
    labels = np.asarray(labels, dtype=object)
    if labels.ndim != 1:
        raise ValueError(f"labels: expected one dimension, got {labels.ndim}")
    return [-1 if is_none(x) else known.setdefault(x, len(known)) for x in labels.tolist()]


def _is_missing(x: Any) -> bool:
    """None, NaN, NaT, or the NA of pandas, which is equal to nothing and unequal to nothing."""
    return x is None or type(x).__name__ == "NAType" or bool(x != x)


def _codes(labels: Any) -> list[int]:
    """Classes from 0; -1 where there is no label: None, NaN, NA, "" or a negative number."""

    def is_none(label: Any) -> bool:
        is_number = isinstance(label, (int, float, np.number))
        return _is_missing(label) or label == "" or bool(is_number and label < 0)

    return _numbered(labels, is_none)


@with_keywords
def label_scores(distances: Any, labels: Any, **keywords: Unpack[HostKeywords]) -> LabelScores:
    """How well distances agree with labels: silhouette, adjusted Rand index, nearest neighbours.

    Parameters
    ----------
    distances : n x n matrix
    labels : one an individual, strings or numbers; None, NaN, "" and negative numbers are none

    Raises
    ------
    ValueError : fewer than two classes, a label of its own for each individual, another number of
        labels, distances that are NaN, negative or infinite

    Examples
    --------
    >>> import numpy as np, yupana
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> scores = yupana.analysis.label_scores(np.abs(x[:, None] - x), ["a", "a", "b", "b"])
    >>> scores.adjusted_rand, scores.nearest_neighbor, scores.classes
    (1.0, 1.0, 2)
    """
    return LabelScores(**run("analysis.label_scores", keywords, distance_matrix(distances), _codes(labels)))


def adjusted_rand(a: Any, b: Any) -> float:
    """The adjusted Rand index of two partitions, 1 for equal ones (Hubert, Arabie 1985).

    Raises
    ------
    ValueError : lists of different lengths, or an item without a label (NaN, None)

    Examples
    --------
    >>> import yupana
    >>> yupana.analysis.adjusted_rand([0, 0, 1, 1], ["x", "x", "y", "y"])
    1.0
    """
    codes = {name: _numbered(labels, _is_missing) for name, labels in (("a", a), ("b", b))}
    for name, numbers in codes.items():
        if -1 in numbers:
            raise ValueError(f"{name}: expected a label for each item, got none at item {numbers.index(-1)}")
    return _core.analysis.adjusted_rand(codes["a"], codes["b"])
