import warnings

import numpy as np
import pytest

import yupana
from yupana import arrays

TYPES = ["int32", "int64", "uint32", "uint64", "float32", "float64"]
SIZES = [0, 1, 2, 1000, 65536, 100003]


def values(size, dtype, seed=0):
    words = np.random.default_rng(seed).integers(0, 1000, size)
    return words.astype(dtype) if dtype[0] == "u" else (words - 500).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_equals_numpy_in_every_type_and_size(dtype, size):
    x = values(size, dtype)
    for threads in (1, 2, 7):
        assert np.array_equal(arrays.sort(x, threads=threads), np.sort(x))
        assert np.array_equal(arrays.argsort(x, threads=threads), np.argsort(x, kind="stable"))
        scan = arrays.inclusive_scan(x, threads=threads)
        assert scan.dtype == x.dtype
        assert np.array_equal(scan, np.cumsum(x, dtype=x.dtype))
        assert np.array_equal(arrays.exclusive_scan(x, threads=threads)[1:], scan[:-1])
        assert arrays.reduce(x, threads=threads) == x.sum(dtype=x.dtype)
    if size:
        assert arrays.reduce(x, "min") == x.min() and arrays.reduce(x, "max") == x.max()
        assert np.array_equal(arrays.inclusive_scan(x, "max"), np.maximum.accumulate(x))


@pytest.mark.parametrize("dtype", TYPES)
def test_merge_equals_a_stable_sort(dtype):
    a, b = np.sort(values(1003, dtype, 1)), np.sort(values(2011, dtype, 2))
    assert np.array_equal(arrays.merge(a, b), np.sort(np.concatenate([a, b]), kind="stable"))
    places = np.arange(3014, dtype=np.int32)
    keys, moved = arrays.merge_by_key(a, places[:1003], b, places[1003:])
    order = np.argsort(np.concatenate([a, b]), kind="stable")
    assert np.array_equal(moved, places[order]) and moved.dtype == np.int32
    assert np.array_equal(keys, np.concatenate([a, b])[order])


def test_values_of_any_type_move_with_their_keys():
    keys = values(5003, "int32")
    order = np.argsort(keys, kind="stable")
    for moved in (np.arange(5003, dtype="float32"), np.arange(5003).astype("datetime64[s]")):
        found_keys, found = arrays.sort_by_key(keys, moved)
        assert np.array_equal(found, moved[order]) and found.dtype == moved.dtype
        assert np.array_equal(found_keys, keys[order])
    assert np.array_equal(keys, values(5003, "int32")), "the caller's keys changed"


def test_segments_and_runs():
    x = values(1000, "float64")
    offsets = [0, 0, 10, 999, 1000]
    sums = [x[a:b].sum() for a, b in zip(offsets, offsets[1:])]
    assert np.allclose(arrays.segmented_reduce(x, offsets), sums)
    scan = arrays.segmented_scan(x, offsets)
    assert np.array_equal(scan[10:999], np.cumsum(x[10:999]))
    for dtype in TYPES[:4]:
        keys = np.sort(values(1000, dtype))
        found, sums = arrays.reduce_by_key(keys, x)
        wanted = np.unique(keys)
        assert np.array_equal(found, wanted) and found.dtype == keys.dtype
        assert np.allclose(sums, [x[keys == k].sum() for k in wanted])
    _, wrapped = arrays.reduce_by_key(np.zeros(2, np.int32), np.full(2, 2**31, np.uint32))
    assert wrapped[0] == 0 and wrapped.dtype == np.uint32


def test_nan_is_the_greatest_number():
    x = np.array([np.nan, 1.0, -np.inf, np.inf, -0.0, 0.0])
    assert np.array_equal(arrays.sort(x), np.sort(x), equal_nan=True)
    assert arrays.reduce(x, "min") == -np.inf and np.isnan(arrays.reduce(x, "max"))
    assert np.isnan(arrays.reduce(np.array([np.nan]), "min"))


