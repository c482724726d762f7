"""What columns, names and options of tables are used for: none twice, none ignored in silence."""
import csv
import json
import pathlib
import re
import subprocess

from program import PROGRAM, answer, put, refuse, run


def a_fold_column_is_told_by_number_or_text_and_is_no_other_column():
    put("f.csv", "x,z,part,class\n" + "".join(
        f"{i},{i * 5 % 7},{'train' if i % 3 else 'test'},{'ab'[i % 2]}\n" for i in range(30)))
    by_name = answer("tree", "fit", "f.csv", "--label", "class", "--cv-column", "part")
    by_number = answer("tree", "fit", "f.csv", "--label", "class", "--cv-column", 3)
    assert by_name["features"] == 2 and len(by_name["cv_scores"]) == 2
    assert by_name["cv_scores"] == by_number["cv_scores"]
    for options in (["--label", "class", "--cv-column", "class"],
                    ["--label", "class", "--weight", "x", "--cv-column", "x"],
                    ["--label", "class", "--ignore", "z", "--cv-column", "z"]):
        refuse("tree", "fit", "f.csv", *options, status=2, says=["--cv-column", "name it once"])


def a_feature_that_is_the_label_or_the_weight_is_refused():
    put("t.csv", "x,z,class\n1,2,0\n2,3,1\n3,1,0\n")
    refuse("tree", "fit", "t.csv", "--label", "class", "--columns", "x,class", status=2,
           says=["'class' cannot be a feature and the label"])
    refuse("tree", "fit", "t.csv", "--label", "class", "--weight", "z", "--columns", "x,z", status=2,
           says=["'z' cannot be a feature and the weight"])
    run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
    refuse("tree", "predict", "m.json", "t.csv", "--label", "x", "-o", "p", status=2,
           says=["'x' cannot be a feature and the label"])


def categorical_columns_that_no_feature_is_made_of_are_refused():
    put("t.csv", "x,c,class\n1,a,0\n2,b,1\n")
    refuse("tree", "fit", "t.csv", "--label", "class", "--columns", "x", "--categorical", "c",
           status=2, says=["--categorical", "'c'", "--columns"])
    put("t.svm", "0 1:1 2:3\n1 1:2 2:3\n")
    refuse("tree", "fit", "t.svm", "--label", "label", "--categorical", 1, status=2,
           says=["--categorical: is for text and .npy tables"])


def a_first_row_with_a_named_column_is_a_header():
    put("years.csv", "1990,1991,1992,class\n1,5,3,x\n2,4,4,y\n")
    assert answer("tree", "fit", "years.csv", "--label", "class")["rows"] == 2
    put("text.csv", "word,class\nTrue,x\nFalse,y\n")
    told = answer("tree", "fit", "text.csv", "--label", "class", "--categorical", "word")
    assert told["rows"] == 2 and told["classes"] == ["x", "y"]
    put("numbers.csv", "1990,1991\n1,5\n2,4\n")
    refuse("tree", "fit", "numbers.csv", "--label", "1991", says=["'1991'", "--header yes"])


