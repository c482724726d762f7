"""Tables that trees grow from: columns of text, weights, folds of a column, bad input, cut models."""
import json
import pathlib
import random
import re

from program import refuse, run
from tree_tables import fit, table, text_table


def text_columns_are_known_by_name_in_another_table():
    lines = text_table()
    for how, features in (("ordered", 2), ("one-hot", 5), ("by-name", 2), ("auto", 2)):
        answer = fit("--categorical", "color", "--categories", how, "--binary")
        assert answer["features"] == features and answer["train_accuracy"] == 1, (how, answer)
        # A table of two colors, whose places among the names are others.
        few = [lines[0]] + [line for line in lines[1:] if line[0] in "gw"]
        pathlib.Path("few.csv").write_text("\n".join(few) + "\n")
        for model in ("m.json", "m.model"):
            done = json.loads(run("tree", "predict", model, "few.csv", "--label", "class", "-o", "p",
                                  "--json").stdout)
            assert done["score"] == 1, (how, model, done)
    model = json.loads(pathlib.Path("m.json").read_text())
    assert model["version"] == 2 and model["encodings"][0]["column"] == "color"
    # Ordered by the share of the second class: one split parts two colors from two.
    values = dict(zip(model["encodings"][0]["categories"], model["encodings"][0]["values"]))
    assert {values["blue"], values["red"]} == {0, 1} and {values["green"], values["white"]} == {2, 3}
    pathlib.Path("new.csv").write_text("color,size\npink,3\ngreen,3\n,3\n")
    done = run("tree", "predict", "m.json", "new.csv", "-o", "p")
    assert "1 cell of categories that the model does not know" in done.stderr
    names = pathlib.Path("p.predicted.tsv").read_text().split()
    assert names[2] == "B" and names[1] == names[3]
    text_table(classes=3)
    assert fit("--categorical", "color")["features"] == 5
    assert len(fit("--categorical", "color", "--cv", 4)["cv_scores"]) == 4
    refuse("tree", "fit", "t.csv", "--label", "class", "--categorical", "color", "--categories",
           "ordered", "-o", "out", status=2, says=["two classes or --regression", "one-hot"])


def categories_of_noise_tell_nothing_out_of_bag_or_in_folds():
    random.seed(3)
    rows = [f"k{random.randrange(300)},{random.choice('pq')},{random.random()}" for _ in range(1200)]
    pathlib.Path("noise.csv").write_text("c,class,y\n" + "\n".join(rows) + "\n")
    command = ("forest", "fit", "noise.csv", "--label", "class", "--categorical", "c", "--ignore", "y", "--trees", 60,
               "--max-depth", 6, "--oob", "-o", "n", "--json")
    for how in ([], ["--categories", "by-name"]):
        answer = json.loads(run(*command, *how).stdout)
        assert abs(answer["oob_accuracy"] - 0.5) < 0.08, answer["oob_accuracy"]
    refuse(*command, "--categories", "ordered", status=2, says=["--oob", "one-hot or by-name"])
    answer = json.loads(run("tree", "fit", "noise.csv", "--label", "y", "--regression", "--categorical", "c",
                            "--ignore", "class", "--ccp-cv", 5, "-o", "n", "--json").stdout)
    assert answer["leaves"] == 1, answer
    few = run("forest", "fit", "noise.csv", "--label", "class", "--ignore", "c", "--trees", 3, "--oob", "-o", "n")
    assert re.search(r"out of bag: \S+ on \d+ of 1200; the others are in every tree", few.stdout), few.stdout


def a_measurement_is_no_class():
    rows = [f"{i},{i * 0.5}" for i in range(150)]
    pathlib.Path("m.csv").write_text("x,y\n" + "\n".join(rows) + "\n")
    for more in ([], ["--partition", "--memory", "1M"]):
        command = "forest" if more else "tree"
        refuse(command, "fit", "m.csv", "--label", "y", "-o", "gone", *more,
               says=["column 'y'", "150 different numbers", "--regression"])
    pathlib.Path("m.csv").write_text("x,y\n" + "\n".join(r.split(".")[0] for r in rows) + "\n")
    run("tree", "fit", "m.csv", "--label", "y", "-o", "numbered")  # 75 integers are classes


