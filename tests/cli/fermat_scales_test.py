"""yupana fermat where powers of distances leave the range of float32: the tree is SciPy's of the
matrix written, and no picture, coordinate or sentence pretends otherwise."""
import json
import pathlib
import re

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from program import refuse, run


def distances(n=200):
    x = np.random.default_rng(0).random((n, 2))
    d = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
    return (d + d.T) / 2


def clades_of_newick(path):
    """Each clade (of numbered leaves), and the height of its root as its branches give it."""
    clades, stack = {}, [[]]
    for mark, name, length in re.findall(r"([(),;])|([^(),:;]+)|:([^(),;]+)",
                                         pathlib.Path(path).read_text().strip()):
        if mark == "(":
            stack.append([])
        elif mark == ")":
            inside = stack.pop()
            leaves = frozenset().union(*(s for s, _ in inside))
            clades[leaves] = max(height for _, height in inside)
            stack[-1].append((leaves, clades[leaves]))
        elif name:
            stack[-1].append((frozenset([int(name)]), 0.0))
        elif length:
            leaves, height = stack[-1].pop()
            stack[-1].append((leaves, height + float(length)))
    return clades


def clades_of_matrix(path, method="average"):
    f = np.load(path).astype(float)
    n = len(f)
    clusters = [frozenset([i]) for i in range(n)]
    clades = {}
    for a, b, height, _ in linkage(squareform(f, checks=False), method):
        clusters.append(clusters[int(a)] | clusters[int(b)])
        clades[clusters[-1]] = height / 2
    return clades


def number_leaves(prefix):
    names = pathlib.Path(f"{prefix}.ids").read_text().split("\n")[:-1]
    text = pathlib.Path(f"{prefix}.nwk").read_text()
    number = {name.split("\t")[-1]: str(i) for i, name in enumerate(names)}
    text = re.sub(r"(?<=[(,])'?([^(),:;']+)'?(?=:)", lambda m: number[m[1]], text)
    pathlib.Path(f"{prefix}.nwk").write_text(text)


def check_tree(prefix, method="average"):
    number_leaves(prefix)
    mine = clades_of_newick(f"{prefix}.nwk")
    theirs = clades_of_matrix(f"{prefix}.fermat.npy", method)
    assert mine.keys() == theirs.keys(), (prefix, len(mine.keys() ^ theirs.keys()))
    for clade, height in theirs.items():
        assert np.isclose(mine[clade], height, rtol=1e-9, atol=0), (prefix, mine[clade], height)


def fermat(*arguments):
    return json.loads(run("fermat", *arguments, "--quiet", "--json").stdout)


def trees_of_high_powers_underflowed_in_float():
    np.save("u.npy", distances())
    fermat("--from-distances", "u.npy", "--alpha", 32, "-o", "r")
    check_tree("r")
    fermat("--from-distances", "u.npy", "--alpha", 32, "--linkage", "complete", "-o", "x")
    check_tree("x", "complete")
    run("simulate", "--samples", 60, "--sites", 1000, "--populations", 4, "--structure", "line",
        "--fst", 0.3, "-o", "c1")
    fermat("c1.bed", "--alpha", 300, "-o", "c")
    check_tree("c")
    f = np.load("c.fermat.npy")
    assert (f[~np.eye(len(f), dtype=bool)] > 0).all()


def scores_of_high_powers_were_those_of_zeros():
    """The nearest neighbour by d^alpha is the one by d."""
    np.save("u.npy", distances())
    pathlib.Path("l.tsv").write_text("".join(f"{i}\t{'ab'[i % 2]}\n" for i in range(200)))
    rows = fermat("--from-distances", "u.npy", "--labels", "l.tsv", "--alpha", 32, "-o", "r")
    d, _, power, _ = rows["matrices"]
    assert d["nearest_neighbor_accuracy"] == power["nearest_neighbor_accuracy"], rows["matrices"]


def tree_was_that_of_the_lengths_without_their_root():
    np.save("u.npy", distances(60))
    answer = fermat("--from-distances", "u.npy", "--alpha", 3, "--root", "-o", "r")
    check_tree("r")
    assert any(".nwk hold F^(1/" in notice for notice in answer["notices"]), answer["notices"]
    run("simulate", "--samples", 40, "--sites", 500, "-o", "c")
    fermat("c.bed", "--root", "-o", "i")
    check_tree("i")


def first_axes(path):
    """The first two axes of d and of F, each as long as 1."""
    lines = [x for x in pathlib.Path(path).read_text().splitlines() if not x.startswith("#")]
    columns = dict(zip(lines[0].split("\t"), np.array([x.split("\t") for x in lines[1:]], float).T))
    axes = [columns[f"{name} PCo {k}"] for name in ("distance d", "Fermat F, α = 3") for k in (1, 2)]
    return np.array([axis / np.linalg.norm(axis) for axis in axes])


def finite_distances_were_called_infinite():
    d = distances(60)
    np.save("d.npy", d)
    plain = fermat("--from-distances", "d.npy", "--alpha", 3, "-o", "d")
    for name, factor in (("big", 1e39), ("small", 1e-200), ("huge", 1e300)):
        np.save(f"{name}.npy", d * factor)
        scaled = fermat("--from-distances", f"{name}.npy", "--alpha", 3, "-o", name)
        assert not any("infinite" in notice for notice in scaled["notices"]), scaled["notices"]
        assert any("units of" in notice for notice in scaled["notices"]), scaled["notices"]
        words = [[s.replace("> 99.9 %", "100.0 %") for s in x["findings"]] for x in (scaled, plain)]
        assert words[0] == words[1], words
        assert np.allclose(first_axes(f"{name}.mds.tsv"), first_axes("d.mds.tsv"), atol=1e-5), name


def distances_whose_scale_or_its_inverse_is_no_double_were_nan():
    # The power of two above 1e308 is infinite, and so is the inverse of the one above 1e-310.
    d = np.round(distances(20), 6)
    np.save("d.npy", d)
    fermat("--from-distances", "d.npy", "--alpha", 3, "-o", "d", "--precision", "float64")
    for name, factor, options in (("largest", 1e308, []), ("least", 1e-310, ["--matrix-only"])):
        np.save(f"{name}.npy", d * factor)
        fermat("--from-distances", f"{name}.npy", "--alpha", 3, "-o", name, "--precision", "float64", *options)
        lengths, wanted = (np.load(f"{run}.fermat.npy") for run in (name, "d"))
        scale = lengths.max() / wanted.max()
        assert np.isfinite(lengths).all() and 1e-300 < scale < 1e300, (name, scale)
        assert np.allclose(lengths, wanted * scale, rtol=1e-9, atol=0), name
    for squared in ([], ["--squared"]):
        refuse("fermat", "--from-distances", "least.npy", "-o", "no", *squared,
               says=["least.npy", "at least 2.2e-308", "scale the distances"])
