"""Random jobs of trees, forests and maps, and of the commands that read their models."""
from ingredients import Job, Text, number, size, some

WORDS = ("red", "green", "blue", "", "x y")


def table(rng, rows, features, classes, missing=0.0):
    """Columns f0, f1, ... of numbers, t of words, w of weights, fold, id and label; and the options
    that these need."""
    style = rng.choice(("ties", "plain", "finite"))
    extra = [name for name in ("t", "w", "fold", "id") if rng.random() < 0.15]
    cells_of = {"t": lambda k: rng.choice(WORDS), "w": lambda k: f"{rng.uniform(0.1, 3):.3g}",
                "fold": lambda k: "abc"[k % 3], "id": lambda k: f"row {k}"}
    lines = [[*(f"f{k}" for k in range(features)), *extra, "label"]]
    for k in range(rows):
        cells = [number(rng, "d", style) for _ in range(features)]
        label = rng.randrange(classes) if rng.random() < 0.3 else int(abs(cells[0])) % classes
        texts = ["" if rng.random() < missing else f"{x:.6g}" for x in cells]
        lines.append([*texts, *(cells_of[name](k) for name in extra),
                      f"c{label}" if classes > 1 else f"{cells[-1] + label:.6g}"])
    return lines, extra


def written(rng, lines):
    """The file of a table, and the options of its form."""
    form = rng.choice(("plain", "plain", "plain", "delimiter", "header", "comment"))
    if form == "delimiter":
        word, mark = rng.choice((("tab", "\t"), (";", ";")))
        return Text([mark.join(row) for row in lines]), [["--delimiter", word]]
    texts = [",".join(row) for row in lines]
    if form == "comment":
        return Text(["%a note", *texts]), [["--comment", "%"]]
    return Text(texts), [["--header", "yes"]] if form == "header" else []


def libsvm(rng, lines, features):
    """The same numbers as libsvm has them."""
    first = rng.randrange(2)
    texts = [" ".join([row[-1].lstrip("c"), *(f"{k + first}:{x}" for k, x in enumerate(row[:features])
                                             if x not in ("", "0"))]) for row in lines[1:]]
    return Text(texts), [["--zero-based"]] if first == 0 else []


def growth(rng, family, regression, extra, features):
    options = some(rng, ["--max-depth", range(1, 9)], ["--min-samples-leaf", range(1, 9)],
                   ["--min-samples-split", range(2, 12)], ["--float32"], ["--binary"], ["--report"],
                   ["--min-impurity-decrease", (0.001, 0.02)], ["--min-gain", (0.01, 0.1)],
                   ["--ccp-alpha", (0, 0.01, 0.1)], ["--min-weight-fraction-leaf", (0.01, 0.2)],
                   ["--max-leaf-nodes", range(2, 9)], ["--missing", ("learn", "error")],
                   ["--random-splits"], share=0.15)
    if rng.random() < 0.1:
        options.append([rng.choice(("--increasing", "--decreasing")), f"f{rng.randrange(features)}"])
    if rng.random() < 0.25 and features > 1:
        options.append(rng.choice((["--ignore", f"f{features - 1}"], ["--columns", "f0"])))
    if regression:
        options += some(rng, ["--criterion", ("squared-error", "absolute-error", "poisson")],
                        ["--leaf-quantile", (0.1, 0.9)], share=0.2)
    else:
        options += some(rng, ["--criterion", "entropy"], ["--balanced"],
                        ["--class-weight", ("c0=2", "c1=0.5,c0=3")], share=0.2)
    if "t" in extra:
        options.append(["--categorical", "t"])
        options += some(rng, ["--categories", ("ordered", "one-hot", "by-name", "native")])
    options += [["--weight", "w"]] if "w" in extra else []
    options += [["--id", "id"]] if "id" in extra else []
    if "fold" in extra:
        options += [["--cv-column", "fold"]] if family == "tree" or rng.random() < 0.5 else [
            ["--ignore", "fold"]]
    elif rng.random() < 0.2:
        options += [["--cv", str(rng.randrange(2, 5))], *some(rng, ["--stratified"])]
    if any(option[0].startswith("--cv") for option in options):
        options += some(rng, ["--predictions"])
    return options


def forest_options(rng, regression):
    options = [["--trees", str(rng.randrange(1, 9))]]
    options += some(rng, [("--bootstrap", "--partition", "--all-rows")], ["--oob"],
                    ["--max-features", range(0, 4)], ["--seed", range(99)], share=0.3)
    if not {"--partition", "--all-rows"} & {option[0] for option in options}:
        options += some(rng, ["--max-samples", range(1, 30)], share=0.2)
    return options + ([] if regression else some(rng, ["--voting", ("hard", "soft")], share=0.3))