def classes_weigh_as_told():
    table(gap=0)
    even = fit("--max-depth", 2)
    heavy = fit("--max-depth", 2, "--class-weight", "long=1000")
    column = even["classes"].index("long")
    missed = lambda answer: sum(answer["confusion"][column]) - answer["confusion"][column][column]
    assert missed(heavy) == 0 < missed(even)
    lines = pathlib.Path("t.csv").read_text().splitlines()
    weighted = [lines[0] + ",w"] + [f"{r},{3 if r.endswith('long') else 1}" for r in lines[1:]]
    fit("--class-weight", "long=3")
    model = pathlib.Path("m.json").read_bytes()
    pathlib.Path("t.csv").write_text("\n".join(weighted) + "\n")
    fit("--weight", "w")
    assert pathlib.Path("m.json").read_bytes() == model


def folds_can_be_a_column():
    table(gap=0)
    lines = pathlib.Path("t.csv").read_text().splitlines()
    folded = [lines[0] + ",fold"] + [f"{r},{i * 7 % 3}" for i, r in enumerate(lines[1:])]
    pathlib.Path("f.csv").write_text("\n".join(folded) + "\n")
    answer = json.loads(run("tree", "fit", "f.csv", "--label", "class", "--cv-column", "fold",
                            "--json").stdout)
    assert answer["features"] == 3 and len(answer["cv_scores"]) == 3
    for k, score in enumerate(answer["cv_scores"]):
        value = [str(i * 7 % 3) for i in range(3)][k]
        held = [r for r in folded[1:] if r.rsplit(",", 1)[1] == value]
        rest = [r for r in folded[1:] if r.rsplit(",", 1)[1] != value]
        for name, rows in (("rest.csv", rest), ("held.csv", held)):
            pathlib.Path(name).write_text("\n".join([folded[0]] + rows) + "\n")
        run("tree", "fit", "rest.csv", "--label", "class", "--ignore", "fold", "-o", "r")
        done = run("tree", "predict", "r.json", "held.csv", "--label", "class", "-o", "r", "--json")
        assert json.loads(done.stdout)["score"] == score
    pathlib.Path("n.csv").write_text("\n".join(
        [folded[0]] + [f"{r},{'north south west'.split()[i * 7 % 3]}" for i, r in enumerate(lines[1:])]))
    named = json.loads(run("tree", "fit", "n.csv", "--label", "class", "--cv-column", "fold",
                           "--predictions", "-o", "n", "--json").stdout)
    assert named["cv_scores"] == answer["cv_scores"]
    assert [fold["fold"] for fold in named["cv"]["folds"]] == ["north", "south", "west"]
    held = [line.split("\t") for line in pathlib.Path("n.cv.tsv").read_text().splitlines()[1:]]
    assert [row[1] for row in held] == ["north south west".split()[i * 7 % 3] for i in range(len(held))]
    refuse("tree", "fit", "f.csv", "--label", "class", "--cv-column", "nine",
           says=["fold column 'nine' is not there"])
    refuse("tree", "fit", "f.csv", "--label", "class", "--cv-column", "fold", "--cv", 3, status=2,
           says=["--cv and --cv-column exclude each other"])


