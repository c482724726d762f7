"""The cases of NumPy's own tests of sort, argsort and numpy.polynomial that apply here.

Without a case here: sort's axes, kinds and orders of fields (a vector, one stable order), searchsorted and
partition, types other than six (refused, below); of the polynomials what no product is part of.
"""

import math

import numpy as np
import numpy.polynomial as npp
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import yupana
from yupana import arrays

TYPES = ["int32", "int64", "uint32", "uint64", "float32", "float64"]
FLOATS, INTEGERS = TYPES[4:], TYPES[:4]


def assert_sorts(x):
    """sort and argsort give NumPy's stable order, to the bit, and leave x alone."""
    before = x.copy()
    order = np.argsort(x, kind="stable")
    assert_array_equal(arrays.argsort(x), order)
    ordered = arrays.sort(x)
    assert ordered.dtype == x.dtype and ordered.tobytes() == x[order].tobytes()
    assert x.tobytes() == before.tobytes()


@pytest.mark.parametrize("dtype", TYPES)
def test_in_order_and_in_reverse(dtype):
    up = np.arange(101).astype(dtype) - (0 if dtype[0] == "u" else np.asarray(50, dtype))
    for x in (up, up[::-1], up[::2], up[::-3]):
        assert_sorts(x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_with_nan_and_infinities_at_many_lengths(dtype):
    rng = np.random.default_rng(42)
    for n in range(1, 512, 3):
        x = (rng.random(n) - 0.5).astype(dtype)
        assert_sorts(np.where(rng.random(n) < 0.02, np.nan, x).astype(dtype))
        assert_sorts(np.append(x, np.inf).astype(dtype))
        for value, other in ((np.inf, -1), (-np.inf, 1), (np.inf, -np.inf)):
            assert_sorts(np.where(rng.random(n) < 0.5, value, other).astype(dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_with_the_least_and_the_greatest_at_many_lengths(dtype):
    rng, limits = np.random.default_rng(42), np.iinfo(dtype)
    for n in range(1, 512, 3):
        x = rng.integers(limits.min, limits.max, n, dtype, endpoint=True)
        x[rng.integers(n, size=10)] = limits.min
        x[rng.integers(n, size=10)] = limits.max
        assert_sorts(x)
        x[-1] = limits.max
        assert_sorts(x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_is_last_whatever_its_sign_and_payload(dtype):
    word, bits = np.dtype(dtype.replace("float", "uint")), np.finfo(dtype).nmant
    quiet = np.array([np.nan, -np.nan], dtype).view(word)
    nans = np.concatenate([quiet, quiet | word.type(5), quiet | word.type(1 << (bits - 2))]).view(dtype)
    x = np.concatenate([nans, np.array([1, -np.inf, 0, np.inf, -0.0], dtype), nans])
    assert_sorts(x)
    assert_array_equal(arrays.sort(x)[:5], np.array([-np.inf, 0, 0, 1, np.inf], dtype))
    assert np.isnan(arrays.sort(x)[5:]).all()
    assert_sorts(np.full(3000, np.nan, dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_equal_keys_keep_their_order(dtype):
    rng = np.random.default_rng(7)
    for n in (100, 5000, 70000):
        assert_array_equal(arrays.argsort(np.zeros(n, dtype)), np.arange(n))
        assert_sorts(rng.integers(0, 3, n).astype(dtype))
    if dtype in FLOATS:
        assert_sorts(np.where(rng.random(5000) < 0.5, 0.0, -0.0).astype(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_orders_that_are_hard_for_a_quicksort(dtype):
    n = 1 << 18
    rising = np.arange(n).astype(dtype)
    for x in (
        rising,
        rising[::-1],
        np.concatenate([rising[: n // 2], rising[: n // 2][::-1]]),
        rising % 1000,
        np.concatenate([rising[1:], rising[:1]]),
        np.sort(rising % 7),
    ):
        assert_sorts(x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_million_floats(dtype):
    assert_sorts((np.random.default_rng(1).random(1_000_000) - 0.5).astype(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_empty_strided_read_only_and_foreign_bytes(dtype):
    assert_sorts(np.zeros(0, dtype))
    x = np.random.default_rng(2).integers(0, 99, 4000).astype(dtype)
    assert_sorts(x[::2])
    x.flags.writeable = False
    assert_sorts(x)
    other = x.astype(np.dtype(dtype).newbyteorder())
    assert_array_equal(arrays.sort(other), np.sort(x))
    assert_array_equal(arrays.argsort(other), np.argsort(x, kind="stable"))


@pytest.mark.parametrize(
    "x",
    [
        np.zeros(3, kind)
        for kind in ("g", "F", "D", "S3", "U3", "O", "M8[D]", "m8[D]", "V4", "i4,f8")
    ],
    ids=lambda x: str(x.dtype),
)
def test_other_types_are_refused_by_name(x):
    for call in (arrays.sort, arrays.argsort):
        with pytest.raises(TypeError) as caught:
            call(x)
        assert "\n" not in str(caught.value) and "int32" in str(caught.value)


def test_a_matrix_is_refused():
    with pytest.raises(ValueError, match="one dimension, got 2"):
        arrays.sort(np.zeros((2, 2)))


# numpy.polynomial

BASES = ["cheb", "leg", "lag", "herm", "herme"]
MODULES = [npp.chebyshev, npp.legendre, npp.laguerre, npp.hermite, npp.hermite_e]


def power(coefficients, times):
    result = np.array([1], np.asarray(coefficients).dtype)
    for _ in range(times):
        result = yupana.polymul(result, coefficients)
    return result


@pytest.mark.parametrize("kind", [int, float])
def test_products_of_powers_of_x(kind):
    for i in range(12):
        for j in range(12):
            one, other, wanted = (np.eye(1, k + 1, k, dtype=kind)[0] for k in (i, j, i + j))
            found = yupana.polymul(one, other)
            assert found.dtype == wanted.dtype
            assert_allclose(found, wanted, atol=1e-15 if kind is float else 0, rtol=0)


def test_times_x_moves_the_coefficients():
    for i in range(1, 5):
        assert yupana.polymul([0, 1], [0] * i + [1]).tolist() == [0] * (i + 1) + [1]


def test_powers_are_repeated_products():
    for i in range(5):
        for j in range(5):
            wanted = npp.polynomial.polypow(np.arange(i + 1), j)
            assert_array_equal(np.trim_zeros(power(np.arange(i + 1), j), "b"), np.trim_zeros(wanted, "b"))
    assert power([1, 1], 40).tolist() == [math.comb(40, k) for k in range(41)]


def test_polynomials_of_roots():
    for i in range(1, 20):
        roots = np.cos(np.linspace(-np.pi, 0, 2 * i + 1)[1::2])
        wanted, found = npp.polynomial.polyfromroots(roots), np.array([1.0])
        for root in roots:
            found = yupana.polymul(found, [-root, 1.0])
        assert_allclose(found, wanted, atol=1e-12)
        assert_allclose(found, npp.chebyshev.cheb2poly([0] * i + [1]) / 2.0 ** (i - 1), atol=1e-12)


def test_quotient_times_divisor_and_remainder():
    for i in range(5):
        for j in range(5):
            a, b = [0.0] * i + [1, 2], [0.0] * j + [1, 2]
            total = npp.polynomial.polyadd(a, b)
            quotient, remainder = npp.polynomial.polydiv(total, a)
            assert_allclose(npp.polynomial.polyadd(yupana.polymul(quotient, a), remainder), total, atol=1e-12)


def test_products_commute_associate_and_distribute():
    rng = np.random.default_rng(5)
    for n, m, k in ((1, 1, 1), (3, 70, 5), (400, 401, 33), (3000, 1, 700)):
        a, b, c = (rng.integers(-99, 99, size) for size in (n, m, k))
        product = yupana.polymul(a, b)
        assert_array_equal(product, yupana.polymul(b, a))
        assert_array_equal(yupana.polymul(product, c), yupana.polymul(a, yupana.polymul(b, c)))
        both = np.zeros(max(m, k), int)
        both[:m] += b
        both[:k] += c
        together = np.zeros(max(n + m, n + k) - 1, int)
        together[: n + m - 1] += product
        together[: n + k - 1] += yupana.polymul(a, c)
        assert_array_equal(yupana.polymul(a, both), together)


@pytest.mark.parametrize("name, module", [*zip(BASES, MODULES)], ids=BASES)
def test_products_in_other_bases_are_products_of_powers(name, module):
    to_powers, multiply = getattr(module, f"{name}2poly"), getattr(module, f"{name}mul")
    for i in range(5):
        for j in range(5):
            a, b = np.eye(1, i + 1, i)[0], np.eye(1, j + 1, j)[0]
            assert_allclose(yupana.polymul(to_powers(a), to_powers(b)), to_powers(multiply(a, b)), atol=1e-9)


def test_an_empty_vector_is_the_polynomial_0():
    for a, b in (([], [1.0]), ([1], []), ([], [])):
        assert len(yupana.polymul(a, b)) == 0


def test_values_of_a_product_are_products_of_values():
    rng = np.random.default_rng(6)
    x, a, b = rng.uniform(-1, 1, 50), rng.normal(size=20), rng.normal(size=31)
    value = npp.polynomial.polyval
    assert_allclose(value(x, yupana.polymul(a, b)), value(x, a) * value(x, b), atol=1e-12)


@pytest.mark.parametrize(
    "a, error",
    [([[1, 2]], ValueError), ([1j], TypeError), (["1"], TypeError), ([None], TypeError), ([2**70 + 1], TypeError)],
    ids=["matrix", "complex", "text", "objects", "integers beyond 64 bits"],
)
def test_what_is_no_polynomial_is_refused(a, error):
    for arguments in ((a, [1.0]), ([1.0], a)):
        with pytest.raises(error) as caught:
            yupana.polymul(*arguments)
        assert "\n" not in str(caught.value)
