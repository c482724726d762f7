"""Arrays on a GPU reach the functions of _core, checked, with the arguments of the host's.

No GPU is needed: a library of its own makes arrays that are said to be on GPU 3, and the functions are
given their values.
"""

import contextlib
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp

import yupana
from yupana import _call, _core, _libraries, _transforms, arrays, spectral


class GpuArray:
    """A CuPy-like array: values in host memory that claim to be on a GPU."""

    def __init__(self, values):
        self.values = values

    def __dlpack_device__(self):
        return (2, 3)

    def __getattr__(self, name):
        if name in ("dtype", "shape", "ndim", "flags"):
            return getattr(self.values, name)
        raise AttributeError(name)

    def __getitem__(self, index):
        return GpuArray(self.values[index])

    def reshape(self, *shape):
        return GpuArray(self.values.reshape(*shape))

    @property
    def T(self):
        return GpuArray(self.values.T)


GpuArray.__module__ = "gpulibrary"


def gpu(values):
    return GpuArray(np.asarray(values))


def unwrapped(argument):
    return argument.values if isinstance(argument, GpuArray) else argument


def wrapped(result):
    if isinstance(result, tuple):
        return tuple(map(wrapped, result))
    return GpuArray(result) if isinstance(result, np.ndarray) else result


#: The host's transforms have other names and arguments.
TRANSFORMS = {
    "fft": lambda x, inverse: (yupana.ifft if inverse else yupana.fft)(x),
    "rfft": lambda x: yupana.rfft(x),
    "irfft": lambda x, n: yupana.irfft(x, n),
    "fft2": lambda x, inverse: (spectral.ifft2 if inverse else spectral.fft2)(x),
}


class Family:
    """A module of _core; its functions take the values of GPU arrays, and say that they were called."""

    def __init__(self, name, log):
        self.name, self.module, self.log = name, getattr(_core, name), log

    def __getattr__(self, function):
        name = f"{self.name}.{function}"

        def called(*arguments, **keywords):
            if not any(isinstance(x, GpuArray) for x in arguments):
                return getattr(self.module, function)(*arguments, **keywords)
            self.log.append(name)
            arguments = [unwrapped(argument) for argument in arguments[1:]]
            if self.name == "spectral" and function in TRANSFORMS:
                x, out, *rest = arguments
                out[...] = TRANSFORMS[function](x, *rest)
                return None
            found = getattr(self.module, function)(_core.Options("cpu", 0, 0, None), *arguments)
            return found if name == "som.train" else wrapped(found)  # the codebook is on the host

        return called


@pytest.fixture
def log(monkeypatch):
    """The functions that a test called with an array on a GPU."""
    log = []
    library = types.ModuleType("gpulibrary")
    library.from_dlpack = lambda array: array
    monkeypatch.setitem(sys.modules, "gpulibrary", library)
    for name in ("arrays", "spectral", "graph", "geometry", "som"):
        monkeypatch.setattr(_core, name, Family(name, log))
    device = types.SimpleNamespace(
        host=lambda array: array.values,
        empty=lambda shape, code, bits, _: gpu(np.empty(shape, f"{'iuf  c'[code]}{bits // 8}")),
    )
    monkeypatch.setattr(_core, "device", device, raising=False)
    # Options name a GPU that is not here; one that is would sum floats in another order.
    options = _core.Options
    made = lambda device, *rest: options("cpu" if device in ("cuda:3", "auto") else device, *rest)  # noqa: E731
    monkeypatch.setattr(_core, "Options", made)
    monkeypatch.setattr(_call, "without_keywords", _call.without_keywords.__wrapped__)
    return log


RNG = np.random.default_rng(2)
X = RNG.normal(size=300)
KEYS = RNG.integers(0, 40, 300)
WAVE = RNG.normal(size=(3, 20)) + 1j
POINTS = RNG.random((30, 3))
WEIGHTS = np.sqrt(((POINTS[:, None] - POINTS) ** 2).sum(-1))
LENGTHS = yupana.shortest_paths(WEIGHTS)
WORDS = np.arange(300, dtype=np.uint64)

