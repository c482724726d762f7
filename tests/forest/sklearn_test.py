"""scikit-learn agrees: trees node by node, pruning paths, and what real tables score."""
import gzip
import json
import pathlib
import warnings

import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
import numpy as np
from program import ROOT, run

TABLES = ROOT.parent / "shared" / "data" / "tables"


def make(seed, rows=300, features=5, classes=3):
    """Random floats whose neighbours are further apart than scikit-learn's 1e-7."""
    random = np.random.default_rng(seed)
    x = np.stack([random.permutation(rows) + random.uniform(0.1, 0.4, rows)
                  for _ in range(features)], axis=1).astype(np.float32)
    score = x[:, 0] / rows + np.sin(x[:, 1] / rows * 7) + random.normal(0, 0.4, rows)
    if classes == 0:
        return x, score
    return x, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


def write(x, y, weights=None):
    columns = [f"x{i}" for i in range(x.shape[1])] + ["y"] + (["w"] if weights is not None else [])
    with open("t.csv", "w") as file:
        file.write(",".join(columns) + "\n")
        for i, row in enumerate(x):
            cells = [repr(float(v)) for v in row] + [repr(y[i].item())]
            cells += [repr(float(weights[i]))] if weights is not None else []
            file.write(",".join(cells) + "\n")


def ours(*options, out="m"):
    answer = json.loads(run("tree", "fit", "t.csv", "--label", "y", "--json", "-o", out,
                            *options).stdout)
    return answer, json.loads(pathlib.Path(out + ".json").read_text())["trees"][0]


def same_tree(tree, peer):
    """Both trees at once, from the root. scikit-learn takes any of several equal splits: there the
    gains must be equal, and where weights show that the rows are parted alike, so must the rest."""
    theirs = peer.tree_
    stack, nodes = [(0, 0)], 0
    weighted = theirs.weighted_n_node_samples[0] != theirs.n_node_samples[0]
    their_values = theirs.value[:, 0]
    if hasattr(peer, "classes_"):  # shares since scikit-learn 1.3, weights before
        their_values = their_values / their_values.sum(axis=1, keepdims=True) * theirs.weighted_n_node_samples[:, None]
    while stack:
        a, b = stack.pop()
        nodes += 1
        assert tree["rows"][a] == theirs.n_node_samples[b], (
            a, b, tree["rows"][a], theirs.n_node_samples[b])
        # Ours rounds weights to 2^-40 of their sum, which is 2^-32 of a row's here; without
        # weights both round doubles alone.
        near = 5e-10 if weighted else 1e-13
        assert abs(tree["impurity"][a] - theirs.impurity[b]) < near, (
            tree["impurity"][a], theirs.impurity[b])
        values = np.array(tree["values"]).reshape(len(tree["rows"]), -1)[a]
        np.testing.assert_allclose(values, their_values[b], rtol=near, atol=near)
        if tree["impurity"][a] == 0 and 0 < theirs.impurity[b] < 1e-12:
            continue  # a pure node, which scikit-learn splits where weights round
        if theirs.children_left[b] < 0 or tree["feature"][a] < 0:
            assert theirs.children_left[b] < 0 and tree["feature"][a] < 0, (
                a, b, tree["impurity"][a], theirs.impurity[b], tree["rows"][a], tree["weight"][a])
            continue
        if tree["feature"][a] != theirs.feature[b] or tree["threshold"][a] != theirs.threshold[b]:
            # Equal splits: the gain must be the same, and what is below is another tree's.
            gain = lambda imp, n, l, r: imp[0] * n[0] - imp[1] * n[1] - imp[2] * n[2]
            left, right = tree["left"][a], tree["right"][a]
            own = gain([tree["impurity"][i] for i in (a, left, right)],
                       [tree["weight"][i] for i in (a, left, right)], left, right)
            left, right = theirs.children_left[b], theirs.children_right[b]
            other = gain([theirs.impurity[i] for i in (b, left, right)],
                         [theirs.weighted_n_node_samples[i] for i in (b, left, right)], left, right)
            assert abs(own - other) < 300 * near, (a, own, other, tree["feature"][a], theirs.feature[b])
            if not weighted:
                continue
            if abs(tree["weight"][tree["left"][a]] - theirs.weighted_n_node_samples[left]) > 1e-6:
                left, right = right, left
            stack += [(tree["right"][a], right), (tree["left"][a], left)]
            continue
        stack.append((tree["right"][a], theirs.children_right[b]))
        stack.append((tree["left"][a], theirs.children_left[b]))
    return nodes


