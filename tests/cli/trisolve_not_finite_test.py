"""An x that is infinite or NaN has no small backward error."""
import json
import pathlib

from program import refuse as refuse_command, run


def matrix(*entries, rows=2):
    pathlib.Path("m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n"
                                     f"{rows} {rows} {len(entries)}\n"
                                     + "".join(f"{e}\n" for e in entries))


def side(*values):
    pathlib.Path("b.txt").write_text("".join(f"{v}\n" for v in values))


def check(count, first, *arguments):
    done = run("trisolve", "m.mtx", "b.txt", "-o", "x.txt", *arguments)
    assert "backward error inf" in done.stdout, done.stdout
    assert len(done.stderr.splitlines()) == 1 and "note:" in done.stderr, done.stderr
    for text in [done.stdout, done.stderr]:
        assert f"{count} of 2 numbers of x {'is' if count == 1 else 'are'} infinite or NaN, the first in row {first}" in text
    quiet = run("trisolve", "m.mtx", "b.txt", "--json", "--quiet", *arguments)
    answer = json.loads(quiet.stdout)
    assert quiet.stderr == "", quiet.stderr
    assert answer["backward_error"] == "inf", answer
    assert answer["not_finite"] == count and answer["first_not_finite_row"] == first, answer


def error_of_an_x_beyond_double_is_infinite():
    matrix("1 1 1e-300", "2 2 1")
    side("1e300", 1)
    for method in ["serial", "level-set", "sync-free"]:
        check(1, 1, "--method", method)
    assert pathlib.Path("x.txt").read_text() == "inf\n1\n"
    check(1, 1, "--device", "reference")


def refuse(*says):
    refuse_command("trisolve", "m.mtx", "b.txt", "-o", "y.txt", says=says)


def inputs_that_are_not_finite_were_solved():
    # With an infinity in the matrix x was finite and its error inf, without a reason.
    matrix("1 1 1", "2 2 1")
    side("nan", 1)
    refuse("b.txt: expected finite numbers, got nan in row 1")
    side(1, "-inf")
    refuse("b.txt: expected finite numbers, got -inf in row 2")
    side(1, 1)
    for value in ["nan", "inf", "-inf"]:
        matrix("1 1 1", f"2 1 {value}", "2 2 1")
        refuse(f"m.mtx: expected finite values, got {value} in row 2, column 1")


def finite_x_has_a_finite_error():
    matrix("1 1 3", "2 1 1", "2 2 7")
    side(1, 1)
    done = run("trisolve", "m.mtx", "b.txt")
    assert done.stderr == "" and "inf" not in done.stdout, done
    answer = json.loads(run("trisolve", "m.mtx", "b.txt", "--json").stdout)
    assert answer["backward_error"] < 1e-15 and answer["not_finite"] == 0, answer
    assert "first_not_finite_row" not in answer, answer
