#!/usr/bin/env python3
"""pca --report: a page with the components, their shares and, with loadings, the sites that weigh most."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
import numpy as np
from browser import Browser, find_browser
from browser_test import check_page
from program import main, refuse, run

COHORT = ("simulate", "--samples", 90, "--sites", 3000, "--populations", 3, "--fst", 0.1, "--missing", 0.01, "-o", "c")


def data_of(page):
    text = pathlib.Path(page).read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def the_page_holds_what_the_files_hold():
    run(*COHORT)
    done = json.loads(run("pca", "c.bed", "--report", "--loadings", "--labels", "c.labels.tsv", "-o", "y", "--json").stdout)
    assert {"y.html", "y.svg", "y.pdf", "y.png", "y.eigenvec", "y.loadings.tsv"} <= set(done["files"])
    data = data_of("y.html")
    values = np.array(done["eigenvalues"])
    np.testing.assert_allclose(data["scree"], values / done["trace"], rtol=1e-12)
    vectors = np.loadtxt("y.eigenvec", skiprows=1, usecols=range(2, 12))
    import base64
    points = np.frombuffer(base64.b64decode(data["embeddings"][0]["points"]), np.float32).reshape(vectors.shape)
    np.testing.assert_allclose(points, vectors * np.sqrt(values), rtol=1e-5, atol=1e-6)
    head, *lines = (line.split("\t") for line in pathlib.Path("y.loadings.tsv").read_text().splitlines())
    first = head.index("PC1")
    lengths = sorted(((np.hypot(float(l[first]), float(l[first + 1])), l[2]) for l in lines), reverse=True)[:10]
    assert [arrow["name"] for arrow in data["arrows"]] == [name for _, name in lengths]
    assert data["axis"] == "PC" and len(data["classNames"]) == 3
    before = pathlib.Path("y.eigenvec").read_bytes()
    run("pca", "c.bed", "-o", "y")
    assert pathlib.Path("y.eigenvec").read_bytes() == before


def the_page_works_in_a_browser():
    program = find_browser()
    if program is None:
        return print("        skipped: no chromium on this machine")
    run(*COHORT)
    run("pca", "c.bed", "--report", "--loadings", "-o", "y")
    run("pca", "c.bed", "--report", "--approx", "--components", 2, "--labels", "c.labels.tsv", "-o", "z")
    with Browser(program) as browser:
        for page in ("y.html", "z.html"):
            failures = check_page(browser, str(pathlib.Path(page).absolute()))
            assert not failures, failures
            assert "relationship matrix" in browser.value("document.getElementById('embedding-note').textContent")


def what_has_no_effect_is_refused():
    run(*COHORT)
    refuse("pca", "c.bed", "--labels", "c.labels.tsv", "-o", "y", status=2, says=["--report"])
    refuse("pca", "c.bed", "--report", "--label-column", 2, "-o", "y", status=2, says=["--labels"])
    run("pca", "c.bed", "--loadings", "-o", "y")
    refuse("pca", "c.bed", "--project", "y.loadings.tsv", "--report", "-o", "z", status=2, says=["--report"])


sys.exit(main([the_page_holds_what_the_files_hold, the_page_works_in_a_browser, what_has_no_effect_is_refused]))
