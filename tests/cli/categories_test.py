"""Trees that split categories (--categories native): model files, rules, pictures, other tables."""
import json
import pathlib
import random

from program import refuse, run

CITIES = ["Ayacucho", "Cusco", "Lima <sur>", "Puno", "Tacna", "Trujillo"]


def table(classes=2, rows=400, label="class"):
    """The label is told by which city, in no order of their names."""
    random.seed(classes)
    lines = [f"city,size,{label}"]
    for _ in range(rows):
        c = random.randrange(len(CITIES))
        value = (c * 5 + 1) % len(CITIES)
        answer = f"k{value % classes}" if classes else value + random.random()
        lines.append(f"{CITIES[c] if random.random() > 0.05 else ''},{random.random():.3f},{answer}")
    pathlib.Path("t.csv").write_text("\n".join(lines) + "\n")


def fit(family, *options):
    return json.loads(run(family, "fit", "t.csv", "--label", "class", "--categorical", "city",
                          "--categories", "native", "-o", "m", "--json", *options).stdout)


def predicted(family, model, path="t.csv", *options):
    run(family, "predict", model, path, "-o", "p", *options)
    return pathlib.Path("p.predicted.tsv").read_text()


def a_split_of_cities_is_read_back_from_both_files():
    for classes, family in ((2, "tree"), (3, "tree"), (0, "tree"), (3, "forest")):
        table(classes)
        options = ["--regression"] if classes == 0 else ["--cv", 3]
        options += ["--trees", 9, "--oob", "--max-features", 2] if family == "forest" else []
        answer = fit(family, "--binary", *options)
        assert answer["features"] == 2, answer
        model = json.loads(pathlib.Path("m.json").read_text())
        assert model["version"] == 4, model["version"]
        tree = model["trees"][0]
        for set_number, feature in zip(tree["set"], tree["feature"]):
            assert (set_number >= 0) == (feature == 0)
        assert all(len(text) == len(CITIES) for text in tree["sets"])
        assert predicted(family, "m.json") == predicted(family, "m.model")
        assert predicted(family, "m.json", "t.csv", "--device", "reference") == predicted(family, "m.json")


def devices_threads_and_the_reference_agree():
    table(3)
    fit("forest", "--trees", 8, "--threads", 1)
    first = pathlib.Path("m.json").read_bytes()
    for options in (["--threads", 2], ["--device", "reference"]):
        fit("forest", "--trees", 8, *options)
        assert pathlib.Path("m.json").read_bytes() == first, options


def rules_and_pictures_name_the_cities():
    table()
    fit("tree", "--max-depth", 1)
    *rules, note = run("tree", "show", "m.json").stdout.splitlines()
    assert len(rules) == 2 and note.startswith("missing values go to"), (rules, note)
    named = [{name for name in CITIES if name in rule.split(" (")[0]} for rule in rules]
    assert named[0] == named[1] and len(named[0]) == 3, named
    assert ("not in" in rules[0]) != ("not in" in rules[1])
    svg = run("tree", "show", "m.json", "--as", "svg").stdout
    assert "city in {" in svg and "Lima <sur>" not in svg
    assert "city in {" in run("tree", "show", "m.json", "--as", "dot").stdout


def another_table_has_its_categories_in_another_order():
    table()
    fit("tree")
    pathlib.Path("few.csv").write_text("size,city\n0.5,Tacna\n0.5,Cusco\n")
    whole = dict(zip((line.split(",")[0] for line in pathlib.Path("t.csv").read_text().splitlines()),
                     predicted("tree", "m.json").splitlines()))
    assert predicted("tree", "m.json", "few.csv").splitlines()[1:] == [whole["Tacna"], whole["Cusco"]]


def an_unknown_city_goes_where_a_missing_one_goes_or_is_refused():
    table()
    fit("tree")
    pathlib.Path("new.csv").write_text("city,size\nParis,0.5\n,0.5\n")
    done = run("tree", "predict", "m.json", "new.csv", "-o", "p")
    assert "1 cell of categories that the model does not know" in done.stderr
    answers = pathlib.Path("p.predicted.tsv").read_text().split()
    assert answers[1] == answers[2]
    pathlib.Path("new.csv").write_text("city,size\nParis,0.5\n")
    refuse("tree", "predict", "m.json", "new.csv", "-o", "gone", "--missing", "error",
           says="categories that the model does not know")


def labels_of_held_out_rows_are_not_learned():
    random.seed(5)
    rows = [f"k{random.randrange(200)},{random.choice('pq')}" for _ in range(1000)]
    pathlib.Path("t.csv").write_text("city,class\n" + "\n".join(rows) + "\n")
    for options in (["--oob", "--trees", 40], ["--cv", 5, "--trees", 10]):
        answer = fit("forest", *options)
        score = answer.get("oob_accuracy") or answer["cv_accuracy_mean"]
        assert abs(score - 0.5) < 0.08, score


def a_damaged_set_is_one_line():
    table()
    fit("tree")
    text = pathlib.Path("m.json").read_text()
    for old, new, says in (('"sets":["', '"sets":["2', "expected texts of 0 and 1"),
                           ('"set":[0', '"set":[7', "a set that is none"),
                           ('"set":[0', '"set":[-2', "set: expected a list of integers from -1"),
                           ('"set":[0', '"set":["x"', "set: expected a list of integers")):
        assert old in text, old
        pathlib.Path("bad.json").write_text(text.replace(old, new, 1))
        refuse("tree", "predict", "bad.json", "t.csv", "-o", "gone", says=says)


def native_wants_categorical_columns():
    table()
    refuse("tree", "fit", "t.csv", "--label", "class", "--categories", "native", "-o", "gone", status=2,
           says="--categorical")
