"""yupana tree and forest as users run them: models that read back, predictions, pruning, pictures."""
import json
import pathlib
import random
import re
import statistics
import xml.dom.minidom

from program import refuse, run
from tree_tables import fit, table, text_table


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
    words = [text.firstChild.data for text in picture.getElementsByTagName("text")]
    inner = len(model["feature"]) - len(leaves)
    assert sum(word.startswith("yes") for word in words) == inner
    assert sum(word.startswith("no") for word in words) == inner
    assert sum(word.endswith(", missing") for word in words) == inner
    dot = run("tree", "show", "m.json", "--as", "dot").stdout
    assert dot.count("->") == len(model["feature"]) - 1


def a_deep_tree_was_drawn_too_wide_to_read():
    table(rows=2000)
    fit()
    model = json.loads(pathlib.Path("m.json").read_text())["trees"][0]
    depths = [0] * len(model["feature"])
    for i, feature in enumerate(model["feature"]):
        if feature >= 0:
            depths[model["left"][i]] = depths[model["right"][i]] = depths[i] + 1
    assert max(depths) > 8
    leaves = sum(f < 0 for f in model["feature"])
    for options, deepest in (([], 6), (["--depth", 2], 2), (["--depth", 99], 99)):
        run("tree", "show", "m.json", "--as", "svg", *options, "-o", "m")
        picture = xml.dom.minidom.parse("m.svg")
        boxes = picture.getElementsByTagName("rect")
        assert len(boxes) == 1 + sum(d <= deepest for d in depths)
        assert deepest > 6 or float(boxes[0].getAttribute("width")) <= 2000
        words = [text.firstChild.data for text in picture.getElementsByTagName("text")]
        folded = sum(int(re.search(r", (\d+) lea", w)[1]) for w in words if " below" in w)
        drawn = sum(d <= deepest and f < 0 for d, f in zip(depths, model["feature"]))
        assert folded + drawn == leaves, (folded, drawn, leaves)


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


def out_of_bag_figures_and_folds_are_of_the_pruned_trees():
    table()
    table("v.csv", rows=60, seed=5)
    whole = fit("--trees", 9, "--oob", "--cv", 3, family="forest")
    for prune in (["--ccp-alpha", 0.1], ["--prune-with", "v.csv"]):
        answer = fit("--trees", 9, "--oob", "--cv", 3, "--predictions", *prune, family="forest")
        assert answer["leaves"] < whole["leaves"]
        assert answer["oob"]["log_loss"] != whole["oob"]["log_loss"], prune
        assert answer["cv_scores"] != whole["cv_scores"], prune
        told = [row.split("\t") for row in pathlib.Path("m.oob.tsv").read_text().splitlines()[1:]]
        right = [row[-5] == row[-4] for row in told if "NA" not in row]
        assert abs(sum(right) / len(right) - answer["oob_accuracy"]) < 1e-9, told[0]


def folds_are_pruned_with_the_table_as_by_hand():
    for make, options in ((table, []), (text_table, ["--categorical", "color"])):
        make("v.csv", rows=60, seed=5)
        make("t.csv")
        lines = pathlib.Path("t.csv").read_text().splitlines()
        random.seed(7)  # noise, that there is something to prune
        lines[1:] = [row if random.random() < 0.65 else row.rsplit(",", 1)[0] + "," + lines[1].rsplit(",", 1)[1]
                     for row in lines[1:]]
        folded = [lines[0] + ",fold"] + [f"{r},{i % 2}" for i, r in enumerate(lines[1:])]
        pathlib.Path("f.csv").write_text("\n".join(folded) + "\n")
        whole, folds = (json.loads(run("tree", "fit", "f.csv", "--label", "class", "--cv-column", "fold",
                                       "--json", *prune, *options).stdout)["cv_scores"]
                        for prune in ([], ["--prune-with", "v.csv"]))
        assert whole != folds, (options, whole)
        for fold in (0, 1):
            rest, held = ([lines[0], *lines[1 + part::2]] for part in (1 - fold, fold))
            pathlib.Path("rest.csv").write_text("\n".join(rest) + "\n")
            pathlib.Path("held.csv").write_text("\n".join(held) + "\n")
            run("tree", "fit", "rest.csv", "--label", "class", "--prune-with", "v.csv", "-o", "r", *options)
            done = run("tree", "predict", "r.json", "held.csv", "--label", "class", "-o", "r", "--json")
            assert json.loads(done.stdout)["score"] == folds[fold], (options, fold)


