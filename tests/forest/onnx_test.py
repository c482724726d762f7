"""onnxruntime reads exported models and predicts what yupana predicts."""
import json
import pathlib

import onnxruntime
import numpy as np
from program import run

onnxruntime.set_default_logger_severity(3)


def write(x, y):
    with open("t.csv", "w") as file:
        file.write(",".join([f"x{i}" for i in range(x.shape[1])] + ["y"]) + "\n")
        for row, label in zip(x, y):
            cells = ["NA" if np.isnan(v) else repr(float(v)) for v in row]
            file.write(",".join(cells + [str(label)]) + "\n")


def made(seed, classes, missing=0.0, rows=600):
    random = np.random.default_rng(seed)
    x = random.normal(0, 1, (rows, 6)).astype(np.float32)
    score = x[:, 0] + x[:, 1] * x[:, 2] + random.normal(0, 0.3, rows)
    x[random.uniform(size=x.shape) < missing] = np.nan
    if classes == 0:
        return x, score
    return x, [f"class {k}" for k in np.digitize(score, np.linspace(-1, 1, classes - 1))]


def exported(family, *options):
    run(family, "fit", "t.csv", "--label", "y", "-o", "m", *options)
    run(family, "export", "m.json", "-o", "m")
    return onnxruntime.InferenceSession("m.onnx", providers=["CPUExecutionProvider"])


def predicted(family, *options):
    run(family, "predict", "m.json", "t.csv", "-o", "p", "--ignore", "y", *options)
    return [line.split("\t") for line in pathlib.Path("p.predicted.tsv").read_text().splitlines()]


def classes_and_their_shares_are_the_same():
    for seed, (classes, missing, voting, family) in enumerate([
            (2, 0, "soft", "forest"), (2, 0.1, "hard", "forest"), (5, 0.1, "soft", "forest"),
            (5, 0, "hard", "forest"), (3, 0.1, None, "tree"), (2, 0, None, "tree")]):
        x, y = made(seed, classes, missing)
        write(x, y)
        options = ["--trees", 30, "--voting", voting] if voting else []
        session = exported(family, *options)
        labels, shares = session.run(None, {"x": x})
        head, *rows = predicted(family, "--proba", "--float32")
        own = np.array([[float(v) for v in row[1:]] for row in rows])
        # Shares that differ by less than floats tell apart may choose either class.
        top = np.sort(own, axis=1)
        clear = top[:, -1] - top[:, -2] > 1e-5 if voting != "hard" else np.full(len(own), True)
        assert np.sum(~clear) < 10
        assert np.array_equal(np.array([row[0] for row in rows])[clear], labels[clear])
        # Float sums of 30 shares below 1, each rounded to 2^-24 of itself.
        np.testing.assert_allclose(shares, own, atol=30 * 2.0**-24, rtol=0)
        if voting == "hard":
            assert np.array_equal(np.round(shares * 30), np.round(own * 30))


def numbers_are_the_same():
    for missing in (0, 0.1):
        x, y = made(9, 0, missing)
        write(x, y)
        session = exported("forest", "--regression", "--trees", 20)
        value, = session.run(None, {"x": x})
        own = np.array([float(row[0]) for row in predicted("forest", "--float32")[1:]])
        np.testing.assert_allclose(value[:, 0], own, atol=4e-6, rtol=0)


def a_threshold_between_two_floats_parts_them_as_before():
    low = np.float32(1)
    high = np.nextafter(low, np.float32(2))
    pathlib.Path("t.csv").write_text(f"x,y\n{float(low)!r},a\n{float(high)!r},b\n")
    session = exported("tree")
    threshold = json.loads(pathlib.Path("m.json").read_text())["trees"][0]["threshold"][0]
    assert float(low) < threshold < float(high)
    labels, _ = session.run(None, {"x": np.array([[low], [high]], dtype=np.float32)})
    assert list(labels) == ["a", "b"]


def a_single_leaf_is_a_model_too():
    pathlib.Path("t.csv").write_text("x,y\n1,a\n2,a\n")
    labels, shares = exported("tree").run(None, {"x": np.array([[5]], dtype=np.float32)})
    assert list(labels) == ["a"] and shares.tolist() == [[1]]


def categories_go_where_they_go_here():
    random = np.random.default_rng(4)
    names = [f"c{k:02}" for k in range(40)]
    for options, family in ((["--trees", 12], "forest"), ([], "tree"), (["--regression"], "tree")):
        codes = random.integers(0, 40, (800, 2))
        size = random.normal(size=800).astype(np.float32)
        told = (codes[:, 0] * 7 + codes[:, 1] * 3) % 40 / 13 + size
        lines = ["a,b,size,y"]
        for (a, b), s, y in zip(codes, size, told):
            cell = "" if random.uniform() < 0.05 else names[a]
            lines.append(f"{cell},{names[b]},{float(s)!r},{y if options == ['--regression'] else int(y)}")
        pathlib.Path("t.csv").write_text("\n".join(lines) + "\n")
        session = exported(family, "--categorical", "a,b", "--categories", "native", "--max-depth", 9, *options)
        rows = [line.split(",") for line in lines[1:]]
        # Unknown numbers go where the unknown category goes.
        rows[0][0], rows[1][1] = "other", "other"
        place = {name: float(k) for k, name in enumerate(names)} | {"": np.nan, "other": 99.0}
        x = np.array([[place[row[0]], place[row[1]], float(row[2])] for row in rows], np.float32)
        pathlib.Path("t.csv").write_text("\n".join([lines[0]] + [",".join(row) for row in rows]) + "\n")
        got = session.run(None, {"x": x})[0]
        own = [row[0] for row in predicted(family, "--float32")[1:]]
        if options == ["--regression"]:
            np.testing.assert_allclose(got[:, 0], np.array(own, float), atol=4e-6, rtol=0)
        else:
            assert np.array_equal(got, own)
