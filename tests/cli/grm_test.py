"""grm and pca: the definitions, PLINK 2's numbers and files, and one line for what has no answer."""
import json
import pathlib
import shutil
import subprocess

from program import DATA, refuse, run

HAPMAP = DATA / "hapmap279" / "hapmap279"


def relationships(prefix):
    """The matrix of a .grm.bin and the counts of its .grm.N.bin, as squares."""
    import numpy as np
    squares = []
    for ending in (".grm.bin", ".grm.N.bin"):
        cells = np.fromfile(prefix + ending, "<f4")
        n = len(pathlib.Path(prefix + ".grm.id").read_text().splitlines())
        square = np.zeros((n, n))
        square[np.tril_indices(n)] = cells
        squares.append(square + np.tril(square, -1).T)
    return squares


def definition(x, eigensoft=False):
    """Of genotypes samples x sites, NaN where missing."""
    import numpy as np
    called = ~np.isnan(x)
    copies, alleles = np.nansum(x, 0), 2 * called.sum(0)
    p, q = copies / alleles, (1 + copies) / (2 + alleles)
    variance = q * (1 - q) if eigensoft else 2 * p * (1 - p)
    z = np.where(called & (variance > 0), (x - 2 * p) / np.sqrt(np.where(variance > 0, variance, 1)), 0)
    shared = called.astype(float) @ called.T
    return z @ z.T / shared, shared


def genotypes(samples=40, sites=500):
    import numpy as np
    random = np.random.default_rng(3)
    x = random.binomial(2, random.uniform(0, 1, sites), (samples, sites)).astype(float)
    x[random.random(x.shape) < 0.03] = np.nan
    x[:, 5], x[:, 6] = 0, 2
    x[3, 5] = np.nan
    np.save("x.npy", np.where(np.isnan(x), -1, x).astype(np.int8))
    return x


def the_matrix_is_its_definition():
    import numpy as np
    x = genotypes()
    for words, eigensoft in (((), False), (("--standardize", "eigensoft"), True)):
        run("grm", "x.npy", "-o", "g", *words)
        wanted, shared = definition(x, eigensoft)
        got, counts = relationships("g")
        np.testing.assert_allclose(got, wanted, atol=1e-6)
        np.testing.assert_array_equal(counts, shared)
        np.testing.assert_allclose(np.load("g.grm.npy"), wanted, atol=1e-6)
    run("grm", "x.npy", "-o", "s", "--cutoff", "0.05", "--format", "npy", "--dtype", "float32")
    assert not pathlib.Path("s.grm.bin").exists() and np.load("s.grm.npy").dtype == np.float32
    wanted, _ = definition(x)
    pairs = {(i, j) for i in range(40) for j in range(i + 1) if i == j or wanted[i, j] >= 0.05}
    lines = [line.split("\t") for line in pathlib.Path("s.grm.sp").read_text().splitlines()]
    assert {(int(i), int(j)) for i, j, _ in lines} == pairs
    for i, j, value in lines:
        assert abs(float(value) - wanted[int(i), int(j)]) < 1e-6


def components_are_those_of_numpy():
    import numpy as np
    x = genotypes(200, 3000)
    run("pca", "x.npy", "-o", "c", "--components", 4)
    values, vectors = np.linalg.eigh(definition(x)[0])
    got = np.loadtxt("c.eigenval")
    np.testing.assert_allclose(got, values[::-1][:4], rtol=1e-5)
    lines = [line.split("\t") for line in pathlib.Path("c.eigenvec").read_text().splitlines()]
    assert lines[0] == ["#IID", "PC1", "PC2", "PC3", "PC4"] and lines[1][0] == "1"
    table = np.array([line[1:] for line in lines[1:]], float)
    for k in range(4):
        wanted = vectors[:, -1 - k] * np.sign(vectors[np.abs(vectors[:, -1 - k]).argmax(), -1 - k])
        np.testing.assert_allclose(table[:, k], wanted, atol=2e-4)


def components_without_the_matrix_are_those_with_it():
    import numpy as np
    run("simulate", "--samples", 500, "--sites", 4000, "--populations", 5, "-o", "c")
    results = []
    for words in ((), ("--approx",), ("--approx", "--threads", 1)):
        run("pca", "c.bed", "-o", "c", "--components", 4, *words)
        results.append((np.loadtxt("c.eigenval"), np.loadtxt("c.eigenvec", usecols=range(2, 6))))
    for exact, got in zip(*results[:2]):
        np.testing.assert_allclose(got, exact, rtol=1e-4, atol=1e-6)
    for once, again in zip(*results[1:]):
        assert np.array_equal(once, again)


