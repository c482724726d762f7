"""scan, reduce, sort and merge: sums beyond 64 bits, NaN, options that would have no effect, and
files that a killed sort leaves."""
import pathlib
import signal
import subprocess

import numpy as np
from program import PROGRAM, files, refuse, run


MOST = 2**63 - 1
DEVICES = ["cpu", "reference"]


def sums_beyond_64_bits_are_refused_at_the_first_number():
    cases = [(np.array([MOST, 1, -5]), 2, str(2**63)),
             (np.array([-2**63, 3, -4]), 3, str(-2**63 - 1)),
             (np.array([2**64 - 1, 0, 7], "u8"), 3, str(2**64 + 6)),
             # The last number of a chunk, the first of the next, and one deep in it.
             *[(np.concatenate([np.full(2**21 + k, 2**41), [2**62 + 2**42]]), 2**21 + k + 1,
                str((2**21 + k) * 2**41 + 2**62 + 2**42)) for k in (-1, 0, 70_000)]]
    for x, number, value in cases:
        np.save("x.npy", x)
        for device in DEVICES:
            says = ["x.npy", f"number {number} ", value, f"{x.dtype.kind}8", "--wrap"]
            refuse("scan", "x.npy", "-o", "o.npy", "--device", device, says=says)
    np.save("x.npy", np.full(5_000_000, 2**41))
    refuse("reduce", "x.npy", says=[f"number {2**22} ", str(2**63)])


def nan_has_no_sign():
    np.save("x.npy", np.array([np.inf, -np.inf, 1]))
    for device in DEVICES:
        assert run("reduce", "x.npy", "--device", device).stdout == "nan\n"
        assert '"value":null' in run("reduce", "x.npy", "--json", "--device", device).stdout


def wrap_takes_sums_modulo_2_to_the_64():
    x = np.array([MOST, 1, -5])
    np.save("x.npy", x)
    with np.errstate(over="ignore"):
        sums = np.cumsum(x)
    for device in DEVICES:
        run("scan", "x.npy", "-o", "o.npy", "--wrap", "--device", device)
        assert np.load("o.npy").tolist() == sums.tolist()
    np.save("u.npy", np.array([2**64 - 1, 3], "u8"))
    assert run("reduce", "u.npy", "--wrap").stdout == "2\n"


def sums_that_come_back_into_64_bits_are_exact():
    np.save("x.npy", np.array([MOST, 1, -5]))
    assert run("reduce", "x.npy").stdout == f"{MOST - 4}\n"
    # An exclusive scan leaves the last number out, and with it the sum that does not fit.
    np.save("x.npy", np.array([MOST, 1]))
    run("scan", "x.npy", "-o", "o.npy", "--exclusive")
    assert np.load("o.npy").tolist() == [0, MOST]
    np.save("x.npy", np.array([MOST, 1, 0]))
    refuse("scan", "x.npy", "-o", "o2.npy", "--exclusive", says=["number 2 "])
    np.save("x.npy", np.array([-2**63, 2**62, 2**62, MOST, -2**63]))
    run("scan", "x.npy", "-o", "o.npy")
    assert np.load("o.npy").tolist() == [-2**63, -2**62, 0, MOST, -1]
    for kind in ["i1", "u1", "i4", "u4"]:
        limits = np.iinfo(kind)
        for value in [limits.min, limits.max]:
            np.save("x.npy", np.full(100_000, value, kind))
            assert run("reduce", "x.npy").stdout == f"{100_000 * int(value)}\n"


def nan_spreads_in_sums_and_comes_last_in_orders():
    x = np.array([np.nan, 2, 1, np.nan, -0.0, 3, -np.inf, 0.0])
    np.save("x.npy", x)
    for device in DEVICES:
        options = ["--device", device]
        for op, want in [("sum", np.full(8, np.nan)),
                         ("min", [np.nan, 2, 1, 1, -0.0, -0.0, -np.inf, -np.inf]),
                         ("max", np.full(8, np.nan))]:
            run("scan", "x.npy", "-o", "o.npy", "--op", op, *options)
            assert np.array_equal(np.load("o.npy"), want, equal_nan=True), (op, np.load("o.npy"))
        assert run("reduce", "x.npy", *options).stdout == "nan\n"
        assert run("reduce", "x.npy", "--op", "min", *options).stdout == "-inf\n"
        assert run("reduce", "x.npy", "--op", "max", *options).stdout == "nan\n"
        run("sort", "x.npy", "-o", "s.npy", *options)
        assert np.load("s.npy").tobytes() == np.sort(x, kind="stable").tobytes()
        np.save("y.npy", np.array([1.5, np.nan]))
        run("merge", "s.npy", "y.npy", "-o", "o.npy", *options)
        want = np.sort(np.concatenate([x, [1.5, np.nan]]), kind="stable")
        assert np.load("o.npy").tobytes() == want.tobytes()
        refuse("merge", "x.npy", "y.npy", "-o", "o2.npy", *options,
               says=["x.npy", "number 2 is 2, less than nan"])


