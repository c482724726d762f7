"""Arrays in the memory of a GPU go in and come out where they are; both backends agree."""

import numpy as np
import pytest
import scipy.sparse as sp
from gpu import both, cupy, here, is_there, refusal, rng, torch, words

import yupana
from yupana import _core, arrays


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_torch_and_cupy_vectors(dtype):
    x = rng.integers(-1000, 1000, 1_000_003).astype(dtype)
    ours, theirs = torch.from_numpy(x).cuda(), cupy.asarray(x)
    found = arrays.sort(ours)
    assert found.is_cuda and torch.equal(found, torch.sort(ours)[0])
    assert np.array_equal(ours.cpu().numpy(), x), "the argument changed"
    found = arrays.sort(theirs)
    assert isinstance(found, cupy.ndarray) and bool((found == cupy.sort(theirs)).all())
    scan = arrays.inclusive_scan(theirs)
    assert isinstance(scan, cupy.ndarray) and np.array_equal(scan.get(), np.cumsum(x, dtype=dtype))
    assert arrays.reduce(ours) == x.sum(dtype=dtype)


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_unsigned_keys(dtype):
    x = cupy.asarray(rng.integers(0, 2**32 - 1, 100_003).astype(dtype))
    assert bool((arrays.sort(x) == cupy.sort(x)).all())


def test_empty_vectors():
    none = torch.empty(0, device="cuda")
    assert arrays.sort(none).numel() == 0 and arrays.reduce(none) == 0
    assert arrays.inclusive_scan(none).numel() == 0


@pytest.mark.parametrize("n", [1, 7, 1000, 1009, 65536, 1 << 20])
def test_fft_stays_on_the_device(n):
    for dtype, bound in ((torch.complex64, 1e-4), (torch.complex128, 1e-10)):
        x = torch.randn(3, n, dtype=dtype, device="cuda")
        found = yupana.fft(x)
        assert found.is_cuda and found.shape == x.shape
        assert torch.allclose(found, torch.fft.fft(x), rtol=bound, atol=bound * n**0.5)
        assert torch.allclose(yupana.ifft(found), x, rtol=bound, atol=bound)
    x = cupy.asarray(rng.normal(size=n) + 0j)
    assert bool(cupy.allclose(yupana.fft(x), cupy.fft.fft(x)))


def test_work_queued_before_is_waited_for():
    x = torch.ones(1 << 25, dtype=torch.int64, device="cuda")
    for _ in range(50):
        x = x + 1
    assert arrays.reduce(x) == 51 << 25


def test_memory_of_results_is_given_back():
    x = torch.randint(-(2**31), 2**31 - 1, (1 << 26,), dtype=torch.int32, device="cuda")
    arrays.sort(x)
    free = torch.cuda.mem_get_info()[0]
    for _ in range(10):
        arrays.sort(x)
    assert free - torch.cuda.mem_get_info()[0] < 64 << 20


def test_arrays_are_read_where_they_lie():
    ours, theirs = both(rng.random((1000, 18)).astype(np.float32))
    assert _core.device.address(ours) == ours.data_ptr()
    assert _core.device.address(theirs) == theirs.data.ptr
    assert _core.device.address(theirs[7:]) == theirs.data.ptr + 7 * 18 * 4
    big = torch.rand(1 << 26, 2, device="cuda")
    som = yupana.SOM(2, 2, random_state=0, iterations=1)
    som.fit(big[: 1 << 20])
    torch.cuda.synchronize()
    free = torch.cuda.mem_get_info()[0]
    labels = som.predict(big)
    assert free - torch.cuda.mem_get_info()[0] < big.numel() * 4, "the samples were copied"
    assert labels.shape == (1 << 26,)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64", "float32", "float64"])
@pytest.mark.parametrize("sizes", [(0, 0), (0, 5), (1, 0), (1009, 65537), (300_001, 1)])
def test_merges_stay_on_the_device(dtype, sizes):
    a, b = (np.sort(rng.integers(0, 1000, n).astype(dtype)) for n in sizes)
    found = arrays.merge(cupy.asarray(a), cupy.asarray(b))
    assert isinstance(found, cupy.ndarray) and found.dtype == dtype
    assert np.array_equal(found.get(), arrays.merge(a, b, device="cpu"))


