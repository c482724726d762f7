"""Shares of pairs, certificates and bounds that FermatResult reports."""

import numpy as np
import pytest

import yupana


def points(n, seed=1):
    p = np.random.default_rng(seed).random((n, 2))
    d = np.sqrt(((p[:, None] - p[None]) ** 2).sum(-1))
    return (d + d.T) / 2


def shares(result):
    return (result.kept_edges, result.replaced_edges, result.longer_edges, result.unreachable_pairs)


def test_absent_edges_are_neither_kept_nor_replaced():
    d = points(40)
    d[:20, 20:] = d[20:, :20] = np.inf
    result = yupana.fermat(d, 4)
    assert result.components == 2
    assert result.unreachable_pairs == pytest.approx(400 / 780, abs=1e-15)
    assert sum(shares(result)) == pytest.approx(1, abs=1e-15)
    assert 0 < result.kept_edges < 380 / 780


def test_nearest_neighbours_are_compared_with_all_edges():
    d = points(60)
    exact = yupana.fermat(d, 1.5)
    near = yupana.fermat(d, 1.5, neighbors=6)
    assert sum(shares(near)) == pytest.approx(1, abs=1e-15)
    assert near.longer_edges > 0 and near.replaced_edges <= exact.replaced_edges
    assert 0 < near.certified < 1
    every = yupana.fermat(d, 1.5, neighbors=59)
    assert every.certified == 1 and every.kept_edges == exact.kept_edges


@pytest.mark.parametrize("alpha", [2, 8])
def test_landmarks_default_to_the_upper_bound_and_the_lower_is_one(alpha):
    d = points(150, 4)
    exact = yupana.fermat(d, alpha, precision="float64").lengths
    default = yupana.fermat(d, alpha, landmarks=10, precision="float32").lengths
    upper = yupana.fermat(d, alpha, landmarks=10, estimate="upper", precision="float32").lengths
    lower = yupana.fermat(d, alpha, landmarks=10, estimate="lower", precision="float32").lengths
    assert np.array_equal(default, upper)
    assert (upper >= exact * (1 - 1e-6)).all()
    assert (lower <= exact * (1 + 1e-6)).all()


def test_samples_were_counted_from_0_without_a_word():
    d = points(4)
    for change, words in (
        ((1, 2, np.nan), "between 1 and 2 is nan.*counted from 0"),
        ((0, 3, -1), "between 0 and 3 is -1.*counted from 0"),
        ((3, 3, 1), r"from 3 to itself is 1; .*counted from 0"),
    ):
        i, j, value = change
        wrong = d.copy()
        wrong[i, j] = wrong[j, i] = value
        with pytest.raises(ValueError, match=words):
            yupana.fermat(wrong, 2)
    wrong = d.copy()
    wrong[1, 2] = wrong[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"\(1, 2\), counted from 0"):
        yupana.analysis.mds(wrong)


def test_a_label_of_its_own_for_everyone_was_scored():
    with pytest.raises(ValueError, match="a label of their own"):
        yupana.analysis.label_scores(points(4), list("abcd"))
