import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall

import yupana
from yupana import graph


def points(n, seed=0):
    x = np.random.default_rng(seed).random((n, 3))
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))


def oracle(weights):
    return floyd_warshall(csgraph_from_dense(weights, null_value=np.inf))


@pytest.mark.parametrize("n", [1, 2, 64, 131])
def test_fermat_equals_floyd_warshall(n):
    d = points(n)
    for alpha in (1, 2, 3.5):
        result = yupana.fermat(d, alpha, precision="float64")
        assert np.allclose(result.lengths, oracle(d**alpha), rtol=1e-12)
        assert result.alpha == alpha and result.components == 1
    assert np.array_equal(yupana.fermat(d**2, 2, squared=True, precision="float64").lengths,
                          yupana.fermat(d**2, 1, precision="float64").lengths)


def test_integer_distances_are_exact():
    d = np.random.default_rng(1).integers(0, 50, (97, 97))
    d = np.triu(d, 1) + np.triu(d, 1).T
    result = yupana.fermat(d, 2)
    assert result.lengths.dtype == np.int32
    assert np.array_equal(result.lengths, oracle((d**2).astype(float)))


@pytest.mark.parametrize(("alpha", "kind"), [("much", ValueError), ([2], TypeError)])
def test_an_alpha_that_is_no_number_was_told_in_the_words_of_float(alpha, kind):
    with pytest.raises(kind, match=r"alpha: expected a number of at least 1 or 'auto', got"):
        yupana.fermat(np.zeros((2, 2)), alpha=alpha)


def test_neighbours_and_infinite_lengths():
    d = points(40)
    result = yupana.fermat(d, 2, neighbors=3, precision="float64")
    kept = graph.keep_neighbors(d**2, 3)
    assert np.allclose(result.lengths, oracle(kept))
    apart = np.full((4, 4), np.inf)
    np.fill_diagonal(apart, 0)
    apart[0, 1] = apart[1, 0] = apart[2, 3] = apart[3, 2] = 1
    result = yupana.fermat(apart, 2)
    assert np.isinf(result.lengths[0, 2]) and result.lengths[0, 1] == 1


def test_cohort_to_fermat_equals_the_command_line(program, tmp_path):
    program("simulate", "--samples", 60, "--sites", 900, "-o", tmp_path / "c")
    program("fermat", tmp_path / "c.bed", "--alpha", 2, "-o", tmp_path / "run")
    wanted = np.load(tmp_path / "run.fermat.npy")
    result = yupana.fermat(yupana.read_genotypes(tmp_path / "c.bed"), 2)
    assert result.lengths.dtype == wanted.dtype
    assert result.lengths.tobytes() == wanted.tobytes()
    assert result.samples == (tmp_path / "run.ids").read_text().split()
    distances = np.load(tmp_path / "run.dist.npy")
    chain = yupana.path(distances**2, result.lengths, 0, 59)
    assert chain[0] == 0 and chain[-1] == 59


def test_shortest_paths_dense_directed_and_sparse():
    rng = np.random.default_rng(3)
    weights = np.where(rng.random((70, 70)) < 0.1, rng.random((70, 70)), np.inf)
    np.fill_diagonal(weights, 0)
    wanted = oracle(weights)
    assert np.allclose(yupana.shortest_paths(weights), wanted)
    sparse = sp.csr_array(np.where(np.isfinite(weights), weights, 0))
    assert np.allclose(yupana.shortest_paths(sparse), wanted)
    closure = yupana.shortest_paths(weights)
    before = graph.predecessors(weights, closure)
    chain = yupana.path(weights, closure, 0, 5)
    if chain:
        assert before[0, 5] == chain[-2]
        assert np.isclose(sum(weights[a, b] for a, b in zip(chain, chain[1:])), closure[0, 5])


def test_fermat_class_speaks_like_the_package():
    d = points(50)
    exact = yupana.Fermat(2, path_method="FW").fit(d).get_distances()
    near = yupana.Fermat(2, path_method="D", k=49).fit(d)
    assert np.allclose(near.get_distances(), exact)
    assert near.get_distance(3, 4) == near.get_distances()[3, 4]
    up = yupana.Fermat(2, path_method="L", landmarks=5, estimator="up", seed=1).fit(d)
    down = yupana.Fermat(2, path_method="L", landmarks=5, estimator="down", seed=1).fit(d)
    assert (up.get_distances() >= exact * (1 - 1e-5)).all()
    assert (down.get_distances() <= exact * (1 + 1e-5)).all()


