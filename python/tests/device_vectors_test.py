"""Vectors, runs, segments and transforms of arrays in the memory of a GPU."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from gpu import TYPES, both, cupy, here, is_there, rng, torch, values_of

import yupana
from yupana import arrays


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, 1, 1009, 65_536, 300_007])
def test_scans_and_totals_by_every_operator(n, dtype):
    x = values_of(dtype, n)
    if dtype in ("float32", "float64"):
        x = np.nan_to_num(np.round(x))  # whole numbers: sums are exact in any order
    for op in ("plus", "min", "max"):
        scan = arrays.inclusive_scan(x, op, device="cpu")
        begun = {i: arrays.exclusive_scan(x, i, op, device="cpu") for i in (None, 3)}
        totals = {i: arrays.reduce(x, op, i, device="cpu") for i in (None, 5)}
        for there in both(x):
            found = arrays.inclusive_scan(there, op)
            assert is_there(found, there) and found.dtype == there.dtype
            assert np.array_equal(here(found), scan)
            for init, expected in begun.items():
                found = here(arrays.exclusive_scan(there, init, op))
                assert np.array_equal(found, expected, equal_nan=True)
            for init, expected in totals.items():
                found = arrays.reduce(there, op, init)
                assert found.dtype == x.dtype
                assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [7, 4096, 1_000_003, 3_000_001])
def test_sums_of_floats_have_the_bits_of_the_processor(n, dtype):
    x = rng.normal(size=n).astype(dtype)
    offsets = np.unique(np.append(rng.integers(0, n, 50), [0, n]))
    keys = np.repeat(np.arange(offsets.size - 1, dtype=np.int32), np.diff(offsets))
    for start in (0, 1):  # a view that begins between the words that copies like
        y, there = x[start:], cupy.asarray(x)[start:]
        assert arrays.reduce(there).tobytes() == arrays.reduce(y, device="cpu").tobytes()
    there = cupy.asarray(x)
    expected = arrays.segmented_reduce(x, offsets, device="cpu")
    assert arrays.segmented_reduce(there, offsets).get().tobytes() == expected.tobytes()
    found = arrays.reduce_by_key(cupy.asarray(keys), there)
    expected = arrays.reduce_by_key(keys, x, device="cpu")
    for mine, other in zip(found, expected):
        assert mine.dtype == other.dtype and mine.get().tobytes() == other.tobytes()


def copy_of(there):
    return there.clone() if torch.is_tensor(there) else there.copy()


@pytest.mark.parametrize("dtype", TYPES)
def test_what_is_written_to_is_the_callers_array(dtype):
    x = values_of(dtype, 100_003)
    ordered = arrays.sort(x, device="cpu")
    for there in both(x):
        out = copy_of(there)
        for found in (arrays.sort(there, out=out), arrays.sort(out, out=out)):
            assert found is out and np.array_equal(here(out), ordered, equal_nan=True)
        assert np.array_equal(here(there), x, equal_nan=True), "the argument changed"
        assert arrays.inclusive_scan(out, "max", out=out) is out
        out = copy_of(there)
        assert arrays.exclusive_scan(out, op="max", out=out) is out
        assert np.array_equal(
            here(out), arrays.exclusive_scan(x, op="max", device="cpu"), equal_nan=True
        )
    with pytest.raises(ValueError, match="apart"):
        arrays.sort(out[1:], out=out[:-1])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [0, 1, 1009, 300_007])
def test_values_move_with_their_keys(n, dtype):
    keys = values_of(dtype, n)
    keys[: n // 2] = keys[n - n // 2 :]  # every other one twice
    order = arrays.argsort(keys, device="cpu")
    for there in both(keys):
        found = arrays.argsort(there)
        assert is_there(found, there) and here(found).dtype == np.int64
        assert np.array_equal(here(found), order)
    for kind in ("int32", "float32", "uint64", "complex64"):
        values = rng.integers(0, 1000, n).astype(kind)
        found = arrays.sort_by_key(cupy.asarray(keys), cupy.asarray(values))
        expected = arrays.sort_by_key(keys, values, device="cpu")
        for mine, other in zip(found, expected):
            assert isinstance(mine, cupy.ndarray) and mine.dtype == other.dtype
            assert mine.get().tobytes() == other.tobytes()
    a, b = np.split(arrays.sort(keys), [n // 3])
    a, b = arrays.sort(a), arrays.sort(b)
    pair = [np.arange(a.size), np.arange(b.size) + n]
    found = arrays.merge_by_key(*map(cupy.asarray, (a, pair[0], b, pair[1])))
    expected = arrays.merge_by_key(a, pair[0], b, pair[1], device="cpu")
    for mine, other in zip(found, expected):
        assert mine.get().tobytes() == other.tobytes()


@pytest.mark.parametrize("keys", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("dtype", TYPES)
def test_runs_are_summed_on_the_device(keys, dtype):
    for n, most in ((0, 1), (1, 1), (1009, 3), (200_003, 1), (200_003, 60_000)):
        runs = 4 * n // most + 1  # about twice as many as fill n
        lengths = rng.integers((most + 1) // 2, most + 1, runs)
        names = np.repeat(rng.integers(0, 5, runs), lengths)[:n].astype(keys)
        values = np.nan_to_num(values_of(dtype, n))
        expected = arrays.reduce_by_key(names, values, device="cpu")
        for k, v in zip(both(names), both(values)):
            found = arrays.reduce_by_key(k, v)
            for mine, other, like in zip(found, expected, (k, v)):
                assert is_there(mine, like) and here(mine).dtype == other.dtype
                assert here(mine).tobytes() == other.tobytes()


@pytest.mark.parametrize("dtype", TYPES)
def test_segments_stay_on_the_device(dtype):
    n = 300_007
    x = np.nan_to_num(np.round(values_of(dtype, n)))
    offsets = np.sort(rng.integers(5, n - 5, 2000))
    offsets[100:120] = offsets[100]  # empty ones
    offsets[1000:1001] = offsets[999]
    for there, ends in zip(both(x), both(offsets)):
        for op in ("plus", "min", "max"):
            scan = arrays.segmented_scan(x, offsets, op, device="cpu")
            totals = arrays.segmented_reduce(x, offsets, op, device="cpu")
            for given in (offsets, ends):
                found = arrays.segmented_scan(there, given, op)
                assert is_there(found, there) and np.array_equal(here(found), scan)
                found = arrays.segmented_reduce(there, given, op)
                assert is_there(found, there)
                assert np.array_equal(here(found), totals, equal_nan=True)
        assert arrays.segmented_reduce(there, [0]).shape[0] == 0


@pytest.mark.parametrize("n", [1, 2, 3, 16, 1009, 4096, 30_030, 1 << 18])
def test_real_signals_are_transformed_on_the_device(n):
    for dtype, bound in (("float32", 1e-4), ("float64", 1e-10)):
        x = rng.normal(size=(2, 3, n)).astype(dtype)
        for there in both(x):
            found = yupana.rfft(there)
            assert is_there(found, there) and tuple(found.shape) == (2, 3, n // 2 + 1)
            assert np.allclose(here(found), np.fft.rfft(x), rtol=bound, atol=bound * n**0.5)
            back = yupana.irfft(found, n)
            assert is_there(back, there) and back.dtype == there.dtype
            assert np.allclose(here(back), x, rtol=bound, atol=bound)
    if n > 1:  # one value is the spectrum of none
        assert yupana.irfft(found).shape[-1] == 2 * (n // 2)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (64, 64), (1000, 7), (17, 5003), (9000, 12)])
def test_planes_are_transformed_on_the_device(shape):
    for dtype, bound in (("complex64", 1e-4), ("complex128", 1e-10)):
        x = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
        for there in both(x):
            found = yupana.spectral.fft2(there)
            assert is_there(found, there) and found.dtype == there.dtype
            size = (shape[0] * shape[1]) ** 0.5
            assert np.allclose(here(found), np.fft.fft2(x), rtol=bound, atol=bound * size)
            assert np.allclose(here(yupana.spectral.ifft2(found)), x, rtol=bound, atol=bound)
            assert np.array_equal(here(there), x), "the argument changed"


def test_plans_kept_for_the_next_call_give_the_bits_of_the_first():
    lengths = [1 << 12, 1000, 1009, 1 << 16, 30_030, 1 << 20]  # more than are kept

    def transformed(n):
        x = cupy.asarray(np.random.default_rng(n).normal(size=(2, n)))
        spectrum = yupana.fft(x + 1j * x[::-1])
        return [here(y).tobytes() for y in (spectrum, yupana.rfft(x), yupana.spectral.fft2(spectrum))]

    first = [transformed(n) for n in lengths]
    assert [transformed(n) for n in lengths] == first
    assert [transformed(lengths[-1]) for _ in range(3)] == [first[-1]] * 3
    with ThreadPoolExecutor(4) as threads:  # at once: a plan serves one call at a time
        assert list(threads.map(transformed, lengths[:2] * 8)) == first[:2] * 8


def test_calls_of_several_streams_share_scratch_memory_and_no_result():
    x = torch.from_numpy(values_of("int64", 700_001)).cuda()
    ordered, sums = x.sort().values, x.cumsum(0)
    streams = [torch.cuda.Stream() for _ in range(3)]
    torch.cuda.synchronize()
    found = []
    for turn in range(30):
        with torch.cuda.stream(streams[turn % 3]):
            found.append((arrays.sort(x), arrays.inclusive_scan(x)))
    torch.cuda.synchronize()
    assert all(torch.equal(a, ordered) and torch.equal(b, sums) for a, b in found)


def test_a_queued_call_returns_while_the_gpu_works():
    x = torch.from_numpy(values_of("int32", 1000)).cuda()
    keys, values = arrays.sort_by_key(x, x)  # makes what is kept
    waves = torch.ones(64, dtype=torch.complex64, device="cuda")
    yupana.fft(waves)
    stream = torch.cuda.current_stream()
    stream.synchronize()
    torch.cuda._sleep(4_000_000_000)  # two seconds or so of the GPU
    again, moved = arrays.sort_by_key(x, x)
    spectrum = yupana.fft(waves)
    assert not stream.query()
    assert torch.equal(again, keys) and torch.equal(moved, values) and abs(spectrum[0].item() - 64) < 1e-4


def test_empty_arrays_come_back_empty():
    for none in both(np.zeros(0, np.int32)):
        assert arrays.argsort(none).shape[0] == 0
        assert [x.shape[0] for x in arrays.reduce_by_key(none, none)] == [0, 0]
        assert [x.shape[0] for x in arrays.sort_by_key(none, none)] == [0, 0]
        assert [x.shape[0] for x in arrays.merge_by_key(none, none, none, none)] == [0, 0]
        assert arrays.exclusive_scan(none).shape[0] == 0
        assert arrays.segmented_scan(none, [0, 0]).shape[0] == 0
        assert list(here(arrays.segmented_reduce(none, [0, 0, 0], init=7))) == [7, 7]
    assert yupana.fft(cupy.zeros((0, 8), "complex64")).shape == (0, 8)
    assert yupana.rfft(cupy.zeros((0, 8))).shape == (0, 5)
    assert yupana.fermat(cupy.zeros((0, 0))).lengths.shape == (0, 0)
    assert yupana.graph.predecessors(*[cupy.zeros((0, 0))] * 2).shape == (0, 0)
    assert yupana.distances(cupy.zeros((3, 0), "int8")).shape == (3, 3)
