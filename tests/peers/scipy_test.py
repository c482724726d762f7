"""SciPy agrees: pdist for dist, shortest_path for fermat, with duplicated individuals."""
import json
import pathlib

import numpy as np
from scipy.sparse.csgraph import csgraph_from_dense, shortest_path
from scipy.spatial.distance import pdist, squareform
from program import run


def cohort(samples=300, sites=5000, seed=3):
    """Genotypes with population structure; the last ten individuals are copies of the first."""
    random = np.random.default_rng(seed)
    frequency = random.uniform(0.05, 0.95, (3, sites))
    genotypes = np.vstack(
        [random.binomial(2, frequency[i % 3]) for i in range(samples)]).astype(np.int8)
    genotypes[-10:] = genotypes[:10]
    np.save("cohort.npy", genotypes)
    return genotypes


def closure(weights):
    """All-pairs shortest paths; zero is an edge, so the graph is built with null_value=inf."""
    w = weights.copy()
    np.fill_diagonal(w, np.inf)
    return shortest_path(csgraph_from_dense(w, null_value=np.inf), method="FW", directed=False)


def dist_agrees_with_pdist():
    genotypes = cohort()
    for metric, name in (("sqeuclidean", "sqeuclidean"), ("euclidean", "euclidean"),
                         ("manhattan", "cityblock")):
        run("dist", "cohort.npy", "--metric", metric, "-o", "run")
        ours = np.load("run.dist.npy")
        theirs = squareform(pdist(genotypes, name))
        np.testing.assert_allclose(ours, theirs, rtol=1e-15)
        assert ours[0, 290] == 0


def fermat_agrees_with_shortest_path():
    genotypes = cohort()
    d = squareform(pdist(genotypes.astype(float), "euclidean"))
    for alpha in (1, 1.5, 2, 3):
        for precision, tolerance in (("float64", 1e-13), ("float32", 2e-6), ("auto", 2e-6)):
            run("fermat", "cohort.npy", "--alpha", alpha, "--precision", precision, "-o", "run")
            ours = np.load("run.fermat.npy").astype(float)
            theirs = closure(d**alpha)
            np.testing.assert_allclose(ours, theirs, rtol=tolerance, err_msg=f"alpha {alpha} {precision}")
            np.testing.assert_array_equal(ours, ours.T)
            assert ours[0, 290] == 0, "duplicated individuals are at distance 0"
        np.testing.assert_allclose(np.load("run.dist.npy"), d, rtol=1e-15)


def integer_fermat_is_exact():
    genotypes = cohort()
    run("fermat", "cohort.npy", "--alpha", 2, "-o", "run")
    ours = np.load("run.fermat.npy")
    assert ours.dtype == np.int32
    d2 = squareform(pdist(genotypes.astype(float), "sqeuclidean"))
    np.testing.assert_array_equal(ours, closure(np.round(d2)))


def from_distances_gives_the_same():
    cohort()
    run("fermat", "cohort.npy", "--alpha", 1.5, "--precision", "float64", "-o", "a")
    run("fermat", "--from-distances", "a.dist.npy", "--alpha", 1.5, "--precision", "float64", "-o", "b")
    np.testing.assert_allclose(np.load("a.fermat.npy"), np.load("b.fermat.npy"), rtol=1e-14)


def path_adds_up():
    cohort()
    for options in ((), ("--knn", 12), ("--root",)):
        path_of_one_run_adds_up(options)


def path_of_one_run_adds_up(options):
    run("fermat", "cohort.npy", "--alpha", 8, "--precision", "float64", *options, "-o", "run")
    d, f = np.load("run.dist.npy"), np.load("run.fermat.npy")
    if "--root" in options:
        f = f**8
    f[~np.isfinite(f)] = 0
    # The edge that was shortened most; among neighbours only, the longest path there is.
    gain = np.where(f > 0, d**8 / np.where(f > 0, f, 1), 0)
    far = np.unravel_index(np.argmax(f if "--knn" in options else gain), d.shape)
    ids = pathlib.Path("run.ids").read_text().split()
    answer = json.loads(run("path", "run", ids[far[0]], ids[far[1]], "--json").stdout)
    chain = [ids.index(name) for name in answer["path"]]
    assert len(chain) > 2, "an edge that was replaced has a longer path"
    length = sum(d[a, b] ** 8 for a, b in zip(chain, chain[1:]))
    np.testing.assert_allclose(length, f[far], rtol=1e-12)
    shown = answer["length"] ** 8 if "--root" in options else answer["length"]
    np.testing.assert_allclose(shown, f[far], rtol=1e-12)


def worked_example():
    np.save("points.npy", np.array([[0, 0], [1, 0], [2, 1]], dtype=np.uint8))
    run("dist", "points.npy", "-o", "run")
    np.testing.assert_array_equal(np.load("run.dist.npy"), [[0, 1, 5], [1, 0, 2], [5, 2, 0]])
    run("fermat", "points.npy", "--alpha", 2, "-o", "run")
    np.testing.assert_array_equal(np.load("run.fermat.npy"), [[0, 1, 3], [1, 0, 2], [3, 2, 0]])
