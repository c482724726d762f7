"""pca --report: a page with the components, their shares and, with loadings, the sites that weigh most."""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
import numpy as np
from browser import Browser, find_browser
from browser_test import check_page
from program import answer, helper, refuse, run

COHORT = ("simulate", "--samples", 90, "--sites", 3000, "--populations", 3, "--fst", 0.1, "--missing", 0.01, "-o", "c")


def data_of(page):
    text = pathlib.Path(page).read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def the_page_holds_what_the_files_hold():
    run(*COHORT)
    done = answer("pca", "c.bed", "--report", "--loadings", "--labels", "c.labels.tsv", "-o", "y")
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


def styles(page):
    data = data_of(page)
    return {name: tuple(style.values()) for name, style in zip(data["classNames"], data["style"]["classes"], strict=True)}


def a_label_has_its_colour_whichever_samples_are_kept():
    run(*COHORT)
    run("pca", "c.bed", "--report", "--labels", "c.labels.tsv", "-o", "all")
    lines = pathlib.Path("c.labels.tsv").read_text().splitlines()
    pathlib.Path("some.txt").write_text("".join(l.split("\t")[0] + "\n" for l in lines[1:] if not l.endswith("pop1")))
    run("pca", "c.bed", "--keep", "some.txt", "--report", "--labels", "c.labels.tsv", "-o", "some")
    run("fermat", "c.bed", "--keep", "some.txt", "--labels", "c.labels.tsv", "-o", "paths")
    whole = styles("all.html")
    assert len(whole) == 3
    for page in ("some.html", "paths.html"):
        assert styles(page) == {name: whole[name] for name in ("pop2", "pop3")}


@helper
def write_ages():
    lines = pathlib.Path("c.labels.tsv").read_text().splitlines()
    ages = [None if k % 30 == 7 else 20 + k / 4 for k in range(len(lines) - 1)]
    rows = [f"{line}\t{'NA' if age is None else age}" for line, age in zip(lines[1:], ages, strict=True)]
    pathlib.Path("ages.tsv").write_text("\n".join([lines[0] + "\tage", *rows]) + "\n")
    return ages


def numbers_of_many_values_are_a_scale():
    run(*COHORT)
    ages = write_ages()
    done = run("pca", "c.bed", "--report", "--labels", "ages.tsv", "--label-column", "age", "-o", "y")
    assert " values: a scale of colours" in done.stderr and "write a letter before" in done.stderr
    covariate = data_of("y.html")["covariate"]
    assert covariate == {"name": "age", "low": 20, "high": 20 + 89 / 4, "values": ages}
    run("fermat", "c.bed", "--labels", "ages.tsv", "--label-column", "age", "-o", "f")
    assert data_of("f.html")["covariate"]["values"] == ages and data_of("f.html")["scores"] == []
    graph = pathlib.Path("f.graphml").read_text()
    assert re.findall(r'<data key="label">([^<]*)</data>', graph) == [f"{age:g}" for age in ages if age is not None]
    program = find_browser()
    if program is None:
        return print("        skipped: no chromium on this machine")
    with Browser(program) as browser:
        for page in ("y.html", "f.html"):
            failures = check_page(browser, str(pathlib.Path(page).absolute()))
            assert not failures, failures
            assert browser.value("document.querySelector('#legend b').textContent") == "age"
            assert "no value: 3" in browser.value("document.getElementById('legend').textContent")


def pictures_are_as_wide_as_a_column():
    run(*COHORT)
    run("pca", "c.bed", "--report", "--figure-width", 85, "-o", "y")
    width = float(re.search(r'width="([\d.]+)pt', pathlib.Path("y.svg").read_text())[1])
    assert abs(width - 85 / 25.4 * 72) < 0.01
    refuse("pca", "c.bed", "--figure-width", 85, "-o", "z", status=2, says=["--report"])
    refuse("pca", "c.bed", "--report", "--figure-width", 5, "-o", "z", status=2, says=["--figure-width", "60"])


