"""What the tests of arrays on a GPU share; skips them where there is none."""

import re

import numpy as np
import pytest

import yupana

if not yupana.info()["devices"]:
    pytest.skip("no GPU: no CUDA device, or not built with CUDA", allow_module_level=True)
torch = pytest.importorskip("torch")
cupy = pytest.importorskip("cupy")

rng = np.random.default_rng(0)


def both(x):
    """The array in the memory of a GPU, as torch and as CuPy have it."""
    return torch.from_numpy(np.ascontiguousarray(x)).cuda(), cupy.asarray(x)


def here(x):
    return x.cpu().numpy() if isinstance(x, torch.Tensor) else cupy.asnumpy(x)


def words(message):
    """A message without its numbers: of several faults the devices may name different ones."""
    return re.sub(r"-?\d+(\.\d+)?", "#", message)


def refusal(call):
    """What a call is refused with."""
    with pytest.raises(ValueError) as caught:
        call()
    return str(caught.value)


def is_there(found, like):
    """An array of the same library on the same GPU."""
    kind = torch.Tensor if isinstance(like, torch.Tensor) else cupy.ndarray
    return isinstance(found, kind) and found.__dlpack_device__() == like.__dlpack_device__()


TYPES = ["int32", "int64", "uint32", "uint64", "float32", "float64"]


def values_of(dtype, n):
    """Any bits of integers; floats with ties, both zeros and NaN."""
    if np.dtype(dtype).kind != "f":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
    x = rng.integers(-50, 50, n) / 7
    x[rng.random(n) < 0.01] = np.nan
    x[rng.random(n) < 0.01] = -0.0
    return x.astype(dtype)
