"""scan, reduce, sort, fft, polymul, closest and trisolve: what they once said that was not so."""
import pathlib

import numpy as np
from program import answer, notes, put, refuse, run


def one_was_written_as_many():
    put("x.txt", "5\n")
    for command in ["sort", "scan", "fft"]:
        assert run(command, "x.txt", "-o", "y.npy").stdout.startswith("1 number ("), command
    assert run("polymul", "x.txt", "x.txt", "-o", "y.npy").stdout.startswith("1 coefficient (")
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
    lines = run("trisolve", "m.mtx").stdout.splitlines()
    assert lines[0] == "1 row, 1 entry: 1 level, 1.0 rows each; 1 warp", lines
    assert lines[1] == "class 6: 1 row of 0 entries off the diagonal", lines


def float_sums_left_their_range_without_a_word():
    np.save("x.npy", np.full(3, 1e308))
    np.save("finite.npy", np.ones(3))
    np.save("s.npy", np.full(4, 3e38, np.float32))
    for command in [("reduce",), ("scan", "-o", "y.npy")]:
        said = notes(command[0], "x.npy", *command[1:])
        assert len(said) == 1 and "the sum is inf" in said[0] and "f8 holds" in said[0], said
        assert notes(command[0], "x.npy", *command[1:], "--op", "max") == []
        assert notes(command[0], "finite.npy", *command[1:]) == []
    said = notes("fft", "s.npy", "-o", "y.npy")
    assert len(said) == 1 and "sums of s.npy are beyond what f4 holds" in said[0], said
    put("nan.txt", "1\nnan\n")
    said = notes("fft", "nan.txt", "-o", "y.npy")
    assert len(said) == 1 and "nan.txt holds inf or nan" in said[0], said
    assert notes("fft", "finite.npy", "-o", "y.npy") == []


def a_product_of_nan_had_a_bound():
    np.save("a.npy", np.full(3, 1e308))
    refuse("polymul", "a.npy", "a.npy", "-o", "y.npy", says="within the range of double")
    # Every coefficient is finite, and so was the bound; sums of the transforms are not.
    np.save("b.npy", np.full(1000, 2e152))
    refuse("polymul", "b.npy", "b.npy", "-o", "y.npy", says="within the range of double")


def a_text_of_floats_was_taken_for_integers():
    put("a.txt", "1.5\n2\n")
    put("b.txt", "# 1.5\n1\n2\n")
    done = answer("polymul", "a.txt", "b.txt", "-o", "y.npy")
    assert done["type"] == "f8", done
    assert np.allclose(np.load("y.npy"), [1.5, 5, 4])
    done = answer("polymul", "b.txt", "b.txt", "-o", "y.npy")
    assert done["type"] == "i8" and list(np.load("y.npy")) == [1, 4, 4], done
    refuse("polymul", "a.txt", "b.txt", "--exact", "-o", "z.npy", says="a.txt:1: expected one whole")


def plain_text_was_written_under_a_compressed_name():
    put("x.txt", "1\n2\n")
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
    for arguments in [("sort", "x.txt"), ("scan", "x.txt"), ("reduce", "x.txt"), ("fft", "x.txt"),
                      ("merge", "x.txt"), ("polymul", "x.txt", "x.txt"), ("trisolve", "m.mtx")]:
        for name in ["y.npy.gz", "y.npz"]:
            refuse(*arguments, "-o", name, says=f"-o {name}: expected", status=2)


def a_text_with_a_nul_was_called_utf16():
    put("x.txt", "1\0\n2\n")
    refuse("sort", "x.txt", "-o", "y.txt", says="x.txt:1: expected one number a line")
    pathlib.Path("u.txt").write_bytes("1\n2\n".encode("utf-16-le"))
    refuse("sort", "u.txt", "-o", "y.txt", says="u.txt: expected UTF-8, got UTF-16")


def an_empty_name_left_a_sentence_without_a_subject():
    for command in [("sort", "", "-o", "y.txt"), ("closest", ""), ("trisolve", "")]:
        done = run(*command, status=2)
        assert "expected a value that is not empty, got ''" in done.stderr, done.stderr


def closest_took_two_integers_for_one():
    put("x.csv", "9007199254740993,1\n9007199254740992,1\n")
    refuse("closest", "x.csv", says="x.csv:1: '9007199254740993' is an integer between two doubles")


def closest_printed_an_infinite_distance():
    put("x.csv", "1e308\n-1e308\n")
    for device in ["cpu", "reference"]:
        refuse("closest", "x.csv", "--device", device, says="distance within the range of double")


def a_number_of_right_hand_sides_was_ignored():
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
    put("b.txt", "1\n")
    refuse("trisolve", "m.mtx", "b.txt", "--rhs", 1, says="--rhs", status=2)