def alpha_is_chosen_by_folds():
    random.seed(2)
    rows = [(random.random(), random.random()) for _ in range(400)]
    lines = ["x,y,class"] + [f"{x},{y},{'ab'[(x > 0.5) != (random.random() < 0.2)]}" for x, y in rows]
    pathlib.Path("t.csv").write_text("\n".join(lines) + "\n")
    whole = fit()
    best, sparest = fit("--ccp-cv", 5), fit("--ccp-cv", 5, "--ccp-sparest")
    assert sparest["leaves"] <= best["leaves"] < whole["leaves"] / 4
    assert best["ccp_alpha"] > 0 and max(best["ccp_cv"]["scores"]) > 0.75
    again = fit("--ccp-alpha", best["ccp_alpha"])
    assert again["leaves"] == best["leaves"]
    refuse("tree", "fit", "t.csv", "--label", "class", "--ccp-cv", 5, "--ccp-alpha", 0.1, status=2,
           says=["--ccp-cv and --ccp-alpha exclude each other"])


def long_names_in_a_picture_were_squeezed_beyond_reading():
    name = "ä_long_name_of_a_feature_" + "é" * 60 + "_to_its_end"
    pathlib.Path("t.csv").write_text(f"{name},class\n1,x\n2,y\n", encoding="utf8")
    run("tree", "fit", "t.csv", "--label", "class", "-o", "m")
    run("tree", "show", "m.json", "--as", "svg", "-o", "m")
    titles = xml.dom.minidom.parse("m.svg").getElementsByTagName("title")
    assert len(titles) == 1, titles
    title, shown = titles[0].parentNode.childNodes
    assert title.firstChild.data == name + " <= 1.5", title.toxml()
    assert len(shown.data) == 44 and re.fullmatch(r"ä_long_name_of_a_feat…é+_to_its_end <= 1\.5", shown.data), shown.data


def the_spread_of_importances_was_in_the_page_alone():
    table(rows=300, gap=0)
    told = json.loads(run("forest", "fit", "t.csv", "--label", "class", "--trees", 7, "-o", "m", "--json").stdout)
    shares = []
    for tree in json.loads(pathlib.Path("m.json").read_text())["trees"]:
        own = [0.0] * len(told["importances"])
        for node, feature in enumerate(tree["feature"]):
            if feature >= 0:
                part = [tree["weight"][at] * tree["impurity"][at] for at in (node, tree["left"][node], tree["right"][node])]
                own[feature] += part[0] - part[1] - part[2]
        shares.append([value / sum(own) for value in own])
    rows = json.loads(run("forest", "importances", "m.json", "--json").stdout)["importances"]
    for feature, name in enumerate(told["importances"]):
        spread = statistics.pstdev(own[feature] for own in shares)
        assert abs(told["importance_deviations"][name] - spread) < 1e-12, (name, spread, told)
        assert abs(rows[name]["impurity_deviation"] - spread) < 1e-12, (name, spread, rows)


def importances_are_told_and_drawn():
    table(rows=600, gap=0)
    fit("--trees", 20, family="forest")
    table("v.csv", seed=8, gap=0)
    answer = json.loads(run("forest", "importances", "m.json", "v.csv", "--label", "class", "-o", "i",
                            "--json").stdout)
    by = {name: row["permutation"] for name, row in answer["importances"].items()}
    assert all(value > 0.05 for value in by.values()) and answer["score"] > 0.9, answer
    lines = pathlib.Path("i.importances.tsv").read_text().splitlines()
    assert lines[0] == "feature\timpurity\tpermutation\tdeviation" and len(lines) == 4
    assert abs(sum(float(line.split("\t")[1]) for line in lines[1:]) - 1) < 1e-9
    xml.dom.minidom.parse("i.importances.svg")
    assert "permutation" not in run("forest", "importances", "m.json").stdout
    refuse("forest", "importances", "m.json", "v.csv", status=2, says=["--label"])
    refuse("forest", "importances", "m.json", "v.csv", "--label", "class", "--repeats", 0, status=2,
           says=["--repeats: expected a whole number of at least 1"])