CALLS = {
    "arrays.scan": [
        (arrays.inclusive_scan, X, "max"),
        (arrays.exclusive_scan, X, 3, "plus"),
        (arrays.exclusive_scan, X),
    ],
    "arrays.reduce": [(arrays.reduce, X, "min"), (arrays.reduce, X, "plus", 2)],
    "arrays.segmented_scan": [(arrays.segmented_scan, X, np.array([0, 7, 300]))],
    "arrays.segmented_reduce": [(arrays.segmented_reduce, X, np.array([0, 7, 7]), "min", 1)],
    "arrays.reduce_by_key": [(arrays.reduce_by_key, KEYS, X)],
    "arrays.sort": [(arrays.sort, X)],
    "arrays.sort_by_key": [(arrays.sort_by_key, KEYS, WORDS)],
    "arrays.argsort": [(arrays.argsort, KEYS)],
    "arrays.merge": [(arrays.merge, np.sort(X), np.sort(X[:7]))],
    "arrays.merge_by_key": [(arrays.merge_by_key, WORDS, WORDS, WORDS[:9], WORDS[:9])],
    "spectral.fft": [(yupana.fft, WAVE), (yupana.ifft, WAVE), (yupana.fft, WAVE[0])],
    "spectral.rfft": [(yupana.rfft, X)],
    "spectral.irfft": [(yupana.irfft, WAVE, 39)],
    "spectral.fft2": [(spectral.fft2, WAVE), (spectral.ifft2, WAVE)],
    "spectral.polymul": [(yupana.polymul, X, X), (yupana.polymul, KEYS, KEYS)],
    "spectral.matmul": [(spectral.matmul, POINTS, WEIGHTS[:3])],
    "graph.shortest_paths": [(yupana.shortest_paths, WEIGHTS, "directed")],
    "graph.path": [(yupana.path, WEIGHTS, LENGTHS, 1, 4)],
    "graph.predecessors": [(yupana.graph.predecessors, WEIGHTS, LENGTHS)],
    "geometry.closest_pair": [(yupana.closest_pair, POINTS)],
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_the_gpu_are_called_as_those_of_the_host(log, name):
    for function, *arguments in CALLS[name]:
        expected = function(*arguments)
        there = [gpu(x) if isinstance(x, np.ndarray) else x for x in arguments]
        found = function(*there)
        assert log == [name]
        log.clear()
        for mine, other in zip(*((x if isinstance(x, tuple) else (x,)) for x in (found, expected))):
            assert isinstance(mine, GpuArray) == isinstance(other, np.ndarray)
            assert np.array_equal(unwrapped(mine), other)


def test_what_is_written_to_is_the_callers_array(log):
    out = gpu(np.zeros(300))
    assert arrays.sort(gpu(X), out=out) is out and np.array_equal(out.values, np.sort(X))
    assert arrays.inclusive_scan(out, out=out) is out
    with pytest.raises(ValueError, match="out: expected an array on the GPU of 300 float64 values"):
        arrays.sort(gpu(X), out=np.zeros(300))


def test_a_map_is_trained_and_asked_where_its_samples_are(log):
    table = RNG.normal(size=(50, 4)).astype(np.float32)
    som = yupana.SOM(3, 2, iterations=3, random_state=1)
    expected = yupana.SOM(3, 2, iterations=3, random_state=1).fit(table)
    som.fit(gpu(table))
    assert log == ["som.train", "som.judged"] and som.n_features_in_ == 4
    assert som.weights_.tobytes() == expected.weights_.tobytes()
    assert np.array_equal(som.labels_.values, expected.labels_)
    assert np.array_equal(som.predict(gpu(table)).values, expected.predict(table))
    assert som.quality(gpu(table)) == expected.quality(table)
    assert np.array_equal(som.bmu_coords(gpu(table)), expected.bmu_coords(table))
    assert np.array_equal(som.transform(gpu(table)).values, expected.transform(table))


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: arrays.sort(gpu(X[::2])), TypeError, "keys: expected rows one after the other"),
        (lambda: arrays.sort(gpu(X > 0)), TypeError, "keys: expected int32 or .* got bool"),
        (lambda: arrays.sort(gpu(WEIGHTS)), ValueError, "keys: expected 1 dimension"),
        (lambda: arrays.sort(gpu(X), device="cpu"), ValueError, "device: expected 'auto' or 'cuda:3'"),
        (lambda: arrays.sort(gpu(X), descending=True), TypeError, "^descending: .* in host memory"),
        (lambda: arrays.argsort(gpu(X), top=0), TypeError, "^top: .* in host memory"),
        (lambda: arrays.unique(gpu(X)), TypeError, "^unique: .* in host memory"),
        (lambda: arrays.merge(gpu(X), X), TypeError, "b: expected an array on a GPU"),
        (lambda: arrays.merge(gpu(KEYS), gpu(X)), TypeError, "b: expected int64, as a has"),
        (lambda: arrays.sort_by_key(gpu(X), gpu(X > 0)), TypeError, "4 or 8 bytes"),
        (lambda: arrays.segmented_scan(X, gpu(KEYS)), TypeError, "offsets: expected an array in host"),
        (lambda: yupana.fft(gpu(X)), TypeError, "x: expected complex64 or complex128 on a GPU"),
        (lambda: yupana.irfft(gpu(WAVE), 37), ValueError, "n: expected a length of 20"),
        (lambda: yupana.polymul(gpu(X), gpu(X), exact=True), ValueError, "exact: expected None"),
        (lambda: yupana.fermat(gpu(WEIGHTS), neighbors=2), ValueError, "all edges"),
        (lambda: yupana.distances(gpu(X)), ValueError, "genotypes: expected 2 dimension"),
        (lambda: yupana.distances(gpu(WEIGHTS), min_maf=0.1), ValueError, "filters: expected"),
        (lambda: yupana.analysis.mds(gpu(WEIGHTS)), TypeError, "distances: .* in host memory"),
        (lambda: yupana.graph.keep_neighbors(gpu(WEIGHTS), 1), TypeError, "in host memory"),
        (lambda: yupana.SOM().fit(gpu(POINTS)), TypeError, "X: expected float32 on a GPU"),
        (
            lambda: yupana.DecisionTreeRegressor().fit(gpu(POINTS), X[:30]),
            TypeError,
            "X: expected columns one after the other",
        ),
        (
            lambda: yupana.triangular_solve(sp.eye_array(3), gpu(np.zeros(3, "f4"))),
            TypeError,
            "b: expected float64 on a GPU",
        ),
        (
            lambda: yupana.triangular_solve(sp.eye_array(3), gpu(np.zeros(4))),
            ValueError,
            "b: expected 3 rows",
        ),
    ],
)
def test_what_a_gpu_cannot_take_is_refused_with_what_to_do(log, call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert log == [] and "\n" not in str(caught.value)


def test_an_array_of_an_unknown_library_is_refused_with_what_to_do(log):
    unknown = types.SimpleNamespace(__cuda_array_interface__={})
    with pytest.raises(TypeError, match="cupy.asarray"):
        arrays.sort(unknown)


@pytest.mark.parametrize("function", [yupana.fft, yupana.analysis.linkage])
def test_keywords_that_a_function_does_not_have_are_refused_in_its_name(function):
    with pytest.raises(TypeError, match=f"{function.__name__}: expected .*; got 'devices'"):
        function(WEIGHTS, devices="cpu")
    with pytest.raises(TypeError, match="linkage: expected .*; got 'device'"):
        yupana.analysis.linkage(WEIGHTS, device="cpu")


class CupyArray(GpuArray):
    device = contextlib.nullcontext()

    def __mul__(self, factor):
        return CupyArray(self.values * factor)

    def __dlpack__(self):
        return self


CupyArray.__module__ = "cupy"


@pytest.fixture
def cupy(log, monkeypatch):
    cupy = types.ModuleType("cupy")
    cupy.from_dlpack = lambda array: array
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=77))
    cupy.empty_like = lambda like: CupyArray(np.empty_like(like.values))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(_libraries, "_LIBRARIES", {})


