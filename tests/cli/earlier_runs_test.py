"""Files that an earlier run of the same prefix left, which this run does not write, are named."""
import pathlib

from program import run

OF_BEFORE = (": of an earlier run, this one does not write it anew",
             ": of an earlier run, this one does not write them anew")


def left(*arguments):
    """The files that a run names so."""
    notes = [line for line in run(*arguments).stderr.splitlines() if line.endswith(OF_BEFORE)]
    assert len(notes) <= 1, notes
    return notes[0].removeprefix("note: ").split(": of an")[0].split(", ") if notes else []


def table(path, name):
    rows = "".join(f"{i % 7},{i * i % 11},{name}{int(i % 7 > 3)}\n" for i in range(40))
    pathlib.Path(path).write_text("a,b,class\n" + rows)


def a_model_of_another_label_is_not_the_runs():
    table("a.csv", "old")
    table("b.csv", "new")
    fit = ["forest", "fit", "--label", "class", "--trees", 4, "-o", "m"]
    assert not left(*fit, "a.csv", "--binary", "--report", "--oob", "--predictions", "--cv", 3)
    assert left(*fit, "b.csv") == ["m.model", "m.html", "m.cv.tsv", "m.oob.tsv"]
    assert left(*fit, "b.csv", "--binary", "--report") == ["m.cv.tsv", "m.oob.tsv"]
    assert "old" in pathlib.Path("m.oob.tsv").read_text(), "it stays"
    assert left(*fit[:-1], "fresh", "b.csv") == []


def a_page_of_other_predictions_is_not_the_runs():
    table("a.csv", "of")
    run("tree", "fit", "a.csv", "--label", "class", "-o", "m")
    predict = ["tree", "predict", "m.json", "a.csv", "--label", "class", "-o", "p"]
    assert not left(*predict, "--report")
    assert left(*predict) == ["p.html"]


def clusters_of_another_map_are_not_the_runs():
    table("a.csv", "of")
    fit = ["som", "fit", "a.csv", "--label", "class", "--rows", 4, "--cols", 3, "-o", "m"]
    assert not left(*fit)
    assert left(*fit, "--clusters", "none", "--no-p-matrix") == ["m.clusters.npy", "m.pmatrix.npy"]
    assert ": of an earlier run, this one" in run(*fit, "--no-p-matrix", "--clusters", "none", "--quiet", "--json").stdout


def figures_by_themselves_were_not_named():
    run("simulate", "--samples", 12, "--sites", 300, "-o", "c.bed", "--quiet")
    for command, options, page in (("pca", ["--report"], [".html", ".svg", ".pdf", ".png"]), ("fermat", [], [])):
        assert not left(command, "c.bed", "-o", command, *options, "--figures", "svg", "pdf")
        single = sorted(path.name for path in pathlib.Path(".").glob(f"{command}.*.svg"))
        assert f"{command}.embedding1.svg" in single and len(single) > 1, single
        pathlib.Path(f"{command}.tree1.txt").write_text("of the user")
        both = sorted([*single, *(name.removesuffix("svg") + "pdf" for name in single)])
        assert left(command, "c.bed", "-o", command) == [command + ending for ending in page] + both
        assert left(command, "c.bed", "-o", command, *options, "--figures", "svg", "pdf") == []


def matrices_of_other_distances_are_not_the_runs():
    run("simulate", "--samples", 12, "--sites", 300, "-o", "c.bed", "--quiet")
    assert not left("dist", "c.bed", "-o", "r", "--tree", "nj")
    assert left("dist", "c.bed", "-o", "r", "--make-king-table") == ["r.dist.npy", "r.nwk"]
    assert not left("dist", "c.bed", "-o", "q", "--distance", "square", "ibs", "1-ibs", "gz")
    assert left("dist", "c.bed", "-o", "q", "--distance", "triangle", "bin") == [
        "q.mibs.gz", "q.mibs.id", "q.mdist.gz", "q.mdist.id"], "files of --distance were not named"
    assert not left("grm", "c.bed", "-o", "g", "--format", "npy")
    assert left("grm", "c.bed", "-o", "g", "--format", "gcta") == ["g.grm.npy"]
    assert not left("pca", "c.bed", "-o", "v", "--loadings")
    assert left("pca", "c.bed", "-o", "v") == ["v.loadings.tsv"]
    assert not left("fermat", "c.bed", "-o", "f", "--matrix-only")
    assert not left("fermat", "c.bed", "-o", "f")


def files_of_the_alphas_of_an_earlier_run_were_not_named():
    run("simulate", "--samples", 12, "--sites", 300, "-o", "c.bed", "--quiet")
    pathlib.Path("out").mkdir()
    for folder in ("", "out/"):
        run("fermat", "c.bed", "-o", f"{folder}f", "--alpha", "2,4.5")
        files = [f"{folder}f.alpha{alpha}.{ending}" for alpha in ("2", "4.5")
                 for ending in ("fermat.npy", "gexf", "graphml", "nwk")]
        assert left("fermat", "c.bed", "-o", f"{folder}f") == files
        pathlib.Path(f"{folder}f.alphabet.nwk").write_text("mine")
        after = left("fermat", "c.bed", "-o", f"{folder}f", "--alpha", "2,3", "--matrix-only")
        assert files[0] not in after and set(files[1:]) < set(after), after
        assert f"{folder}f.alphabet.nwk" not in after
    assert "f.html" in left("fermat", "c.bed", "-o", "f", "--matrix-only")
