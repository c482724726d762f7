"""Entries, groups, weights and letters of tables that were taken for something else, in silence."""
import gzip
import pathlib

from program import answer, put, refuse, run


def predictions(prefix):
    return pathlib.Path(prefix + ".predicted.tsv").read_text().split()[1:]


def a_libsvm_table_of_many_columns_took_minutes():
    # Names were looked for among all names, in a fit's answer and in a model's features: 200 s.
    put("wide.libsvm", "a 400000:1\nb 1:3\n")
    run("tree", "fit", "wide.libsvm", "--label", "label", "-o", "m", timeout=30)
    run("tree", "predict", "m.json", "wide.libsvm", "--label", "label", "-o", "p", timeout=30)
    assert predictions("p") == ["a", "b"]


def an_entry_of_libsvm_was_taken_for_a_label():
    put("t.libsvm", "a 1:1 2:2\nb 1:3\n")
    put("bare.libsvm", "1:1 2:2\n1:3\n")
    refuse("tree", "fit", "bare.libsvm", "--label", "label", "-o", "m",
           says=["bare.libsvm:1: expected a label first, got '1:1'"])
    run("tree", "fit", "t.libsvm", "--label", "label", "-o", "m")
    refuse("tree", "predict", "m.json", "bare.libsvm", "-o", "p", says="expected a label first")
    put("times.libsvm", "a:b 1:1 2:2\n12:x 1:3\n")
    assert answer("tree", "fit", "times.libsvm", "--label", "label", "-o", "m")["classes"] == ["12:x", "a:b"]


def groups_of_libsvm_were_left_out_in_silence():
    put("t.libsvm", "1 qid:3 1:1\n2 qid:4 1:3\n3 1:4\n")
    done = run("tree", "fit", "t.libsvm", "--label", "label", "-o", "m")
    assert "note: t.libsvm: 2 rows with a group (qid:), left out" in done.stderr


def columns_that_were_named_were_called_the_table():
    put("t.csv", "x,y,z,class\n1,2,3,a\n2,3,1,b\n")
    put("one.csv", "x;y;z\n1;2;3\n2;3;1\n")
    run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
    refuse("tree", "predict", "m.json", "t.csv", "--columns", "x", "-o", "p",
           says="t.csv: the model has 3 features, and --columns names 1; name them all")
    refuse("tree", "predict", "m.json", "one.csv", "--delimiter", ",", "--header", "yes", "-o", "p",
           says="has no column 'x', a feature of the model; its only one is 'x;y;z'")


def a_weight_named_as_text_weighed_nothing():
    # It became a feature, and folds of one's own vanished from the features, without a word.
    put("t.csv", "x,w,class\n1,1,a\n2,2,b\n3,1,a\n4,2,b\n")
    fit = ["tree", "fit", "t.csv", "--label", "class", "--categorical", "w", "-o", "m"]
    refuse(*fit, "--weight", "w", status=2, says="--categorical: column 'w' is the weight as well")
    refuse(*fit, "--cv-column", "w", status=2, says="--cv-column: column 'w' is the categorical one as well")
    run(*fit)


def utf_32_was_called_utf_16():
    for encoding in ("utf-32", "utf-16"):
        put("t.csv", "x,class\n1,a\n2,b\n".encode(encoding))
        name = encoding.upper()
        refuse("tree", "fit", "t.csv", "--label", "class", "-o", "m", says=[f"got {name};", f"iconv -f {name}"])


def a_delimiter_of_two_bytes_was_no_character():
    put("t.csv", "x,class\n1,a\n2,b\n")
    for option in ("--delimiter", "--comment"):
        refuse("tree", "fit", "t.csv", "--label", "class", option, "é", "-o", "m", status=2,
               says=[f"{option}: expected one character of ASCII, tab, space or", "'é'"])


def a_gzip_text_beyond_the_memory_did_not_say_how_long_it_is():
    put("t.csv.gz", gzip.compress(("x,y\n" + "1,2\n" * 500_000).encode()))
    run("tree", "fit", "t.csv.gz", "--label", "y", "-o", "m")
    refuse("tree", "predict", "m.json", "t.csv.gz", "--memory", "1.2M", "-o", "p", status=4,
           says="its text takes 2.01 MB and memory is limited to 1.20 MB; give --memory 2.01M")


def one_row_has_no_r2():
    put("l.csv", "x,y\n1,1\n2,2\n3,3\n4,4\n")
    put("o.csv", "x,y\n1.2,7\n")
    run("tree", "fit", "l.csv", "--label", "y", "--regression", "-o", "m")
    told = answer("tree", "predict", "m.json", "o.csv", "--label", "y", "-o", "p")
    assert told["score"] is None and told["measures"]["r2"] is None and told["measures"]["rmse"] == 6, told
    assert "r2 nan on 1 row" in run("tree", "predict", "m.json", "o.csv", "--label", "y", "-o", "p").stdout
    refuse("tree", "importances", "m.json", "o.csv", "--label", "y", says=["two rows"])


def a_map_without_label_did_not_say_that_a_column_of_text_may_be_one():
    put("t.csv", "x,kind\n1,a\n2,b\n3,a\n")
    refuse("som", "fit", "t.csv", "-o", "m", says="'a' is no number; give it as --label or --id, or leave it out with --ignore")
    told = refuse("som", "fit", "t.csv", "--label", "x", "-o", "m", says="'a' is no number").stderr
    assert "--label or" not in told, told
