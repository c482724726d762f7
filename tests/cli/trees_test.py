#!/usr/bin/env python3
"""yupana tree and forest as users run them: models that read back, predictions, bad input."""
import gzip
import json
import pathlib
import random
import re
import sys
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import main, run


def table(name="t.csv", rows=300, seed=1, header=True, gap=0.05):
    random.seed(seed)
    lines = ['length,width,"<odd> & ""name""",class'] if header else []
    for _ in range(rows):
        a, b, c = (round(random.uniform(0, 10), 3) for _ in range(3))
        label = "round" if a + b > 10 else ("flat" if c > 3 else "long")
        cells = ["NA" if random.random() < gap else str(v) for v in (a, b, c)]
        lines.append(",".join(cells + [label]))
    text = "\n".join(lines) + "\n"
    if name.endswith(".gz"):
        gzip.open(name, "wt").write(text)
    else:
        pathlib.Path(name).write_text(text)


def fit(*options, family="tree", out="m"):
    return json.loads(run(family, "fit", "t.csv", "--label", "class", "-o", out, "--json",
                          *options).stdout)


def a_tree_is_fitted_told_and_used():
    table()
    answer = fit("--max-depth", 6, "--cv", 5, "--stratified")
    assert answer["rows"] == 300 and answer["features"] == 3 and answer["depth"] <= 6
    assert len(answer["cv_scores"]) == len(answer["cv_seconds"]) == 5
    assert 0.7 < answer["cv_accuracy_mean"] <= 1 and answer["cv_accuracy_std"] >= 0
    assert abs(sum(answer["importances"].values()) - 1) < 1e-9
    assert sum(map(sum, answer["confusion"])) == 300
    right = sum(row[i] for i, row in enumerate(answer["confusion"]))
    assert abs(answer["train_accuracy"] - right / 300) < 1e-12
    done = json.loads(run("tree", "predict", "m.json", "t.csv", "--label", "class", "--proba", "-o",
                          "p", "--json").stdout)
    assert abs(done["score"] - answer["train_accuracy"]) < 1e-12
    lines = pathlib.Path("p.predicted.tsv").read_text().splitlines()
    assert lines[0] == "predicted\tflat\tlong\tround" and len(lines) == 301
    for line in lines[1:]:
        name, *shares = line.split("\t")
        shares = list(map(float, shares))
        assert abs(sum(shares) - 1) < 1e-9
        assert name == lines[0].split("\t")[1:][shares.index(max(shares))]


def every_device_and_thread_count_writes_the_same_model():
    table()
    for family, options in (("tree", []), ("forest", ["--trees", 7]),
                            ("forest", ["--trees", 5, "--partition"])):
        fit(*options, family=family)
        model = pathlib.Path("m.json").read_bytes()
        for device, threads in (("reference", 1), ("cpu", 1), ("cpu", 7)):
            fit(*options, "--device", device, "--threads", threads, family=family, out="n")
            assert pathlib.Path("n.json").read_bytes() == model, (family, device, threads)


def both_kinds_of_model_predict_the_same():
    table()
    fit("--trees", 9, "--binary", family="forest")
    table("new.csv.gz", seed=2)
    for model, out in (("m.json", "a"), ("m.model", "b")):
        run("forest", "predict", model, "new.csv.gz", "--ignore", "class", "--proba", "-o", out)
        run("forest", "apply", model, "new.csv.gz", "--ignore", "class", "-o", out)
    for end in ("predicted.tsv", "nodes.tsv"):
        assert pathlib.Path("a." + end).read_bytes() == pathlib.Path("b." + end).read_bytes()
    assert len(pathlib.Path("a.nodes.tsv").read_text().splitlines()[1].split("\t")) == 9


def a_value_equal_to_the_threshold_goes_left_after_a_reload():
    pathlib.Path("t.csv").write_text("x,class\n1,a\n3,b\n")
    fit("--binary")
    pathlib.Path("q.csv").write_text("x\n2\n2.0000000000000004\n")
    for model in ("m.json", "m.model"):
        run("tree", "predict", model, "q.csv", "-o", "q")
        assert pathlib.Path("q.predicted.tsv").read_text() == "predicted\na\nb\n"


def columns_are_found_by_name():
    table()
    fit()
    run("tree", "predict", "m.json", "t.csv", "-o", "a")
    rows = [line.split(",") for line in pathlib.Path("t.csv").read_text().splitlines()]
    pathlib.Path("turned.csv").write_text("\n".join(",".join(reversed(r)) for r in rows) + "\n")
    run("tree", "predict", "m.json", "turned.csv", "-o", "b")
    assert pathlib.Path("a.predicted.tsv").read_bytes() == pathlib.Path("b.predicted.tsv").read_bytes()


