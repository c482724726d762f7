"""yupana.distance and yupana.hierarchy equal what they stand for in SciPy, to the bit."""

from unittest import mock

import numpy as np
import pytest
import scipy.sparse
from scipy.cluster import hierarchy as their_hierarchy
from scipy.spatial import distance as theirs

from yupana import analysis, distance, hierarchy

NAMES = ["cityblock", "cb", "euclidean", "e", "sqeuclidean", "SQE", "hamming", "matching"]
METHODS = ["single", "complete", "average", "weighted", "ward"]


@pytest.fixture
def small_is_ours(monkeypatch):
    monkeypatch.setattr(distance, "_LEAST_COLUMNS", 1)
    monkeypatch.setattr(distance, "_LEAST_VALUES", 1)
    monkeypatch.setattr(hierarchy, "_LEAST_POINTS", dict.fromkeys(METHODS, 2))


def genotypes(rows, columns, dtype="i1", seed=0):
    return np.random.default_rng(seed).integers(0, 3, (rows, columns)).astype(dtype)


def is_ours(function, *arguments, **keywords):
    """Its result, and if ours counted it."""
    with mock.patch.object(distance, "_between", wraps=distance._between) as counted:
        return function(*arguments, **keywords), counted.called


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("name", NAMES)
def test_distances_of_genotypes_are_scipys(small_is_ours, name, dtype):
    for rows, columns in ((2, 1), (7, 65), (40, 300)):
        X = genotypes(rows, columns, dtype)
        found, ours = is_ours(distance.pdist, X, name)
        assert ours and found.tobytes() == theirs.pdist(X, name).tobytes()
        Y = genotypes(rows + 3, columns, seed=1)
        found, ours = is_ours(distance.cdist, X, Y, name)
        assert ours and found.tobytes() == theirs.cdist(X, Y, name).tobytes()


def test_booleans_and_other_layouts(small_is_ours):
    bits = genotypes(30, 90) > 0
    for X in (bits, np.asfortranarray(genotypes(30, 90, "f8")), genotypes(60, 180)[::2, ::-2], genotypes(9, 9).tolist()):
        found, ours = is_ours(distance.pdist, X, "hamming")
        assert ours and np.array_equal(found, theirs.pdist(X, "hamming"))


OTHER = {
    "a value of 3": (np.array([[0, 3], [1, 2]]), {}),
    "a negative one": (np.array([[0, -1], [1, 2]]), {}),
    "a fraction": (np.array([[0, 0.5], [1, 2]]), {}),
    "NaN": (np.array([[0, 1], [1, np.nan]]), {}),
    "infinity": (np.array([[0, 1], [1, np.inf]]), {}),
    "another metric": (genotypes(5, 6, "f8"), {"metric": "cosine"}),
    "a function": (genotypes(5, 6), {"metric": theirs.euclidean}),
    "weights": (genotypes(5, 6, "f8"), {"metric": "hamming", "w": np.arange(1.0, 7)}),
    "an array to write to": (genotypes(5, 6, "f8"), {"out": np.empty(10)}),
}


@pytest.mark.parametrize("case", [*OTHER])
def test_what_is_no_genotypes_metric_stays_scipys(small_is_ours, case):
    X, keywords = OTHER[case]
    found, ours = is_ours(distance.pdist, X, **keywords)
    assert not ours and np.array_equal(found, theirs.pdist(X, **keywords), equal_nan=True)


def test_long_doubles_stay_scipys(small_is_ours):
    X = genotypes(7, 65, np.longdouble)
    found, ours = is_ours(distance.pdist, X, "cityblock")
    assert ours == (X.dtype == np.float64) and found.dtype == theirs.pdist(X, "cityblock").dtype


def test_small_tables_and_those_of_unlike_lengths_stay_scipys(small_is_ours, monkeypatch):
    X = genotypes(90, 300)
    assert not is_ours(distance.cdist, X, X[:2])[1] and is_ours(distance.cdist, X, X[:50])[1]
    monkeypatch.undo()
    assert not is_ours(distance.pdist, X)[1] and is_ours(distance.pdist, genotypes(300, 300))[1]


def test_tables_of_unlike_widths_are_refused_as_scipy_does(small_is_ours):
    with pytest.raises(ValueError, match="same number of columns"):
        distance.cdist(genotypes(4, 5), genotypes(4, 6))


def test_what_is_no_table_is_refused_as_scipy_does(small_is_ours):
    for X in (scipy.sparse.csr_array(genotypes(4, 5)), np.zeros(5), np.zeros((2, 2, 2)), 3):
        for call in (lambda m: m.pdist(X), lambda m: m.cdist(X, X)):
            with pytest.raises((ValueError, TypeError)) as wanted:
                call(theirs)
            with pytest.raises(wanted.type):
                call(distance)


def test_other_names_are_scipys():
    assert distance.squareform is theirs.squareform and hierarchy.fcluster is their_hierarchy.fcluster


@pytest.mark.parametrize("method", METHODS)
def test_trees_are_scipys(small_is_ours, method):
    rng = np.random.default_rng(3)
    for n in (2, 3, 30, 257):
        ties = rng.integers(1, 6, n * (n - 1) // 2).astype(float)
        for y in (rng.random(n * (n - 1) // 2), ties):
            for optimal in (False, True):
                with mock.patch.object(analysis, "linkage", wraps=analysis.linkage) as called:
                    found = hierarchy.linkage(y, method, optimal_ordering=optimal)
                assert called.called
                assert np.array_equal(found, their_hierarchy.linkage(y, method, optimal_ordering=optimal))
        X = rng.normal(size=(n, n + 1))
        for metric in ("euclidean", *["cosine"] * (method != "ward")):
            assert np.array_equal(hierarchy.linkage(X, method, metric), their_hierarchy.linkage(X, method, metric))
    assert np.array_equal(getattr(hierarchy, method)(ties), getattr(their_hierarchy, method)(ties))


@pytest.mark.parametrize("method", [*METHODS, "centroid", "median"])
def test_what_scipy_refuses_is_refused_in_its_words(small_is_ours, method):
    for y in ([], [1.0, np.nan, 2.0], [1.0, np.inf, 2.0], [1.0, 2.0], np.ones((2, 2, 2)), [[1.0]]):
        with pytest.raises(ValueError) as wanted:
            their_hierarchy.linkage(y, method)
        with pytest.raises(ValueError) as found:
            hierarchy.linkage(y, method)
        assert str(found.value) == str(wanted.value)
    with pytest.raises(ValueError, match="Invalid method"):
        hierarchy.linkage([1.0], "medium")


def test_a_square_matrix_is_warned_of(small_is_ours):
    with pytest.warns(their_hierarchy.ClusterWarning):
        hierarchy.linkage([[0.0, 1.0], [1.0, 0.0]], "average")