@pytest.mark.filterwarnings("ignore")  # pairs without a shared site
@pytest.mark.parametrize("missing", [0, 0.03])
@pytest.mark.parametrize("shape", [(1, 7), (2, 1), (83, 1031), (257, 1024), (300, 20_011)])
def test_genotypes_are_counted_on_the_device(shape, missing):
    calls = rng.integers(0, 3, shape).astype(np.int8)
    calls[rng.random(shape) < missing] = -1
    for there in both(calls):
        for metric in ("sqeuclidean", "hamming") + (("king",) if shape[1] > 1000 else ()):
            found = yupana.distances(there, metric)
            assert found.tobytes() == yupana.distances(calls, metric, device="cpu").tobytes()
    ours = yupana.genotype.pair_counts(there, hethet=True)
    theirs = yupana.genotype.pair_counts(calls, hethet=True, device="cpu")
    for name in ("ibs1", "ibs0", "shared"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name))
    assert ours.summary == theirs.summary and ours.samples == theirs.samples


def test_a_bad_genotype_is_named():
    calls = np.zeros((5, 7), np.int8)
    calls[3, 2] = 3
    there = torch.from_numpy(calls).cuda()
    assert refusal(lambda: yupana.distances(there)) == refusal(lambda: yupana.distances(calls, device="cpu"))
    with pytest.raises(ValueError, match="filters"):
        yupana.distances(torch.from_numpy(calls).cuda(), min_maf=0.1)


@pytest.mark.parametrize("n", [1, 2, 65, 512, 513, 1031])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_paths_are_closed_on_the_device(n, dtype):
    weights = rng.integers(1, 1000, (n, n)).astype(dtype)
    np.fill_diagonal(weights, 0)
    for graph in (weights, np.minimum(weights, weights.T)):
        expected = yupana.shortest_paths(graph, device="cpu")
        for there in both(graph):
            found = yupana.shortest_paths(there)
            assert is_there(found, there) and found.dtype == there.dtype
            assert np.array_equal(here(found), expected)
            assert np.array_equal(here(there), graph), "the argument changed"


def test_paths_of_graphs_with_gaps_and_negative_edges():
    n = 700
    weights = np.where(rng.random((n, n)) < 0.01, rng.integers(1, 50, (n, n)), np.inf)
    np.fill_diagonal(weights, 0)
    found = yupana.shortest_paths(cupy.asarray(weights))
    assert np.array_equal(found.get(), yupana.shortest_paths(weights, device="cpu"))
    whole = np.where(np.isinf(weights), 2**30 - 1, weights).astype(np.int32)
    found = yupana.shortest_paths(torch.from_numpy(whole).cuda()).cpu().numpy()
    closed = yupana.shortest_paths(weights, device="cpu")
    assert np.array_equal(found, np.where(np.isinf(closed), 2**30 - 1, closed))
    chain = np.full((3, 3), np.inf)
    np.fill_diagonal(chain, 0)
    chain[0, 1], chain[1, 2] = -2, 5
    assert yupana.shortest_paths(cupy.asarray(chain))[0, 2] == 3
    chain[1, 0] = 1
    said = refusal(lambda: yupana.shortest_paths(cupy.asarray(chain)))
    assert words(said) == words(refusal(lambda: yupana.shortest_paths(chain, device="cpu")))


@pytest.mark.parametrize(
    "cell, value, words",
    [
        ((1, 2), np.nan, "from 1 to 2 is nan"),
        ((2, 0), -np.inf, "from 2 to 0 is -inf"),
    ],
)
def test_bad_weights_are_named(cell, value, words):
    weights = np.ones((3, 3))
    weights[cell] = value
    with pytest.raises(ValueError, match=words):
        yupana.shortest_paths(cupy.asarray(weights))


def test_a_vertex_with_a_weight_to_itself_is_named():
    weights = np.ones((3, 3)) - np.eye(3)
    weights[1, 1] = -1
    said = refusal(lambda: yupana.shortest_paths(cupy.asarray(weights)))
    assert said == refusal(lambda: yupana.shortest_paths(weights, device="cpu"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 1), (1009, 2), (100_003, 3), (5000, 8)])
