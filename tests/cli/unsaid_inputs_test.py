"""Numbers and lines that were taken for others in silence, and hints that were refused when they were followed."""
import array
import pathlib
import re
import subprocess
import sys

import genes
from program import PROGRAM, answer, put, refuse, run

# Run in an interpreter of its own: a child's peak begins with what its parent has.
PEAK = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"""
CHECKED = any(name in pathlib.Path(PROGRAM).read_bytes() for name in (b"__asan_init", b"__tsan_init"))


def megabytes(*arguments):
    done = subprocess.run([sys.executable, "-S", "-c", PEAK, PROGRAM, *map(str, arguments)], capture_output=True,
                          text=True, check=True)
    return int(done.stdout) * 1024 / 1e6


def a_sum_of_minus_infinity_was_said_to_be_inf():
    for text, said in (("-inf\n1\n", "-inf"), ("-1e308\n-1e308\n", "-inf"), ("1e308\n1e308\n", "inf"), ("nan\n", "nan")):
        put("x.txt", text)
        done = run("reduce", "x.txt")
        assert done.stdout == said + "\n", done.stdout
        assert f"reduce: the sum is {said}: x.txt" in done.stderr, done.stderr
        assert f"scan: the sum is {said}: x.txt" in run("scan", "x.txt", "-o", "o.txt").stderr


def infinities_were_null_in_the_json_of_some_commands_and_nan_a_text_of_others():
    for text, value in (("-inf\n1\n", "-inf"), ("1e308\n1e308\n", "inf"), ("nan\n", None), ("1.5\n1\n", 2.5)):
        put("x.txt", text)
        assert answer("reduce", "x.txt")["value"] == value
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e-300\n")
    put("b.txt", "1e300\n")
    assert answer("trisolve", "m.mtx", "b.txt")["backward_error"] == "inf"


def the_hint_for_an_integer_beyond_64_bits_was_refused_itself():
    put("x.txt", "99999999999999999999\n1\n")
    says = "write it with a point and give --type f8"
    refuse("sort", "x.txt", "--type", "i8", "-o", "o.txt", says=says)
    refuse("polymul", "x.txt", "x.txt", "-o", "o.txt", says="write it with a point and pass --real")
    put("x.txt", "99999999999999999999.\n1\n")
    run("sort", "x.txt", "-o", "o.txt")
    run("polymul", "x.txt", "x.txt", "--real", "-o", "o.txt")


def a_point_with_a_typing_error_was_dropped_as_a_header():
    for first in ("12O", "1.000.5", "0x1p3", "-.5x"):
        put("p.txt", f"{first}\n120\n130\n")
        assert f"line 1 is taken as names, but '{first}' begins as a number" in run("closest", "p.txt").stderr
    for header in ("x", "2theta,phi", "3P%,name"):
        columns = header.count(",")
        put("p.txt", f"{header}\n120{',1' * columns}\n130{',2' * columns}\n")
        assert "begins as a number" not in run("closest", "p.txt").stderr, header


def a_row_with_a_typing_error_was_dropped_as_a_header():
    put("t.csv", "1_000,5\n2,3\n9,9\n")
    for command in (("tree", "fit", "t.csv", "--label", "last"),
                    ("som", "fit", "t.csv", "--rows", 1, "--cols", 1, "--no-p-matrix")):
        said = run(*command, "-o", "m").stderr
        assert "t.csv: the first line is taken as names, but '1_000' begins as a number; --header no" in said, said
        refuse(*command, "--header", "no", "-o", "none", says=["t.csv:1", "1_000"])
        assert "begins as" not in run(*command, "--header", "yes", "-o", "m").stderr
    put("t.csv", "Id,1stFlrSF,2ndFlrSF\n1,856,854\n2,1262,0\n")
    assert "begins as" not in run("tree", "fit", "t.csv", "--label", "Id", "-o", "m").stderr


def an_empty_npy_held_no_numbers_without_a_word():
    put("e.npy", "")
    for command in (("reduce", "e.npy"), ("sort", "e.npy", "-o", "o.npy"), ("scan", "e.npy", "-o", "o.npy")):
        refuse(*command, says="e.npy: expected a .npy, got an empty file")
    put("e.txt", "")
    assert run("reduce", "e.txt").stdout == "0\n"


def a_wrong_letter_of_a_genome_asked_for_proteins():
    genes.example()
    words = ("--genome", "g.fa", "--target", "t.fa")
    for letter, hint in (("E", "a genome is DNA"), ("!", "take it out")):
        put("g.fa", f">chr1\nACCG{letter}ATGT\n")
        done = run("splice", *words, "-o", "out", status=3)
        assert f"'{letter}' at place 5 of 'chr1'" in done.stderr and hint in done.stderr, done.stderr
    genes.example()
    put("t.fa", ">p\nMKEL\n")
    assert "give proteins by --protein" in run("splice", *words, "-o", "out", status=3).stderr


def small_weights_became_larger_without_a_word():
    """Of weights 1e16 and 1 the second counted 32768."""
    put("w.csv", "a,y,w\n" + "".join(f"{i},{'pq'[i % 2]},{10**16 if i == 0 else 1}\n" for i in range(20)))
    for command in (("tree", "fit"), ("tree", "fit", "--cv", 3), ("forest", "fit", "--trees", 3)):
        said = run(*command, "w.csv", "--label", "y", "--weight", "w", "-o", "m").stderr
        assert said.count("weights are rounded to 2^-40 of their sum") == 1, said
    put("w.csv", "a,y,w\n" + "".join(f"{i},{'pq'[i % 2]},{10**9 if i == 0 else 0.5 + i % 3}\n" for i in range(20)))
    assert "rounded" not in run("tree", "fit", "w.csv", "--label", "y", "--weight", "w", "-o", "m").stderr


def squares_that_vanish_made_errors_zero():
    put("e.csv", "a,y\n1,1e-300\n2,2e-300\n3,5e-300\n4,0\n")
    fit = ["tree", "fit", "e.csv", "--label", "y", "--regression", "--criterion", "absolute-error"]
    said = run(*fit, "--min-samples-leaf", 2, "-o", "m").stdout
    assert "rmse nan, mae 1.5e-300" in said, said
    assert "rmse 0, mae 0" in run(*fit, "-o", "m").stdout


def an_option_before_its_command_was_called_an_empty_argument():
    refuse("--json", "reduce", "x.txt", status=2, says="unexpected '--json'; options are written after 'reduce', and before '--'")
    # It was said to be before the command.
    refuse("reduce", "x.txt", "--", "-o", "y.txt", status=2,
           says="unexpected '-o'; options are written after 'reduce', and before '--'")
    refuse("help", "reduce", "fermat", status=2, says="unknown command 'fermat' of 'reduce'; 'yupana reduce --help'")
    refuse("reduce", "x.txt", "y.txt", status=2, says="unexpected argument 'y.txt'")


def columns_of_maps_were_not_separated_by_commas_as_those_of_trees():
    put("t.csv", "a,b,c\n" + "".join(f"{i},{i * i % 7},{i % 3}\n" for i in range(12)))
    fit = ("som", "fit", "t.csv", "--rows", 1, "--cols", 2, "--no-p-matrix", "-o", "m")
    written = []
    for options in (("--columns", "a,b"), ("--columns", "a", "b"), ("--ignore", "c"), ("--columns", "1,2")):
        run(*fit, *options)
        written.append(pathlib.Path("m.codebook.npy").read_bytes())
    assert len(set(written)) == 1


def scores_that_chance_gains_left_out_their_e_values_without_a_word():
    letters = "GATTACATTGACCCGATAGACTTTAGACCAGGATACCCATAGGGACTTACGATTTACCGAGATACCCAGATAGGGACACCTTTAGAGACCATTAC"
    put("g.fa", f">g\n{letters[::-1] * 3}\n")
    put("t.fa", f">t\n{letters}\n")
    words = ("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "o")
    assert "no E-value is known" in run(*words, "--match", 1, "--mismatch", 2).stderr
    assert genes.table("o")[0]["e_value"] == "."
    assert "E-value is known" not in run(*words).stderr
    assert genes.table("o")[0]["e_value"] != "."


def sorts_held_more_than_their_memory_without_a_word():
    put("x.txt", "\n".join(str(i * 7919 % 1000003) for i in range(300_000)) + "\n")
    run("sort", "x.txt", "-o", "x.npy")
    before = pathlib.Path("x.npy").read_bytes()
    for more in ((), ("--positions",)):
        told = refuse("sort", "x.npy", *more, "-o", "o.npy", "--memory", "2k", status=4, says="sort: x.npy").stderr
        told = refuse("sort", "x.npy", *more, "-o", "o.npy", "--memory", "40k", status=4,
                      says="sort: x.npy: to sort in runs and merge them needs").stderr
        needed = re.search(r"give --memory ([0-9.]+[kM])", told)[1]
        run("sort", "x.npy", *more, "-o", "o.npy", "--memory", needed)
    run("sort", "x.txt", "-o", "o.npy", "--memory", "1M")
    assert pathlib.Path("o.npy").read_bytes() == before
    refuse("merge", "x.npy", "o.npy", "-o", "p.npy", "--memory", "4k", status=4, says="merge of 2 files needs 4.10 kB")
    run("merge", "x.npy", "o.npy", "-o", "p.npy", "--memory", "4.2k")


def closest_by_halves_took_a_sixth_more_than_its_plan():
    rows = 600_000
    header = str({"descr": "<f8", "fortran_order": False, "shape": (rows, 3)}).ljust(117) + "\n"
    numbers = array.array("d", [i * factor % 1000003 for i in range(rows) for factor in (7919, 104729, 977)])
    pathlib.Path("p.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + header.encode() + numbers.tobytes())
    planned = refuse("closest", "p.npy", "--method", "divide", "--memory", "40M", status=4, says="p.npy: 600000 points need").stderr
    plan = float(re.search(r"give --memory ([0-9.]+)M", planned)[1])
    put("few.csv", "1,2,3\n4,5,6\n")
    took = megabytes("closest", "p.npy", "--method", "divide") - megabytes("closest", "few.csv", "--method", "divide")
    assert CHECKED or took <= 1.08 * plan, (took, plan)


def a_forest_of_equal_trees_was_grown_without_a_word():
    put("t.csv", "a,b,y\n" + "".join(f"{i % 7},{i % 5},{i % 3}\n" for i in range(60)))
    fit = ("forest", "fit", "t.csv", "--label", "y", "-o", "m", "--trees")
    said = "note: each of the 4 trees sees all rows and features, so they are all the same"
    for options in (("--all-rows", "--regression"), ("--all-rows", "--max-features", 0), ("--all-rows", "--max-features", 2)):
        assert said in run(*fit, 4, *options, "--seed", 1).stderr
        model = pathlib.Path("m.json").read_text()
        trees = [line.strip().rstrip(",") for line in model.splitlines() if line.strip().startswith('{"feature"')]
        assert len(trees) == 4 and len(set(trees)) == 1
    for options in (("--all-rows",), ("--all-rows", "--random-splits"), ("--regression",), ("--max-features", 0)):
        assert "all the same" not in run(*fit, 4, *options).stderr
    assert "all the same" not in run(*fit, 1, "--all-rows", "--max-features", 0).stderr