def the_tree_is_told_as_rules_graphviz_and_picture():
    table()
    fit("--max-depth", 3)
    rules = run("tree", "show", "m.json").stdout
    model = json.loads(pathlib.Path("m.json").read_text())["trees"][0]
    leaves = [i for i, f in enumerate(model["feature"]) if f < 0]
    assert len(re.findall(r" rows, impurity", rules)) == len(leaves)
    for i, feature in enumerate(model["feature"]):
        if feature >= 0 and model["threshold"][i] is not None:
            assert f"<= {model['threshold'][i]!r}" in rules, model["threshold"][i]
    run("tree", "show", "m.json", "--as", "svg", "-o", "m")
    picture = xml.dom.minidom.parse("m.svg")
    assert len(picture.getElementsByTagName("rect")) == len(model["feature"]) + 1
    dot = run("tree", "show", "m.json", "--as", "dot").stdout
    assert dot.count("->") == len(model["feature"]) - 1


def regression_predicts_numbers():
    random.seed(3)
    lines = ["x,y"] + [f"{i / 10},{i / 10 * 3 + random.uniform(-1, 1):.3f}" for i in range(200)]
    pathlib.Path("t.csv").write_text("\n".join(lines) + "\n")
    done = run("forest", "fit", "t.csv", "--label", "y", "--regression", "--trees", 20, "--oob",
               "--json", "-o", "m")
    answer = json.loads(done.stdout)
    assert answer["oob_r2"] > 0.98, answer
    again = json.loads(run("forest", "predict", "m.json", "t.csv", "--label", "y", "-o", "p",
                           "--json").stdout)
    assert abs(again["score"] - answer["train_r2"]) < 1e-9


def reduced_error_pruning_needs_only_another_table():
    table()
    table("v.csv", seed=5)
    fit()
    answer = json.loads(run("tree", "prune", "m.json", "--validation", "v.csv", "--label", "class",
                            "-o", "p", "--json").stdout)
    assert answer["leaves"] <= answer["leaves_before"]
    assert fit("--prune-with", "v.csv")["leaves"] == answer["leaves"]


def refuse(*arguments, status=3, says=()):
    before = sorted(p.name for p in pathlib.Path(".").iterdir())
    done = run(*arguments, status=status)
    lines = [line for line in done.stderr.strip().splitlines() if not line.startswith("note: ")]
    assert len(lines) == 1 and lines[0].startswith("yupana: "), done.stderr
    for word in says:
        assert word in lines[0], f"'{word}' wanted in: {lines[0]}"
    assert before == sorted(p.name for p in pathlib.Path(".").iterdir())


def bad_input_is_one_line():
    table()
    usual = ("tree", "fit", "t.csv", "-o", "out")
    refuse(*usual, status=2, says=["--label"])
    refuse(*usual, "--label", "kind", says=["label column 'kind' is not there"])
    refuse(*usual, "--label", "1", says=["t.csv:2", "column 4 ('class')", "is no number"])
    refuse(*usual, "--label", "class", "--max-depth", 0, status=2, says=["max depth", "at least 1"])
    refuse(*usual, "--label", "class", "--cv", 301, says=["fewer than 301 folds"])
    refuse(*usual, "--label", "class", "--missing", "error", says=["missing values"])
    refuse("forest", "fit", "t.csv", "--label", "class", "--partition", "--trees", 301, "-o", "out",
           says=["301 parts of 300 rows"])
    pathlib.Path("empty.csv").write_text("")
    refuse("tree", "fit", "empty.csv", "--label", "class", says=["has no rows"])
    fit()
    pathlib.Path("few.csv").write_text("a,b\n1,2\n")
    refuse("tree", "predict", "m.json", "few.csv", "-o", "out", says=["few.csv", "'length'"])
    pathlib.Path("bare.csv").write_text("1,2\n3,4\n")
    refuse("tree", "predict", "m.json", "bare.csv", "-o", "out", says=["3 features, the table 2"])
    text = pathlib.Path("m.json").read_text()
    pathlib.Path("m.json").write_text(text.replace('"version": 1', '"version": 99'))
    refuse("tree", "predict", "m.json", "t.csv", "-o", "out", says=["version 99", "train it again"])
    pathlib.Path("m.json").write_text(text.replace('"left":[1', '"left":[0'))
    refuse("tree", "predict", "m.json", "t.csv", "-o", "out", says=["node 0 has a child"])
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


sys.exit(main([a_tree_is_fitted_told_and_used, every_device_and_thread_count_writes_the_same_model,
               both_kinds_of_model_predict_the_same,
               a_value_equal_to_the_threshold_goes_left_after_a_reload, columns_are_found_by_name,
               the_tree_is_told_as_rules_graphviz_and_picture, regression_predicts_numbers,
               reduced_error_pruning_needs_only_another_table, bad_input_is_one_line,
               a_cut_or_altered_model_is_refused_or_whole]))