def figures_stand_by_themselves():
    run(*COHORT)
    labels = pathlib.Path("c.labels.tsv")
    kinds = {"pca": {"embedding1", "scree"},
             "fermat": {"embedding1", "embedding4", "tree1", "tree2", "heat-map4", "histogram4", "curve"}}
    for command, options in (("pca", ("--report", "--loadings")), ("fermat", ("--bootstrap", 5, "--block", 20))):
        given = (command, "c.bed", *options, "--labels", labels, "--figures", "svg,pdf")
        run(*given, "-o", "one", "--threads", 1)
        run(*given, "-o", "two", "--threads", 2)
        files = {path.name[4:]: path for path in pathlib.Path(".").glob("one.*.svg")}
        files |= {path.name[4:]: path for path in pathlib.Path(".").glob("one.*.pdf")}
        assert {f"{kind}.{ending}" for kind in kinds[command] for ending in ("svg", "pdf")} <= set(files), files
        for name, path in files.items():
            assert path.read_bytes() == pathlib.Path(f"two.{name}").read_bytes(), name
            if name.endswith(".svg"):
                assert abs(float(re.search(r'width="([\d.]+)pt', path.read_text())[1]) - 85 / 25.4 * 72) < 0.01
        assert not list(pathlib.Path(".").glob("one.*1.png"))
        for path in files.values():
            path.unlink()
    run("pca", "c.bed", "--report", "--figures", "svg", "--figure-width", 180, "-o", "w")
    width = float(re.search(r'width="([\d.]+)pt', pathlib.Path("w.scree.svg").read_text())[1])
    assert abs(width - 180 / 25.4 * 72) < 0.01
    refuse("pca", "c.bed", "--figures", "svg", "-o", "z", status=2, says=["--report"])
    refuse("pca", "c.bed", "--report", "--figures", "jpg", "-o", "z", status=2, says=["svg, pdf or png", "jpg"])
    refuse("fermat", "c.bed", "--matrix-only", "--figures", "svg", "-o", "z", status=2, says=["--figures"])


def a_page_told_of_ten_arrows_that_it_did_not_have():
    run(*COHORT)
    pathlib.Path("three").write_text("snp1\nsnp2\nsnp3\n")
    for options, said in ((("--loadings", "--components", 1), None), ((), None),
                          (("--loadings",), "Arrows are the loadings of the 10 sites that weigh most"),
                          (("--loadings", "--extract", "three"), "Arrows are the loadings of the 3 sites that weigh most")):
        run("pca", "c.bed", "--report", *options, "--all-chr", "--missing", "mode", "-o", "y")
        data = data_of("y.html")
        note = data["embeddingNote"] if "embeddingNote" in data else pathlib.Path("y.html").read_text()
        assert (said in note) if said else ("Arrows are" not in note and not data["arrows"]), (options, note)


def names_of_arrows_lay_over_each_other():
    program = find_browser()
    if program is None:
        return print("        skipped: no chromium on this machine")
    rng = np.random.default_rng(0)
    calls = rng.integers(0, 3, (30, 40))
    calls[:, :10] = calls[:, :1]  # ten arrows of one direction
    cells = [["0/0", "0/1", "1/1"][call] for call in calls.T.ravel()]
    head = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT", *(f"s{i}" for i in range(30))]
    sites = [["1", str(100 + k), f"site{k}", "A", "C", ".", ".", ".", "GT", *cells[30 * k:30 * k + 30]] for k in range(40)]
    pathlib.Path("x.vcf").write_text("##fileformat=VCFv4.2\n##contig=<ID=1>\n" + "".join(
        "\t".join(line) + "\n" for line in (head, *sites)))
    run("pca", "x.vcf", "--report", "--loadings", "-o", "y")
    with Browser(program) as browser:
        browser.open(str(pathlib.Path("y.html").absolute()))
        browser.value("""(() => {
          window.written = [];
          const pen = CanvasRenderingContext2D.prototype, fill = pen.fillText;
          pen.fillText = function (text, x, y, ...more) {
            window.written.push([text, x, y, this.measureText(text).width, this.textAlign]);
            return fill.call(this, text, x, y, ...more);
          };
          document.getElementById("zoom-in").click();
        })()""")
        browser.wait(1)
        names = {text: box for text, *box in browser.value("window.written") if text.startswith("site")}
    assert len(names) == 10, names
    boxes = [(x - (width if align == "right" else 0), y, width) for x, y, width, align in names.values()]
    for k, (x, y, width) in enumerate(boxes):
        for other_x, other_y, other_width in boxes[:k]:
            assert x >= other_x + other_width or other_x >= x + width or abs(y - other_y) > 11, names


def a_page_did_not_say_how_calls_were_taken():
    run(*COHORT)
    rows = [line.split("\t") for line in pathlib.Path("c.labels.tsv").read_text().splitlines()]
    pathlib.Path("two.tsv").write_text("".join(f"{a}\t{b}\tx{i % 2}\n" for i, (a, b) in enumerate(rows[1:])))
    for options, wanted in ((("--labels", "two.tsv", "--label-column", 3), ["labels", "two.tsv, column 3"]),
                            ((), ["missing calls", "left out of the pairs they touch (--missing pairwise)"]),
                            (("--missing", "mode"), ["missing calls", "replaced by the site's most frequent genotype "
                                                     "(--missing mode)"]),
                            (("--approx",), ["missing calls", "count as their site's mean (--approx)"]),
                            ((), ["calls", "hard calls"])):
        run("pca", "c.bed", "--report", *options, "-o", "y")
        assert wanted in data_of("y.html")["summary"], options