def rows_of_nodes(tree, x):
    """Of each node, which rows of x reach it."""
    rows = {0: np.arange(len(x))}
    for i, feature in enumerate(tree["feature"]):
        if feature >= 0:
            left = x[rows[i], feature] <= tree["threshold"][i]
            rows[tree["left"][i]], rows[tree["right"][i]] = rows[i][left], rows[i][~left]
    return rows


def every_split_is_the_best(tree, x, y, weights, kind, settings):
    """scikit-learn's best split of the same rows gains as much at each node, whichever of equal
    ones it takes, and there is one where ours has one. How many splits are equal in place too."""
    near = 5e-10 if weights is not None else 1e-13
    depth = {0: 0}
    same = 0
    for i, rows in rows_of_nodes(tree, x).items():
        if tree["impurity"][i] == 0 or depth[i] == settings.get("max_depth"):
            assert tree["feature"][i] < 0
            continue
        w = None if weights is None else weights[rows]
        share = tree["weight"][i] / tree["weight"][0]
        limits = {**settings, "max_depth": 1,
                  "min_impurity_decrease": settings.get("min_impurity_decrease", 0) / share}
        stump = kind(random_state=0, **limits).fit(x[rows], y[rows], sample_weight=w).tree_
        assert (tree["feature"][i] < 0) == (stump.feature[0] < 0), i
        if tree["feature"][i] < 0:
            continue
        children = tree["left"][i], tree["right"][i]
        for child in children:
            depth[child] = depth[i] + 1
        below = sum(tree["weight"][c] * tree["impurity"][c] for c in children)
        theirs = stump.weighted_n_node_samples[1:] @ stump.impurity[1:]
        assert abs(below - theirs) < 300 * near, (i, below, theirs)
        same += (tree["feature"][i], tree["threshold"][i]) == (stump.feature[0], stump.threshold[0])
    return same


def fifty_random_tables_give_the_same_trees():
    seen = whole = splits = same = 0
    for seed in range(50):
        classes = (2, 3, 0, 7, 2)[seed % 5]
        x, y = make(seed, classes=classes)
        random = np.random.default_rng(seed)
        weights = random.uniform(0.1, 2, len(y)) if seed % 2 else None
        write(x, y, weights)
        options, settings = [], {}
        if seed % 3 == 0:
            options, settings = ["--max-depth", 6], {"max_depth": 6}
        if seed % 7 == 3:
            options += ["--min-samples-leaf", 5]
            settings["min_samples_leaf"] = 5
        if seed % 7 == 5:
            options += ["--min-impurity-decrease", 0.005]
            settings["min_impurity_decrease"] = 0.005
        if classes and seed % 4 == 1:
            options += ["--criterion", "entropy"]
            settings["criterion"] = "entropy"
        if weights is not None:
            options += ["--weight", "w"]
        if classes == 0:
            options += ["--regression"]
        peer = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(
            random_state=0, **settings).fit(x, y, sample_weight=weights)
        answer, tree = ours(*options)
        compared = same_tree(tree, peer)
        seen += compared
        splits += sum(feature >= 0 for feature in tree["feature"])
        same += every_split_is_the_best(tree, x, y, weights, type(peer), settings)
        whole += compared == len(tree["rows"])
        # With weights every node is compared; scikit-learn may have more, below pure ones.
        assert weights is None or compared == len(tree["rows"]), (seed, compared)
    print(f"  scikit-learn {sklearn.__version__}: {seen} nodes equal, {whole} of 50 trees whole; on "
          f"the same rows all {splits} splits gain as much as its own, {same} are its own, the "
          "others one of several equal ones")
    assert whole >= 25


