"""yupana.fft and the backend of scipy.fft equal SciPy's own transforms."""

import numpy as np
import pytest
import scipy.fft

import yupana
from yupana import scipy_fft

ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = [f"{name}{ending}" for name in ONE for ending in ("2", "n")]
REAL_INPUT = {"rfft", "ihfft", "rfft2", "ihfft2", "rfftn", "ihfftn"}


def signal(name, shape, dtype=np.float64):
    rng = np.random.default_rng(len(name))
    x = rng.normal(size=shape).astype(dtype)
    return x if name in REAL_INPUT else (x + 1j * rng.normal(size=shape)).astype(
        np.result_type(dtype, np.complex64)
    )


def assert_equals_scipy(name, x, *arguments, **keywords):
    wanted = getattr(scipy.fft, name)(x, *arguments, **keywords)
    got = getattr(scipy_fft, name)(x, *arguments, **keywords)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    bound = 1e-5 if wanted.dtype in (np.float32, np.complex64) else 1e-13
    scale = np.abs(wanted).max(initial=0)
    assert np.allclose(got, wanted, rtol=bound, atol=bound * scale)


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("name", ONE)
def test_one_axis_of_any_length_and_place(name, norm):
    x = signal(name, (5, 12, 7))
    for n in (None, 1, 4, 12, 31):
        for axis in (0, 1, -1):
            assert_equals_scipy(name, x, n, axis, norm)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes_in_any_order(name, norm):
    x = signal(name, (3, 4, 5, 6))
    for axes in ((0, 1), (3, 2), (-1, 1)):
        assert_equals_scipy(name, x, None, axes, norm)
        assert_equals_scipy(name, x, (7, 2), axes, norm)
    assert_equals_scipy(name, x, norm=norm)
    if name.endswith("n"):
        assert_equals_scipy(name, x, (4, 9), norm=norm)
        assert_equals_scipy(name, x, axes=(1,), norm=norm)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "fftn", "ifftn"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64, bool, np.complex64])
def test_no_axis_made_real_numbers_complex(name, dtype):
    x = (np.arange(6).reshape(2, 3) % 2).astype(dtype)
    assert_equals_scipy(name, x, axes=())
    assert_equals_scipy(name, x, s=(), axes=(), norm="ortho")
    assert_equals_scipy(name, x.tolist(), axes=())
    if name.endswith("n"):
        assert_equals_scipy(name, x, s=())


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, ">f4", ">f8", np.int8, np.uint64, bool])
def test_types_are_converted_as_scipy_does(name, dtype):
    x = (np.arange(48).reshape(6, 8) % 5).astype(dtype)
    assert_equals_scipy(name, x)
    assert_equals_scipy(name, np.asfortranarray(x)[::2, ::-1])


def test_arrays_without_signals_and_lists():
    for name in ONE:
        assert_equals_scipy(name, signal(name, (0, 6)))
        assert_equals_scipy(name, [[1, 2, 3], [4, 5, 6]], axis=0)
    x = np.ones((2, 2), complex)
    assert scipy_fft.fftn(x, axes=()).tolist() == x.tolist()


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_what_scipy_refuses_is_refused(name):
    theirs, ours = getattr(scipy.fft, name), getattr(scipy_fft, name)
    x = signal(name, (4, 4))
    calls = [
        lambda f: f(x, norm="other"),
        lambda f: f(x, workers=0),
        lambda f: f(x, workers=-1000),
        lambda f: f(x, plan=1),
        lambda f: f(x, -1 if name in ONE else (0, 4)),
        lambda f: f(np.ones((3, 0))),
        lambda f: f(np.ones(())) if name in ONE else f(x, axes=(0, 0)),
    ]
    if name in REAL_INPUT:
        calls.append(lambda f: f(x + 0j))
    for call in calls:
        with pytest.raises(Exception) as wanted:
            call(theirs)
        with pytest.raises((wanted.type, ValueError)):
            call(ours)


def test_the_backend_answers_and_the_rest_stays_scipys(monkeypatch):
    asked = []
    for name in [*ONE, *SEVERAL]:
        ours = getattr(scipy_fft, name)
        monkeypatch.setattr(
            scipy_fft, name, lambda *a, _name=name, _ours=ours, **k: (asked.append(_name), _ours(*a, **k))[1]
        )
    x = np.random.default_rng(0).normal(size=(6, 8))
    wanted = {name: getattr(scipy.fft, name)(x) for name in [*ONE, *SEVERAL, "dct", "dstn"]}
    with scipy.fft.set_backend(scipy_fft):
        for name, values in wanted.items():
            assert np.allclose(getattr(scipy.fft, name)(x), values, atol=1e-12)
        assert asked == [*ONE, *SEVERAL]
        assert scipy.fft.fft(x.astype(np.longdouble)).dtype == np.clongdouble
    asked.clear()
    scipy.fft.fft(x)
    assert not asked, "outside of the block SciPy runs"


def test_workers_are_threads_and_change_no_bit():
    x = np.random.default_rng(1).normal(size=(64, 4096))
    one = scipy_fft.rfft(x, axis=0, workers=1)
    for workers in (2, -1, None):
        assert scipy_fft.rfft(x, axis=0, workers=workers).tobytes() == one.tobytes()
    with scipy.fft.set_workers(2):
        assert scipy_fft.rfft(x, axis=0).tobytes() == one.tobytes()


def test_the_input_is_left_alone():
    x = np.arange(12.0).reshape(3, 4) + 0j
    kept = x.copy()
    for name in ("fft", "irfft", "fftn", "irfftn"):
        getattr(scipy_fft, name)(x, overwrite_x=True, norm="forward")
        assert np.array_equal(x, kept)
    assert scipy_fft.fftn(x, axes=()) is not None and np.array_equal(x, kept)


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble])
def test_long_doubles_do_not_become_doubles_unsaid(dtype):
    exact = np.arange(6, dtype=dtype)
    assert np.allclose(yupana.fft(exact), np.fft.fft(np.arange(6.0)))
    if np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(ValueError, match="numbers that a double equals"):
            yupana.fft(exact / 3)


def test_functions_of_the_package_take_n_axis_and_norm():
    x = np.random.default_rng(2).normal(size=(5, 6, 7))
    for name in ("fft", "ifft", "rfft"):
        ours = getattr(yupana, name)(x, 9, axis=1, norm="ortho", threads=1)
        assert np.allclose(ours, getattr(np.fft, name)(x, 9, axis=1, norm="ortho"))
    assert np.allclose(yupana.irfft(x, 4, 0, "forward"), np.fft.irfft(x, 4, 0, "forward"))
    for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2"):
        ours = getattr(yupana.spectral, name)(x, (4, 8), axes=(2, 0), norm="forward")
        assert np.allclose(ours, getattr(np.fft, name)(x, (4, 8), axes=(2, 0), norm="forward"))


def test_a_spectrum_of_one_value_was_the_signal_of_one():
    one = np.ones((3, 1), complex)
    for functions in (np.fft, yupana.spectral, scipy_fft):
        for arguments in ((one,), (one, 0), (np.ones((3, 5)), 0)):
            with pytest.raises(ValueError, match=r"(?i)number of (fft )?data points \(0\)"):
                functions.irfft(*arguments)
        assert np.array_equal(functions.irfft(one, 1), one.real)
    for arguments in ((one,), (one, 0)):
        with pytest.raises(ValueError, match=r"data points \(0\) specified"):
            scipy_fft.hfft(*arguments)
    with pytest.raises(ValueError, match=r"data points \(0\) specified"):
        yupana.spectral.irfftn(one)
