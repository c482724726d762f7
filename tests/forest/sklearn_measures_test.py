"""scikit-learn agrees on every measure of trees and forests, to 1e-12."""
import json
import pathlib
import warnings

from sklearn import metrics
from sklearn.calibration import calibration_curve
import numpy as np
from program import run


def write(classes, rows=600, seed=1, name="t.csv"):
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, 4)).round(2)
    score = x[:, 0] + x[:, 1] * x[:, 2] + random.normal(size=rows)
    # The first class is rare.
    y = np.searchsorted(np.quantile(score, np.linspace(0.05, 1, classes)[:-1]), score)
    labels = [repr(float(s)) for s in score] if classes == 0 else [f"c{c}" for c in y]
    lines = ["a,b,c,d,y"] + [",".join([*map(str, row), label]) for row, label in zip(x, labels)]
    pathlib.Path(name).write_text("\n".join(lines) + "\n")


def near(ours, theirs, what):
    assert abs(ours - theirs) <= 1e-12 * max(1, abs(theirs)), (what, ours, theirs)


def same_as_of_classes(ours, names, truth, predicted, shares, unknown=False):
    """truth: names, perhaps others than `names`, which count as one that is never predicted."""
    labels = list(names) + ["unknown"] * unknown
    near(ours["accuracy"], metrics.accuracy_score(truth, predicted), "accuracy")
    near(ours["mcc"], metrics.matthews_corrcoef(truth, predicted), "mcc")
    near(ours["balanced_accuracy"], metrics.balanced_accuracy_score(truth, predicted), "balanced")
    near(ours["macro_f1"], metrics.f1_score(truth, predicted, average="macro"), "macro_f1")
    confusion = metrics.confusion_matrix(truth, predicted, labels=labels)
    assert ours["confusion"] == confusion[:len(names), :len(names)].tolist()
    four = metrics.precision_recall_fscore_support(truth, predicted, labels=names, zero_division=0)
    for c, (name, own, *theirs) in enumerate(zip(names, ours["classes"], *four)):
        assert own["class"] == name and own["rows"] == theirs[3], (own, theirs)
        assert own["predicted"] == np.count_nonzero(predicted == name)
        for key, value in zip(("precision", "recall", "f1"), theirs):
            near(own[key], value, (name, key))
        near(own["roc_auc"], metrics.roc_auc_score(truth == name, shares[:, c]), (name, "roc"))
        near(own["pr_auc"], metrics.average_precision_score(truth == name, shares[:, c]), (name, "pr"))
        observed, share = calibration_curve(truth == name, shares[:, c], n_bins=10)
        bins = own["calibration"]
        np.testing.assert_allclose([b["observed"] for b in bins], observed, rtol=1e-12)
        np.testing.assert_allclose([b["share"] for b in bins], share, rtol=1e-12)
        assert sum(b["rows"] for b in bins) == len(truth)
    for key in ("roc_auc", "pr_auc"):
        near(ours[key], np.mean([own[key] for own in ours["classes"]]), key)
    padded = np.hstack([shares, np.zeros((len(truth), int(unknown)))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # shares that are 0
        near(ours["log_loss"], metrics.log_loss(truth, padded, labels=labels), "log_loss")
    errors = (padded - (truth[:, None] == np.array(labels))) ** 2
    if len(names) == 2 and not unknown:
        theirs = metrics.brier_score_loss(truth == names[1], shares[:, 1])
        near(ours["brier"], theirs, "brier")
    else:
        near(ours["brier"], errors.sum() / len(truth) / (2 if len(names) == 2 else 1), "brier")


def same_as_of_numbers(ours, truth, predicted):
    near(ours["r2"], metrics.r2_score(truth, predicted), "r2")
    near(ours["rmse"], np.sqrt(metrics.mean_squared_error(truth, predicted)), "rmse")
    near(ours["mae"], metrics.mean_absolute_error(truth, predicted), "mae")
    near(ours["mean_error"], np.mean(predicted - truth), "mean_error")
    for point in ours["error_quantiles"]:
        near(point["error"], np.quantile(predicted - truth, point["probability"]), point)


def cells(name, known=True):
    """Columns of a file of predictions by name; `known`: rows with a prediction alone."""
    head, *lines = [line.split("\t") for line in pathlib.Path(name).read_text().splitlines()]
    rows = [line for line in lines if not known or "NA" not in line]
    return head, {column: np.array([row[i] for row in rows]) for i, column in enumerate(head)}


def labels_of(name):
    return np.array([line.rsplit(",", 1)[1] for line in pathlib.Path(name).read_text().split()[1:]])


def of_file(name, names):
    head, columns = cells(name)
    shares = np.array([columns[c].astype(float) for c in names]).T
    return columns, shares


def fitted(family, *options):
    return json.loads(run(family, "fit", "t.csv", "--label", "y", "-o", "m", "--json", *options).stdout)


def classes_are_measured_as_by_scikit_learn():
    for classes in (2, 4):
        write(classes)
        names = [f"c{c}" for c in range(classes)]
        for family, options in (("tree", ["--max-depth", 3]), ("tree", []),
                                ("forest", ["--trees", 5, "--oob", "--voting", "soft"]),
                                ("forest", ["--trees", 7, "--oob"])):
            answer = fitted(family, "--cv", 4, "--predictions", *options)
            columns, shares = of_file("m.cv.tsv", names)
            assert (columns["label"] == labels_of("t.csv")).all()
            same_as_of_classes(answer["cv"], names, columns["label"], columns["predicted"], shares)
            for k, own in enumerate(answer["cv"]["folds"]):
                held = columns["fold"] == str(k + 1)
                assert answer["cv_scores"][k] == own["accuracy"] and own["rows"] == held.sum() == 150
                same_as_of_classes(own, names, columns["label"][held], columns["predicted"][held],
                                   shares[held])
            for key in ("mcc", "log_loss", "roc_auc"):
                values = [fold[key] for fold in answer["cv"]["folds"]]
                near(answer["cv"]["mean"][key], np.mean(values), key)
                near(answer["cv"]["std"][key], np.std(values), key)
            if family == "forest":
                columns, shares = of_file("m.oob.tsv", names)
                assert answer["oob"]["rows"] == len(shares) == answer["oob_rows"] > 500
                same_as_of_classes(answer["oob"], names, columns["label"], columns["predicted"], shares)
            write(classes, seed=2, name="new.csv")
            for table, measured in (("t.csv", answer["train"]), ("new.csv", None)):
                done = json.loads(run(family, "predict", "m.json", table, "--label", "y", "--proba",
                                      "-o", "p", "--json").stdout)
                columns, shares = of_file("p.predicted.tsv", names)
                same_as_of_classes(done["measures"], names, labels_of(table), columns["predicted"],
                                   shares)
                assert measured is None or measured == done["measures"]


def unknown_classes_are_measured_as_one_that_is_never_predicted():
    write(3)
    fitted("tree", "--max-depth", 4)
    write(5, seed=3, name="new.csv")  # c3 and c4 are unknown
    done = json.loads(run("tree", "predict", "m.json", "new.csv", "--label", "y", "--proba", "-o", "p",
                          "--json").stdout)
    names = ["c0", "c1", "c2"]
    columns, shares = of_file("p.predicted.tsv", names)
    truth = labels_of("new.csv")
    truth = np.where(np.isin(truth, names), truth, "unknown")
    assert done["measures"]["unknown_class_rows"] == np.count_nonzero(truth == "unknown") > 100
    same_as_of_classes(done["measures"], names, truth, columns["predicted"], shares, unknown=True)


def numbers_are_measured_as_by_scikit_learn():
    write(0)
    for family, options in (("tree", ["--max-depth", 4]), ("forest", ["--trees", 5, "--oob"])):
        answer = fitted(family, "--regression", "--cv", 3, "--predictions", *options)
        columns = cells("m.cv.tsv")[1]
        truth, predicted = (columns[c].astype(float) for c in ("label", "predicted"))
        same_as_of_numbers(answer["cv"], truth, predicted)
        for k, own in enumerate(answer["cv"]["folds"]):
            held = columns["fold"] == str(k + 1)
            same_as_of_numbers(own, truth[held], predicted[held])
        if family == "forest":
            columns = cells("m.oob.tsv")[1]
            assert answer["oob"]["rows"] == len(columns["row"]) < 600  # some rows all trees saw
            assert len(cells("m.oob.tsv", known=False)[1]["row"]) == 600
            same_as_of_numbers(answer["oob"], columns["label"].astype(float),
                               columns["predicted"].astype(float))
        done = json.loads(run(family, "predict", "m.json", "t.csv", "--label", "y", "-o", "p",
                              "--json").stdout)
        same_as_of_numbers(done["measures"], labels_of("t.csv").astype(float),
                           cells("p.predicted.tsv")[1]["predicted"].astype(float))
        assert done["measures"] == answer["train"]