def names_with_tabs_and_quotes_keep_their_column():
    names = ["a\tb", 'q"uote', "#hash", " lead", "plain"]
    cells = ['"' + name.replace('"', '""') + '"' for name in names]
    put("t.csv", "x,class\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
    run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
    run("tree", "predict", "m.json", "t.csv", "--proba", "-o", "p")
    run("som", "fit", "t.csv", "--label", "class", "--rows", 1, "--cols", 2, "-o", "map")
    with open("p.predicted.tsv", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    assert rows[0] == ["predicted", *sorted(names)] and [row[0] for row in rows[1:]] == names, rows
    with open("map.bmu.tsv", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    assert [row[7] for row in rows[1:]] == names, rows
    put("f.csv", 'class,"a\tb"\nx,1\ny,2\n')
    run("tree", "fit", "f.csv", "--label", "class", "-o", "m")
    run("tree", "importances", "m.json", "-o", "m")
    assert '"a\tb"\t1' in pathlib.Path("m.importances.tsv").read_text()


def rows_keep_their_names_in_every_file_of_predictions():
    names = ["a\tb", 'q"uote', "#hash", " lead", "", "NA", "7", *(f"s{i}" for i in range(53))]
    cells = ['"' + name.replace('"', '""') + '"' for name in names]
    put("t.csv", "who,x,c,where,class\n" + "".join(
        f"{cell},{i * 7 % 31},{'pq'[i % 2]},{i % 4}-{i % 3},{'ab'[i * 7 % 31 > 15]}\n" for i, cell in enumerate(cells)))
    ids = ["--id", "who,where"]
    fit = ["t.csv", "--label", "class", "--categorical", "c", *ids, "--predictions"]
    assert answer("tree", "fit", *fit, "--cv", 3, "-o", "m")["features"] == 2
    run("forest", "fit", *fit, "--oob", "--trees", 5, "-o", "f")
    run("tree", "predict", "m.json", "t.csv", *ids, "--proba", "--memory", "2M", "-o", "m")
    run("tree", "apply", "m.json", "t.csv", *ids, "-o", "m")
    run("som", "fit", "t.csv", "--label", "class", "--ignore", "c", *ids, "--rows", 1, "--cols", 2, "-o", "map")
    run("som", "apply", "map.json", "t.csv", *ids, "-o", "map2")
    wanted = [[name, f"{i % 4}-{i % 3}"] for i, name in enumerate(names)]
    for path, first, others in (("m.cv.tsv", ["row"], ["fold", "label", "predicted", "a", "b"]),
                                ("f.oob.tsv", ["row"], ["label", "predicted", "a", "b"]),
                                *((path, ["row"], ["neuron", "map_row", "map_col", "distance", "second", "class",
                                                   "label", "cluster"]) for path in ("map.bmu.tsv", "map2.bmu.tsv")),
                                ("m.predicted.tsv", [], ["predicted", "a", "b"]), ("m.nodes.tsv", [], ["tree1"])):
        with open(path, newline="") as file:
            head, *rows = csv.reader(file, delimiter="\t")
        assert head == [*first, "who", "where", *others], (path, head)
        assert [row[len(first):len(first) + 2] for row in rows] == wanted, path
    run("tree", "fit", "t.csv", "--label", "class", "--columns", "x", "-o", "x")
    put("headless.csv", "".join(f"n{i},{i}\n" for i in range(9)))
    run("tree", "predict", "x.json", "headless.csv", "--id", 1, "-o", "h")
    assert pathlib.Path("h.predicted.tsv").read_text().startswith("1\tpredicted\nn0\t")


def a_name_of_rows_has_no_other_use():
    put("t.csv", "x,z,class\n1,2,0\n2,3,1\n")
    for options, says in ((["--id", "class"], "'class' has another use"), (["--id", "z,z"], "'z' is named twice"),
                          (["--id", "z", "--ignore", "z"], "'z' is an id as well"),
                          (["--id", "z", "--weight", "z"], "'z' has another use"),
                          (["--id", "z", "--categorical", "z"], "'z' has another use")):
        refuse("tree", "fit", "t.csv", "--label", "class", *options, status=2, says=[says])
    refuse("tree", "fit", "t.csv", "--label", "class", "--id", "z", "--columns", "x,z", status=2,
           says=["'z' cannot be a feature and an id"])
    run("tree", "fit", "t.csv", "--label", "class", "-o", "f")
    refuse("tree", "predict", "f.json", "t.csv", "--ignore", "z", "-o", "p", status=2, says=["'z' is a feature; take it out of --ignore"])
    put("t.svm", "0 1:1 2:3\n1 1:2 2:3\n")
    refuse("tree", "fit", "t.svm", "--label", "label", "--id", 1, status=2, says=["numbers alone"])
    refuse("som", "fit", "t.svm", "--label", "label", "--id", 1, "-o", "map", status=2, says=["numbers alone"])


def a_category_never_takes_a_columns_name():
    put("t.csv", "c=a,c,class\n1,a,0\n2,b,1\n3,a,0\n4,b,1\n")
    for fold in ([], ["--cv", 2]):
        refuse("tree", "fit", "t.csv", "--label", "class", "--categorical", "c", "--categories",
               "one-hot", *fold, says=["'c=a'", "another column"])


def r2_is_told_only_where_it_is_defined():
    put("y.csv", "x,y\n" + "".join(f"{i},{i * i % 11}\n" for i in range(12)))
    refuse("tree", "fit", "y.csv", "--label", "y", "--regression", "--cv", 12,
           says=["a fold has one row", "fewer folds"])
    put("same.csv", "x,y\n1,2\n2,2\n3,2\n4,2\n")
    told = answer("tree", "fit", "same.csv", "--label", "y", "--regression", "--cv", 2, "-o", "m")
    assert told["train_r2"] == 1 and told["cv_r2_mean"] == 1, told
    assert answer("tree", "predict", "m.json", "same.csv", "--label", "y", "-o", "p")["score"] == 1


def missing_error_refuses_unknown_categories():
    put("t.csv", "c,class\na,0\nb,1\na,0\nb,1\n")
    run("tree", "fit", "t.csv", "--label", "class", "--categorical", "c", "-o", "m")
    put("new.csv", "c,class\na,0\nzz,1\n")
    run("tree", "predict", "m.json", "new.csv", "-o", "p")
    pathlib.Path("p.predicted.tsv").unlink()
    refuse("tree", "predict", "m.json", "new.csv", "--missing", "error", "-o", "p",
           says=["1 cell of categories", "--missing error"])


def the_trees_of_a_forest_count_against_the_memory():
    put("t.csv", "x,z,class\n" + "".join(
        f"{i * 37 % 101},{i * 53 % 97},{i * i % 3}\n" for i in range(300)))
    forest = ["forest", "fit", "t.csv", "--label", "class", "-o", "m"]
    run(*forest, "--trees", 20, "--memory", "8M")
    pathlib.Path("m.json").unlink()
    for trees in (3000, 10**9):
        refuse(*forest, "--trees", trees, "--memory", "8M", status=4,
               says=[f"a forest of {trees} trees", "--memory"])


def trees_of_many_classes_count_against_the_memory():
    # A count a class in each node: 4.8 GB of nodes were made, 100 MB allowed.
    put("t.csv", "x,id\n" + "".join(f"{i * 7919 % 10007},n{i}\n" for i in range(10000)))
    for family in ("tree", "forest"):
        refuse(family, "fit", "t.csv", "--label", "id", "-o", "m", "--memory", "40M", status=4,
               says=["takes more than", "--max-depth"])
    done = answer("tree", "fit", "t.csv", "--label", "id", "-o", "m", "--memory", "40M", "--max-depth", 2)
    assert "confusion" not in done and done["leaves"] <= 4, done["leaves"]


def memory_that_will_do(*fit, memory):
    """Runs the fit again with the memory that its refusal names; whether there was one."""
    done = subprocess.run([PROGRAM, *map(str, fit), "-o", "m", "--memory", memory], capture_output=True, text=True)
    if done.returncode == 0:
        return False
    found = re.search(r"or more --memory \((\S+) will do\)", done.stderr.splitlines()[-1])
    assert done.returncode == 4 and found, done.stderr
    run(*fit, "-o", "m", "--memory", found[1])
    return True


def memory_that_trees_were_said_to_need_was_too_little():
    # They said how much was allowed, and then the lists alone.
    put("t.csv", "x,y,city,class\n" + "".join(
        f"{i * 7919 % 20011},{i * 31 % 1009},c{i % 90},{i * i // 7 % 3}\n" for i in range(8000)))
    fit = ["fit", "t.csv", "--label", "class"]
    text = ["--categorical", "city", "--categories"]
    numbers = [*fit, "--ignore", "city"]
    for command in (
            ["tree", *numbers], ["tree", *numbers, "--cv", 3], ["tree", *fit, *text, "native"],
            ["tree", *fit, *text, "one-hot"], ["tree", *numbers, "--max-depth", 3],
            ["tree", *numbers, "--min-samples-leaf", 50], ["tree", *numbers, "--device", "reference", "--max-depth", 6],
            ["forest", *numbers, "--trees", 20], ["forest", *numbers, "--trees", 20, "--all-rows"],
            ["forest", *numbers, "--trees", 5, "--max-samples", 3000],
            ["forest", *numbers, "--trees", 5, "--max-samples", 20000, "--min-samples-leaf", 9],
            ["forest", *numbers, "--trees", 20, "--partition"], ["forest", *numbers, "--trees", 1, "--partition"],
            ["forest", *fit, *text, "native", "--trees", 5, "--oob"]):
        refused = [memory_that_will_do(*command, memory=memory) for memory in ("260K", "500K", "800K", "1.3M", "2M")]
        assert refused[0], command


def the_trees_of_parts_count_against_the_memory():
    # They went uncounted; and a forest too large was grown once more from parts of the table.
    put("t.csv", "x,class\n" + "".join(f"{i * 7919 % 20011},{i * i // 7 % 2}\n" for i in range(20000)))
    fit = ["forest", "fit", "t.csv", "--label", "class", "--partition", "--trees", 20, "-o", "m"]
    for memory in ("1M", "700K"):
        refuse(*fit, "--memory", memory, status=4, says=["--memory"])
    run(*fit, "--memory", "1M", "--max-depth", 4)


def out_of_bag_needs_rows_that_a_tree_did_not_see():
    put("t.csv", "x,class\n1,a\n2,b\n3,a\n")
    for sampling in (["--all-rows"], ["--partition", "--trees", 1]):
        refuse("forest", "fit", "t.csv", "--label", "class", "--oob", *sampling, status=2,
               says=["--oob", sampling[0]])


def rules_of_missing_values_are_plain():
    put("t.csv", "x,class\n1,0\n,1\n2,0\n,1\n")
    run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
    lines = run("tree", "show", "m.json").stdout.splitlines()
    assert lines[0].startswith("if x is known: 0") and lines[1].startswith("if x is missing: 1"), lines


def a_map_of_one_neuron_has_no_topographic_error():
    put("t.csv", "x,z\n1,2\n3,4\n")
    said = run("som", "fit", "t.csv", "--rows", 1, "--cols", 1, "-o", "map").stdout
    assert "nan" not in said and "topographic" not in said, said
    assert ">nan<" not in pathlib.Path("map.html").read_text()


def labels_that_poisson_does_not_take_were_of_no_file():
    put("t.csv", "x,y\n1,2\n\n2,-1\n3,4\n")
    put("zeros.csv", "x,y\n1,0\n2,0\n3,0\n")
    for command in (("tree", "fit"), ("forest", "fit", "--trees", 2)):
        poisson = ["--label", "y", "--regression", "--criterion", "poisson", "-o", "m"]
        refuse(*command, "t.csv", *poisson, says=["t.csv: row 2: expected", "for Poisson's deviance, got -1"])
        refuse(*command, "zeros.csv", *poisson, says=["zeros.csv: expected a label above 0"])


def too_many_features_were_refused_by_a_name_that_no_option_has():
    put("t.csv", "a,b,color,c\n1,2,red,x\n2,1,blue,y\n3,5,red,x\n")
    fit = ["forest", "fit", "t.csv", "--label", "c", "--categorical", "color", "--trees", 2, "--categories", "one-hot",
           "-o", "m", "--max-features"]
    refuse(*fit, 5, status=3, says=["--max-features: expected 1 to 4, 0 (all) or -1, got 5"])
    run(*fit, 4)


def radii_and_draws_were_refused_by_names_that_no_option_has():
    put("t.csv", "a,b,c\n" + "".join(f"{i},{i * i % 7},{'xy'[i % 2]}\n" for i in range(20)))
    for option, value, says in (("--sigmaf", -1, "expected a number above 0, got -1"),
                                ("--sigmaf", 7, "expected at most --sigma0, which is 4, got 7"),
                                ("--smooth", 21, "expected 0 to all 20 iterations, got 21")):
        refuse("som", "fit", "t.csv", "--ignore", "c", option, value, "-o", "m", status=2, says=f"{option}: {says}")
    refuse("forest", "fit", "t.csv", "--label", "c", "--max-samples", 2000, "-o", "m", status=3,
           says="--max-samples: expected 1 to 1280 (64 for each row), got 2000")


def a_column_of_names_was_only_to_be_ignored():
    put("t.csv", "name,a,b\nx,1,2\ny,3,4\nz,5,1\n")
    refuse("som", "fit", "t.csv", "-o", "m", says=["column 1 ('name'): 'x' is no number", "--id", "--ignore"])
    run("som", "fit", "t.csv", "--id", "name", "--rows", 2, "--cols", 2, "-o", "m")


def lines_of_libsvm_were_said_to_have_no_label():
    put("t.txt", "1 1:1 2:3\n0 1:1\n")
    refuse("tree", "fit", "t.txt", "--label", "label", "-o", "m", says=["t.txt", "so end its name in .libsvm"])


def a_delimiter_at_the_end_of_each_line_is_no_feature():
    rows = ["1,5,a", "3,4,b", "2,8,a", "4,1,b"]
    put("plain.csv", "x,y,class\n" + "".join(f"{row}\n" for row in rows))
    put("ends.csv", "x,y,class,\n" + "".join(f"{row},\n" for row in rows))
    says = "ends.csv: lines end with a delimiter: column 4, without a name and a first value, is left out"
    for command in (("tree", "fit"), ("som", "fit", "--rows", 1, "--cols", 2)):
        for label in ("class", "last"):
            run(*command, "plain.csv", "--label", "class", "-o", "m")
            plain = json.loads(pathlib.Path("m.json").read_text())
            assert says in run(*command, "ends.csv", "--label", label, "-o", "m").stderr
            ends = json.loads(pathlib.Path("m.json").read_text())
            assert ends["features"] == plain["features"] == ["x", "y"]
    run("tree", "fit", "ends.csv", "--label", "class", "-o", "m")
    assert says not in run("tree", "predict", "m.json", "ends.csv", "--label", "class", "-o", "p").stderr
    # One with a first value is a column without a name.
    put("value.csv", "x,y,class,\n1,5,a,7\n3,4,b,\n")
    run("tree", "fit", "value.csv", "--label", "class", "-o", "m")
    assert json.loads(pathlib.Path("m.json").read_text())["features"] == ["x", "y", "4"]


def names_of_rows_that_the_header_leaves_out_are_no_feature():
    # As R's write.table writes them, and R and pandas read them.
    put("plain.csv", "x y class\n1 5 a\n3 4 b\n2 8 a\n")
    put("r.csv", '"x" "y" "class"\n"r1" 1 5 "a"\n"r2" 3 4 "b"\n"r3" 2 8 "a"\n')
    says = "r.csv: rows have a cell more than the header, the first, which is left out as the name of the row"
    for command in (("tree", "fit"), ("som", "fit", "--rows", 1, "--cols", 2)):
        run(*command, "plain.csv", "--label", "class", "-o", "m")
        plain = json.loads(pathlib.Path("m.json").read_text())
        assert says in run(*command, "r.csv", "--label", "last", "-o", "m").stderr
        named = json.loads(pathlib.Path("m.json").read_text())
        assert named["features"] == plain["features"] == ["x", "y"]
    run("tree", "fit", "r.csv", "--label", "class", "-o", "m")
    done = run("tree", "predict", "m.json", "r.csv", "--label", "class", "--id", 1, "-o", "p")
    assert says not in done.stderr
    assert pathlib.Path("p.predicted.tsv").read_text().splitlines()[1].startswith("r1\t")
    put("long.csv", "x,class\n1,a\n3,b,\n")
    refuse("tree", "fit", "long.csv", "--label", "class", "-o", "m", says="long.csv:3: expected 2 cells, got 3")


def a_line_for_excel_alone_is_named():
    put("e.csv", "\ufeffsep=;\nx;y;class\n1;5;a\n3;4;b\n".encode())
    says = "e.csv:1: 'sep=;' names the delimiter to Excel alone; take the line out"
    refuse("tree", "fit", "e.csv", "--label", "class", "-o", "m", says=says)
    refuse("closest", "e.csv", says=says)


def a_weight_of_no_class_is_refused():
    put("t.csv", "x,class\n1,a\n3,b\n")
    refuse("tree", "fit", "t.csv", "--label", "class", "--class-weight", "=2", "-o", "m", status=2,
           says=["--class-weight: expected CLASS=FACTOR, as spam=2", "'=2'"])
