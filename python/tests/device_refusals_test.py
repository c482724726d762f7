"""What arrays in the memory of a GPU are taken as they are, and what is said of the others."""

import numpy as np
import pytest
import scipy.sparse as sp
from gpu import cupy, rng, torch, values_of

import yupana
from yupana import arrays


class Derived(torch.Tensor):
    """Of a user's own class."""


def test_tensors_of_other_classes_and_views_are_taken():
    x = torch.arange(9.0, device="cuda").flip(0)
    found = arrays.sort(x.as_subclass(Derived))
    assert found.is_cuda and found[0] == 0
    assert arrays.sort(torch.nn.Parameter(x, requires_grad=False))[0] == 0
    image = cupy.arange(24, dtype="float64").reshape(4, 6)
    assert bool((arrays.sort(image[2]) == image[2]).all())
    for start in range(1, 6):  # every offset there is between words of 16 bytes
        for dtype in ("int32", "float32", "int64", "float64"):
            y = values_of(dtype, 70_001)
            there = cupy.asarray(y)[start:]
            y = y[start:]
            assert np.array_equal(arrays.sort(there).get(), np.sort(y), equal_nan=True)
            assert np.array_equal(
                arrays.inclusive_scan(there, "max").get(),
                arrays.inclusive_scan(y, "max", device="cpu"),
                equal_nan=True,
            )
            assert np.array_equal(arrays.argsort(there).get(), np.argsort(y, kind="stable"))
    flat = cupy.asarray(rng.random(301 * 300 + 5))
    for start in range(5):
        a = flat[start : start + 301 * 300].reshape(301, 300)
        right = flat[start : start + 300 * 7].reshape(300, 7)
        assert np.allclose(yupana.spectral.matmul(a, right).get(), a.get() @ right.get())
        points = flat[start : start + 30_000].reshape(-1, 3)
        assert yupana.closest_pair(points) == yupana.closest_pair(points.get(), device="cpu")
        signal = flat[start : start + 30_000]
        assert np.allclose(yupana.rfft(signal).get(), np.fft.rfft(signal.get()))
        narrow = signal.astype("complex64")[start:-5]
        bound = {"rtol": 1e-4, "atol": 1e-2}
        assert np.allclose(yupana.fft(narrow).get(), np.fft.fft(narrow.get()), **bound)
        rest = narrow[: narrow.size // 5 * 5].reshape(-1, 5)
        assert np.allclose(yupana.spectral.fft2(rest).get(), np.fft.fft2(rest.get()), **bound)
        assert np.allclose(yupana.irfft(narrow).get(), np.fft.irfft(narrow.get()), **bound)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: arrays.sort(torch.zeros(3, device="cuda", requires_grad=True)), "keys: .*detach"),
        (
            lambda: yupana.SOM().fit(torch.zeros(9, 3, device="cuda", requires_grad=True)),
            "X: expected a tensor without gradients, use X.detach",
        ),
        (lambda: arrays.reduce(torch.zeros(3, device="cuda").bfloat16()), "got bfloat16"),
        (lambda: yupana.distances(torch.zeros(3, 3, device="cuda")), "expected int8"),
        (
            lambda: yupana.fft(torch.zeros(8, device="cuda").to(torch.complex64).conj()),
            "resolve_conj",
        ),
        (lambda: yupana.closest_pair(torch.eye(3, device="cuda").to_sparse()), "to_dense"),
        (lambda: arrays.sort(torch.zeros(1, device="cuda").expand(5)), "contiguous"),
        (lambda: yupana.closest_pair(cupy.zeros((3, 4), order="F")), "ascontiguousarray.points"),
        (lambda: yupana.shortest_paths(cupy.zeros((4, 4))[::2, ::2]), "weights: expected rows one after"),
        (lambda: yupana.fft(cupy.zeros((2, 3, 4), "complex64").transpose(0, 2, 1)), "x: expected rows"),
        (
            lambda: yupana.RandomForestRegressor().fit(cupy.zeros((9, 3)), np.zeros(9)),
            "asfortranarray.X",
        ),
        (
            lambda: yupana.DecisionTreeRegressor().fit(cupy.zeros((9, 3), "f2", "F"), np.zeros(9)),
            "X",
        ),
        (lambda: yupana.analysis.mds(cupy.zeros((3, 3))), "host memory"),
        (lambda: yupana.analysis.linkage(torch.zeros(3, 3, device="cuda")), "host memory"),
        (lambda: yupana.triangular_solve(sp.eye_array(3), cupy.zeros(3, "float32")), "expected float64"),
    ],
)
def test_what_a_stranger_brings_is_refused_with_what_to_do(call, words):
    with pytest.raises(TypeError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_memory_that_is_not_the_gpus_own():
    managed = cupy.ndarray(1 << 22, "float64", memptr=cupy.cuda.malloc_managed(8 << 22))
    managed[:] = 0
    for _ in range(50):
        managed += 1  # is waited for, though the host reads it
    assert isinstance(arrays.sort(managed), np.ndarray) and arrays.reduce(managed) == 50 << 22
    pinned = torch.tensor([3.0, 1.0, 2.0]).pin_memory()
    assert list(arrays.sort(pinned)) == [1, 2, 3]


@pytest.mark.parametrize(
    "call",
    [
        lambda: arrays.sort(torch.zeros(3, dtype=torch.bool, device="cuda")),
        lambda: arrays.sort(torch.zeros(8, device="cuda")[::2]),
        lambda: arrays.reduce(cupy.zeros(8, "int16")),
        lambda: yupana.fft(torch.zeros(8, device="cuda")),
        lambda: yupana.fermat(torch.zeros(3, 3, device="cuda").half()),
        lambda: yupana.Fermat().fit(cupy.zeros((3, 3), "int64")),
        lambda: yupana.path(cupy.zeros((3, 3)), np.zeros((3, 3)), 0, 1),
        lambda: yupana.path(cupy.zeros((3, 3)), cupy.zeros((3, 3), "int64"), 0, 1),
        lambda: yupana.graph.predecessors(cupy.zeros((3, 3)), cupy.zeros((3, 3), "float32")),
        lambda: yupana.graph.keep_neighbors(cupy.zeros((3, 3)), 1),
        lambda: yupana.rfft(cupy.zeros(8, "complex64")),
        lambda: yupana.spectral.fft2(cupy.zeros((8, 8))),
        lambda: arrays.argsort(cupy.zeros(8, "int8")),
        lambda: arrays.sort_by_key(cupy.zeros(8), np.zeros(8)),
        lambda: arrays.sort_by_key(cupy.zeros(8), cupy.zeros(8, "int16")),
        lambda: arrays.reduce_by_key(cupy.zeros(8), cupy.zeros(8)),
        lambda: arrays.segmented_scan(cupy.zeros(8), cupy.zeros(2, "int32")),
        lambda: arrays.segmented_scan(np.zeros(8), cupy.zeros(2, "int64")),
        lambda: arrays.merge(torch.zeros(3, device="cuda"), np.zeros(3)),
        lambda: arrays.merge(np.zeros(3), torch.zeros(3, device="cuda")),
        lambda: arrays.merge(cupy.zeros(3, "int32"), cupy.zeros(3, "int64")),
        lambda: yupana.distances(cupy.zeros((3, 3))),
        lambda: yupana.distances(cupy.zeros((3, 3), "int8")[:, ::2]),
        lambda: yupana.read_genotypes(cupy.zeros((3, 3), "int8")),
        lambda: yupana.shortest_paths(cupy.zeros((3, 3), "int64")),
        lambda: yupana.shortest_paths(cupy.zeros((4, 4)).T[:3, :3]),
        lambda: yupana.closest_pair(cupy.zeros((3, 3), "int64")),
        lambda: yupana.polymul(cupy.zeros(3, "int32"), cupy.zeros(3, "int32")),
        lambda: yupana.spectral.matmul(*[cupy.zeros((3, 3), "float16")] * 2),
        lambda: yupana.spectral.matmul(cupy.zeros((3, 4)).T, cupy.zeros((3, 3))),
        lambda: yupana.SOM().fit(cupy.zeros((100, 3))),
        lambda: yupana.SOM().fit(cupy.zeros((100, 6), "float32")[:, ::2]),
        lambda: yupana.SOM().fit(np.zeros((100, 3))).transform(cupy.zeros((100, 3))),
        lambda: yupana.DecisionTreeClassifier().fit(cupy.zeros((9, 3)), np.arange(9) % 2),
        lambda: yupana.DecisionTreeClassifier().fit(cupy.zeros((9, 3), "int64").T, np.arange(3)),
        lambda: yupana.DecisionTreeRegressor().fit(cupy.zeros((3, 9)).T, cupy.zeros(9)),
        lambda: yupana.DecisionTreeRegressor()
        .fit([[0], [1]], [0, 1])
        .apply(cupy.zeros((9, 1), "i4")),
    ],
)
def test_what_has_no_way_on_the_device_is_refused(call):
    with pytest.raises(TypeError) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: arrays.sort(torch.zeros(3, 3, device="cuda")),
        lambda: arrays.sort(cupy.zeros(3), device="cpu"),
        lambda: arrays.sort(cupy.zeros(3), out=np.zeros(3)),
        lambda: arrays.sort(cupy.zeros(3), out=cupy.zeros(4)),
        lambda: arrays.inclusive_scan(cupy.zeros(3), "times"),
        lambda: arrays.sort_by_key(cupy.zeros(3), cupy.zeros(4)),
        lambda: arrays.segmented_reduce(cupy.zeros(3), [0, 2, 1]),
        lambda: arrays.segmented_reduce(cupy.zeros(3), cupy.asarray([0, 4])),
        lambda: arrays.segmented_reduce(cupy.zeros(3), []),
        lambda: yupana.fft(cupy.zeros((3, 0), "complex64")),
        lambda: yupana.irfft(cupy.zeros(5, "complex64"), 11),
        lambda: yupana.spectral.fft2(cupy.zeros(8, "complex64")),
        lambda: yupana.fermat(cupy.zeros((3, 3)), "auto"),
        lambda: yupana.fermat(cupy.zeros((3, 3)), neighbors=2),
        lambda: yupana.fermat(cupy.zeros((3, 3)), 0.5),
        lambda: yupana.fermat(cupy.zeros((3, 3)), precision="int16"),
        lambda: yupana.fermat(cupy.zeros((3, 4))),
        lambda: yupana.fermat(cupy.ones((3, 3))),
        lambda: yupana.path(cupy.zeros((3, 3)), cupy.zeros((3, 3)), 0, 3),
        lambda: yupana.path(cupy.zeros((3, 3)), cupy.zeros((2, 2)), 0, 1),
        lambda: yupana.SOM(initial="pca").fit(cupy.zeros((100, 3), "float32")),
        lambda: yupana.SOM(training="online").fit(cupy.zeros((100, 3), "float32")),
        lambda: yupana.SOM().fit(cupy.full((100, 3), np.nan, "float32")),
        lambda: yupana.SOM().fit(cupy.zeros((0, 3), "float32")),
        lambda: yupana.SOM().fit(cupy.zeros(3, "float32")),
        lambda: yupana.SOM(device="cpu").fit(cupy.zeros((100, 3), "float32")),
        lambda: yupana.closest_pair(cupy.zeros((3, 3)), "divide"),
        lambda: yupana.closest_pair(cupy.zeros((1, 3))),
        lambda: yupana.shortest_paths(cupy.zeros((3, 4))),
        lambda: yupana.shortest_paths(cupy.zeros((3, 3)), device="cpu"),
        lambda: yupana.shortest_paths(cupy.eye(3, dtype="int32") - 1),
        lambda: yupana.spectral.matmul(cupy.zeros((3, 3)), cupy.zeros((2, 3))),
        lambda: yupana.polymul(cupy.zeros(3), cupy.zeros(3), exact=True),
    ],
)
def test_what_cannot_be_is_said_in_one_line(call):
    with pytest.raises(ValueError) as caught:
        call()
    assert "\n" not in str(caught.value)
