"""yupana scan and reduce: products, and runs of equal keys (--by), against NumPy and Python's integers."""
import itertools
import json
import math
import pathlib
import random

import numpy as np
from program import run

RNG = random.Random(3)
TYPES = {"i8": np.int64, "u8": np.uint64, "f8": np.float64}
FOLDS = {"sum": sum, "product": math.prod, "min": min, "max": max}


def column(kind, n, op):
    if kind == "f8":
        return [RNG.choice((1.0, -0.5, 2.0, 1.0, 0.25)) for _ in range(n)]
    few = (1, 1, 1, 1, 2) if kind == "u8" else (1, -1, 1, -1, 2)
    return [RNG.choice(few) if op == "product" else RNG.randrange(0 if kind == "u8" else -9, 9)
            for _ in range(n)]


def runs_of(keys, values):
    for key, run_of_key in itertools.groupby(zip(keys, values), key=lambda pair: pair[0]):
        yield key, [value for _, value in run_of_key]


def check(keys, key_kind, values, kind, op, more=()):
    np.save("x.npy", np.array(values, TYPES[kind]))
    np.save("k.npy", np.array(keys, TYPES[key_kind]))
    want = [(key, FOLDS[op](run_of_key)) for key, run_of_key in runs_of(keys, values)]
    told = json.loads(run("reduce", "x.npy", "--by", "k.npy", "--op", op, "-o", "o.tsv", "--json",
                          *more).stdout)
    number = float if kind == "f8" else int
    got = [line.split("\t") for line in pathlib.Path("o.tsv").read_text().splitlines()]
    assert [(float(k), number(t)) for k, t in got] == want, (op, kind)
    assert told["runs"] == len(want) and told["count"] == len(values)
    scans = [list(itertools.accumulate(run_of_key, lambda a, b: FOLDS[op]((a, b))))
             for _, run_of_key in runs_of(keys, values)]
    run("scan", "x.npy", "--by", "k.npy", "--op", op, "-o", "o.npy", *more)
    assert np.load("o.npy").tolist() == sum(scans, []), (op, kind)
    if op in ("sum", "product"):
        first = 0 if op == "sum" else 1
        run("scan", "x.npy", "--by", "k.npy", "--op", op, "--exclusive", "-o", "o.npy", *more)
        assert np.load("o.npy").tolist() == sum(([first] + one[:-1] for one in scans), [])


def folds_of_runs_are_those_of_python():
    for op in FOLDS:
        for kind in TYPES:
            for n, length in [(1, 1), (7, 1), (100, 5), (3000, 40)]:
                keys = list(itertools.chain.from_iterable(
                    [RNG.randrange(4)] * RNG.randrange(1, length + 1) for _ in range(n)))[:n]
                check(keys, RNG.choice(list(TYPES)), column(kind, n, op), kind, op,
                      RNG.choice(((), ("--threads", 1), ("--device", "reference"))))


def runs_reach_over_what_is_read_at_a_time():
    chunk = 1 << 18
    for borders in ([chunk], [chunk - 1, chunk + 1, 2 * chunk], []):
        n = 2 * chunk + 5
        keys = np.zeros(n, np.int64)
        for border in borders:
            keys[border:] += 1
        values = np.arange(n) % 7
        np.save("x.npy", values)
        np.save("k.npy", keys)
        run("reduce", "x.npy", "--by", "k.npy", "-o", "o.tsv")
        got = np.loadtxt("o.tsv", ndmin=2).astype(int)
        assert np.array_equal(got[:, 1], np.bincount(keys, values))
        run("scan", "x.npy", "--by", "k.npy", "-o", "o.npy")
        before = np.concatenate(([0], np.cumsum(values)))[np.searchsorted(keys, keys)]
        assert np.array_equal(np.load("o.npy"), np.cumsum(values) - before)