def test_fermat_class_is_cloned_and_changed_as_an_estimator():
    from sklearn.base import clone

    model = clone(yupana.Fermat(3, path_method="D", k=4, device="cpu", threads=1))
    assert model.get_params()["k"] == 4 and model.alpha == 3
    model.set_params(path_method="FW", k=None, alpha=2)
    d = points(20)
    assert np.array_equal(model.fit(d).get_distances(), yupana.fermat(d, 2).lengths)
    with pytest.raises(ValueError, match="beta"):
        model.set_params(beta=1)


def test_fermat_class_says_what_it_lacks():
    model = yupana.Fermat(3.0, k=4)
    assert repr(model) == "Fermat(alpha=3.0, k=4)"
    for ask in (model.get_distances, lambda: model.get_distance(0, 1)):
        with pytest.raises(ValueError, match="call fit"):
            ask()
    with pytest.raises(ValueError, match="seed: expected a whole number from 0, got -1"):
        yupana.Fermat(2, "L", landmarks=2, seed=-1).fit(np.zeros((4, 4)))


def test_the_fermat_package_finds_the_same_distances():
    peer = pytest.importorskip("fermat")
    d = points(60)
    theirs = peer.Fermat(alpha=3, path_method="FW").fit(d)
    ours = yupana.Fermat(alpha=3, path_method="FW").fit(d)
    assert np.allclose(ours.get_distances(), theirs.get_distances(), rtol=1e-5)
    assert np.isclose(ours.get_distance(1, 2), theirs.get_distance(1, 2), rtol=1e-5)
    names = set(theirs.get_params())
    assert names <= set(ours.get_params())
    for estimator in ("up", "down", "mean", "no_lca"):
        keywords = {"alpha": 3, "path_method": "L", "k": 8, "landmarks": 20, "seed": 1}
        ours = yupana.Fermat(**keywords, estimator=estimator).fit(d)
        theirs = peer.Fermat(**keywords, estimator=estimator).fit(d)
        assert ours.get_distances().shape == np.shape(theirs.get_distances())


def test_clones_are_no_missing_edges():
    d = points(30)
    d[7], d[:, 7] = d[3], d[:, 3]
    d[3, 7] = d[7, 3] = d[7, 7] = 0
    lengths = yupana.Fermat(2).fit(d).get_distances()
    assert lengths[3, 7] == 0 and np.array_equal(lengths[3], lengths[7])


def test_a_result_is_an_array_of_any_type_and_short_to_look_at():
    d = np.random.default_rng(1).integers(0, 50, (97, 97))
    result = yupana.fermat(np.triu(d, 1) + np.triu(d, 1).T, 2)
    assert np.asarray(result) is result.lengths
    assert np.asarray(result, dtype=float).dtype == np.float64
    assert np.array(result) is not result.lengths
    assert np.array_equal(np.array(result, copy=True), result.lengths)
    many = yupana.fermat(yupana.read_genotypes("simulate:400x500"))
    assert len(repr(many)) < 100 and "400 x 400" in repr(many)


def test_the_callers_matrix_stays_as_it_is():
    d = points(30)
    copy = d.copy()
    yupana.fermat(d, 2)
    yupana.shortest_paths(d)
    assert np.array_equal(d, copy)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: yupana.fermat(np.zeros((2, 3))), "square"),
        (lambda: yupana.fermat(points(3), 0.5), "alpha"),
        (lambda: yupana.fermat(-points(3)), "negative"),
        (lambda: yupana.fermat(points(3), precision="half"), "float32"),
        (lambda: yupana.shortest_paths(np.full((2, 2), np.nan)), "(?i)nan"),
        (lambda: yupana.shortest_paths(points(3), "magic"), "floyd_warshall"),
        (lambda: yupana.path(points(3), points(3), 0, 3), "vertices"),
        (lambda: yupana.Fermat(path_method="D").fit(points(3)), "k:"),
        (lambda: yupana.Fermat(path_method="X").fit(points(3)), "FW, D or L"),
    ],
)
def test_bad_input_is_one_clear_line(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