def fit(rng):
    """A job that fits, and what those that read its model need of it."""
    family, regression = rng.choice(("tree", "forest")), rng.random() < 0.3
    features, classes = 1 + size(rng, 8), 1 if regression else rng.randrange(2, 5)
    lines, extra = table(rng, 4 + size(rng, 250), features, classes, rng.choice((0, 0, 0.1)))
    options = [["--label", "label"]] + ([["--regression"]] if regression else [])
    if rng.random() < 0.1:
        data, form = libsvm(rng, lines, features)
        name, extra = "t.svm", []
    else:
        (data, form), name = written(rng, lines), "t.csv"
    inputs = {name: data}
    options += form + growth(rng, family, regression, extra, features if name == "t.csv" else 1)
    if name == "t.svm":
        options = [o for o in options if o[0] not in ("--columns", "--ignore", "--increasing",
                                                      "--decreasing")]
    if family == "forest":
        options += forest_options(rng, regression)
    elif any(o[0] in ("--cv", "--random-splits") for o in options):
        options += some(rng, ["--seed", range(99)])
    elif rng.random() < 0.1:
        options += [["--ccp-cv", str(rng.randrange(2, 5))], *some(rng, ["--ccp-sparest"])]
    if rng.random() < 0.1:
        inputs["v.csv"] = data
        options.append(["--prune-with", "v.csv"])
    job = Job([family, "fit", name], inputs, options, "o", ranks=family == "forest")
    return job, form


def trees(rng):
    return fit(rng)[0]


def models(rng):
    """A model is fitted, then used."""
    fitted, form = fit(rng)
    family, _, name = fitted.command
    fitted.options = [o for o in fitted.options if o[0] not in ("--report", "--predictions")]
    before = ([*fitted.words()[:-1], "m"],)
    model, table_of = ["m.json"], [name]
    said = [o for o in fitted.options if o[0] in ("--label", "--float32", "--columns", "--ignore", "--id",
                                                  "--missing")]
    seen = [o for o in said if o[0] != "--id"]
    what = rng.choice(("predict", "predict", "apply", "importances", "show", "export", "prune"))
    if what == "prune" and family == "forest":
        what = "predict"
    if what == "predict":
        options = form + said + some(rng, ["--report"])
        options += [] if ["--regression"] in fitted.options else some(rng, ["--proba"])
    elif what == "apply":
        options = form + said
    elif what == "importances":
        table_of = rng.choice(([], [name]))
        options = form + seen + some(rng, ["--repeats", range(1, 4)],
                                     ["--seed", range(9)]) if table_of else []
    elif what == "prune":
        options, table_of = [["--ccp-alpha", rng.choice(("0.01", "0.1"))]], []
        if rng.random() < 0.6:
            options = [["--validation", name], *form, *seen]
    else:
        options, table_of = [], []
        if what == "show":
            options = some(rng, ["--as", ("rules", "dot", "svg")], ["--tree", range(1, 4)])
            options += some(rng, ["--depth", range(1, 5)]) if ["--as", "svg"] in options else []
    return Job([family, what, *model, *table_of], fitted.inputs, options, "o", before=before,
               once=what in ("show", "export"))


def map_options(rng, features):
    rows, cols = rng.randrange(1, 7), rng.randrange(1, 7)
    options = [["--rows", str(rows)], ["--cols", str(cols)], ["--iterations", str(rng.randrange(2, 7))]]
    options += some(rng, ["--sigma0", (0.5, 2, 4)], ["--sigmaf", (0.1, 0.7)], ["--tau", (2, 10)],
                    ["--smooth", (0, 1)], ["--neighborhood", ("truncated", "bubble")],
                    ["--lattice", "hexagonal"], ["--toroidal"], ["--init", ("uniform", "pca")],
                    ["--seed", range(99)], ["--online"], ["--standardize"],
                    [("--p-matrix", "--no-p-matrix")], ["--neighbors", (4, 8)],
                    ["--clusters", range(1, max(2, rows * cols))], ["--title", "a map"],
                    ["--image", f"1x{features}"], share=0.2)
    if ["--online"] in options:
        options += some(rng, ["--learning-rate", (0.1, 1)])
    return options


def som(rng):
    """A map is fitted or, in half of the jobs, used."""
    features = 1 + size(rng, 9)
    lines, extra = table(rng, 3 + size(rng, 200), features, 3)
    if rng.random() < 0.1:
        (data, form), name, extra = libsvm(rng, lines, features), "t.svm", []
    else:
        (data, form), name = written(rng, lines), "t.csv"
    unused = "--ignore" if rng.random() < 0.6 else "--id"
    options = form + [["--label", "label"], *([unused, n] for n in extra)]
    options += map_options(rng, features)
    if features > 2 and name == "t.csv" and rng.random() < 0.1:
        options = [o for o in options if o[0] not in ("--ignore", "--id", "--image")] + [["--columns", "f0", "f1"]]
    what = rng.choice(("fit", "fit", "apply", "report"))
    if what == "fit":
        return Job(["som", "fit", name], {name: data}, options, "o", ranks=True)
    before = (["som", "fit", name, *(w for o in options for w in o), "-o", "m"],)
    used = [name] if what == "apply" or rng.random() < 0.6 else []
    options = form + some(rng, ["--neighbors", (4, 6, 8)]) if used else []
    if what == "apply" and extra and rng.random() < 0.5:
        options += [["--id", extra[0]]]
    if what == "report":
        options += some(rng, ["--title", "again"], ["--clusters", ("auto", 2, 3)])
        options += some(rng, [("--p-matrix", "--no-p-matrix")]) if used else []
    return Job(["som", what, "m.json", *used], {name: data}, options, "o", before=before)


FAMILIES = (trees, models, som)
