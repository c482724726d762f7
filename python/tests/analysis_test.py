"""Coordinates, trees and scores of distances agree with SciPy, scikit-learn and the definitions."""

import numpy as np
import pytest
import sklearn.metrics

import yupana
from yupana import analysis

hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
squareform = pytest.importorskip("scipy.spatial.distance").squareform

rng = np.random.default_rng(5)


def distances_of(points):
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))


@pytest.mark.parametrize("n", [2, 3, 64, 257])
@pytest.mark.parametrize("method", ["single", "average", "complete", "weighted", "ward"])
def test_trees_are_those_of_scipy(n, method):
    d = distances_of(rng.random((n, 3)))
    found = analysis.linkage(d, method, threads=2)
    expected = hierarchy.linkage(squareform(d, checks=False), method)
    assert np.allclose(found, expected)
    assert np.array_equal(found, analysis.linkage(squareform(d, checks=False), method))
    k = min(n, 5)
    cut = hierarchy.cut_tree(expected, k)[:, 0]
    assert analysis.adjusted_rand(analysis.cut_tree(found, k), cut) == 1
    assert np.array_equal(analysis.leaf_order(expected), hierarchy.leaves_list(expected))


def paths_of(tree):
    """Distances between leaves along the tree."""
    n = tree.leaves
    d = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            a, b = i, j
            while a != b:
                lower = min(a, b)
                d[i, j] += tree.length[lower]
                a, b = max(a, b), tree.parent[lower]
            d[j, i] = d[i, j]
    return d


@pytest.mark.parametrize("method", ["nj", "bionj"])
def test_neighbor_joining_finds_the_tree_of_its_own_paths(method):
    d = distances_of(rng.random((30, 3)))
    tree = analysis.neighbor_joining(d, method, threads=2)
    additive = paths_of(tree)
    additive -= np.minimum(0, additive.min())  # a constant on every pair only lengthens the leaves
    np.fill_diagonal(additive, 0)
    again = analysis.neighbor_joining(additive, method)
    assert np.allclose(paths_of(again), additive)
    assert np.nanmin(tree.support([again])) == 100


def test_support_is_written_into_the_tree():
    near = np.array([[0, 1, 9, 9, 9], [1, 0, 9, 9, 9], [9, 9, 0, 2, 6], [9, 9, 2, 0, 6], [9, 9, 6, 6, 0]])
    other = near[[0, 2, 1, 3, 4]][:, [0, 2, 1, 3, 4]]
    tree, swapped = analysis.neighbor_joining(near), analysis.neighbor_joining(other)
    support = tree.support([tree, swapped])
    assert sorted(support[~np.isnan(support)]) == [50, 50]
    assert tree.newick("abcde", support).count(")50:") == 2
    assert tree.newick().startswith("(") and "50" not in tree.newick()
    with pytest.raises(ValueError, match="expected a number for each"):
        tree.newick("abcde", [1.0])
    with pytest.raises(ValueError, match="leaves before inner nodes"):
        analysis.Phylogeny(np.array([1, 0]), np.zeros(2)).newick("ab")
    with pytest.raises(ValueError, match="expected a distance between every two"):
        analysis.neighbor_joining(np.array([[0, np.inf, 1], [np.inf, 0, 1], [1, 1, 0]]))


def test_single_linkage_merges_along_the_spanning_tree():
    d = distances_of(rng.random((100, 2)))
    edges = analysis.minimum_spanning_tree(d)
    heights = np.sort(d[edges[:, 0], edges[:, 1]])
    assert edges.shape == (99, 2) and (edges[:, 0] < edges[:, 1]).all()
    assert np.array_equal(heights, analysis.linkage(d, "single")[:, 2])


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_scaling_finds_points_again(dtype):
    points = rng.integers(0, 1000, (200, 3)).astype(float)
    squared = (((points[:, None] - points) ** 2).sum(axis=2)).astype(dtype)
    found = analysis.mds(squared, 5, squared=True)
    assert found.points.shape == (200, 3) and found.share.sum() == pytest.approx(1)
    assert found.eigenvalues.sum() == pytest.approx(found.trace)
    assert np.allclose(distances_of(found.points), distances_of(points), atol=1e-4)
    again = analysis.mds(squared, 5, squared=True, threads=1)
    assert again.points.tobytes() == found.points.tobytes()