def balanced_classes_weigh_as_in_scikit_learn():
    x, y = make(9, rows=400, classes=2)
    y[:150] = 0
    write(x, y)
    peer = DecisionTreeClassifier(class_weight="balanced", max_depth=4, random_state=0).fit(x, y)
    same_tree(ours("--balanced", "--max-depth", 4)[1], peer)


def trees_of_few_or_heavy_leaves_are_the_same():
    for classes in (2, 0):
        x, y = make(14, rows=500, classes=classes)
        # Sums of these do not round: scikit-learn has no pure nodes that it splits.
        weights = np.random.default_rng(14).integers(500, 2000, len(y)) / 1024
        write(x, y, weights)
        kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
        options = ["--weight", "w"] + ([] if classes else ["--regression"])
        for settings in ({"max_leaf_nodes": 2}, {"max_leaf_nodes": 21},
                         {"min_weight_fraction_leaf": 0.04},
                         {"min_weight_fraction_leaf": 0.1, "max_leaf_nodes": 6, "max_depth": 3}):
            settings["min_samples_leaf"] = 3
            peer = kind(random_state=0, **settings).fit(x, y, sample_weight=weights)
            given = [part for name, value in settings.items()
                     for part in ("--" + name.replace("_", "-"), value)]
            answer, tree = ours(*given, *options)
            assert same_tree(tree, peer) == len(tree["rows"]) == peer.tree_.node_count
            assert answer["leaves"] == peer.get_n_leaves()


def trees_of_numbers_are_the_same_by_every_criterion():
    for seed, criterion in enumerate(["absolute_error", "poisson", "absolute_error", "poisson"]):
        x, y = make(seed + 30, rows=400, classes=0)
        y = np.abs(y)
        if seed > 1:
            y = np.floor(3 * y)  # zeros, and ties, of which best-first growth may take any
        # Whole, so that halves of them are met exactly by both.
        weights = np.random.default_rng(seed).integers(1, 5, len(y)) if seed % 2 else None
        write(x, y, weights)
        options = ["--regression", "--criterion", criterion.replace("_", "-")]
        options += ["--weight", "w"] if weights is not None else []
        for limits in ({"max_depth": 5}, {"min_samples_leaf": 4}, {"max_leaf_nodes": 15}):
            if seed > 1 and "max_leaf_nodes" in limits:
                continue
            settings = {"criterion": criterion, **limits}
            peer = DecisionTreeRegressor(random_state=0, **settings).fit(x, y, sample_weight=weights)
            given = [part for name, value in limits.items()
                     for part in ("--" + name.replace("_", "-"), value)]
            _, tree = ours(*given, *options)
            assert same_tree(tree, peer) > 12
            if "max_leaf_nodes" not in limits:
                every_split_is_the_best(tree, x, y, weights, DecisionTreeRegressor, settings)


