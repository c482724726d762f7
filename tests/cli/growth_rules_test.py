"""Monotonic features, random splits and quantiles in leaves: what trees keep to, and what is refused."""
import json
import pathlib
import random
import re

from program import run


def table(rows=400, seed=1):
    random.seed(seed)
    lines = ["size,age,city,price,sold"]
    for _ in range(rows):
        size, age = random.uniform(0, 10), random.uniform(0, 10)
        price = 3 * size - age + random.gauss(0, 6)
        lines.append(f"{size:.4f},{age:.4f},{random.choice('pqr')},{price:.4f},{'yes' if price > 10 else 'no'}")
    pathlib.Path("t.csv").write_text("\n".join(lines) + "\n")


def told(family, column, first):
    """What a model says as `column` rises, for twenty values of the other feature."""
    other = "age" if column == "size" else "size"
    lines = [f"{column},{other},city"] + [f"{v / 10},{o / 2},{'pqr'[o % 3]}" for o in range(20) for v in range(0, 101, 3)]
    pathlib.Path("grid.csv").write_text("\n".join(lines) + "\n")
    options = ["--proba"] if first == 2 else []
    run(family, "predict", "m.json", "grid.csv", *options, "-o", "grid")
    cells = [line.split("\t") for line in pathlib.Path("grid.predicted.tsv").read_text().splitlines()[1:]]
    values = [float(cell[first]) for cell in cells]
    return [values[k:k + 34] for k in range(0, len(values), 34)]


def falls(family, column, first):
    return sum(b < a for line in told(family, column, first) for a, b in zip(line, line[1:]))


def rises(family, column, first):
    return sum(b > a for line in told(family, column, first) for a, b in zip(line, line[1:]))


def predictions_never_fall_with_an_increasing_feature():
    table()
    bound = ["--increasing", "size", "--decreasing", "age"]
    for family, more in (("tree", []), ("tree", ["--random-splits", "--seed", 3]), ("forest", ["--trees", 7]),
                         ("tree", ["--ccp-cv", 4]), ("forest", ["--trees", 5, "--all-rows", "--random-splits"])):
        for label, first in ((["price", "--regression", "--ignore", "sold"], 0), (["sold", "--ignore", "price"], 2)):
            fit = [family, "fit", "t.csv", "--label", *label, "--categorical", "city", "--categories", "one-hot",
                   *more, "-o", "m"]
            run(*fit)
            free = falls(family, "size", first) + rises(family, "age", first)
            run(*fit, *bound)
            assert falls(family, "size", first) == rises(family, "age", first) == 0, (family, more, label)
            assert free > 0 or "--ccp-cv" in more, (family, more, label)
            one = pathlib.Path("m.json").read_bytes()
            run(*fit, *bound, "--threads", 1)
            assert one == pathlib.Path("m.json").read_bytes()
            run(*fit, *bound, "--device", "reference")
            assert one == pathlib.Path("m.json").read_bytes()
    run("tree", "fit", "t.csv", "--label", 4, "--regression", "--ignore", "3,5", "--increasing", 1, "-o", "m")
    assert falls("tree", "size", 0) == 0


def random_splits_are_drawn_from_the_seed():
    table()
    fit = ["tree", "fit", "t.csv", "--label", "price", "--regression", "--ignore", "city,sold", "--random-splits",
           "-o", "m"]
    models = []
    for seed in (1, 1, 2):
        run(*fit, "--seed", seed)
        models.append(pathlib.Path("m.json").read_bytes())
    assert models[0] == models[1] != models[2]
    cells = set(re.findall(r"-?[0-9.]+", pathlib.Path("t.csv").read_text()))
    tree = json.loads(models[2])["trees"][0]
    drawn = [t for t, f in zip(tree["threshold"], tree["feature"]) if f >= 0]
    assert len(drawn) > 100 and not any(str(t) in cells for t in drawn)


def leaves_predict_quantiles():
    table(rows=2000)
    fit = ["fit", "t.csv", "--label", "price", "--regression", "--ignore", "city,sold", "--min-samples-leaf", 60,
           "-o", "m"]
    labels = [float(line.split(",")[3]) for line in pathlib.Path("t.csv").read_text().splitlines()[1:]]
    for family, more in (("tree", []), ("forest", ["--trees", 20])):
        for quantile in (0.1, 0.5, 0.9):
            run(family, *fit, *more, "--leaf-quantile", quantile)
            run(family, "predict", "m.json", "t.csv", "-o", "p")
            said = [float(line) for line in pathlib.Path("p.predicted.tsv").read_text().splitlines()[1:]]
            below = sum(label <= own for label, own in zip(labels, said, strict=True)) / len(labels)
            assert abs(below - quantile) < 0.04, (family, quantile, below)


def what_has_no_sense_is_refused():
    table()
    pathlib.Path("three.csv").write_text("x,class\n" + "".join(f"{i},{'abc'[i % 3]}\n" for i in range(9)))
    price = ["t.csv", "--label", "price", "--regression", "--ignore", "sold"]
    sold = ["t.csv", "--label", "sold", "--ignore", "price"]
    city = ["--categorical", "city"]
    for options, says in (
            ([*sold, *city, "--increasing", "city"], "--increasing: 'city' is no feature of numbers"),
            ([*sold, *city, "--increasing", "sold"], "--increasing: 'sold' is no feature of numbers"),
            ([*sold, *city, "--increasing", "size,age", "--decreasing", "age"], "--decreasing: 'age' is named twice"),
            ([*sold, *city, "--categories", "native", "--random-splits"], "--categories native"),
            ([*price, *city, "--criterion", "absolute-error", "--increasing", "size"], "absolute-error"),
            (["three.csv", "--label", "class", "--increasing", "x"], "--increasing and --decreasing: expected --regression or two classes to predict, got 3"),
            ([*sold, *city, "--leaf-quantile", 0.5], "--leaf-quantile: classes have none"),
            ([*price, *city, "--leaf-quantile", 2], "--leaf-quantile"),
            ([*price, *city, "--leaf-quantile", 0.5, "--increasing", "size"], "--leaf-quantile with --increasing"),
            ([*price, *city, "--leaf-quantile", 0.5, "--ccp-cv", 3], "--leaf-quantile with --ccp-cv")):
        status = 3 if "no feature of numbers" in says else 2
        done = run("tree", "fit", *options, "-o", "m", status=status)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
        assert len(lines) == 1 and says in lines[0], (options, done.stderr)
    done = run("tree", "fit", *sold, *city, "--increasing", "weight", "-o", "m", status=3)
    assert "monotonic column 'weight' is not there" in done.stderr
    assert not list(pathlib.Path(".").glob("m.*"))
