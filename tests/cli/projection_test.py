"""pca --project: samples among the components of an earlier run, by NumPy and by PLINK 2's --score."""
import pathlib
import random
import shutil
import subprocess

import numpy as np
from program import refuse, run


COMPONENTS = 4


def split_cohort(missing=0.0, maf=0.0):
    """a.bed: the first 100 samples, with their components; b.bed: 50 others."""
    run("simulate", "--samples", 150, "--sites", 1200, "--populations", 3, "--fst", 0.2, "--missing", missing,
        "-o", "c")
    samples = [line.split()[:2] for line in pathlib.Path("c.fam").read_text().splitlines()]
    pathlib.Path("first").write_text("".join("\t".join(s) + "\n" for s in samples[:100]))
    run("filter", "c.bed", "--keep", "first", "--maf", maf, "-o", "a.bed")
    run("filter", "c.bed", "--remove", "first", "-o", "b.bed")
    run("pca", "a.bed", "--components", COMPONENTS, "--loadings", "-o", "a")


def vectors(name):
    return np.loadtxt(f"{name}.eigenvec", usecols=range(2, 2 + COMPONENTS))


def table(name):
    return [line.split("\t") for line in pathlib.Path(name).read_text().splitlines()[1:]]


def calls(name):
    """Samples x sites of allele A1 by their names; NaN: missing."""
    run("filter", f"{name}.bed", "-o", f"{name}.npy")
    x = np.load(f"{name}.npy").astype(float)
    x[x < 0] = np.nan
    return dict(zip([line.split()[1] for line in pathlib.Path(f"{name}.bim").read_text().splitlines()], x.T))


def scores(name):
    """The formula, over the sites that are in both."""
    sites, values = table("a.loadings.tsv"), np.loadtxt("a.eigenval")
    x, total = calls(name), 0
    for site in sites:
        p, deviation = map(float, site[5:7])
        if site[2] not in x or deviation == 0:
            continue
        z = np.nan_to_num((x[site[2]] - 2 * p) / deviation, nan=0)
        total = total + z[:, None] * np.array(site[7:-1], float)
    return total / np.sqrt(len(sites) * values)


def own_samples_come_back():
    split_cohort()
    run("pca", "a.bed", "--project", "a.loadings.tsv", "-o", "again")
    np.testing.assert_allclose(vectors("again"), vectors("a"), atol=1e-7)
    assert not pathlib.Path("again.eigenval").exists()


def others_are_scored_by_the_formula_for_any_threads():
    split_cohort(missing=0.03)
    run("pca", "b.bed", "--project", "a.loadings.tsv", "-o", "b")
    np.testing.assert_allclose(vectors("b"), scores("b"), atol=1e-9)
    once = pathlib.Path("b.eigenvec").read_bytes()
    for threads in (1, 2, 7):
        run("pca", "b.bed", "--project", "a.loadings.tsv", "-o", "t", "--threads", threads)
        assert pathlib.Path("t.eigenvec").read_bytes() == once, threads
    # A site whose alleles are exchanged, of other names, and only some of the sites.
    rng = random.Random(1)
    run("filter", "b.bed", "-o", "s.vcf")
    lines = []
    for line in pathlib.Path("s.vcf").read_text().splitlines():
        fields = line.split("\t")
        if line[0] != "#" and rng.random() < 0.5:
            fields[3], fields[4] = fields[4], fields[3]
            swap = str.maketrans("01", "10")
            fields[9:] = [call.translate(swap) for call in fields[9:]]
        if line[0] != "#":
            fields[2] = "."
        lines.append("\t".join(fields))
    pathlib.Path("s.vcf").write_text("\n".join(lines) + "\n")
    run("pca", "s.vcf", "--project", "a.loadings.tsv", "-o", "s")
    np.testing.assert_allclose(np.loadtxt("s.eigenvec", usecols=range(1, 1 + COMPONENTS)), vectors("b"),
                               atol=1e-12)
    run("filter", "b.bed", "--chr", "1-11", "-o", "h.bed")
    done = run("pca", "h.bed", "--project", "a.loadings.tsv", "-o", "h")
    assert "1200 sites are not among the sites of the input that are kept" in done.stderr, done.stderr
    np.testing.assert_allclose(vectors("h"), scores("h"), atol=1e-9)


def eigensoft_scales_are_those_of_the_earlier_run():
    split_cohort()
    run("pca", "a.bed", "--components", COMPONENTS, "--loadings", "--standardize", "eigensoft", "-o", "a")
    run("pca", "a.bed", "--project", "a.loadings.tsv", "-o", "again")
    np.testing.assert_allclose(vectors("again"), vectors("a"), atol=1e-7)


def sums_are_those_of_plink2():
    if shutil.which("plink2") is None:
        print("        skipped: plink2 is not installed")
        return
    split_cohort(missing=0.05, maf=0.02)  # it refuses sites that only the others vary in
    plink = ("plink2", "--chr-set", "22")
    subprocess.run([*plink, "--bfile", "a", "--freq", "--nonfounders", "--out", "a"], check=True,
                   capture_output=True)
    subprocess.run([*plink, "--bfile", "b", "--read-freq", "a.afreq", "--score", "a.loadings.tsv", "3", "4",
                    "header-read", "variance-standardize", "no-mean-imputation", "cols=+scoresums", "--score-col-nums",
                    f"8-{7 + COMPONENTS}", "--out", "b"], check=True, capture_output=True)
    head, *rows = [line.split() for line in pathlib.Path("b.sscore").read_text().splitlines()]
    columns = [head.index(f"PC{k}_SUM") for k in range(1, COMPONENTS + 1)]
    sums = np.array([[float(row[k]) for k in columns] for row in rows])
    run("pca", "b.bed", "--project", "a.loadings.tsv", "-o", "b")
    norms = np.sqrt(len(table("a.loadings.tsv")) * np.loadtxt("a.eigenval"))
    np.testing.assert_allclose(vectors("b") * norms, sums, rtol=1e-5, atol=1e-4)


