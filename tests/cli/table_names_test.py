"""Names of columns and classes, and what files are, that were read wrongly in silence."""
import json
import pathlib

from program import answer, put, refuse, run


def a_nul_byte_was_part_of_a_name():
    put("label.csv", "x,y,class\n1,2,a\n3,4,b\0c\n")
    put("column.csv", "x,y\0,class\n1,2,a\n3,4,b\n")
    put("text.csv", "x,color,class\n1,red,a\n3,b\0,b\n")
    put("l.libsvm", "a 1:1\nb\0 1:2\n")
    for family in ("tree", "forest", "som"):
        fit = (family, "fit"), ("-o", "m", *(("--rows", 1, "--cols", 2) if family == "som" else ()))
        refuse(*fit[0], "label.csv", "--label", "class", *fit[1],
               says=["label.csv:3: column 3", "'b\\x00c' has a NUL byte"])
        refuse(*fit[0], "column.csv", "--label", "class", *fit[1],
               says=["column.csv:1: column 2", "'y\\x00' has a NUL byte"])
        refuse(*fit[0], "l.libsvm", "--label", "label", *fit[1], says=["l.libsvm:2", "NUL"])
        refuse(*fit[0], "text.csv", "--label", "class", "--id", "color", *fit[1], says=["text.csv:3: column 2", "NUL"])
    refuse("tree", "fit", "text.csv", "--label", "class", "--categorical", "color", "-o", "m",
           says=["text.csv:3: column 2", "NUL"])


def a_header_after_a_number_sign_was_lost():
    rows = "1,2,p\n3,4,q\n5,6,p\n"
    for mark in ("#", "# ", "# of 2026, by hand\n#"):
        put("t.csv", f"{mark}a,b,class\n{rows}")
        done = run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
        assert "note: t.csv: the comment before the rows is taken as names of the columns, 'a' the first; --header no" \
            in done.stderr, done.stderr
        assert ("1 line with #" in done.stderr) == ("by hand" in mark), done.stderr
        model = json.loads(pathlib.Path("m.json").read_text())
        assert model["features"] == ["a", "b"] and model["label"] == "class", model
        assert answer("tree", "predict", "m.json", "t.csv", "-o", "p")["rows"] == 3
        assert answer("som", "fit", "t.csv", "--label", "class", "--rows", 1, "--cols", 2, "-o", "s")["samples"] == 3
    # Without an option that names one, as the rows have numbers under the names.
    assert answer("tree", "fit", "t.csv", "--label", "3", "-o", "m")["rows"] == 3
    assert json.loads(pathlib.Path("m.json").read_text())["features"] == ["a", "b"]
    assert answer("tree", "fit", "t.csv", "--label", "3", "--header", "yes", "-o", "m")["rows"] == 3
    run("tree", "fit", "t.csv", "--label", "last", "--header", "no", "-o", "m")
    assert json.loads(pathlib.Path("m.json").read_text())["features"] == ["1", "2"]
    # Remarks stay remarks.
    for remark in ("# one, two", "# a, a, b", "# x, , y", "# 7, 8, 9"):
        put("t.csv", f"{remark}\n{rows}")
        run("tree", "fit", "t.csv", "--label", "last", "-o", "m")
        assert json.loads(pathlib.Path("m.json").read_text())["features"] == ["1", "2"], remark
    put("t.csv", f"# x, y, z\na,b,class\n{rows}")
    run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
    assert json.loads(pathlib.Path("m.json").read_text())["features"] == ["a", "b"]


def names_of_points_after_a_number_sign_were_lost():
    put("p.csv", "# by hand\n# x,y,z\n0,5,1\n1,9,7\n4,7,2\n")
    done = run("closest", "p.csv", "--columns", "x,z")
    assert done.stdout == run("closest", "p.csv", "--columns", "1,3").stdout == "0 2 4.123105625617661\n", done.stdout
    assert "p.csv: 1 line with # at the front" in done.stderr, done.stderr
    refuse("closest", "p.csv", "--columns", "x,w", says="no column 'w': 3 columns: x, y, z")


def a_coordinate_below_the_least_number_was_taken_for_zero():
    put("p.csv", "1,2\n3,1e-400\n")
    refuse("closest", "p.csv", says="p.csv:2: '1e-400' is beyond what a double holds; write 0")
    put("p.csv", "1,2\n3,0e-400\n-0.0,0\n")
    assert run("closest", "p.csv").stdout == "0 2 2.23606797749979\n"
    put("p.csv", "1,2,\n3,4,\n")
    refuse("closest", "p.csv", says="got ''; leave the row out, or choose the columns with --columns")


def the_first_tree_of_a_forest_was_shown_as_if_there_were_no_other():
    put("t.csv", "a,b,class\n1,2,p\n3,4,q\n5,6,p\n")
    run("forest", "fit", "t.csv", "--label", "class", "--trees", 3, "-o", "f")
    run("tree", "fit", "t.csv", "--label", "class", "-o", "t")
    assert run("forest", "show", "f.json").stderr == "note: f.json: tree 1 of 3; --tree chooses another\n"
    assert run("forest", "show", "f.json", "--tree", 1).stderr == run("tree", "show", "t.json").stderr == ""


def a_map_was_called_a_damaged_model_of_trees():
    put("t.csv", "a,b,class\n1,2,p\n3,4,q\n5,6,p\n")
    run("som", "fit", "t.csv", "--label", "class", "--rows", 1, "--cols", 2, "-o", "s")
    run("tree", "fit", "t.csv", "--label", "class", "--binary", "-o", "t")
    refuse("tree", "predict", "s.json", "t.csv", "-o", "p", says="s.json: is no model of trees; give a file that")
    for model in ("t.json", "t.model"):
        refuse("som", "apply", model, "t.csv", "-o", "p", says=[model, "is no "])
