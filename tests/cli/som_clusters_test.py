"""Clusters of a map's neurons: scikit-learn's, chosen by silhouettes, written, drawn; titles."""
import json
import pathlib
import random

import numpy as np
from program import refuse, run

try:
    from scipy.sparse import csr_matrix
    from sklearn.cluster import AgglomerativeClustering
except ImportError:
    AgglomerativeClustering = None


def table(groups=3, rows=240):
    random.seed(groups)
    lines = ["x,y,z,kind"]
    for i in range(rows):
        g = i % groups
        center = (9 * (g % 2), 9 * (g // 2), 4 * g)
        lines.append(",".join(f"{c + random.gauss(0, 0.5):.3f}" for c in center) + f",a kind with a long name {g}")
    pathlib.Path("t.csv").write_text("\n".join(lines) + "\n")


def fit(*options):
    return json.loads(run("som", "fit", "t.csv", "--label", "kind", "-o", "m", "--json", *options).stdout)


def data_of_page(path="m.html"):
    text = pathlib.Path(path).read_text()
    begin = text.index('id="data">') + len('id="data">')
    return json.loads(text[begin:text.index("</script>", begin)])


def neighbors(rows, cols):
    places = [(r, c) for r in range(rows) for c in range(cols)]
    return np.array([[max(abs(a - c), abs(b - d)) == 1 for c, d in places] for a, b in places])


def clusters_are_scikit_learns():
    if AgglomerativeClustering is None:
        return print("skipped: scikit-learn is not installed")
    table(4)
    fit("--rows", 7, "--cols", 6)
    codebook = np.load("m.codebook.npy").astype(float)
    graph = csr_matrix(neighbors(7, 6))
    for count in range(1, 12):
        run("som", "report", "m.json", "--clusters", count, "-o", "again")
        page = data_of_page("again.html")
        ours = next((g["values"] for g in page["groups"] if g["name"] == "Clusters"), [0] * 42)
        theirs = AgglomerativeClustering(count, linkage="ward", connectivity=graph).fit_predict(codebook)
        pairs = set(zip(ours, theirs))
        assert len(pairs) == count == len(set(ours)), (count, pairs)


def their_number_has_the_largest_mean_silhouette():
    for groups in (2, 3, 4, 6):
        table(groups)
        answer = fit("--rows", 6, "--cols", 6, "--sigmaf", 0.3, "--iterations", 30)
        assert answer["clusters"] == groups, answer["silhouettes"]
        assert answer["silhouettes"].index(max(answer["silhouettes"])) == groups - 2
        of = np.load("m.clusters.npy")
        assert of.shape == (6, 6) and sorted(set(of.ravel())) == list(range(groups))
        codebook, own = np.load("m.codebook.npy").astype(float), of.ravel()
        hits = np.load("m.hits.npy").ravel()
        means = np.array([np.average(codebook[own == c], axis=0, weights=hits[own == c]) for c in range(groups)])
        away = np.linalg.norm(codebook[:, None] - means, axis=2)
        a = away[np.arange(36), own]
        away[np.arange(36), own] = np.inf
        b = away.min(1)
        values = np.where(np.bincount(own)[own] == 1, 0, (b - a) / np.maximum(a, b))
        assert abs(np.average(values, weights=hits) - max(answer["silhouettes"])) < 1e-12


def a_silhouette_of_means_had_the_name_of_scikit_learns_of_pairs():
    table(3)
    best = max(fit("--rows", 4, "--cols", 4)["silhouettes"])
    told = run("som", "report", "m.json", "-o", "n").stdout
    assert f" clusters of neurons, mean simplified silhouette {best:.3f}\n" in told, told
    page = pathlib.Path("n.html").read_text()
    assert f": a mean simplified silhouette of {best:.3f}, the largest of" in page and "mean silhouette" not in page


def one_distinct_point_is_one_cluster():
    pathlib.Path("t.csv").write_text("x,y,kind\n" + "3,4,a\n" * 20)
    answer = fit("--rows", 4, "--cols", 4)
    assert answer["clusters"] == 1 and answer["silhouettes"] == [], answer
    told = run("som", "apply", "m.json", "t.csv", "-o", "new").stdout
    assert "1 cluster of neurons\n" in told and "silhouette" not in told, told


def a_silhouette_of_the_fits_samples_is_not_told_of_others():
    table()
    fit("--rows", 5, "--cols", 4)
    pathlib.Path("new.csv").write_text("x,y,z\n1,2,3\n9,9,8\n8,1,4\n")
    for use in ("apply", "report"):
        done = run("som", use, "m.json", "new.csv", "-o", "n", "--json")
        answer = json.loads(done.stdout)
        assert answer["samples"] == 3 and answer["clusters"] == 3 and answer["silhouettes"] == [], answer
        assert "silhouette" not in run("som", use, "m.json", "new.csv", "-o", "n").stdout
    assert "silhouette" not in pathlib.Path("n.html").read_text().partition('id="data">')[2].partition("</script>")[0]
    again = json.loads(run("som", "report", "m.json", "new.csv", "--clusters", "auto", "-o", "n", "--json").stdout)
    assert again["silhouettes"], again
    assert "silhouette" in run("som", "report", "m.json", "-o", "n").stdout


def samples_of_unknown_classes_are_in_the_notices_where_they_count():
    table()
    fit("--rows", 5, "--cols", 4)
    pathlib.Path("new.csv").write_text("x,y,z,kind\n1,2,3,none of these\n")
    answer = json.loads(run("som", "apply", "m.json", "new.csv", "-o", "n", "--json").stdout)
    assert any("does not know, 'none of these'" in notice for notice in answer["notices"]), answer
    assert "counted as wrong" not in run("som", "report", "m.json", "new.csv", "-o", "n").stderr


def threads_of_an_online_fit_are_said_to_be_of_the_rest():
    table()
    online = ["som", "fit", "t.csv", "--label", "kind", "--online", "-o", "m", "--threads"]
    assert "--online trains on one thread" in run(*online, 2).stderr
    assert "--online trains" not in run(*online, 1).stderr


def samples_have_the_clusters_of_their_neurons():
    table()
    fit("--rows", 5, "--cols", 4)
    of = np.load("m.clusters.npy").ravel()
    run("som", "apply", "m.json", "t.csv", "-o", "new")
    for path in ("m.bmu.tsv", "new.bmu.tsv"):
        head, *lines = [line.split("\t") for line in pathlib.Path(path).read_text().splitlines()]
        for line in lines:
            assert of[int(line[head.index("neuron")])] == int(line[head.index("cluster")])


def maps_without_clusters_and_reports_with_others():
    table()
    answer = fit("--rows", 5, "--cols", 4, "--clusters", "none", "--title", "Three <kinds> & more")
    assert answer["clusters"] == 0 and not pathlib.Path("m.clusters.npy").exists()
    assert "cluster" not in pathlib.Path("m.bmu.tsv").read_text()
    page = pathlib.Path("m.html").read_text()
    assert "<h1>Three &lt;kinds&gt; &amp; more</h1>" in page
    assert [g["name"] for g in data_of_page()["groups"]] == ["Classes"]
    answer = json.loads(run("som", "report", "m.json", "--clusters", "auto", "--title", "Again", "-o", "again",
                            "--json").stdout)
    assert answer["clusters"] == 3
    assert [g["name"] for g in data_of_page("again.html")["groups"]] == ["Classes", "Clusters"]
    assert "<h1>Again</h1>" in pathlib.Path("again.html").read_text()
    fit("--rows", 1, "--cols", 2)
    assert [g["name"] for g in data_of_page()["groups"]] == ["Classes"]


def the_legend_names_every_class_and_empty_cells():
    lines = ["x,kind"] + [f"{i * 10},class number {i:02} of many" for i in range(40) for _ in range(3)]
    pathlib.Path("t.csv").write_text("\n".join(lines) + "\n")
    fit("--rows", 10, "--cols", 10, "--sigmaf", 0.1, "--iterations", 30)
    classes = data_of_page()["groups"][0]
    assert len(classes["names"]) == 40 and classes["hasNone"]
    there = sorted(set(classes["values"]) - {-1})
    assert classes["shown"] == there and len(there) > 20
    absent = 40 - len(there)
    assert (f"{absent} other" in classes["remark"]) == (absent > 0)


def bad_numbers_are_one_line():
    table()
    for given in ("0", "-1", "2.5", "many"):
        refuse("som", "fit", "t.csv", "--clusters", given, "-o", "gone", status=2, says="--clusters")
    refuse("som", "fit", "t.csv", "--ignore", "kind", "--rows", 2, "--cols", 2, "--clusters", 5, "-o", "gone", status=2,
           says=["--clusters 5", "4 neurons"])
    fit("--rows", 2, "--cols", 2)
    refuse("som", "report", "m.json", "--clusters", 5, "-o", "gone", status=2, says="--clusters 5: the map has 4 neurons")
    text = pathlib.Path("m.json").read_text()
    model = json.loads(text)
    model["clusters"]["neurons"][0] = 9
    pathlib.Path("bad.json").write_text(json.dumps(model))
    refuse("som", "report", "bad.json", "-o", "gone", says="clusters.neurons")
