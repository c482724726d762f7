"""What the package took in silence, or refused in words that were not so."""

import warnings

import numpy as np
import pytest

import yupana

MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
TABLE = np.ma.array(np.eye(3), mask=np.eye(3, k=1))


@pytest.mark.parametrize(
    "call",
    [
        lambda: yupana.arrays.sort(MASKED),
        lambda: yupana.fft(MASKED),
        lambda: yupana.polymul(MASKED, [1.0]),
        lambda: yupana.closest_pair(TABLE),
        lambda: yupana.shortest_paths(TABLE),
        lambda: yupana.distances(TABLE.astype(np.int8)),
        lambda: yupana.DecisionTreeClassifier().fit(TABLE, [0, 1, 0]),
        lambda: yupana.DecisionTreeRegressor().fit(np.eye(3), MASKED),
        lambda: yupana.DecisionTreeClassifier().fit(np.eye(3), [0, 1, 0], sample_weight=MASKED),
        lambda: yupana.DecisionTreeClassifier().fit(np.eye(3), [0, 1, 0]).predict(TABLE),
        lambda: yupana.SOM(rows=1, cols=2).fit(TABLE),
    ],
)
def test_values_that_a_mask_hides_were_taken(call):
    with pytest.raises(ValueError, match="expected an array without masked values; fill them first"):
        call()


def test_a_mask_that_hides_nothing_is_none():
    assert yupana.arrays.sort(np.ma.array([2.0, 1.0])).tolist() == [1, 2]


def test_a_map_rounded_values_in_silence():
    far = np.arange(20.0)[:, None] + 1.7e9
    with pytest.warns(yupana.Note, match=r"column 0 \(from 0\): values from 1700000000.0 to .* are rounded by up to"):
        yupana.SOM(rows=2, cols=2).fit(far)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        som = yupana.SOM(rows=2, cols=2).fit(np.arange(20.0)[:, None] + 1e6)
        yupana.SOM(rows=2, cols=2).fit(np.full((5, 2), 0.1))
        yupana.SOM(rows=2, cols=2).fit(far.astype(np.float32))
    with pytest.warns(yupana.Note, match="rounded by up to"):
        som.predict([[16777217.0]])


def test_threads_won_over_n_jobs_in_silence():
    with pytest.raises(ValueError, match="n_jobs=2 and threads=1 are one thing"):
        yupana.RandomForestClassifier(2, n_jobs=2, threads=1).fit([[0], [1]], [0, 1])


def test_a_radius_was_refused_by_the_name_of_another_parameter():
    with pytest.raises(ValueError, match="^sigma0: expected less than 1e308 times sigmaf"):
        yupana.SOM(rows=2, cols=2, sigma0=1e308).fit(np.eye(4))


def test_clusters_were_to_be_0_or_more_where_0_is_refused():
    som = yupana.SOM(rows=2, cols=2).fit(np.eye(4))
    for count in (0, -1, 5):
        with pytest.raises(ValueError, match=f"n_clusters: expected a whole number from 1 to 4, got {count}"):
            som.clusters(count)


def test_a_side_beyond_float32_was_called_infinite():
    import scipy.sparse as sp

    system = yupana.sparse.TriangularSystem(sp.csr_array(np.eye(2, dtype=np.float32)))
    for side in ([1.0, 1e39], [1.0, 1e39j]):
        with pytest.raises(ValueError, match=r"b: expected numbers that (float32|complex64) holds, .* 1e\+39j? in row 2"):
            system.solve(side)


def test_an_infinite_alpha_was_to_be_at_least_1():
    with pytest.raises(ValueError, match="expected a finite alpha of at least 1, got inf"):
        yupana.fermat(np.zeros((2, 2)), np.inf)


def test_a_diagonal_that_may_be_positive_was_to_be_zero():
    assert yupana.shortest_paths(np.array([[5.0, 1.0], [1.0, 7.0]])).tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="from 0 to itself is -5; expected 0 or more on the diagonal"):
        yupana.shortest_paths(np.array([[-5.0, 1.0], [1.0, 7.0]]))


def test_a_bound_was_printed_as_what_was_beyond_it():
    with pytest.raises(ValueError, match=r"below 2\^500 \(3.273e\+150\), got 4e\+150"):
        yupana.geometry.neighbors(np.array([[4e150], [0.0]]), 1)


def test_shapes_of_measures_were_wrong_in_words():
    shares = [[0.9, 0.1], [0.2, 0.8]]
    for call, words in (
        (lambda: yupana.analysis.number_measures([[1.0]], [[1.0]]), r"y_true: expected labels of .*, got shape \(1, 1\)"),
        (lambda: yupana.analysis.number_measures([1.0, 2.0], [1.0]), r"predicted: expected 2 numbers, one a label, got shape \(1,\)"),
        (lambda: yupana.analysis.class_measures([], []), r"y_true: expected labels of at least one row"),
        (lambda: yupana.analysis.class_measures([0, 1], shares, [0, 0]), r"classes: expected each class once, got \[0, 0\]"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_a_merge_below_those_that_it_joins_was_of_negative_length_in_words():
    assert yupana.analysis.newick([[0, 1, 2, 2], [2, 3, 1, 3]], ["a", "b", "c"]) == "(c:0.5,(a:1,b:1):0);"
    assert yupana.analysis.newick([[0, 1, np.inf, 2]], ["a", "b"]) == "(a,b);"