def float_reduction_has_the_same_bits_on_the_reference():
    x = np.random.default_rng(1).normal(size=2**21 + 300_001)
    np.save("x.npy", x)
    assert (run("reduce", "x.npy").stdout
            == run("reduce", "x.npy", "--device", "reference").stdout)


def reduce_writes_the_file_it_is_given():
    np.save("x.npy", np.arange(10, dtype="i4"))
    assert run("reduce", "x.npy", "-o", "sum.npy").stdout == "45\nin sum.npy\n"
    got = np.load("sum.npy")
    assert got.dtype == np.int64 and got.tolist() == [45]
    run("reduce", "x.npy", "--op", "max", "-o", "max.txt")
    assert pathlib.Path("max.txt").read_text() == "9\n"
    np.save("f.npy", np.array([0.5, 0.25], "f4"))
    run("reduce", "f.npy", "-o", "sum.npy")
    assert np.load("sum.npy").dtype == np.float64 and np.load("sum.npy").tolist() == [0.75]
    refuse("reduce", "x.npy", "-o", "x.npy/such.npy", says=["x.npy/such.npy"])


def options_without_effect_are_refused():
    np.save("i.npy", np.arange(3, dtype="i4"))
    np.save("f.npy", np.arange(3.0))
    for command in ["sort", "scan", "merge"]:
        refuse(command, "i.npy", "-o", "o.npy", "--type", "u8", status=2,
               says=["--type u8", "i.npy", "i4", "leave --type out"])
        run(command, "f.npy", "-o", "o.npy", "--type", "f8")  # which it holds
        pathlib.Path("o.npy").unlink()
    refuse("reduce", "i.npy", "--wrap", "--op", "min", status=2, says=["--wrap", "--op sum"])
    refuse("scan", "i.npy", "-o", "o.npy", "--wrap", "--op", "max", status=2, says=["--wrap"])
    refuse("scan", "f.npy", "-o", "o.npy", "--wrap", status=2, says=["--wrap", "f.npy", "f8"])


def integers_of_a_text_are_not_rounded_to_doubles():
    pathlib.Path("x.txt").write_text("1\n9007199254740993\n")
    for command in ["sort", "scan", "merge"]:
        refuse(command, "x.txt", "-o", "o.txt",
               says=["x.txt:2:", "'9007199254740993'", "9007199254740992", "--type i8"])
    run("sort", "x.txt", "-o", "o.txt", "--type", "i8")
    assert pathlib.Path("o.txt").read_text() == "1\n9007199254740993\n"
    # Numbers that a double holds, and such as are not meant to be exact.
    pathlib.Path("x.txt").write_text("9007199254740994\n9007199254740993.0\n1e300\n1" + "0" * 20)
    run("sort", "x.txt", "-o", "o.txt")
    pathlib.Path("x.txt").write_text("9" * 30)
    refuse("sort", "x.txt", "-o", "o.txt", says=["x.txt:1:", "is an integer that f8 rounds to"])


def a_killed_sort_leaves_no_runs():
    np.save("x.npy", np.random.default_rng(1).normal(size=1_000_000))
    for end in [signal.SIGKILL, signal.SIGHUP]:
        sort = subprocess.Popen([PROGRAM, "sort", "x.npy", "-o", "sorted.npy", "--memory", "1M"],
                                stderr=subprocess.PIPE, text=True)
        note = sort.stderr.readline()  # the first run is about to be written
        sort.send_signal(end)
        sort.communicate()
        assert "the numbers and a copy of them exceed the memory" in note, note
        assert [name for name in files() if "runs" in name] == [], files()