def a_site_that_appears_twice_was_written_without_a_word():
    run("simulate", "--samples", 20, "--sites", 30, "-o", "c")
    sites, calls = pathlib.Path("c.bim").read_text().splitlines(True), pathlib.Path("c.bed").read_bytes()
    sites[7:7] = [sites[6].replace("A\tG", "G\tA")]
    assert sites[7] != sites[6]
    pathlib.Path("c.bim").write_text("".join(sites))
    pathlib.Path("c.bed").write_bytes(calls[:3 + 7 * 5] + calls[3 + 6 * 5:])
    told = run("pca", "c.bed", "--loadings", "--components", 2, "-o", "r").stderr
    chromosome, _, _, position = sites[6].split()[:4]
    assert f"r.loadings.tsv: 1 site appears again, the first {chromosome}:{position} G A; --project" in told, told
    refuse("pca", "c.bed", "--project", "r.loadings.tsv", "-o", "p", says="appears twice")


def a_site_twice_in_the_input_was_refused_without_its_name():
    run("simulate", "--samples", 20, "--sites", 30, "-o", "c")
    run("pca", "c.bed", "--loadings", "--components", 2, "-o", "r")
    for ending in ("fam", "bim", "bed"):
        pathlib.Path(f"d.{ending}").write_bytes(pathlib.Path(f"c.{ending}").read_bytes())
    sites, calls = pathlib.Path("d.bim").read_text().splitlines(True), pathlib.Path("d.bed").read_bytes()
    pathlib.Path("d.bim").write_text("".join([*sites, sites[-1]]))
    pathlib.Path("d.bed").write_bytes(calls + calls[-5:])
    refuse("pca", "d.bed", "--project", "r.loadings.tsv", "-o", "p",
           says=["d.bed: site ", "appears twice, and r.loadings.tsv has it once", "--exclude"])
    run("simulate", "--samples", 20, "--sites", 3, "--seed", 2, "-o", "e")
    pathlib.Path("e.bim").write_text(pathlib.Path("e.bim").read_text().replace("\t1", "\t9"))
    refuse("pca", "e.bed", "--project", "r.loadings.tsv", "-o", "p", says="e.bed: has no site of r.loadings.tsv")


def a_table_cut_at_the_end_of_a_line_was_taken():
    split_cohort()
    whole = pathlib.Path("a.loadings.tsv").read_text().splitlines(keepends=True)
    for kept in (2, 700, len(whole) - 1):
        pathlib.Path("a.loadings.tsv").write_text("".join(whole[:kept]))
        refuse("pca", "b.bed", "--project", "a.loadings.tsv", "-o", "new",
               says=[f"expected {len(whole) - 1} sites, as its lines say, got {kept - 1}", "copy it again"])
    pathlib.Path("a.loadings.tsv").write_text("".join(whole[:3]) + whole[3].replace("\t1200\n", "\t120\n"))
    refuse("pca", "b.bed", "--project", "a.loadings.tsv", "-o", "new",
           says=["a.loadings.tsv:4", "the same number of sites in every line, got '120'"])
    pathlib.Path("a.loadings.tsv").write_text("".join(whole))
    assert "earlier version" not in run("pca", "b.bed", "--project", "a.loadings.tsv", "-o", "new").stderr
    old = "".join(line.rpartition("\t")[0] + "\n" for line in whole)
    pathlib.Path("a.loadings.tsv").write_text(old)
    told = run("pca", "b.bed", "--project", "a.loadings.tsv", "-o", "again").stderr
    assert "a.loadings.tsv: written by an earlier version" in told, told
    assert pathlib.Path("new.eigenvec").read_bytes() == pathlib.Path("again.eigenvec").read_bytes()


def bad_loadings():
    split_cohort()
    good = pathlib.Path("a.loadings.tsv").read_text()
    values = pathlib.Path("a.eigenval").read_text()

    def broken(text, says, eigenvalues=values):
        pathlib.Path("a.loadings.tsv").write_text(text)
        pathlib.Path("a.eigenval").write_text(eigenvalues)
        refuse("pca", "b.bed", "--project", "a.loadings.tsv", "-o", "new", says=says)
    lines = good.splitlines(keepends=True)
    broken("", ["a.loadings.tsv:1", "header"])
    broken("".join(lines[1:]), ["a.loadings.tsv:1", "header"])
    broken(lines[0], "holds no sites")
    broken(good + "1\t2\n", "expected 12 columns")
    broken(good + lines[5], "appears twice")
    broken(lines[0] + lines[1].replace("\t1\t", "\tx\t", 1), "expected a position")
    broken(lines[0] + lines[1].rsplit("\t", 2)[0] + "\tnan\t1200\n", "expected a number")
    broken(lines[0] + lines[1].replace("1\t", "chr99\t", 1).replace("\t1200\n", "\t1\n"), "no site")
    broken(good, "holds 3 eigenvalues", "1\n2\n3\n")
    broken(good, "expected a number", "1\n2\n3\nx\n")
    pathlib.Path("a.eigenval").unlink()
    refuse("pca", "b.bed", "--project", "a.loadings.tsv", "-o", "new", says=["a.eigenval", "cannot be opened"])
    for options in (("--project", "a.tsv"), ("--project", "a.loadings.tsv", "--approx"),
                    ("--project", "a.loadings.tsv", "--components", 3)):
        run("pca", "b.bed", *options, "-o", "new", status=2)
