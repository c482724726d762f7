"""yupana closest --neighbors, --radius and --queries, against SciPy's k-d tree."""
import json
import pathlib

import numpy as np
from scipy.spatial import cKDTree
from program import refuse, run

RNG = np.random.default_rng(5)


def lines(text):
    names, *rows = text.splitlines()
    assert names == "i\tj\tdistance", names
    cells = [row.split("\t") for row in rows]
    return [(int(i), int(j)) for i, j, _ in cells], np.array([float(d) for *_, d in cells])


def near(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-14)


def the_nearest_of_each_point_are_those_of_scipy():
    x = RNG.normal(size=(500, 3))
    np.save("x.npy", x)
    pairs, distances = lines(run("closest", "x.npy", "--neighbors", 4, "--device", "cpu").stdout)
    want, index = cKDTree(x).query(x, k=5)
    assert pairs == [(i, int(j)) for i in range(500) for j in index[i, 1:]]
    near(distances, want[:, 1:].ravel())
    told = json.loads(run("closest", "x.npy", "--neighbors", 4, "--json", "-o", "n.tsv").stdout)
    assert told.pop("stages")[-1]["stage"] == "neighbors", told
    assert told == {"command": "closest", "points": 500, "dimensions": 3, "neighbors": 4,
                    "pairs": 2000, "files": ["n.tsv"]}, told
    assert lines(pathlib.Path("n.tsv").read_text())[0] == pairs


def queries_of_another_type_find_their_nearest():
    x, q = RNG.uniform(size=(400, 2)).astype("f4"), RNG.uniform(size=(60, 2))
    np.save("x.npy", x)
    np.savetxt("q.csv", q, delimiter=",", fmt="%.17g")
    tree = cKDTree(x.astype(float))
    for devices in ("cpu", "reference"):
        pairs, distances = lines(run("closest", "x.npy", "--queries", "q.csv", "--neighbors", 3,
                                     "--device", devices).stdout)
        want, index = tree.query(q, k=3)
        assert pairs == [(i, int(j)) for i in range(60) for j in index[i]]
        near(distances, want.ravel())
        pairs, distances = lines(run("closest", "x.npy", "--queries", "q.csv", "--device", devices).stdout)
        nearest = want[:, 0].argmin()
        assert pairs == [(nearest, index[nearest, 0])], pairs
        near(distances, [want[nearest, 0]])


def all_pairs_within_a_radius_come_in_order():
    x, q = RNG.uniform(size=(600, 2)), RNG.uniform(size=(50, 2))
    np.save("x.npy", x)
    np.save("q.npy", q)
    pairs, distances = lines(run("closest", "x.npy", "--radius", 0.05, "--threads", 3).stdout)
    assert pairs == sorted(cKDTree(x).query_pairs(0.05)) and len(pairs) > 500
    assert (distances <= 0.05).all()
    pairs, _ = lines(run("closest", "x.npy", "--queries", "q.npy", "--radius", 0.05).stdout)
    found = cKDTree(x).query_ball_point(q, 0.05)
    assert pairs == [(i, j) for i, js in enumerate(found) for j in sorted(js)] and pairs
    assert lines(run("closest", "x.npy", "--radius", 0).stdout)[0] == []


def what_cannot_be_answered_is_refused():
    np.save("x.npy", RNG.uniform(size=(9, 2)))
    np.save("y.npy", RNG.uniform(size=(9, 3)))
    refuse("closest", "x.npy", "--neighbors", 9, says="expected k of 1 to 8")
    refuse("closest", "x.npy", "--queries", "y.npy", says="y.npy: queries: expected 2 coordinates, as the points have, got")
    refuse("closest", "x.npy", "--neighbors", 2, "--radius", 1, says="--radius", status=2)
    refuse("closest", "x.npy", "--neighbors", 2, "--method", "grid", says="--method", status=2)
    refuse("closest", "x.npy", "--radius", -1, says="--radius", status=2)
    refuse("closest", "x.npy", "--radius", "nan", says="--radius", status=2)
    refuse("closest", "x.npy", "--radius", 1, "--json", says="give -o NAME.tsv", status=2)
    refuse("closest", "x.npy", "--radius", 1, "-o", "x.json", says="ends in .tsv", status=2)
    assert not pathlib.Path("x.json").exists()
