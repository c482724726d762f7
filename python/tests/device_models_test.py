"""Maps, trees, Fermat distances and paths of arrays in the memory of a GPU."""

import pathlib
import re

import numpy as np
import pytest
from gpu import both, cupy, here, is_there, refusal, rng, torch, words

import yupana


@pytest.mark.filterwarnings("ignore")  # fewer samples than neurons
@pytest.mark.parametrize(
    "shape, rows, cols", [((1, 1), 1, 1), ((64, 16), 8, 8), ((3001, 37), 9, 29)]
)
def test_distances_to_neurons_have_the_processors_bits(shape, rows, cols):
    table = rng.normal(size=shape).astype(np.float32)
    som = yupana.SOM(rows, cols, iterations=2, random_state=1, device="cpu").fit(table)
    expected = som.transform(table)
    som.set_params(device="auto")
    for there in both(table):
        found = som.transform(there)
        assert is_there(found, there) and here(found).tobytes() == expected.tobytes()
        assert here(som.fit_transform(there)).shape == expected.shape
        if len(table) > 1:  # a view that begins between the words that copies like
            assert here(som.transform(there[1:])).tobytes() == expected[1:].tobytes()
    with pytest.raises(ValueError, match="features"):
        som.transform(cupy.zeros((3, shape[1] + 1), "float32"))
    with pytest.raises(ValueError, match="finite"):
        som.transform(cupy.full((3, shape[1]), np.nan, "float32"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_leaves_are_found_on_the_device(dtype):
    table = np.asfortranarray(rng.normal(size=(4001, 9)).astype(dtype))
    table[rng.random(table.shape) < 0.02] = np.nan
    y = np.nan_to_num(table[:, 0] * table[:, 1])
    tree = yupana.DecisionTreeRegressor(max_depth=9).fit(table, y)
    forest = yupana.RandomForestClassifier(5, random_state=0).fit(table, y > 0)
    theirs = cupy.asarray(table, order="F")
    ours = torch.from_numpy(np.ascontiguousarray(table.T)).cuda().t()
    for there in (ours, theirs):
        for model in (tree, forest):
            found = model.apply(there)
            assert is_there(found, there) and here(found).dtype == np.int64
            assert np.array_equal(here(found), model.apply(table))
        assert (tree.decision_path(there) != tree.decision_path(table)).nnz == 0
        assert tree.score(there, y) == tree.score(table, y)
        assert forest.score(there, y > 0) == forest.score(table, y > 0)
        assert np.array_equal(here(forest.apply(there[:, :9])), forest.apply(table))
    with pytest.raises(ValueError, match="features"):
        tree.apply(theirs[:, :5])
    with pytest.raises(TypeError, match="columns one after the other"):
        tree.apply(theirs[:50])
    one = yupana.DecisionTreeRegressor(max_depth=3).fit(table[:, :1], y)
    assert np.array_equal(one.apply(theirs[:, :1]).get(), one.apply(table[:, :1]))


def symmetric(n, dtype, gaps=0.0, most=60):
    d = rng.integers(1, most, (n, n)).astype("float64")
    d[rng.random((n, n)) < gaps] = np.inf
    d = np.minimum(d, d.T) if gaps == 0 else np.maximum(d, d.T)
    np.fill_diagonal(d, 0)
    return d.astype(dtype)


@pytest.mark.parametrize("n", [1, 2, 65, 700, 1031])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_fermat_distances_of_whole_numbers_are_exact_on_the_device(n, dtype):
    d = symmetric(n, dtype)
    for alpha, squared in ((1, False), (2, False), (3, False), (4, True)):
        expected = yupana.fermat(d, alpha, squared=squared, device="cpu")
        for there in both(d):
            found = yupana.fermat(there, alpha, squared=squared)
            assert is_there(found.lengths, there)
            assert here(found.lengths).dtype == expected.lengths.dtype
            assert np.array_equal(here(found.lengths), expected.lengths)
            assert found.kept_edges == expected.kept_edges
            assert (found.alpha, found.scale) == (expected.alpha, expected.scale)
            assert np.array_equal(here(there), d), "the argument changed"
    model = yupana.Fermat(alpha=2).fit(there)
    assert is_there(model.get_distances(), there)
    assert float(model.get_distance(0, n - 1)) == float(yupana.fermat(d).lengths[0, n - 1])


@pytest.mark.parametrize("alpha, root", [(1.5, False), (2.5, True), (3, True), (2, True)])
@pytest.mark.parametrize("precision", ["auto", "float32", "float64"])
def test_fermat_distances_of_points_keep_their_bounds(alpha, root, precision):
    points = torch.rand(900, 6, device="cuda", dtype=torch.float64)
    d = torch.cdist(points, points, compute_mode="donot_use_mm_for_euclid_dist")
    d = torch.maximum(d, d.T).fill_diagonal_(0)
    found = yupana.fermat(d, alpha, root=root, precision=precision)
    expected = yupana.fermat(here(d), alpha, root=root, precision=precision, device="cpu")
    bound = 1e-5 if found.lengths.dtype == torch.float32 else 1e-12
    assert here(found.lengths).dtype == expected.lengths.dtype
    assert np.allclose(here(found.lengths), expected.lengths, rtol=bound, atol=0)
    assert abs(found.kept_edges - expected.kept_edges) < 1e-3
    assert found.rooted == root and found.alpha == alpha
    tiny = yupana.fermat(d * 1e-30, 12)  # leaves the range of floats without a scale
    expected = yupana.fermat(here(d) * 1e-30, 12, device="cpu")
    assert tiny.scale == expected.scale != 1
    assert np.allclose(here(tiny.lengths), expected.lengths, rtol=1e-5)


def test_the_example_of_the_page_runs():
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
    if not page.exists():
        pytest.skip("the pages are not beside the tests")
    (example,) = re.findall("```python\n(import cupy.*?)```", page.read_text(), re.DOTALL)
    names = {"yupana": yupana}
    exec(example, names)
    assert isinstance(names["lengths"], cupy.ndarray) and names["order"][0] == 0


def test_fermat_distances_of_graphs_with_gaps():
    d = symmetric(600, "float64", gaps=0.99)
    d[:50, 50:] = d[50:, :50] = np.inf
    expected = yupana.fermat(d, 2, device="cpu")
    found = yupana.fermat(cupy.asarray(d), 2).lengths.get()
    if found.dtype == np.int32:
        found = np.where(found == 2**30 - 1, np.inf, found)
    assert np.isinf(found).any() and np.array_equal(found, expected.lengths)
    for cell, value in (((2, 1), np.nan), ((1, 2), -1), ((1, 2), 7), ((3, 3), 1)):
        bad = symmetric(5, "float64")
        bad[cell] = value
        said = refusal(lambda: yupana.fermat(cupy.asarray(bad)))
        assert words(said) == words(refusal(lambda: yupana.fermat(bad, device="cpu")))
    with pytest.raises(ValueError, match="float64"):
        yupana.fermat(cupy.asarray([[0, 2**30], [2**30, 0]], dtype="int32"))


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
@pytest.mark.parametrize("n", [2, 65, 700])
def test_paths_are_walked_on_the_device(n, dtype):
    whole = symmetric(n, dtype, most=9) ** 2
    directed = rng.integers(1, 50, (n, n)).astype(dtype)
    np.fill_diagonal(directed, 0)
    real = (rng.random((n, n)) + 1e-3).astype(dtype) if dtype != "int32" else directed
    np.fill_diagonal(real, 0)
    for weights in (whole, directed, real):
        lengths = yupana.shortest_paths(weights, device="cpu")
        expected = yupana.graph.predecessors(weights, lengths)
        for w, c in zip(both(weights), both(lengths)):
            found = yupana.graph.predecessors(w, c)
            assert is_there(found, w) and np.array_equal(here(found), expected)
            for start, end in rng.integers(0, n, (10, 2)):
                start, end = int(start), int(end)
                expected_path = yupana.path(weights, lengths, start, end)
                assert yupana.path(w, c, start, end) == expected_path
    single = lengths.astype("float32")
    found = yupana.path(cupy.asarray(weights), cupy.asarray(single), 0, n - 1)
    assert found == yupana.path(weights, single, 0, n - 1)
    cut = np.array([[0, 1, np.inf], [1, 0, np.inf], [np.inf, np.inf, 0]])
    assert yupana.path(cupy.asarray(cut), cupy.asarray(cut), 0, 2) == []
    with pytest.raises(ValueError, match="closure"):
        yupana.path(cupy.asarray(cut), cupy.ones((3, 3)), 0, 2)