def test_works_in_the_callers_memory():
    x = values(100003, "int64")
    wanted = np.cumsum(x)
    before = x.ctypes.data
    assert arrays.inclusive_scan(x, out=x) is x and x.ctypes.data == before
    assert np.array_equal(x, wanted)
    keys = values(100003, "int64")
    assert arrays.sort(keys, out=keys) is keys and (np.diff(keys) >= 0).all()


def test_no_copy_of_the_input():
    x = np.zeros(1 << 25, np.int32)  # 128 MiB
    x[::4096] = 1
    before = yupana._core.peak_memory()
    arrays.reduce(x)
    assert yupana._core.peak_memory() - before < 32 << 20


def test_read_only_and_dlpack_arrays_are_read_where_they_are():
    x = np.arange(10)
    x.flags.writeable = False
    assert arrays.reduce(x) == 45

    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **keywords):
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert arrays.reduce(Foreign(np.arange(10))) == 45


def test_numbers_in_the_other_byte_order_are_no_other_type():
    for kind in (">f8", ">i4", ">u8"):
        x = np.array([3, 1, 2], kind)
        assert arrays.sort(x).tolist() == [1, 2, 3]
        assert arrays.inclusive_scan(x).tolist() == [3, 4, 6]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "float16", "bool", ">i2"])