def bad_input_is_one_line():
    table()
    usual = ("tree", "fit", "t.csv", "-o", "out")
    refuse(*usual, status=2, says=["--label"])
    refuse(*usual, "--label", "kind", says=["label column 'kind' is not there"])
    refuse(*usual, "--label", "1", says=["t.csv:2", "column 4 ('class')", "is no number"])
    refuse(*usual, "--label", "class", "--max-depth", 0, status=2, says=["--max-depth", "at least 1"])
    refuse(*usual, "--label", "class", "--cv", 301, says=["fewer than 301 folds"])
    refuse(*usual, "--label", "class", "--missing", "error", says=["the value is missing"])
    refuse("forest", "fit", "t.csv", "--label", "class", "--partition", "--trees", 301, "-o", "out",
           says=["301 parts of 300 rows"])
    pathlib.Path("empty.csv").write_text("")
    refuse("tree", "fit", "empty.csv", "--label", "class", says=["has no rows"])
    refuse(*usual, "--label", "class", "--class-weight", "oval=2", says=["oval", "no row"])
    refuse(*usual, "--label", "class", "--class-weight", "flat=-2", status=2, says=["0 or more"])
    refuse(*usual, "--label", "class", "--cv", 1, status=2, says=["at least 2 folds"])
    refuse(*usual, "--label", "class", "--cv", -1, status=2, says=["at least 2 folds"])
    refuse(*usual, "--label", "class", "--ccp-cv", -1, status=2, says=["at least 2 folds"])
    for alpha in (-1, "nan"):
        refuse(*usual, "--label", "class", "--ccp-alpha", alpha, status=2, says=["at least 0"])
    refuse(*usual, "--label", "class", "--class-weight", "flat=1,flat=2", status=2,
           says=["'flat'", "twice"])
    forest = ("forest", *usual[1:], "--label", "class")
    refuse(*forest, "--bootstrap", "--partition", status=2, says=["--partition"])
    refuse(*forest, "--all-rows", "--oob", status=2, says=["--oob", "every tree sees"])
    refuse(*usual, "--label", "class", "--memory", "1K", status=4, says=[])
    pathlib.Path("text.csv").write_text("x,class\n1,a\nfoo,b\n3,a\n4,b\n")
    refuse("tree", "fit", "text.csv", "--label", "class", says=["text.csv:3", "'foo'"])
    pathlib.Path("head.csv").write_text("x,class\n")
    refuse("tree", "fit", "head.csv", "--label", "class", says=["head.csv", "a header and no rows"])
    pathlib.Path("gap.csv").write_text("x,y,class\n1,2,a\n3,,b\n")
    refuse("tree", "fit", "gap.csv", "--label", "class", "--missing", "error",
           says=["row 2 (from 1", "column 'y'", "--missing error"])
    fit()
    refuse("tree", "prune", "m.json", "--validation", "t.csv", "-o", "out", status=2,
           says=["--label"])
    refuse("tree", "prune", "m.json", "-o", "out", status=2, says=["--ccp-alpha", "--validation"])
    refuse("tree", "prune", "m.json", "--ccp-alpha", 0.1, "--validation", "t.csv", "--label",
           "class", "-o", "out", status=2, says=["one of them"])
    pathlib.Path("other.csv").write_text(
        pathlib.Path("t.csv").read_text().replace(",flat", ",oval"))
    refuse("tree", "prune", "m.json", "--validation", "other.csv", "--label", "class", "-o", "out",
           says=["'oval'", "does not know"])
    pathlib.Path("few.csv").write_text("a,b\n1,2\n")
    refuse("tree", "predict", "m.json", "few.csv", "-o", "out", says=["few.csv", "'length'"])
    pathlib.Path("bare.csv").write_text("1,2\n3,4\n")
    refuse("tree", "predict", "m.json", "bare.csv", "-o", "out", says=["3 features, the table 2"])
    text = pathlib.Path("m.json").read_text()
    pathlib.Path("m.json").write_text(re.sub('"version": [0-9]+', '"version": 99', text))
    refuse("tree", "predict", "m.json", "t.csv", "-o", "out", says=["version 99", "train it again"])
    pathlib.Path("m.json").write_text(text.replace('"left":[1', '"left":[0'))
    refuse("tree", "predict", "m.json", "t.csv", "-o", "out", says=["node 0 has a child"])
    for number in ("-1" + "8" * 84, "4294967296", "0.5", "18446744073709551616", "null"):
        pathlib.Path("m.json").write_text(text.replace('"feature":[', f'"feature":[{number},'))
        refuse("tree", "predict", "m.json", "t.csv", "-o", "out", says=["damaged model: tree 1: feature"])
    pathlib.Path("m.json").write_text(text[:len(text) // 2])
    refuse("tree", "predict", "m.json", "t.csv", "-o", "out", says=["no whole JSON document"])
    pathlib.Path("m.json").write_text("{}")
    refuse("tree", "predict", "m.json", "t.csv", "-o", "out", says=["no model of trees"])
    pathlib.Path("t.csv").write_text("x,class\n1,a\n2,a\n")
    assert "one leaf" in run("tree", "fit", "t.csv", "--label", "class").stderr


def a_cut_or_altered_model_is_refused_or_whole():
    pathlib.Path("t.csv").write_text("x,class\n1,a\n3,b\n")
    fit("--binary")
    whole = pathlib.Path("m.model").read_bytes()
    random.seed(1)
    for cut in list(range(0, len(whole), 7)):
        pathlib.Path("c.model").write_bytes(whole[:cut])
        run("tree", "show", "c.model", status=3)
