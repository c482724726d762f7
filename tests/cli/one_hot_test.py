"""Columns of text as features of 0 and 1: the models of tables that have these features, in little memory."""
import json
import pathlib
import random
import resource

from program import refuse, run

CITIES = ["Ayacucho", "Cusco", "Lima", "Puno", "Tacna"]
COLORS = ["blue", "green", "red"]
ONE_HOT = ["--categorical", "city", "color", "--categories", "one-hot"]


def tables(classes, rows=500):
    """t.csv has columns of text, made.csv what they become, features of the same names."""
    random.seed(classes)
    made = [f"city={c}" for c in CITIES] + ["size"] + [f"color={c}" for c in COLORS]
    text, numbers = ["city,size,color,label,fold"], [",".join(made) + ",label,fold"]
    for _ in range(rows):
        city = random.choice(CITIES + [""])
        color = random.choice(COLORS + [""] * (random.random() < 0.2))
        size = f"{random.random():.2f}"
        told = (CITIES + [""]).index(city) * 3 + (COLORS + [""]).index(color) + random.random() * 3
        label = f"k{int(told) % classes}" if classes else f"{told:.3f}"
        end = f"{label},f{random.randrange(3)}"
        text.append(f"{city},{size},{color},{end}")
        zeros_and_ones = [[str(int(value == c)) if value else "" for c in names]
                          for value, names in ((city, CITIES), (color, COLORS))]
        numbers.append(",".join([*zeros_and_ones[0], size, *zeros_and_ones[1], end]))
    pathlib.Path("t.csv").write_text("\n".join(text) + "\n")
    pathlib.Path("made.csv").write_text("\n".join(numbers) + "\n")


def fit(family, path, *options):
    """The answer without what differs from run to run, the trees, and the rows held out."""
    answer = json.loads(run(family, "fit", path, "--label", "label", "--ignore", "fold", "-o", "m", "--json",
                            *options).stdout)
    held = [p.read_text() for p in sorted(pathlib.Path(".").glob("m.*.tsv"))]
    keep = ("features", "leaves", "depth", "train", "cv", "oob", "path", "alpha", "ccp_alpha")
    return ({name: answer[name] for name in keep if name in answer},
            json.loads(pathlib.Path("m.json").read_text())["trees"], held)


def without_seconds(answer):
    return json.loads(json.dumps(answer), object_hook=lambda d: {k: v for k, v in d.items() if "seconds" not in k})


def models_are_those_of_tables_with_the_features():
    for classes, family, options in ((2, "tree", ["--cv", 3, "--predictions"]), (3, "tree", ["--ccp-cv", 3]),
                                     (0, "tree", ["--regression", "--max-leaf-nodes", 9]),
                                     (3, "forest", ["--trees", 7, "--oob", "--predictions"]),
                                     (2, "forest", ["--trees", 5, "--partition", "--max-features", 9]),
                                     (0, "forest", ["--trees", 5, "--regression", "--max-features", 2])):
        tables(classes)
        expected = without_seconds(fit(family, "made.csv", *options))
        assert expected[0]["features"] == 9, expected[0]
        for more in (["--threads", 1], ["--threads", 2, "--memory", "32M"], ["--device", "reference"],
                     ["--report"]):
            assert without_seconds(fit(family, "t.csv", *ONE_HOT, *options, *more)) == expected, (classes, family, more)


def predictions_are_those_of_the_features():
    for classes, family in ((2, "tree"), (3, "forest"), (0, "forest")):
        tables(classes)
        options = ["--regression"] if classes == 0 else []
        fit(family, "t.csv", *ONE_HOT, "--binary", *options)
        model = json.loads(pathlib.Path("m.json").read_text())
        del model["encodings"]
        model.pop("checksum")  # it is edited on purpose
        pathlib.Path("plain.json").write_text(json.dumps(model))
        for command, kind, more in (("predict", "predicted", ["--label", "label", *["--proba"] * (classes > 0)]),
                                    ("apply", "nodes", [])):
            written = set()
            for path, table in (("m.json", "t.csv"), ("m.model", "t.csv"), ("plain.json", "made.csv")):
                for device in ("cpu", "reference"):
                    run(family, command, path, table, "-o", "p", "--device", device, *more)
                    written.add(pathlib.Path(f"p.{kind}.tsv").read_text())
            assert len(written) == 1, (classes, family, kind)


def categories_of_many_rows_take_little_memory():
    """21,600 features once took 11 GB, whatever --memory said."""
    random.seed(3)
    rows = [f"w{i % 21600},{random.random()},{random.choice('ab')}" for i in range(32000)]
    pathlib.Path("t.csv").write_text("word,x,class\n" + "\n".join(rows) + "\n")
    command = ["t.csv", "--label", "class", "--categorical", "word", "--categories", "one-hot", "--memory", "64M"]
    run("tree", "fit", *command, "-o", "m")
    run("tree", "predict", "m.json", "t.csv", "--memory", "64M", "--label", "class", "-o", "p")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert peak < 300_000, f"{peak} KB"
    refuse("tree", "fit", *command, "--report", "-o", "m", status=4, says=["32000 rows x 21601 features", "report"])