def test_the_closest_pair_is_found_on_the_device(shape, dtype):
    points = rng.random(shape).astype(dtype)
    for there in both(points):
        assert yupana.closest_pair(there) == yupana.closest_pair(points, device="cpu")
    points[shape[0] // 2, 0] = np.nan
    said = refusal(lambda: yupana.closest_pair(cupy.asarray(points)))
    assert said == refusal(lambda: yupana.closest_pair(points, device="cpu"))


@pytest.mark.parametrize("sizes", [(0, 3), (1, 1), (5, 7), (1009, 4096), (100_003, 50_001)])
def test_polynomials_are_multiplied_on_the_device(sizes):
    a, b = (rng.integers(-1000, 1000, n) for n in sizes)
    for x, y in zip(both(a), both(b)):
        found = yupana.polymul(x, y)
        assert is_there(found, x)
        assert np.array_equal(here(found), yupana.polymul(a, b, device="cpu"))
        wide = yupana.polymul(x * 1_000_003, y)
        assert np.array_equal(here(wide), yupana.polymul(a * 1_000_003, b, device="cpu"))
    if min(sizes) > 0:
        a, b = a / 1000, b / 1000
        found = yupana.polymul(*(cupy.asarray(x) for x in (a, b)))
        assert np.allclose(found.get(), yupana.polymul(a, b, device="cpu"), atol=1e-8)
        a[-1] = np.inf
        with pytest.raises(ValueError, match=f"a: expected finite numbers, got .* at place {a.size - 1} "):
            yupana.polymul(*(cupy.asarray(x) for x in (a, b)))
    long = np.full(100, 300_000_000)  # too much for two primes of 31 bits
    found = yupana.polymul(cupy.asarray(long), cupy.asarray(-long))
    assert np.array_equal(found.get(), yupana.polymul(long, -long, device="cpu"))
    large = cupy.full(3, 2**40)
    with pytest.raises(ValueError, match="2\\^63"):
        yupana.polymul(large, large)


@pytest.mark.parametrize("dtype, bound", [("float32", 1e-4), ("float64", 1e-11)])
@pytest.mark.parametrize(
    "m, k, n", [(0, 3, 2), (3, 0, 2), (1, 1, 1), (127, 257, 65), (1025, 999, 1001)]
)
def test_matrices_are_multiplied_on_the_device(m, k, n, dtype, bound):
    a, b = rng.random((m, k)).astype(dtype), rng.random((k, n)).astype(dtype)
    for x, y in zip(both(a), both(b)):
        found = yupana.spectral.matmul(x, y)
        assert is_there(found, x) and tuple(found.shape) == (m, n)
        assert np.allclose(here(found), a.astype("float64") @ b, atol=bound * (k + 1), rtol=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("method", ["sync_free", "level_set"])
def test_right_hand_sides_stay_on_the_device(dtype, method):
    lower = sp.tril(sp.random_array((5000, 5000), density=0.002, rng=rng), -1)
    lower = sp.csr_array(lower + sp.eye_array(5000) * 3).astype(dtype)
    system = yupana.sparse.TriangularSystem(lower, device="cuda:0", method=method)
    on_cpu = yupana.sparse.TriangularSystem(lower, device="cpu")
    for shape in ((5000,), (5000, 1), (5000, 3)):
        right = rng.random(shape).astype(dtype)
        for there in both(right):
            found = system.solve(there)
            assert is_there(found, there) and tuple(found.shape) == shape
            assert here(found).tobytes() == on_cpu.solve(right).tobytes()
    with pytest.raises(ValueError, match="expected 5000 rows"):
        system.solve(cupy.zeros(4999, dtype))
    with pytest.raises(ValueError, match="a system made for GPU 0"):
        on_cpu.solve(cupy.zeros(5000, dtype))


@pytest.mark.filterwarnings("ignore")  # fewer samples than neurons
@pytest.mark.parametrize(
    "shape, rows, cols", [((20_003, 18), 8, 7), ((3001, 40), 23, 31), ((5, 3), 3, 3)]
)
@pytest.mark.parametrize("initial", ["samples", "uniform"])
def test_maps_are_trained_and_searched_on_the_device(shape, rows, cols, initial):
    table = rng.normal(size=shape).astype(np.float32)
    arguments = {"iterations": 5, "random_state": 3, "initial": initial}
    expected = yupana.SOM(rows, cols, device="cpu", **arguments).fit(table)
    again = yupana.SOM(rows, cols, device="cpu", **arguments).fit_from(table, expected.weights_)
    for there in both(table):
        found = yupana.SOM(rows, cols, **arguments).fit(there)
        assert found.weights_.tobytes() == expected.weights_.tobytes()
        assert is_there(found.labels_, there)
        assert np.array_equal(here(found.labels_), expected.labels_)
        assert np.array_equal(here(found.predict(there[1:])), expected.labels_[1:])
        assert found.quantization_error_ == expected.quantization_error_
        assert found.topographic_error_ == expected.topographic_error_
        assert found.quality(there) == expected.quality(table)
        assert np.array_equal(found.activation_response(there), expected.activation_response(table))
        assert np.array_equal(found.predict(table), expected.labels_)
        found.fit_from(there, expected.weights_)
        assert found.weights_.tobytes() == again.weights_.tobytes()


def test_forests_grow_and_vote_on_the_device():
    table = rng.normal(size=(4001, 9))
    codes = np.array(["a", "b", "c"])[np.digitize(table[:, 0] * table[:, 1], [-0.3, 0.3])]
    numbers = table[:, 2] + rng.normal(size=len(table))
    table[rng.random(table.shape) < 0.02] = np.nan
    for dtype in ("float32", "float64"):
        values = np.asfortranarray(table.astype(dtype))
        ours = torch.from_numpy(np.ascontiguousarray(values.T)).cuda().t()
        theirs = cupy.asarray(values, order="F")
        for estimator, y, arguments in (
            (yupana.DecisionTreeClassifier, codes, {"max_features": 3}),
            (yupana.DecisionTreeRegressor, numbers, {}),
            (yupana.RandomForestClassifier, codes, {"n_estimators": 7, "oob_score": True}),
            (yupana.RandomForestRegressor, numbers, {"n_estimators": 7, "max_depth": 5}),
        ):
            arguments = {"random_state": 1, **arguments}
            expected = estimator(device="cpu", **arguments).fit(values, y)
            for there in (ours, theirs):
                found = estimator(**arguments).fit(there, y)
                assert found.to_bytes() == expected.to_bytes()
                assert getattr(found, "oob_score_", 0) == getattr(expected, "oob_score_", 0)
                if y is codes:
                    shares = found.predict_proba(there)
                    assert is_there(shares, there)
                    assert here(shares).tobytes() == expected.predict_proba(values).tobytes()
                    assert np.array_equal(found.predict(there), expected.predict(values))
                else:
                    assert is_there(found.predict(there), there)
                    assert np.array_equal(here(found.predict(there)), expected.predict(values))
    with pytest.raises(ValueError, match="features"):
        found.predict(theirs[:, :5])


def test_work_of_other_streams_is_waited_for():
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        x = torch.zeros(300, 300, device="cuda", dtype=torch.float64)
        for _ in range(2000):
            x = x + 1
        x.fill_diagonal_(0)
        assert yupana.shortest_paths(x).max() == 2000
    other = cupy.cuda.Stream(non_blocking=True)
    with other:
        y = cupy.zeros(1 << 24)
        for _ in range(200):
            y += 1
        assert arrays.reduce(y) == 200 * 2**24


def test_a_plan_kept_between_calls_serves_streams_in_turn():
    signals = [torch.from_numpy(rng.normal(size=1 << 22) + 1j * rng.normal(size=1 << 22)).cuda() for _ in range(2)]
    expected = [torch.fft.fft(x) for x in signals]
    streams = [torch.cuda.default_stream(), torch.cuda.Stream()]
    torch.cuda.synchronize()
    found = []
    for turn in range(12):
        with torch.cuda.stream(streams[turn % 2]):
            found.append(yupana.fft(signals[turn % 2]))
    torch.cuda.synchronize()
    for turn, spectrum in enumerate(found):
        assert torch.allclose(spectrum, expected[turn % 2], atol=1e-8, rtol=0)


def test_both_backends_give_the_same_bits():
    calls = rng.integers(-1, 3, (301, 20_011)).astype(np.int8)
    for values in (calls, np.abs(calls)):
        gpu, cpu = (yupana.distances(values, device=d) for d in ("cuda", "cpu"))
        assert gpu.tobytes() == cpu.tobytes()
    cohort = yupana.read_genotypes(np.abs(calls))
    gpu, cpu = (yupana.fermat(cohort, 2, device=d).lengths for d in ("cuda", "cpu"))
    assert gpu.tobytes() == cpu.tobytes()
    table = rng.normal(size=(20_000, 18)).astype(np.float32)
    maps = [yupana.SOM(8, 7, random_state=0, device=d).fit(table) for d in ("cuda", "cpu")]
    assert maps[0].weights_.tobytes() == maps[1].weights_.tobytes()
    points = rng.random((100_000, 3))
    assert yupana.closest_pair(points, device="cuda") == yupana.closest_pair(points, device="cpu")
    apart = rng.random((2500, 2500))
    apart += apart.T
    np.fill_diagonal(apart, 0)
    trees = [yupana.nj(apart, device=device) for device in ("cuda", "cpu")]
    assert trees[0].parent.tobytes() == trees[1].parent.tobytes()
    assert trees[0].length.tobytes() == trees[1].length.tobytes()
    lower = sp.tril(sp.random_array((5000, 5000), density=0.002, rng=rng), -1)
    lower = sp.csr_array(lower + sp.eye_array(5000) * 3)
    right = rng.random(5000)
    gpu = yupana.triangular_solve(lower, right, device="cuda", method="sync_free")
    assert gpu.tobytes() == yupana.triangular_solve(lower, right, device="cpu").tobytes()
    a = rng.integers(-9, 9, 5000)
    assert np.array_equal(yupana.polymul(a, a, device="cuda"), np.convolve(a, a))
    found = yupana.align("ACGTTTTTACGT", [(1, 4), (9, 12)], "ACGTACGT", device="cuda")
    assert found.score == 8