def the_pruning_path_is_the_same():
    for classes in (2, 0):
        x, y = make(4, rows=250, classes=classes)
        # With weights splits gain the same only where they part the rows alike: the path is unique.
        weights = np.random.default_rng(4).uniform(0.5, 2, len(y))
        write(x, y, weights)
        kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
        options = ["--weight", "w"] if classes else ["--weight", "w", "--regression"]
        tree = kind(random_state=0, min_samples_leaf=3)
        path = tree.cost_complexity_pruning_path(x, y, sample_weight=weights)
        answer, _ = ours("--min-samples-leaf", 3, *options)
        keep = np.append(np.diff(path.ccp_alphas) > 1e-10, True)
        np.testing.assert_allclose(answer["ccp_alphas"], path.ccp_alphas[keep], atol=1e-9)
        np.testing.assert_allclose(answer["ccp_impurities"], path.impurities[keep], atol=1e-9)
        for at in (len(path.ccp_alphas) // 3, len(path.ccp_alphas) * 2 // 3):
            alpha = float((path.ccp_alphas[at] + path.ccp_alphas[at + 1]) / 2)
            peer = kind(random_state=0, min_samples_leaf=3, ccp_alpha=alpha)
            peer.fit(x, y, sample_weight=weights)
            run("tree", "prune", "m.json", "--ccp-alpha", alpha, "-o", "p")
            own = json.loads(pathlib.Path("p.json").read_text())["trees"][0]
            same_tree(own, peer)
            assert len(own["feature"]) == peer.tree_.node_count


def every_table_scores_as_in_scikit_learn_on_the_same_folds():
    """Ten folds told by a column. Splits that gain the same make trees differ, so scores of whole
    tables may by a few rows: means over several orders of ties are compared."""
    from sklearn.model_selection import PredefinedSplit, cross_val_score
    # Name, the label's column, numbers to predict, depth.
    tables = [("iris/iris.csv", -1, False, 4), ("wine/wine.csv", -1, False, 4),
              ("sonar/sonar.csv", -1, False, 5), ("abalone/abalone.csv", -1, True, 5),
              ("winequality-red/winequality-red.csv", -1, True, 5),
              ("winequality-white/winequality-white.csv", -1, True, 5),
              ("vowel/vowel.csv.gz", -1, False, 12),
              ("pimaindiansdiabetes/pimaindiansdiabetes.csv.gz", -1, False, 4),
              ("satellite/satellite.csv.gz", -1, False, 8),
              ("letter/letter-recognition.data.gz", 0, False, 14),
              ("magic04/magic04.data", -1, False, 8), ("glass/glass.csv", -1, False, 6)]
    for name, at, regression, depth in tables:
        path = TABLES / name
        if not path.exists():
            print(f"  skipped: {path} is not there")
            continue
        rows = read_rows(path)
        label = [row[at] for row in rows]
        cells = [row[:at] + row[at + 1:] if at != -1 else row[:-1] for row in rows]
        # Text, as the sex of an abalone: a number in the order of the names, for both.
        columns = []
        for column in zip(*cells):
            try:
                columns.append([float(v) for v in column])
            except ValueError:
                order = sorted(set(column))
                columns.append([float(order.index(v)) for v in column])
        x = np.array(columns, dtype=np.float64).T
        fold = np.random.default_rng(0).permutation(len(x)) % 10
        options = ["--regression"] if regression else []
        own = []
        for seed in range(4):
            # Ours gives equal splits to the lowest feature: as many orders of the features.
            order = np.random.default_rng(seed).permutation(x.shape[1])
            with open("t.csv", "w") as file:
                file.write(",".join([f"x{i}" for i in order] + ["fold", "y"]) + "\n")
                for i, row in enumerate(x[:, order]):
                    cells = [*map(repr, map(float, row)), str(fold[i]), label[i]]
                    file.write(",".join(cells) + "\n")
            answer = json.loads(run("tree", "fit", "t.csv", "--label", "y", "--cv-column", "fold",
                                    "--max-depth", depth, "--float32", "--json", *options).stdout)
            own.append(answer["cv_r2_mean" if regression else "cv_accuracy_mean"])
        own = np.array(own)
        y = np.array(label, dtype=float) if regression else np.array(label)
        kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
        theirs = np.array([cross_val_score(kind(max_depth=depth, random_state=seed), x, y,
                                           cv=PredefinedSplit(fold)).mean() for seed in range(5)])
        print(f"  {path.parent.name}, depth {depth}: {own.mean():.4f} ({own.min():.4f} to "
              f"{own.max():.4f}), scikit-learn {theirs.mean():.4f} ({theirs.min():.4f} to "
              f"{theirs.max():.4f})")
        # What the orders spread, and a row in 400 (half a row of the smallest table).
        spread = np.ptp(theirs) + np.ptp(own)
        assert abs(own.mean() - theirs.mean()) < spread + 1 / 400, (name, own, theirs)


def read_rows(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as file:
        lines = [line.strip().replace('"', "") for line in file if line.strip()]
    delimiter = ";" if ";" in lines[0] else ","
    rows = [line.split(delimiter) for line in lines]
    numeric = lambda row: sum(v.replace(".", "").replace("-", "").isdigit() for v in row)
    return rows[1:] if numeric(rows[0]) < numeric(rows[1]) else rows


def spambase_in_ten_folds_scores_as_scikit_learn_does():
    """The same ten folds for both, depths 4 to 8: 89.3 to 91.8 % are known of them."""
    path = TABLES / "spambase" / "spambase.data"
    if not path.exists():
        print(f"  skipped: {path} is not there")
        return
    from sklearn.model_selection import PredefinedSplit, cross_val_score
    table = np.loadtxt(path, delimiter=",")
    x, y = table[:, :-1], table[:, -1].astype(int)
    fold = np.random.default_rng(0).permutation(len(x)) % 10
    orders = [np.arange(57)] + [np.random.default_rng(seed).permutation(57) for seed in range(3)]
    for i, order in enumerate(orders):
        with open(f"{i}.csv", "w") as file:
            file.write(",".join([f"x{c}" for c in order] + ["fold", "y"]) + "\n")
            for row, f, label in zip(x[:, order], fold, y):
                file.write(",".join([*map(repr, map(float, row)), str(f), str(label)]) + "\n")
    for depth in (4, 5, 6, 7, 8):
        own = []
        for i in range(len(orders)):
            answer = json.loads(run("tree", "fit", f"{i}.csv", "--label", "y", "--cv-column", "fold",
                                    "--max-depth", depth, "--float32", "--json").stdout)
            assert len(answer["cv_seconds"]) == 10
            own.append(answer["cv_accuracy_mean"])
        own = np.array(own)
        theirs = np.array([cross_val_score(DecisionTreeClassifier(max_depth=depth, random_state=seed),
                                           x, y, cv=PredefinedSplit(fold)).mean()
                           for seed in range(4)])
        print(f"  depth {depth}: {own[0]:.4f} ({own.min():.4f} to {own.max():.4f} by the order of "
              f"columns), scikit-learn {theirs.mean():.4f} ({theirs.min():.4f} to "
              f"{theirs.max():.4f} by the draw among equal splits)")
        # 4601 rows: a row is 0.0002.
        assert abs(own.mean() - theirs.mean()) < np.ptp(own) + np.ptp(theirs) + 0.0005
        assert 0.88 < own.mean() < 0.93


def forests_score_as_scikit_learn_does_on_letters():
    path = TABLES / "letter" / "letter-recognition.data.gz"
    if not path.exists():
        print(f"  skipped: {path} is not there")
        return
    with gzip.open(path, "rt") as file:
        lines = file.read().splitlines()
    pathlib.Path("train.csv").write_text("\n".join(lines[:16001]) + "\n")
    pathlib.Path("test.csv").write_text("\n".join(lines[:1] + lines[16001:]) + "\n")
    label = lines[0].split(",")[0]
    run("forest", "fit", "train.csv", "--label", label, "--trees", 50, "--oob", "--voting", "soft",
        "-o", "f")
    answer = json.loads(run("forest", "predict", "f.json", "test.csv", "--label", label, "-o", "f",
                            "--json").stdout)
    from sklearn.ensemble import RandomForestClassifier
    rows = [line.split(",") for line in lines[1:]]
    x = np.array([row[1:] for row in rows], dtype=np.float32)
    y = np.array([row[0] for row in rows])
    peer = RandomForestClassifier(50, random_state=0).fit(x[:16000], y[:16000])
    theirs = peer.score(x[16000:], y[16000:])
    print(f"  50 trees: {answer['score']:.4f}, scikit-learn {theirs:.4f}")
    assert answer["score"] > theirs - 0.01


warnings.simplefilter("ignore")