def loadings_are_the_vectors_of_the_sites():
    import numpy as np
    run("simulate", "--samples", 150, "--sites", 2500, "--format", "vcf", "-o", "c")
    run("pca", "c.vcf", "-o", "c", "--components", 3, "--loadings")
    lines = [line.split("\t") for line in pathlib.Path("c.loadings.tsv").read_text().splitlines()]
    assert lines[0] == ["#CHROM", "POS", "ID", "A1", "A2", "A1_FREQ", "SD", "PC1", "PC2", "PC3", "SITES"]
    sites = [line.split("\t") for line in pathlib.Path("c.vcf").read_text().splitlines() if line[0] != "#"]
    assert {line[10] for line in lines[1:]} == {str(len(sites))}
    assert [line[:5] for line in lines[1:]] == [[s[0], s[1], s[2], s[4], s[3]] for s in sites]
    x = np.array([[call.count("1") for call in site[9:]] for site in sites], float)
    p = x.mean(1, keepdims=True) / 2
    z = (x - 2 * p) / np.sqrt(np.where(p * (1 - p) > 0, 2 * p * (1 - p), np.inf))
    vectors = np.loadtxt("c.eigenvec", usecols=(1, 2, 3))
    wanted = z @ vectors / np.sqrt(len(sites) * np.loadtxt("c.eigenval"))
    np.testing.assert_allclose(np.array([line[7:10] for line in lines[1:]], float), wanted, atol=1e-6)
    np.testing.assert_allclose((wanted**2).sum(0), 1, atol=1e-4)


