"""sort(), argsort() and unique() with descending, unique and top, against NumPy and the command line."""

import itertools

import numpy as np
import pytest

from yupana import arrays

TYPES = ["int32", "int64", "uint32", "uint64", "float32", "float64"]
FLOATS = TYPES[4:]
CHOICES = [*itertools.product((False, True), (False, True), (None, 0, 1, 7, 10**6))]


def values(size, dtype):
    """Many equal ones, both ends of the type, of floats NaN of two kinds, infinities and both zeros."""
    rng = np.random.default_rng(size)
    if dtype in FLOATS:
        special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0], dtype)
        return np.where(rng.random(size) < 0.3, rng.choice(special, size), rng.integers(-9, 9, size)).astype(dtype)
    limits = np.iinfo(dtype)
    x = rng.integers(0, 40, size).astype(dtype)
    return np.where(rng.random(size) < 0.1, rng.choice(np.array([limits.min, limits.max], dtype), size), x)


def places_of(x, descending, unique, top):
    """NumPy's stable order of the keys or, descending, of those turned around; what is kept of it."""
    turned = (-x if x.dtype.kind == "f" else ~x) if descending else x
    order = np.argsort(turned, kind="stable")
    if unique:
        _, first = np.unique(turned, return_index=True)
        firsts = [min(order[np.isin(order, np.flatnonzero((x == x[i]) | ((x != x) & (x[i] != x[i]))))]) for i in first]
        order = np.array(firsts, np.int64)
    return order[:top]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [0, 1, 2, 300, 5000])
def test_every_choice_keeps_what_numpy_gives_to_the_bit(dtype, size):
    x = values(size, dtype)
    before = x.tobytes()
    for descending, unique, top in CHOICES:
        expected = places_of(x, descending, unique, top)
        for threads in (1, 3):
            choice = dict(descending=descending, unique=unique, top=top, threads=threads)
            places, found = arrays.argsort(x, **choice), arrays.sort(x, **choice)
            assert places.dtype == np.int64 and found.dtype == x.dtype
            assert np.array_equal(places, expected), choice
            assert found.tobytes() == x[expected].tobytes(), choice
    assert x.tobytes() == before


@pytest.mark.parametrize("dtype", TYPES)
def test_long_vectors_descend_and_repeat_nothing(dtype):
    x = np.random.default_rng(3).integers(0, 2**31, 300_003).astype(dtype)
    assert np.array_equal(arrays.sort(x, descending=True), np.sort(x)[::-1])
    assert np.array_equal(arrays.unique(x), np.unique(x))
    assert np.array_equal(arrays.sort(x, descending=True, top=10), np.sort(x)[:-11:-1])
    assert np.array_equal(arrays.sort(x, top=10), np.sort(x)[:10])


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_was_the_first_where_keys_descend(dtype):
    x = np.array([np.nan, 0, 2, -0.0, np.nan, -np.inf], dtype)
    down = arrays.sort(x, descending=True)
    assert np.array_equal(down, np.array([2, 0, -0.0, -np.inf, np.nan, np.nan], dtype), equal_nan=True)
    assert np.signbit(down[:4]).tolist() == [False, False, True, True]
    assert arrays.argsort(x, descending=True).tolist() == [2, 1, 3, 5, 0, 4]
    assert arrays.argsort(x, unique=True).tolist() == [5, 1, 2, 0]
    found = arrays.unique(x)
    assert np.array_equal(found, np.unique(x), equal_nan=True) and not np.signbit(found[1])
    assert np.signbit(arrays.unique(x[::-1])[1]), "of equal keys the first stays"


def test_empty_vectors_have_nothing_to_keep():
    for dtype in TYPES:
        none = np.zeros(0, dtype)
        for found in (arrays.unique(none), arrays.sort(none, descending=True, top=3), arrays.sort(none, top=0)):
            assert found.shape == (0,) and found.dtype == none.dtype
        assert arrays.argsort(none, descending=True, unique=True).dtype == np.int64


def test_descending_keys_are_sorted_in_place():
    x = values(5000, "float64")
    expected = arrays.sort(x, descending=True)
    assert arrays.sort(x, descending=True, out=x) is x and x.tobytes() == expected.tobytes()
    fixed = expected.copy()
    fixed.flags.writeable = False
    assert arrays.sort(fixed, descending=True).tobytes() == expected.tobytes()


def test_a_few_of_many_held_the_memory_of_all():
    x = np.arange(1000.0)
    for found in (arrays.sort(x, top=2), arrays.argsort(x, top=2), arrays.unique(x % 2)):
        assert found.base is None and found.nbytes == 16


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_the_command_line_keeps_the_same_bytes(program, dtype, tmp_path):
    x = values(4000, np.dtype(dtype).name)
    np.save(tmp_path / "x.npy", x)
    for descending, unique, top in CHOICES:
        if top == 0:
            continue
        flags = ["--descending"] * descending + ["--unique"] * unique + (["--top", str(top)] if top else [])
        choice = dict(descending=descending, unique=unique, top=top)
        for positions, function in (([], arrays.sort), (["--positions"], arrays.argsort)):
            program("sort", tmp_path / "x.npy", "-o", tmp_path / "out.npy", *flags, *positions)
            found, expected = function(x, **choice), np.load(tmp_path / "out.npy")
            assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes(), flags


@pytest.mark.parametrize("function", [arrays.sort, arrays.argsort])
def test_choices_of_another_kind_are_named(function):
    x = np.array([3.0, 1.0, 2.0])
    for top in (1.5, -1, "x", np.nan, 2**63):
        with pytest.raises(ValueError, match="^top: expected a whole number from 0, got "):
            function(x, top=top)
    for name in ("descending", "unique"):
        for value, kind in ((1, "int"), ("yes", "str"), (None, "NoneType")):
            with pytest.raises(TypeError, match=f"^{name}: expected bool, got {kind}$"):
                function(x, **{name: value})
    assert function(x, top=np.int64(1)).shape == (1,)


def test_what_has_no_place_is_refused():
    for choice in ({"unique": True}, {"top": 2}, {"top": 0}):
        x = np.array([2, 1, 2])
        with pytest.raises(ValueError, match="^out: expected none with unique or top"):
            arrays.sort(x, out=x, **choice)
        assert x.tolist() == [2, 1, 2]


@pytest.mark.parametrize("size", [0, 1, 2, 300, 5000])
def test_lexsort_is_numpys_whatever_the_types_of_its_keys(size):
    keys = [values(size, dtype) for dtype in TYPES]
    for first, last in itertools.product(range(6), range(1, 7)):
        chosen = keys[first:last] or keys[:1]
        expected = np.lexsort(chosen)
        for threads in (1, 3):
            places = arrays.lexsort(tuple(chosen), threads=threads)
            assert places.dtype == np.int64
            assert np.array_equal(places, expected)
    matrix = np.random.default_rng(5).integers(0, 3, (4, size))
    assert np.array_equal(arrays.lexsort(matrix), np.lexsort(matrix))


@pytest.mark.parametrize(
    "keys, error, message",
    [
        ((), ValueError, "^keys: expected at least one vector, got none$"),
        (([1, 2], [1]), ValueError, r"^keys\[1\]: expected 2 values, as keys\[0\] has, got 1$"),
        (([1, 2], ["a", "b"]), TypeError, r"^keys\[1\]: expected int32, .*, got <U1$"),
        (([[1, 2]],), ValueError, r"^keys\[0\]: expected one dimension, got 2$"),
    ],
)
def test_lexsort_names_the_key_that_does_not_fit(keys, error, message):
    with pytest.raises(error, match=message):
        arrays.lexsort(keys)
