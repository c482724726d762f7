"""Arrays in the memory of a GPU go in and come out where they are; both backends agree."""

import numpy as np
import pytest
import scipy.sparse as sp

import yupana
from yupana import arrays

if not yupana.info()["devices"]:
    pytest.skip("no GPU: no CUDA device, or not built with CUDA", allow_module_level=True)
torch = pytest.importorskip("torch")
cupy = pytest.importorskip("cupy")

rng = np.random.default_rng(0)


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


@pytest.mark.parametrize(
    "call",
    [
        lambda: arrays.sort(torch.zeros(3, dtype=torch.bool, device="cuda")),
        lambda: arrays.sort(torch.zeros(3, 3, device="cuda")),
        lambda: arrays.sort(torch.zeros(8, device="cuda")[::2]),
        lambda: arrays.reduce(cupy.zeros(8, "int16")),
        lambda: yupana.fft(torch.zeros(8, device="cuda")),
        lambda: yupana.fermat(torch.zeros(3, 3, device="cuda")),
        lambda: arrays.merge(torch.zeros(3, device="cuda"), np.zeros(3)),
    ],
)
def test_what_has_no_way_on_the_device_is_refused(call):
    with pytest.raises(TypeError) as caught:
        call()
    assert "\n" not in str(caught.value)


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
    lower = sp.tril(sp.random_array((5000, 5000), density=0.002, rng=rng), -1)
    lower = sp.csr_array(lower + sp.eye_array(5000) * 3)
    right = rng.random(5000)
    gpu = yupana.triangular_solve(lower, right, device="cuda", method="sync_free")
    assert gpu.tobytes() == yupana.triangular_solve(lower, right, device="cpu").tobytes()
    a = rng.integers(-9, 9, 5000)
    assert np.array_equal(yupana.polymul(a, a, device="cuda"), np.convolve(a, a))
    found = yupana.align("ACGTTTTTACGT", [(1, 4), (9, 12)], "ACGTACGT", device="cuda")
    assert found.score == 8
