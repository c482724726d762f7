"""Integers that no double equals are refused wherever numbers are read as doubles."""
import os
import pathlib

import numpy as np
from program import helper, refuse, run


ODD = 2**53 + 1


@helper
def identity():
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n"
                                     "3 3 3\n1 1 1\n2 2 1\n3 3 1\n")


def readers_of_doubles(name):
    identity()
    return [["fft", name], ["polymul", name, "one.npy", "--real"], ["trisolve", "m.mtx", name]]


def integers_of_a_npy_that_doubles_do_not_hold_are_refused():
    np.save("one.npy", np.ones(1))
    for value, kind in [(ODD, "i8"), (-ODD, ">i8"), (2**63 - 1, "i8"), (2**64 - 1, "u8")]:
        np.save("x.npy", np.array([1, 2, value], kind))
        for command in readers_of_doubles("x.npy"):
            refuse(*command, "-o", "o.npy", says=["x.npy", "value 3 ", str(value)])
        np.save("p.npy", np.array([[1, 2], [3, value]], kind))
        refuse("closest", "p.npy", says=["p.npy", "value 4 ", str(value)])


def integers_of_a_text_that_doubles_do_not_hold_are_refused():
    np.save("one.npy", np.ones(1))
    pathlib.Path("x.txt").write_text(f"1\n2\n{ODD}\n")
    for command in readers_of_doubles("x.txt"):
        refuse(*command, "-o", "o.npy", says=["x.txt:3:", f"'{ODD}'", str(ODD - 1)])


def integers_beyond_64_bits_were_rounded_without_a_word():
    np.save("one.npy", np.ones(1))
    large = "99999999999999999999"
    pathlib.Path("x.txt").write_text(f"1\n{large}\n")
    for command in [*readers_of_doubles("x.txt"), *([name, "x.txt"] for name in ("sort", "scan", "reduce"))]:
        refuse(*command, "-o", "o.npy", says=["x.txt:2:", f"'{large}'", "100000000000000000000"])
    pathlib.Path("p.txt").write_text(f"1 2\n3 {large}\n")
    refuse("closest", "p.txt", says=["p.txt:2:", f"'{large}'"])
    pathlib.Path("t.csv").write_text(f"x,c\n1,a\n{large},b\n")
    refuse("tree", "fit", "t.csv", "--label", "c", "-o", "o", says=["x", large, f"write {large}.0"])
    pathlib.Path("x.txt").write_text("1\n1e20\n100000000000000000000\n")
    run("sort", "x.txt", "-o", "o.npy")
    assert np.load("o.npy").tolist() == [1, 1e20, 1e20]
    os.remove("o.npy")


def integers_of_a_matrix_that_doubles_do_not_hold_are_refused():
    np.save("b.npy", np.ones(2))
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n"
                                     f"2 2 2\n1 1 1\n2 2 {ODD}\n")
    refuse("trisolve", "m.mtx", "b.npy", "-o", "o.npy", says=["m.mtx:4:", str(ODD)])


def larger_integers_that_doubles_hold_are_taken():
    identity()
    x = np.array([2**53 + 2, -2**60, -2**63])
    np.save("x.npy", x)
    run("trisolve", "m.mtx", "x.npy", "-o", "o.npy")
    assert np.load("o.npy").tolist() == x.tolist()
    pathlib.Path("x.txt").write_text("\n".join(map(str, x)) + "\n")
    run("trisolve", "m.mtx", "x.txt", "-o", "p.npy")
    assert np.load("p.npy").tolist() == x.tolist()


def a_line_without_a_number_is_described_in_words():
    np.save("one.npy", np.ones(1))
    pathlib.Path("x.txt").write_text("1\nx\n")
    refuse("polymul", "x.txt", "x.txt", "-o", "o.npy",
           says=["x.txt:2:", "expected one whole number (i8) a line, got 'x'"])
    refuse("sort", "x.txt", "-o", "o.npy", says=["x.txt:2:", "expected one number a line, got 'x'"])
    pathlib.Path("x.txt").write_text("1 2\n")
    refuse("sort", "x.txt", "-o", "o.npy", says=["x.txt:1:", "one number a line, got '1 2'"])