def lines_of_comments_were_left_out_without_a_note():
    put("x.txt", "# head\n1\n# middle\n2\n")
    put("p.csv", "x,y\n1,2\n#3,4\n5,6\n")
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 2\n")
    two = "note: x.txt: 2 lines with # at the front, left out as comments"
    for command in [("scan", "x.txt", "-o", "y.txt"), ("reduce", "x.txt"),
                    ("sort", "x.txt", "-o", "y.txt"), ("merge", "x.txt", "x.txt", "-o", "y.txt"),
                    ("sort", "x.txt", "--positions", "-o", "y.txt"),
                    ("fft", "x.txt", "-o", "y.txt"), ("polymul", "x.txt", "x.txt", "-o", "y.txt"),
                    ("polymul", "x.txt", "x.txt", "--real", "-o", "y.txt"),
                    ("trisolve", "m.mtx", "x.txt"), ("closest", "x.txt")]:
        assert notes(*command) == [two], (command, notes(*command))
    assert notes("closest", "p.csv") == [
        "note: p.csv: 1 line with # at the front, left out as comments"]
    # libsvm has no --comment, which the note advised.
    put("t.libsvm", "# head\n0 1:1\n1 1:2\n")
    said = notes("tree", "fit", "t.libsvm", "--label", "label", "-o", "m")
    assert said == ["note: t.libsvm: 1 line with # at the front, left out as comments"], said
    put("plain.txt", "1\n2\n")
    assert notes("scan", "plain.txt", "-o", "y.txt") == []


def a_name_ending_in_NPY_was_given_text():
    put("x.txt", "1\n2\n3\n")
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
    for command in [("scan", "x.txt"), ("sort", "x.txt"), ("reduce", "x.txt"), ("fft", "x.txt"),
                    ("polymul", "x.txt", "x.txt"), ("trisolve", "m.mtx"),
                    ("trisolve", "m.mtx", "--rhs", 2)]:
        for name in ["y.NPY", "y.Npy"]:
            run(*command, "-o", name)
            assert np.load(name).size > 0
            pathlib.Path(name).unlink()
    refuse("scan", "x.txt", "-o", "y.TXT.GZ", says="-o y.TXT.GZ: expected", status=2)
    refuse("polymul", "x.txt", "x.txt", "--digits", "decimal", "-o", "y.NPY", status=2,
           says="names a .npy")


def an_option_after_two_dashes_made_the_dashes_unknown():
    put("x.txt", "1\n")
    refuse("scan", "--", "x.txt", "-o", "y.txt", status=2,
           says="'-o' after '--' is no option; name options before '--'")
    run("scan", "-o", "y.txt", "--", "x.txt")
    put("-x.txt", "1\n")
    run("scan", "-o", "y.txt", "--", "-x.txt")


def rows_in_messages_were_counted_from_0_or_from_1():
    x = np.ones((5, 2))
    x[3, 1] = np.nan
    np.save("x.npy", x)
    refuse("closest", "x.npy", says="row 4 (from 1)")
    np.save("i.npy", np.array([[1, 2], [3, 2**53 + 1]]))
    refuse("closest", "i.npy", says="value 4 (from 1)")
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n1 2 2\n")
    refuse("trisolve", "m.mtx", says="row 1 (from 1) has an entry in column 2, above")
    put("t.csv", "x,y\n1,2\n3,\n")
    refuse("som", "fit", "t.csv", "-o", "m", says="row 2 (from 1, a header not counted)")
    np.save("g.npy", np.array([[0, 1], [2, 7]], np.int8))
    refuse("dist", "g.npy", "-o", "d", says="row 2, column 2 (from 1)")


def the_help_of_trisolve_said_that_json_has_null_for_an_infinite_error():
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e-300\n")
    put("b.txt", "1e300\n")
    assert answer("trisolve", "m.mtx", "b.txt")["backward_error"] == "inf"
    said = " ".join(run("trisolve", "--help").stdout.split())
    assert "reported with the error inf; the exit status is 0" in said, said


def nan_was_advised_for_a_missing_integer():
    put("x.txt", "1\n\n3\n")
    for of_type in ["i8", "u8", "f8"]:
        refuse("sort", "x.txt", "--type", of_type, "-o", "y.txt",
               says="x.txt:2: expected a number, got ''; take the line out, or write what is missing: "
                    "nan where the numbers are floats")
    put("x.txt", "1\nnan\n3\n")
    run("sort", "x.txt", "-o", "y.txt")


def memory_for_one_run_was_said_to_be_all_that_a_sort_needs():
    # What was named was refused next, since the runs could not be merged.
    x = np.arange(300_000)[::-1]
    np.save("x.npy", x)
    put("x.txt", "".join(f"{i}\n" for i in x))
    for options in [(), ("--positions",)]:
        told = refuse("sort", "x.npy", *options, "-o", "y.npy", "--memory", "1", status=4,
                      says="x.npy: to sort in runs and merge them needs").stderr
        run("sort", "x.npy", *options, "-o", "y.npy", "--memory", told.split()[-1])
    for options in [(), ("--key", 1)]:
        told = refuse("sort", "x.txt", *options, "-o", "y.txt", "--memory", "1", status=4,
                      says="x.txt: to sort in runs and merge them needs").stderr
        run("sort", "x.txt", *options, "-o", "y.txt", "--memory", told.split()[-1])


def a_row_of_names_was_to_be_sorted_as_text():
    put("t.csv", "name,x\nb,2\na,10\n")
    refuse("sort", "t.csv", "--key", "2:n", "-o", "y.csv",
           says="got 'x'; give --header if the first row is names, or t to sort by text (--key 2:t)")
    run("sort", "t.csv", "--key", "2:n", "--header", "-o", "y.csv")
    put("t.csv", "1,2\n3,four\n")
    refuse("sort", "t.csv", "--key", "2:n", "-o", "y.csv", says="got 'four'; give t to sort by text (--key 2:t)")


def a_column_that_no_row_has_was_a_fault_of_the_row():
    put("t.csv", "1,2\n3,4\n")
    refuse("sort", "t.csv", "--key", 4, "-o", "y.csv",
           says="t.csv:1: expected column 4 to sort by, got fewer; name a column that each row has")
