#!/usr/bin/env python3
"""tree, forest, som and the building blocks, used with other data: what they said that was not so."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import main, refuse, run


def put(name, text):
    pathlib.Path(name).write_text(text)


def importances_of_a_model_alone_took_threads_in_silence():
    put("t.csv", "x,y\n1,a\n2,b\n3,a\n")
    run("tree", "fit", "t.csv", "--label", "y", "-o", "m")
    for option in (("--threads", 2), ("--device", "cpu")):
        refuse("tree", "importances", "m.json", *option, status=2, says=f"{option[0]} has no effect without 'table'")
        run("tree", "importances", "m.json", "t.csv", "--label", "y", *option)


def a_map_rounded_a_column_of_one_whole_number_in_silence():
    put("t.csv", "t,b\n" + "".join(f"{i},{i % 7}\n" for i in range(60)))
    run("som", "fit", "t.csv", "--rows", 3, "--cols", 3, "-o", "m")
    for value, rounded in ((16777217, True), (-16777219, True), (16777216, False), (0.1, False)):
        for rows in (1, 3):
            put("new.csv", "t,b\n" + f"{value},2\n" * rows)
            said = run("som", "apply", "m.json", "new.csv", "-o", "n").stderr
            assert (f"column 't': the value {value} is rounded by up to 1, to float32" in said) == rounded, said


def a_mistyped_column_of_a_libsvm_table_was_all_zeros_in_silence():
    put("t.libsvm", "".join(f"{i % 2} 1:{i % 5 + 1} 3:{i % 7}\n" for i in range(40)))
    for fit in (("tree", "fit", "t.libsvm", "--label", "label"), ("som", "fit", "t.libsvm", "--rows", 2, "--cols", 2)):
        said = run(*fit, "--columns", "1", "9", "-o", "m").stderr
        assert "note: t.libsvm: no row has a value in a column beyond 3: those are zeros" in said, said
        assert "beyond" not in run(*fit, "--columns", "1", "3", "-o", "m").stderr
    # What a model was trained on may be beyond a file that it predicts.
    run("tree", "fit", "t.libsvm", "--label", "label", "-o", "m")
    put("new.libsvm", "0 1:3\n1 1:4\n")
    assert "beyond" not in run("tree", "predict", "m.json", "new.libsvm", "-o", "p").stderr


def one_number_written_in_two_ways_was_two_classes_in_silence():
    put("t.csv", "a,y\n1,1.0\n2,1\n3,2\n4,x\n")
    said = "note: t.csv: '1' and '1.0' are two classes: names are compared, not numbers"
    assert said in run("tree", "fit", "t.csv", "--label", "y", "-o", "m").stderr
    assert said in run("forest", "fit", "t.csv", "--label", "y", "--trees", 2, "--partition", "-o", "m").stderr
    assert said in run("som", "fit", "t.csv", "--label", "y", "--rows", 2, "--cols", 2, "-o", "m").stderr
    put("t.csv", "a,y\n1,1\n2,1\n3,2\n4,x\n")
    assert "two classes" not in run("tree", "fit", "t.csv", "--label", "y", "-o", "m").stderr


def clusters_beyond_the_neurons_named_no_option():
    put("t.csv", "a,b\n" + "".join(f"{i % 5},{i % 7}\n" for i in range(40)))
    run("som", "fit", "t.csv", "--rows", 2, "--cols", 2, "-o", "m")
    for use in (("fit", "t.csv", "--rows", 2, "--cols", 2), ("report", "m.json")):
        refuse("som", *use, "--clusters", 5, "-o", "n", status=2, says="--clusters 5: the map has 4 neurons")


def numbers_that_are_not_whole_were_taken_for_a_line_of_names():
    put("x.txt", "-1.5\n2\n")
    refuse("sort", "x.txt", "--type", "i8", "-o", "o.txt", says=["expected one whole number", "'-1.5'; read it as f8"])
    refuse("polymul", "x.txt", "x.txt", "--exact", "-o", "o.txt", says="read it as f8")
    put("x.txt", "-1\n2\n")
    refuse("sort", "x.txt", "--type", "u8", "-o", "o.txt", says="'-1'; read it as i8")
    put("x.txt", "name\n2\n")
    refuse("sort", "x.txt", "--type", "i8", "-o", "o.txt", says="leave a line of names out")


def a_type_of_keys_was_refused_by_the_name_of_another_option():
    put("keys.txt", "1\n1\n2\n")
    put("x.txt", "1\n2\n3\n")
    run("sort", "keys.txt", "--type", "i8", "-o", "keys.npy")
    said = refuse("scan", "x.txt", "--by", "keys.npy", "--key-type", "f8", "-o", "o.txt", status=2,
                  says=["--key-type f8: keys.npy is a .npy of i8", "leave --key-type out"]).stderr
    assert "--type" not in said.replace("--key-type", ""), said


def plain_text_had_names_of_other_formats():
    put("x.txt", "1\n2\n")
    put("z.txt", "1 2\n3 4\n")
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n")
    for out in ("o.json", "o.parquet", "o.mtx", "o.JSON"):
        for command in (("sort", "x.txt"), ("scan", "x.txt"), ("reduce", "x.txt"), ("merge", "x.txt"), ("fft", "x.txt"),
                        ("polymul", "x.txt", "x.txt"), ("trisolve", "m.mtx", "x.txt"), ("sort", "x.txt", "--key", 1)):
            refuse(*command, "-o", out, status=2, says=[f"-o {out}", "which is not written"])
    # Two parts of a complex number, a blank between them, are no cells.
    for command in (("fft", "x.txt"), ("trisolve", "m.mtx", "z.txt")):
        refuse(*command, "-o", "o.csv", status=2, says="got one for .csv, which is not written")
        run(*command, "-o", "o.txt")
    run("fft", "o.txt", "--real", "--inverse", "--odd", "-o", "o.csv")
    run("sort", "x.txt", "-o", "o.tsv")


def what_followed_a_mean_of_folds_had_no_name():
    put("t.csv", "a,y\n" + "".join(f"{i * 7 % 11},{'pq'[i % 2]}\n" for i in range(40)))
    said = run("tree", "fit", "t.csv", "--label", "y", "--cv", 4, "--report", "-o", "m").stdout
    assert "accuracy of 4 folds: mean 0." in said and ", standard deviation 0." in said, said
    assert "(folds: mean 0." in pathlib.Path("m.html").read_text()


def help_of_predictions_spoke_of_training():
    for command in ("predict", "apply", "importances", "prune"):
        said = " ".join(run("tree", command, "--help").stdout.split())
        assert "the column to predict" not in said and "learn the better side" not in said, command
        assert "--missing TEXT=learn they go where the trees learned to send them, or error" in said, command
    assert "learn the better side" in " ".join(run("tree", "fit", "--help").stdout.split())


def names_of_a_table_of_text_alone_were_a_row_in_silence():
    put("t.csv", "color,shape,y\nred,round,a\nblue,square,b\n")
    fit = ("tree", "fit", "t.csv", "--label", "last", "-o", "m", "--categorical")
    said = "note: t.csv: the first line is taken as a row, for no number tells names from rows; --header yes if it is names"
    assert said in run(*fit, 1, 2).stderr
    for more in ((1, 2, "--header", "yes"), (1, 2, "--header", "no"), ("color", "shape")):
        assert "taken as a row" not in run(*fit, *more).stderr, more


sys.exit(main())