def test_scores_are_those_of_scikit_learn():
    points = np.concatenate([rng.normal(c, 1, (40, 2)) for c in (0, 2, 5)])
    labels = np.repeat(["a", "b", "c"], 40)
    d = distances_of(points)
    found = analysis.label_scores(d, labels)
    silhouette = sklearn.metrics.silhouette_score(d, labels, metric="precomputed")
    assert found.silhouette == pytest.approx(silhouette)
    tree = analysis.cut_tree(analysis.linkage(d), 3)
    rand = sklearn.metrics.adjusted_rand_score(labels, tree)
    assert found.adjusted_rand == pytest.approx(rand)
    assert analysis.adjusted_rand(labels, tree) == pytest.approx(rand)
    other = d + np.diag(np.full(120, np.inf))
    assert found.nearest_neighbor == np.mean(labels[other.argmin(axis=1)] == labels)
    assert (found.individuals, found.classes) == (120, 3)


def test_individuals_without_a_label_are_left_out():
    d = distances_of(rng.random((30, 2)))
    labels = np.array(["a", "b"] * 15, dtype=object)
    kept = np.arange(30) % 7 != 0
    labels[~kept] = None
    expected = analysis.label_scores(d[np.ix_(kept, kept)], labels[kept])
    assert analysis.label_scores(d, labels) == expected
    labels[~kept] = ""
    assert analysis.label_scores(d, labels) == expected


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: analysis.linkage(np.zeros((2, 3))), "square"),
        (lambda: analysis.linkage(np.full((3, 3), np.nan)), "linkage"),
        (lambda: analysis.linkage(np.zeros((3, 3)), "median"), "single, average, complete, weighted, ward"),
        (lambda: analysis.linkage(np.zeros(4)), "got 4"),
        (lambda: analysis.linkage([1, 2, -1]), "got -1 at 2"),
        (lambda: analysis.mds(np.eye(3) - 1.0), "mds"),
        (lambda: analysis.mds(np.zeros((3, 3)), 0), "dimension"),
        (lambda: analysis.label_scores(np.zeros((3, 3)), [0, 0, 0]), "class"),
        (lambda: analysis.label_scores(np.zeros((3, 3)), [0, 1]), "label"),
        (lambda: analysis.cut_tree([[0, 1, 1.0, 2]], 3), "cluster"),
        (lambda: analysis.cut_tree([[0, 2, 1.0, 2]], 1), "row 1 .from 1. joins 2"),
        (lambda: analysis.leaf_order([[0, 0, 1.0, 2]]), "row 1 .from 1. joins 0"),
        (lambda: analysis.leaf_order([[0, np.nan, 1.0, 2]]), "row 1 .from 1. joins nan"),
        (lambda: analysis.newick([[0, 1]], ["a"]), "4 numbers"),
        (lambda: analysis.newick([[0, 1, 1.0, 2]], ["a"]), "name"),
        (lambda: analysis.adjusted_rand([0, 1], [0]), "partition"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_it_is_part_of_the_package():
    assert "analysis" in dir(yupana)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_measures_of_classes_are_those_of_scikit_learn(classes):
    names = np.array([f"class {c}" for c in range(classes)])[::-1]  # not in their order
    shares = rng.integers(0, 20, (500, classes)) + 1.0
    shares /= shares.sum(axis=1, keepdims=True)
    truth = names[rng.integers(0, classes, 500)]
    found = analysis.class_measures(truth, shares, names)
    predicted = names[shares.argmax(axis=1)]
    metrics = sklearn.metrics
    near = {"rel": 1e-12, "abs": 1e-12}
    assert found["accuracy"] == metrics.accuracy_score(truth, predicted)
    assert found["mcc"] == pytest.approx(metrics.matthews_corrcoef(truth, predicted), **near)
    balanced = metrics.balanced_accuracy_score(truth, predicted)
    assert found["balanced_accuracy"] == pytest.approx(balanced, **near)
    ordered = np.argsort(names)
    loss = metrics.log_loss(truth, shares[:, ordered], labels=names[ordered])
    assert found["log_loss"] == pytest.approx(loss, **near)
    confusion = metrics.confusion_matrix(truth, predicted, labels=names)
    assert np.array_equal(found["confusion"], confusion)
    parts = metrics.precision_recall_fscore_support(truth, predicted, labels=names, zero_division=0)
    for name, values in zip(("precision", "recall", "f1", "rows"), parts):
        assert found[f"class_{name}"] == pytest.approx(values, **near)
    for c, name in enumerate(names):
        area = metrics.roc_auc_score(truth == name, shares[:, c])
        assert found["class_roc_auc"][c] == pytest.approx(area, **near)
        area = metrics.average_precision_score(truth == name, shares[:, c])
        assert found["class_pr_auc"][c] == pytest.approx(area, **near)
    assert found["roc_auc"] == pytest.approx(np.mean(found["class_roc_auc"]), **near)
    assert found["unknown_class_rows"] == 0
    truth[:9] = "another"
    found = analysis.class_measures(truth, shares, names)
    assert found["unknown_class_rows"] == 9
    assert found["accuracy"] == metrics.accuracy_score(truth, predicted)


def test_measures_of_numbers_are_those_of_scikit_learn():
    truth = rng.normal(1e6, 1, 400)
    predicted = truth + rng.normal(0, 0.5, 400)
    found = analysis.number_measures(truth, predicted)
    metrics = sklearn.metrics
    assert found["r2"] == pytest.approx(metrics.r2_score(truth, predicted), rel=1e-9)
    squares = metrics.mean_squared_error(truth, predicted)
    assert found["rmse"] == pytest.approx(np.sqrt(squares), rel=1e-12)
    assert found["mae"] == pytest.approx(metrics.mean_absolute_error(truth, predicted), rel=1e-12)
    for p, error in found["error_quantiles"].items():
        assert error == pytest.approx(np.quantile(predicted - truth, p), rel=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: analysis.class_measures(["a", "b"], [[0.5, 0.5]]),
        lambda: analysis.class_measures(["a", "b"], [[0.5, 0.5], [1.5, 0.5]]),
        lambda: analysis.class_measures(["a", "b"], [[0.5, 0.5], [np.nan, 0.5]]),
        lambda: analysis.class_measures([], np.zeros((0, 0))),
        lambda: analysis.number_measures([1.0], [1.0, 2.0]),
        lambda: analysis.number_measures([np.nan], [1.0]),
    ],
)
def test_measures_refuse_what_is_no_prediction(wrong):
    with pytest.raises(ValueError, match="expected"):
        wrong()


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        ([[0.5, 0.5], [0.3, 0.3]], r"shares: expected rows that add to 1, got 0.6 in row 1"),
        ([[0.5, 0.5], [0.0, 0.0]], r"shares: expected rows that add to 1, got 0.0 in row 1"),
        ([[0.5, 0.5], [-0.5, 1.5]], r"shares: .* 0 to 1, got -0.5 in row 1 for class a"),
    ],
)
def test_shares_that_are_none_of_a_whole_were_measured(shares, says):
    with pytest.raises(ValueError, match=says):
        analysis.class_measures(["a", "b"], shares)


