"""--dosage of grm and pca: the definition in doubles on dosages of every form of .pgen, .bgen and VCF."""
import json
import pathlib
import random

import bgen_files as bgen
import pgen_files as pgen
from program import helper, refuse, run
from vcf_lines import write_vcf

SAMPLES, SITES = 131, 400


def definition(x):
    """z, and the relationships, of dosages samples x sites, NaN where missing."""
    import numpy as np
    called = ~np.isnan(x)
    p = np.nansum(x, 0) / np.maximum(2 * called.sum(0), 1)
    variance = 2 * p * (1 - p)
    z = np.where(called & (variance > 0), (x - 2 * p) / np.sqrt(np.where(variance > 0, variance, 1)), 0)
    return z, z @ z.T / (called.astype(float) @ called.T)


def as_array(dosages):
    import numpy as np
    return np.array([[np.nan if d is None else d / 16384 for d in site] for site in dosages]).T


def write_pgen(**how):
    rows = pgen.genotypes(SAMPLES, SITES, 5)
    records, dosages = pgen.with_dosages(pgen.records(rows, 6), rows, 7)
    pgen.write_variable("p.pgen", SAMPLES, records, wide_types=True, **how)
    pgen.companions("p", SITES, SAMPLES)
    return as_array(dosages)


def write_bgen(bits):
    rng = random.Random(bits)
    top, variants, dosages = (1 << bits) - 1, [], []
    for k in range(SITES):
        shares = [sorted((rng.random()**3, rng.random()**3)) for _ in range(SAMPLES)]
        pairs = [[round(b * top) - round(a * top), round(a * top)] for a, b in shares]
        ploidies = [(2, rng.random() < 0.02) for _ in pairs]
        variants.append(bgen.variant(bgen.probabilities(ploidies, pairs, bits), position=k + 1))
        site = []
        for (a, b), (_, missing) in zip(pairs, ploidies):
            dosage, rest = divmod(16384 * (2 * (top - a - b) + b), top)
            site.append(None if missing else dosage + (rest > (top + 1) // 2))
        dosages.append(site)
    bgen.write(f"b{bits}.bgen", SAMPLES, variants, names=[f"s{i}" for i in range(SAMPLES)])
    return as_array(dosages)


def vcf_call(rng):
    """A call as text, and its dosage: of DS where it is there, else of GT."""
    text, x = rng.choice((("0/0", 0), ("0|1", 1), ("1/1", 2), ("./.", None), ("0", 0), ("1", 2)))
    if rng.random() < 0.2:
        return rng.choice((f"{text}:.", text)), None if x is None else 16384 * x
    ds = round(rng.random() * (1 if len(text) == 1 else 2), rng.randrange(1, 6))
    return f"{text}:{ds}", int(ds * 16384 * (2 if len(text) == 1 else 1) + 0.5)


@helper
def write_dosages_vcf():
    rng = random.Random(4)
    calls = [[vcf_call(rng) for _ in range(SAMPLES)] for _ in range(SITES)]
    write_vcf("v.vcf", [[text for text, _ in site] for site in calls])
    return as_array([[dosage for _, dosage in site] for site in calls])


def the_matrix_is_its_definition_for_every_file_and_any_threads_and_memory():
    import numpy as np
    for given, x in ((("--pfile", "p"), write_pgen()), (("b8.bgen",), write_bgen(8)),
                     (("b16.bgen",), write_bgen(16)), (("v.vcf",), write_dosages_vcf())):
        _, wanted = definition(x)
        run("grm", *given, "--dosage", "-o", "g")
        np.testing.assert_allclose(np.load("g.grm.npy"), wanted, atol=1e-7)
        whole = pathlib.Path("g.grm.npy").read_bytes()
        for words in (("--threads", 1), ("--threads", 7), ("--device", "reference"), ("--memory", "7M")):
            run("grm", *given, "--dosage", "-o", "g", *words)
            assert pathlib.Path("g.grm.npy").read_bytes() == whole, (given, words)


def the_other_storage_modes_hold_the_same_dosages():
    write_pgen()
    run("grm", "p.pgen", "--dosage", "-o", "a")
    write_pgen(mode=0x20)
    run("grm", "p.pgen", "--dosage", "-o", "b")
    assert pathlib.Path("a.grm.npy").read_bytes() == pathlib.Path("b.grm.npy").read_bytes()


def filters_of_frequencies_count_dosages():
    import numpy as np
    x = write_pgen()
    called = ~np.isnan(x)
    copies = np.nansum(x, 0)
    minor = np.minimum(copies, 2 * called.sum(0) - copies)
    maf = minor / np.maximum(2 * called.sum(0), 1)
    for option, kept in (("--maf", maf >= 0.2), ("--max-maf", maf <= 0.2), ("--mac", minor >= 40)):
        value = 40 if option == "--mac" else 0.2
        run("grm", "p.pgen", "--dosage", option, value, "-o", "g", "--nonfounders")
        np.testing.assert_allclose(np.load("g.grm.npy"), definition(x[:, kept])[1], atol=1e-7)
    pathlib.Path("keep").write_text("".join(f"F{i} I{i}\n" for i in range(0, SAMPLES, 3)))
    run("grm", "p.pgen", "--dosage", "--keep", "keep", "-o", "g")
    np.testing.assert_allclose(np.load("g.grm.npy"), definition(x[::3])[1], atol=1e-7)


def relatives_and_correlated_sites_are_left_out_by_hard_calls():
    """Also where every missing call has a dosage, which is none of a call that is there."""
    rng = random.Random(8)
    pgen.companions("m", 200, 60, lambda k: 1)
    rows = [[rng.choice((0, 1, 2, 3)) for _ in range(60)] for _ in range(200)]
    rows = [row[:30] + [c if rng.random() < 0.6 else rng.choice((0, 1, 2)) for c in row[:30]] for row in rows]
    records = [(0x40, pgen.main_track(0, row) + pgen.dosage_track(2, 60, dict(enumerate([9000] * 60))))
               for row in rows]
    pgen.write_variable("m.pgen", 60, records, wide_types=True)
    kept = []
    for words in ((), ("--dosage",)):
        done = run("grm", "m.pgen", "--king-cutoff", 0.1, "--indep-pairwise", 20, 5, 0.15, "-o", "k", "--json",
                   *words)
        kept.append((json.loads(done.stdout)["sites"], pathlib.Path("k.grm.id").read_text()))
    assert kept[0] == kept[1] and 0 < kept[0][0] < 200 and 30 <= kept[0][1].count("\n") < 60, kept
    assert json.loads(done.stdout)["account"]["missing_rate"] == 0


def components_loadings_and_projections_are_those_of_dosages():
    import numpy as np
    x = write_bgen(16)
    x = np.where(np.isnan(x), np.nanmean(x, 0), x)
    values, vectors = np.linalg.eigh(definition(x)[1])
    run("pca", "b16.bgen", "--dosage", "--approx", "--components", 3, "-o", "a", "--loadings")
    np.testing.assert_allclose(np.loadtxt("a.eigenval"), values[::-1][:3], rtol=0.03)
    run("pca", "b16.bgen", "--dosage", "--components", 3, "-o", "c", "--loadings")
    values, vectors = np.linalg.eigh(definition(write_bgen(16))[1])
    ours = np.loadtxt("c.eigenvec", usecols=(1, 2, 3))
    np.testing.assert_allclose(np.loadtxt("c.eigenval"), values[::-1][:3], rtol=1e-6)
    np.testing.assert_allclose(np.abs((ours * vectors[:, ::-1][:, :3]).sum(0)), 1, atol=1e-6)
    z = definition(write_bgen(16))[0]
    loadings = np.loadtxt("c.loadings.tsv", usecols=(7, 8, 9), skiprows=1)
    np.testing.assert_allclose(loadings, z.T @ ours / np.sqrt(SITES * np.loadtxt("c.eigenval")), atol=1e-7)
    run("pca", "b16.bgen", "--dosage", "--project", "c.loadings.tsv", "-o", "q")
    wanted = z @ loadings / np.sqrt(SITES * np.loadtxt("c.eigenval"))
    np.testing.assert_allclose(np.loadtxt("q.eigenvec", usecols=(1, 2, 3)), wanted, atol=1e-7)


def what_has_no_dosages_is_refused_or_noted():
    write_vcf("g.vcf", [["0/0", "0/1", "1/1"]] * 3)
    refuse("grm", "g.vcf", "--dosage", "-o", "r", says="expected dosages in g.vcf, got hard calls alone at 3 sites")
    pathlib.Path("mixed.vcf").write_text(pathlib.Path("g.vcf").read_text() +
                                         "1\t9\tm\tA\tG\t.\tPASS\t.\tGT:DS\t0/0:0.1\t0/1:0.9\t1/1:2\n")
    done = run("pca", "mixed.vcf", "--dosage", "-o", "m", "--json")
    assert "note: --dosage: 1 of 4 sites have dosages; of the others the hard calls count" in done.stderr
    assert json.loads(done.stdout)["sites"] == 4
    pgen.write_bed("c.bed", [[0, 1, 2]])
    pgen.companions("c", 1, 3)
    refuse("grm", "c.bed", "--dosage", "-o", "r", status=2, says=("--dosage has no effect on 'c.bed'", "BGEN"))
    for words in (("--missing", "mode"), ("--missing", "error"), ("--multiallelic", "split")):
        refuse("pca", "g.vcf", "--dosage", *words, "-o", "r", status=2, says=("--dosage: expected", words[0]))
    for command in ("dist", "fermat"):
        refuse(command, "g.vcf", "--dosage", "-o", "r", status=2, says="--dosage")


def damaged_dosages_are_refused():
    for text in ("2.1", "-0.1", "nan", "inf", "x", "1.5,0.2", "+1"):
        write_vcf("d.vcf", [["0/0:0.1", f"0/1:{text}", "1/1:2"]])
        refuse("grm", "d.vcf", "--dosage", "-o", "r", says=("d.vcf:6", f"sample s1: DS '{text}' is no dosage"))
        run("grm", "d.vcf", "-o", "hard")
    write_vcf("d.vcf", [["0/0:0.1", "1:1.5"]])
    refuse("grm", "d.vcf", "--dosage", "-o", "r", says="of a haploid call to 1")
    rows = [[0, 1, 2, 1, 3]]
    start = pgen.main_track(0, rows[0])
    pgen.companions("d", 1, 5)
    for kind, data, says in (
            (0x40, pgen.dosage_track(2, 5, {0: 32769}), "a dosage above 2"),
            (0x60, pgen.dosage_track(3, 5, {0: 1, 4: 65535}), "a dosage above 2"),
            (0x20, pgen.dosage_track(1, 5, {1: 5, 4: 6})[:-1], "ends inside its calls"),
            (0x20, b"\x01\x07\x00\x00", "names a sample that the file does not have"),
            (0x70, b"", "ends inside its calls"),
            (0x30, b"\x07", "ends inside its calls"),
            (0x60, b"", "ends inside its calls")):
        pgen.write_variable("d.pgen", 5, [(kind, start + data)], wide_types=True)
        refuse("grm", "d.pgen", "--dosage", "-o", "r", says=("variant 1", says))