def test_calls_use_the_stream_and_the_memory_of_the_library(cupy, monkeypatch):
    def sort(options, keys, out):
        out.values[:] = np.sort(keys.values)
        return len(keys.values)

    monkeypatch.setattr(_core, "arrays", types.SimpleNamespace(sort=sort))
    options, streams = _core.Options, []
    monkeypatch.setattr(_core, "Options", lambda *given: streams.append(given[4]) or options(*given))
    found = arrays.sort(CupyArray(KEYS))
    assert type(found) is CupyArray and np.array_equal(found.values, np.sort(KEYS))
    assert streams == [77]


def test_a_transform_of_rows_passes_addresses_and_others_do_not(cupy, log, monkeypatch):
    library = _libraries.library_of(CupyArray(WAVE))
    at = {}

    def address(array):
        at[id(array)] = array.values
        return id(array)

    monkeypatch.setattr(library, "address", address)
    queued = []

    def fft_at(options, place, x, out, n, batch, doubles, inverse):
        queued.append((place, n, batch, doubles, inverse))
        transform = np.fft.ifft if inverse else np.fft.fft
        at[out][...] = transform(at[x].reshape(batch, n)).reshape(at[out].shape)

    monkeypatch.setattr(_core.spectral, "fft_at", fft_at, raising=False)
    monkeypatch.setattr(_transforms, "without_keywords", _call.without_keywords)
    for x, rows in ((WAVE, 3), (WAVE[0].astype("c8"), 1), (np.stack([WAVE, WAVE]), 6)):
        for function in (yupana.fft, yupana.ifft):
            for norm in (None, "ortho"):
                expected = getattr(np.fft, function.__name__)(x, norm=norm)
                assert np.allclose(function(CupyArray(x), norm=norm).values, expected, atol=1e-5)
                assert queued.pop() == (3, 20, rows, x.dtype == np.complex128, function is yupana.ifft)
    assert log == []
    yupana.fft(CupyArray(WAVE), device="cuda:3")
    assert log.pop() == "spectral.fft"
    for wrong in (WAVE.real, WAVE.T, WAVE[:, :0]):
        with pytest.raises((TypeError, ValueError)):
            yupana.fft(CupyArray(wrong))
    with pytest.raises(ValueError, match="axes: expected the last axis"):
        yupana.fft(CupyArray(WAVE), axis=0)
    assert queued == []


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64", "float32", "float64"])
def test_the_bindings_take_capsules_of_every_type(dtype):
    keys, options = KEYS.astype(dtype), _core.Options("cpu", 0, 0, None)
    zero = keys.dtype.type(0).item()
    core = _core.arrays

    def written(function, *arguments, size=300, kind=dtype):
        """What a function writes to its last argument; all arrays go as capsules."""
        out = np.zeros(size, kind)
        given = [x.__dlpack__() if isinstance(x, np.ndarray) else x for x in (*arguments, out)]
        assert function(options, *given) in (None, size)  # sorts: how many they keep
        return out

    ordered = written(core.sort, keys)
    assert np.array_equal(ordered, np.sort(keys)) and np.array_equal(keys, KEYS.astype(dtype))
    places = written(core.argsort, keys, kind="int64")
    assert np.array_equal(places, np.argsort(keys, kind="stable"))
    assert core.reduce(options, keys.__dlpack__(), "plus", zero) == keys.sum()
    ends = np.array([0, 3, 300])
    totals = written(core.segmented_reduce, keys, ends, "plus", zero, size=2)
    assert list(totals) == [keys[:3].sum(), keys[3:].sum()]
    sums = written(core.segmented_scan, keys, ends, "plus")
    assert np.array_equal(sums[3:], np.cumsum(keys[3:]))
    merged = written(core.merge, ordered, ordered[:5], size=305)
    assert np.array_equal(merged, np.sort(np.append(ordered, ordered[:5])))
    assert np.array_equal(written(core.scan, keys, "plus", zero, True)[1:], np.cumsum(keys)[:-1])
    first = np.zeros(300, dtype)
    assert np.array_equal(written(core.sort_by_key, keys, WORDS, first, kind="uint64"), places)
    assert np.array_equal(first, ordered)
    sides = (ordered, WORDS, ordered[:5], WORDS[:5])
    moved = written(core.merge_by_key, *sides, np.zeros(305, dtype), size=305, kind="uint64")
    assert moved[0] == 0 and sorted(moved) == sorted([*range(300), *range(5)])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_transforms_take_capsules_of_every_type(dtype):
    x = WAVE.astype(dtype)
    out, options = np.zeros_like(x), _core.Options("cpu", 0, 0, None)
    _core.spectral.fft_axes(options, x.__dlpack__(), out.__dlpack__(), [1], False)
    assert np.allclose(out, np.fft.fft(x), atol=1e-4)
