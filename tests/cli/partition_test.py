"""yupana partition, against NumPy."""
import json
import pathlib

import numpy as np
from program import run

RNG = np.random.default_rng(3)


def partition(x, *arguments, out="o.npy"):
    np.save("x.npy", x)
    run("partition", "x.npy", *arguments, "-o", out, "--quiet")
    return np.load(out)


def parted(x, first):
    return np.concatenate([x[first], x[~first]])


def check(got, want, what):
    assert got.dtype == want.dtype and got.tobytes() == want.tobytes(), what


def numbers_between_bounds_come_first():
    for kind in ["f4", "f8", ">f8", "i1", "i4", "i8", "u1", "u8", "?"]:
        for n in [0, 1, 1000, 100003]:
            x = (RNG.normal(size=n) * 50).astype("i8").astype(kind)
            for more in [(), ("--threads", 1), ("--device", "reference")]:
                own = x.astype(x.dtype.newbyteorder("=")) if kind != "?" else x.astype("u1")
                check(partition(x, "--below", 3, *more), parted(own, own < 3), (kind, n))
                both = (own > -5.5) & (own < 10)
                check(partition(x, "--above", "-5.5", "--below", "1e1", *more), parted(own, both), (kind, n))
                check(partition(x, "--above", 2, "--only", *more), own[own > 2], (kind, n))


def a_file_of_several_pieces_is_as_one():
    x = RNG.normal(size=5_000_000)
    x[::7] = np.nan
    x[1::11] = -0.0
    check(partition(x, "--below", 0), parted(x, x < 0), "-0 is not below 0, nan nowhere")


def integers_are_compared_exactly():
    x = np.array([2**53, 2**53 + 1, -2**63, 2**63 - 1, 0])
    for bound in [2**53, 2**53 + 1, 2**63 - 1, -2**63, "1e30", "9007199254740992.0", "inf", "-inf", 0.5]:
        exact = float(bound) if isinstance(bound, (str, float)) else bound
        less = np.array([int(v) < exact for v in x])
        more = np.array([int(v) > exact for v in x])
        check(partition(x, "--below", bound), parted(x, less), bound)
        check(partition(x, f"--above={bound}"), parted(x, more), bound)
    x = np.array([10**19, 10**19 + 1, 2**64 - 1, 2**63, 0], "u8")
    for text, bound in [("1e19", 10**19), ("10000000000000000001", 10**19 + 1), (str(2**64 - 1), 2**64 - 1),
                        (str(2**64), 2**64), ("1.8446744073709552e19", 2**64), ("9223372036854775808.0", 2**63),
                        ("-1", -1), ("0.5", 0.5), ("-0", 0)]:
        less, more = np.array([int(v) < bound for v in x]), np.array([int(v) > bound for v in x])
        check(partition(x, "--below", text), parted(x, less), text)
        check(partition(x, f"--above={text}"), parted(x, more), text)
        check(partition(x, f"--above={text}", "--below", "1e19", "--only"), x[more & (x < 10**19)], text)
    x = np.array([-2**63, -2**63 + 1, 0])
    check(partition(x, "--above=-9223372036854775808.0", "--only"), x[1:], "the least of i8, written as a float")


def floats_at_a_bound_are_on_neither_side():
    for kind in ["f4", "f8"]:
        for bound in [0, -0.0, 0.1, 1, 1e300, -1e300, 1e-320, "inf", "-inf", 2**53 + 1, 16777217]:
            exact = np.longdouble(bound)
            x = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1, 0.1, 1e-45, -1e-45, 2.0**53, 2.0**53 + 2, 16777216,
                          16777218, 3e38, -3e38], kind)
            check(partition(x, f"--below={bound}"), parted(x, x.astype(np.longdouble) < exact), (kind, bound))
            check(partition(x, f"--above={bound}"), parted(x, x.astype(np.longdouble) > exact), (kind, bound))


def texts_and_pipes_are_read():
    pathlib.Path("x.txt").write_text("3\n-1\n# nothing\n2.5\n")
    run("partition", "x.txt", "--below", "2.6", "-o", "o.txt")
    assert pathlib.Path("o.txt").read_text() == "-1\n2.5\n3\n"
    answer = json.loads(run("partition", "x.txt", "--below=-0.5", "-o", "o.txt", "--json").stdout)
    assert (answer["count"], answer["satisfied"], answer["type"]) == (3, 1, "f8"), answer
    assert run("partition", "x.txt", "--below", 3, "-o", "o.txt").stdout == "2 of 3 numbers (f8) come first in o.txt\n"


def bad_conditions_are_refused_in_one_line():
    np.save("x.npy", np.arange(5))
    for arguments, says, status in [((), "expected --below or --above", 2), (("--below", "x"), "--below: expected a number", 2),
                                    (("--above", "nan"), "--above: expected a number, got 'nan'", 2),
                                    (("--below", 1, "--memory", "79"), "--memory", 4)]:
        pathlib.Path("no.npy").unlink(missing_ok=True)
        done = run("partition", "x.npy", *arguments, "-o", "no.npy", status=status)
        assert says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
        assert not pathlib.Path("no.npy").exists()
