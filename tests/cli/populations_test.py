"""Relatives, F_ST and identity by state of populations in the report and JSON of fermat, by their definitions."""
import json
import pathlib

import numpy as np
from program import answer, refuse, run

LABELS = ["b"] * 9 + ["a"] * 14 + ["c"] * 2 + ["d"]


def write_cohort(sites=700, seed=4):
    draw = np.random.default_rng(seed)
    frequency = {k: draw.uniform(0.02, 0.98, sites) for k in "abcd"}
    x = np.array([draw.binomial(2, frequency[k]) for k in LABELS] + [draw.binomial(2, frequency["a"])], np.int8)
    x[draw.random(x.shape) < 0.05] = -1
    x[20] = x[12]
    x[:9, 3] = -1
    np.save("x.npy", x)
    names = [f"s{i}" for i in range(len(x))]
    pathlib.Path("x.ids").write_text("\n".join(names) + "\n")
    pathlib.Path("labels").write_text("".join(f"{n}\t{k}\n" for n, k in zip(names, LABELS)))  # the last has none
    return x


def definition(x):
    """Hudson's F_ST and the mean IBS of all pairs of populations, in the order of the labels."""
    groups = [x[[i for i, k in enumerate(LABELS) if k == name]].astype(float) for name in "bacd"]
    fst, ibs = np.zeros((4, 4)), np.full((4, 4), np.nan)
    for i, one in enumerate(groups):
        for j, other in enumerate(groups):
            differences = pairs = above = below = 0
            for s in range(x.shape[1]):
                u, v = (g[g[:, s] >= 0, s] for g in (one, other))
                d = np.abs(u[:, None] - v)
                differences += d.sum() / (2 if i == j else 1)
                pairs += len(u) * (len(u) - 1) / 2 if i == j else d.size
                if i == j or len(u) == 0 or len(v) == 0:
                    continue
                p, q = u.mean() / 2, v.mean() / 2
                above += (p - q) ** 2 - p * (1 - p) / (2 * len(u) - 1) - q * (1 - q) / (2 * len(v) - 1)
                below += p * (1 - q) + q * (1 - p)
            if i != j:
                fst[i, j] = above / below
            if pairs:
                ibs[i, j] = 1 - differences / 2 / pairs
    return fst, ibs


def fst_and_ibs_are_their_definitions():
    fst, ibs = definition(write_cohort())
    outputs = []
    for words in ((), ("--threads", 3, "--device", "reference"), ("--memory", "60M", "--relationships")):
        done = json.loads(run("fermat", "x.npy", "--labels", "labels", "-o", "y", "--json", *words).stdout)
        outputs.append(done["populations"])
    assert outputs[0] == outputs[1] == outputs[2], outputs
    found = outputs[0]
    assert found["names"] == list("bacd") and found["samples"] == [9, 14, 2, 1], found
    np.testing.assert_allclose(found["fst"], fst, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(np.array(found["mean_ibs"], float), ibs, rtol=1e-12)
    page = pathlib.Path("y.html").read_text()
    assert f"{fst[0, 1]:.4f}" in page and "Hudson" in page


def relatives_are_counted_and_twins_named():
    write_cohort()
    done = run("fermat", "x.npy", "--relationships", "-o", "y")
    assert "twins    s12 = s20" in done.stdout, done.stdout
    told = answer("fermat", "x.npy", "--relationships", "-o", "y")
    table = answer("dist", "x.npy", "--make-king-table", "-o", "z")
    assert told["relationships"] == table["relationships"] and sum(told["relationships"].values()) == 27 * 26 // 2
    assert told["duplicates"] == table["duplicates"] == [["s12", "s20"]]
    assert "s12 = s20" in pathlib.Path("y.html").read_text()
    none = answer("fermat", "x.npy", "-o", "y")
    assert "relationships" not in none and "populations" not in none


def what_has_no_effect_is_refused():
    write_cohort()
    run("dist", "x.npy", "-o", "z")
    refuse("fermat", "--from-distances", "z.dist.npy", "--relationships", "-o", "y", status=2, says=["--relationships"])
    refuse("fermat", "x.npy", "--matrix-only", "--relationships", "-o", "y", status=2, says=["--relationships"])
    refuse("dist", "x.npy", "--king-table-ibd", "-o", "y", status=2, says=["--make-king-table"])