def test_narrow_numbers_were_refused(dtype):
    x = np.random.default_rng(3).integers(0, 2 if dtype == "bool" else 100, 500).astype(dtype)
    native = x.dtype.newbyteorder("=")
    for result, expected in [
        (arrays.sort(x), np.sort(x)),
        (arrays.sort(x, descending=True, top=7), np.sort(x)[::-1][:7]),
        (arrays.unique(x), np.unique(x)),
        (arrays.merge(np.sort(x), np.sort(x)), np.sort(np.concatenate([x, x]))),
        (arrays.sort_by_key(x, np.arange(500))[0], np.sort(x)),
        (arrays.merge_by_key(np.sort(x), np.arange(500), np.sort(x), np.arange(500))[0], np.sort(np.concatenate([x, x]))),
    ]:
        assert result.dtype == native and np.array_equal(result, expected)
    assert np.array_equal(arrays.argsort(x), np.argsort(x, kind="stable"))
    assert np.array_equal(arrays.lexsort((x, x[::-1])), np.lexsort((x, x[::-1])))
    wide = {"f": "f8", "i": "i8"}.get(x.dtype.kind, "u8")
    sums = arrays.inclusive_scan(x)
    assert sums.dtype == wide and np.array_equal(sums, np.cumsum(x, dtype=wide))
    assert arrays.reduce(x) == x.sum(dtype=wide) and arrays.reduce(x, "max") == x.max()
    if x.dtype.kind != "f":
        keys, totals = arrays.reduce_by_key(np.sort(x), x)
        assert keys.dtype == native and np.array_equal(keys, np.unique(x)) and totals.dtype == wide


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: arrays.reduce(np.zeros((2, 2))), ValueError, "one dimension"),
        (lambda: arrays.reduce(np.zeros(2, np.complex64)), TypeError, "got complex64"),
        (lambda: arrays.sort(np.zeros(3, "i1"), out=np.zeros(3, "i1")), ValueError, "3 int64 values"),
        (lambda: arrays.reduce(np.zeros(2), "times"), ValueError, "plus, min, max"),
        (lambda: arrays.sort(np.zeros(2), out=np.zeros(3)), ValueError, "2 float64 values"),
        (lambda: arrays.merge(np.zeros(2), np.zeros(2, int)), TypeError, "expected float64"),
        (lambda: arrays.segmented_reduce(np.zeros(3), [0, 4]), ValueError, "offsets"),
        (lambda: arrays.segmented_reduce(np.zeros(3), [2, 1]), ValueError, "offsets"),
        (lambda: arrays.sort_by_key(np.zeros(3), np.zeros(2)), ValueError, "expected 3 values"),
        (lambda: arrays.sort_by_key(np.zeros(3), np.zeros(3, "i1")), TypeError, "4-byte or 8-byte"),
        (lambda: arrays.reduce(np.zeros(3), device="abacus"), ValueError, "abacus"),
        (lambda: arrays.reduce(np.zeros(3), threads=-1), ValueError, "threads"),
    ],
)
def test_bad_input_is_one_clear_line(call, error, words):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", TYPES[:4])
def test_sums_of_integers_wrapped_around_without_a_word(dtype):
    most = int(np.iinfo(dtype).max)
    x = np.array([most, 1, 5], dtype)
    wrapped = np.cumsum(x, dtype=dtype)
    words = rf"with number 2 \(from 1\) the sum is {most + 1}, beyond what {dtype} holds"
    for scan in (arrays.inclusive_scan, arrays.exclusive_scan):
        with pytest.warns(yupana.Note, match=f"{scan.__name__}: {words}, and wraps around"):
            scan(x)
        with pytest.raises(ValueError, match=words):
            scan(x, overflow="error")
    with pytest.warns(yupana.Note, match="reduce: with number 3 .from 1. the sum is"):
        assert arrays.reduce(x) == wrapped[-1]
    with pytest.raises(ValueError, match="overflow='wrap'"):
        arrays.reduce(x, overflow="error")
    with pytest.raises(ValueError, match="overflow: expected one of note, wrap, error; got 'no'"):
        arrays.reduce(x, overflow="no")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(arrays.inclusive_scan(x, overflow="wrap"), wrapped)
        assert arrays.reduce(x, overflow="wrap") == wrapped[-1]
        assert arrays.reduce(x, "max") == most
        # What leaves the type in its last number is no sum of an exclusive scan.
        assert arrays.exclusive_scan(x[:2], overflow="error").tolist() == [0, most]
        many = np.full(300_001, most // 300_001, dtype)
        assert arrays.reduce(many, overflow="error") == int(many[0]) * 300_001
        assert arrays.inclusive_scan(many, overflow="error")[-1] == int(many[0]) * 300_001
    with pytest.warns(yupana.Note, match="reduce: with number 300001 "):
        arrays.reduce(np.full(300_001, most, dtype))
    with pytest.warns(yupana.Note, match="with number 1 .from 1. the sum is"):
        arrays.exclusive_scan(np.array([1, 1], dtype), most)


def test_sums_that_come_back_into_their_type_are_exact():
    x = np.array([2**31 - 1, 1, -5], np.int32)
    assert arrays.reduce(x, overflow="error") == 2**31 - 5
    with pytest.raises(ValueError, match="number 2"):
        arrays.inclusive_scan(x, overflow="error")


@pytest.mark.parametrize("function", [arrays.reduce, arrays.exclusive_scan])
def test_a_start_that_the_type_does_not_hold_was_cut_off(function):
    x = np.array([1, 2], np.int32)
    for init, says in ((1.5, "whole number, as x is of int32, got 1.5"), (2**31, "that int32 holds"), (np.nan, "int32")):
        with pytest.raises(ValueError, match=f"init: expected .*{says}"):
            function(x, init=init)
    with pytest.raises(TypeError, match="init: expected a number, got '3'"):
        function(x, init="3")
    assert np.array_equal(function(x, init=2.0), function(x, init=2))
    assert np.array_equal(function(x.astype(np.float32), init=0.5), function(x.astype(np.float32), init=np.float32(0.5)))


def test_offsets_of_segments_were_cut_off():
    x = np.array([1, 2, 3])
    for offsets in ([0, 1.7, 3], np.array([0.0, 3.0]), ["0", "3"]):
        with pytest.raises(TypeError, match="offsets: expected integers, got "):
            arrays.segmented_scan(x, offsets)
    assert arrays.segmented_reduce(x, np.array([0, 3], np.uint8)).tolist() == [6]