def test_shares_of_float32_add_to_one_but_for_rounding():
    shares = np.full((4, 3), 1 / 3, np.float32)
    assert analysis.class_measures([0, 1, 2, 0], shares)["rows"] == 4


@pytest.mark.parametrize("label", [np.nan, None])
def test_a_missing_label_was_a_class_of_its_own(label):
    with pytest.raises(ValueError, match=r"b: expected a label for each item, got .* at item 1"):
        analysis.adjusted_rand([0, 1], [0, label])


@pytest.mark.parametrize("name", ["linkage", "mds", "neighbor_joining", "minimum_spanning_tree"])
def test_matrices_that_are_no_distances_were_taken(name):
    function = getattr(yupana.analysis, name)
    d = distances_of(rng.random((1200, 3)))
    function(d * (1 + 1e-12 * rng.random(d.shape)))  # rounding
    d[1100, 3] += 1
    with pytest.raises(ValueError, match=r"symmetric .* row 1101, column 4 .* row 4, column 1101"):
        function(d)
    d[1100, 3] = d[3, 1100]
    d[7, 7] = 2
    with pytest.raises(ValueError, match="0 on the diagonal, got 2.0 in row 8"):
        function(d)


def test_names_of_other_packages_are_the_same_functions():
    assert yupana.nj is yupana.analysis.neighbor_joining
    assert yupana.linkage is yupana.analysis.linkage
    assert yupana.read_pgen is yupana.read_genotypes