def products_are_exact_or_an_error():
    def product(*numbers, kind="i8", status=0, more=()):
        pathlib.Path("x.txt").write_text("".join(f"{x}\n" for x in numbers))
        return run("reduce", "x.txt", "--type", kind, "--op", "product", *more, status=status)

    assert product(*range(1, 21)).stdout == f"{math.factorial(20)}\n"
    assert product().stdout == "1\n"
    assert product(2**62, -2).stdout == f"{-2**63}\n"
    assert product(-2**63, 1).stdout == f"{-2**63}\n"
    assert product(2**40, 2**40, 0, -5).stdout == "0\n"
    assert product(2**32, 2**31, kind="u8").stdout == f"{2**63}\n"
    for numbers in [range(1, 22), (2**62, 2), (-2**63, -1), (2**32, 2**31), (2**40,) * 5]:
        fault = product(*numbers, status=3).stderr
        assert "the product of all numbers is beyond what i8 holds; pass --wrap" in fault, fault
        wrapped = (math.prod(numbers) + 2**63) % 2**64 - 2**63
        assert product(*numbers, more=["--wrap"]).stdout == f"{wrapped}\n"
    pathlib.Path("x.txt").write_text("".join(f"{x}\n" for x in range(1, 25)))
    done = run("scan", "x.txt", "--type", "i8", "--op", "product", "-o", "no.txt", status=3)
    assert "the product up to number 21 is beyond what i8 holds" in done.stderr, done.stderr
    assert not pathlib.Path("no.txt").exists()
    run("scan", "x.txt", "--op", "product", "--exclusive", "-o", "y.npy")
    assert np.load("y.npy").tolist() == np.cumprod([1.0, *range(1, 24)]).tolist()


def sums_of_runs_beyond_64_bits_are_never_silent():
    def totals(status=0, more=()):
        done = run("reduce", "x.npy", "--by", "k.npy", "-o", "o.tsv", *more, status=status)
        return done.stderr if status else pathlib.Path("o.tsv").read_text()

    np.save("k.npy", np.array([1, 2, 2, 3, 3, 3, 9]))
    np.save("x.npy", np.array([2**62, 2**62, 5, 2**62, 2**62, -1, 1]))
    # A running sum may pass 64 bits if the total does not; a scan shows it.
    assert totals() == f"1\t{2**62}\n2\t{2**62 + 5}\n3\t{2**63 - 1}\n9\t1\n"
    done = run("scan", "x.npy", "--by", "k.npy", "-o", "no.npy", status=3)
    assert "the sum up to number 5 is beyond what i8 holds" in done.stderr, done.stderr
    run("scan", "x.npy", "--by", "k.npy", "--wrap", "-o", "y.npy")
    assert np.load("y.npy").tolist() == [2**62, 2**62, 2**62 + 5, 2**62, -2**63, 2**63 - 1, 1]
    np.save("x.npy", np.array([2**62, 2**62, 5, 2**62, 2**62, 0, 1]))
    fault = totals(status=3)
    assert "the sum of run 3 (from 1), whose key is 3, is beyond what i8 holds" in fault, fault
    assert f"3\t{-2**63}\n" in totals(more=["--wrap"])


def faults_end_in_one_line():
    np.save("x.npy", np.arange(5))
    np.save("k.npy", np.arange(4))
    for command in ("reduce", "scan"):
        done = run(command, "x.npy", "--by", "k.npy", "-o", "no.tsv", status=3)
        assert "k.npy" in done.stderr and "4 keys alone" in done.stderr, done.stderr
        done = run(command, "k.npy", "--by", "x.npy", "-o", "no.tsv", status=3)
        assert "4 keys and more" in done.stderr, done.stderr
        run(command, "x.npy", "--key-type", "i8", "-o", "no.tsv", status=2)
    for out in ([], ["-o", "no.npy"]):
        done = run("reduce", "x.npy", "--by", "x.npy", *out, status=2)
        assert "-o FILE.tsv" in done.stderr, done.stderr
    assert run("reduce", "x.npy", "--op", "max", "--wrap", status=2).stderr
    assert not pathlib.Path("no.tsv").exists()
    np.save("x.npy", np.array([1e308, 10.0, np.nan, 1.0]))
    assert "product is infinite or NaN" in run("reduce", "x.npy", "--op", "product").stderr


def a_few_numbers_were_said_to_need_17_megabytes():
    np.save("x.npy", np.arange(1, 1001))
    np.save("k.npy", np.arange(1, 1001) // 10)
    for command in (("scan", "x.npy", "--by", "k.npy", "-o", "o.npy"), ("reduce", "x.npy", "--by", "k.npy", "-o", "o.tsv")):
        run(*command, "--memory", "100k")