def samples_without_a_call_lay_at_the_origin_unsaid():
    run("simulate", "--samples", 40, "--sites", 300, "-o", "c")
    names = [line.split()[1] for line in pathlib.Path("c.fam").read_text().splitlines()]
    calls = bytearray(pathlib.Path("c.bed").read_bytes())
    told = run("pca", "c.bed", "--approx", "--components", 2, "-o", "a").stderr
    assert "at the origin" not in told, told
    for samples, words in (((5,), "1 sample (the first: {}) without a call that differs from its site's mean is at"),
                           ((5, 2), "2 samples (the first: {}) without a call that differs from its site's mean are at")):
        for sample in samples:
            for at in range(3 + sample // 4, len(calls), 10):  # the code of a missing call is 01
                calls[at] = calls[at] & ~(3 << 2 * (sample % 4)) | 1 << 2 * (sample % 4)
        pathlib.Path("c.bed").write_bytes(calls)
        told = run("pca", "c.bed", "--approx", "--components", 2, "-o", "a").stderr
        assert words.format(names[min(samples)]) + " the origin" in told, told
        rows = [line.split() for line in pathlib.Path("a.eigenvec").read_text().splitlines()[1:]]
        assert all(abs(float(cell)) < 1e-12 for sample in samples for cell in rows[sample][-2:]), rows
        assert any(abs(float(cell)) > 1e-3 for cell in rows[0][-2:])


def numbers_and_files_are_those_of_plink2():
    import numpy as np
    if shutil.which("plink2") is None or not HAPMAP.with_suffix(".bed").exists():
        print("skipped against PLINK 2: it or its cohort is not here")
        return
    plink = ("plink2", "--bfile", HAPMAP, "--nonfounders", "--make-grm-bin", "--pca", "4", "--out", "p")
    subprocess.run(plink, check=True, capture_output=True)
    run("grm", "--bfile", HAPMAP, "-o", "y")
    for got, wanted in zip(relationships("y"), relationships("p")):
        np.testing.assert_allclose(got, wanted, atol=1e-6)
    assert pathlib.Path("y.grm.id").read_text() == pathlib.Path("p.grm.id").read_text()
    run("pca", "--bfile", HAPMAP, "-o", "y", "--components", 4)
    np.testing.assert_allclose(np.loadtxt("y.eigenval"), np.loadtxt("p.eigenval"), rtol=1e-5)
    ours, theirs = (pathlib.Path(name).read_text().splitlines() for name in ("y.eigenvec", "p.eigenvec"))
    assert ours[0] == theirs[0]
    for line, other in zip(ours[1:], theirs[1:]):
        assert line.split("\t")[:2] == other.split("\t")[:2]
    a, b = (np.array([line.split("\t")[2:] for line in lines[1:]], float) for lines in (ours, theirs))
    a, b = np.abs((a * b).sum(0)), np.ones(4)
    np.testing.assert_allclose(a, b, atol=1e-5)


def bytes_do_not_depend_on_threads_memory_or_backend():
    run("simulate", "--samples", 700, "--sites", 300, "--missing", 0.02, "-o", "c")

    def files(*words):
        account = json.loads(run("grm", "c.bed", "-o", "t", "--json", *words).stdout)
        return account["passes"], [path.read_bytes() for path in sorted(pathlib.Path(".").glob("t.*"))]
    passes, wanted = files()
    assert passes == 1 and len(wanted) == 4
    for words in (("--threads", 1), ("--threads", 7), ("--device", "reference")):
        assert files(*words) == (1, wanted), words
    passes, got = files("--memory", "6M")
    assert passes > 1 and got == wanted, passes


def a_pair_without_sites_is_nan_and_has_no_components():
    import numpy as np
    x = np.array([[0, 1, -1, -1], [-1, -1, 2, 0], [0, 1, 1, 2]], np.int8)
    np.save("apart.npy", x)
    done = run("grm", "apart.npy", "-o", "a")
    assert "1 pair of samples without a called site" in done.stderr
    assert np.isnan(np.load("a.grm.npy")[0, 1]) and np.isnan(relationships("a")[0][1, 0])
    refuse("pca", "apart.npy", "-o", "b", says="1 pair of samples without a called site in common")


def what_has_no_answer_is_one_line():
    import numpy as np
    np.save("same.npy", np.ones((4, 5), np.int8))
    np.save("x.npy", np.array([[0, 1], [2, 1]], np.int8))
    refuse("pca", "same.npy", "-o", "b", says="expected individuals that differ")
    for command in ("grm", "pca"):
        refuse(command, status=2, says="expected an input file, got none")
        refuse(command, "x.npy", status=2, says="expected -o PREFIX")
        refuse(command, "x.npy", "-o", "b", "--snps-only", status=2, says="--snps-only has no effect")
        refuse(command, "x.npy", "-o", "b", "--standardize", "z", status=2, says="gcta or eigensoft")
        refuse(command, "gone.bed", "-o", "b", says="gone.bed")
        refuse(command, "simulate:3000x100", "-o", "b", "--memory", "1M", status=4, says="--memory")
    refuse("pca", "x.npy", "-o", "b", "--components", 0, status=2, says="at least 1")
    refuse("grm", "x.npy", "-o", "b", "--format", "tsv", status=2, says="expected gcta or npy")
    refuse("grm", "x.npy", "-o", "b", "--format", "gcta", "--dtype", "float32", status=2,
           says="--dtype has no effect")


def components_that_are_rounding_had_no_note():
    run("simulate", "--samples", 12, "--sites", 60, "-o", "c")
    for options in ((), ("--approx",)):  # --approx was silent of components that there are not
        said = run("pca", "c.bed", "-o", "b", "--components", 40, *options).stderr
        assert "40 components of 12 samples: there are no more than 12" in said, said
        assert "1 component has an eigenvalue of 0 but for rounding: samples" in said, said
        assert "note" not in run("pca", "c.bed", "-o", "b", "--components", 11, *options).stderr


def an_eigenvalue_far_below_0_was_called_0_but_for_rounding():
    calls = ["0/1 1/1 ./. 0/0", "0/1 0/0 ./. 1/1", "0/1 0/0 0/1 1/1", "0/0 ./. 1/1 0/0", "1/1 0/1 0/0 0/1"]
    lines = ["##fileformat=VCFv4.2", "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td"]
    lines += ["\t".join(["1", str(i), ".", "A", "G", ".", ".", ".", "GT", *row.split()]) for i, row in enumerate(calls, 1)]
    pathlib.Path("m.vcf").write_text("\n".join(lines) + "\n")
    said = run("pca", "m.vcf", "-o", "b", "--components", 4).stderr
    assert "rounding" not in said and float(pathlib.Path("b.eigenval").read_text().split()[3]) < -0.2, said
    assert "2 components have an eigenvalue below 0, which missing calls bring about" in said, said


def work_of_relationships_missed_pairs():
    for samples in (60, 100):
        stages = json.loads(run("grm", f"simulate:{samples}x50", "-o", "w", "--json").stdout)["stages"]
        work = [stage["work"] for stage in stages if stage["stage"] == "relationships"]
        assert work == [samples * (samples + 1) / 2 * 50], (samples, work)


def frequencies_of_all_samples_were_called_those_of_plink2():
    run("simulate", "--samples", 40, "--sites", 300, "--family-size", 4, "-o", "c")
    for command, *options in (("grm",), ("pca",), ("pca", "--approx"), ("pca", "--standardize", "eigensoft")):
        said = run(command, "c.bed", *options, "-o", "o").stderr
        assert "frequencies are of all 40 samples" in said and "those of the 22 founders" in said, said
    pathlib.Path("k").write_text("".join(f"{line.split()[1]}\n" for line in pathlib.Path("c.fam").read_text().splitlines()
                                         if line.split()[2:4] == ["0", "0"]))
    assert "founder" not in run("grm", "c.bed", "--keep", "k", "-o", "o").stderr
