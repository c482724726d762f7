"""Small inputs of every kind, for tests that make something fail."""
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import bgen_files as bgen
import vcf_lines
import zarr_stores

SAMPLES = 14
MAP = ("--rows", 3, "--cols", 3, "--iterations", 4)


def npy(path, kind, shape, values):
    """Writes a .npy file; `kind` is struct's letter of a number."""
    descr = {"d": "<f8", "q": "<i8", "B": "|u1"}[kind]
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) +
                                   head.encode() + struct.pack(f"<{len(values)}{kind}", *values))


def write_tables(folder, rng):
    rows = [[rng.gauss(k % 3, 0.7) for _ in range(4)] + [f"c{k % 3}"] for k in range(60)]
    (folder / "t.csv").write_text("a,b,c,d,class\n" + "".join(
        ",".join(f"{x:.3f}" if isinstance(x, float) else x for x in row) + "\n" for row in rows))
    npy(folder / "x.npy", "d", (3000,), [rng.gauss(0, 9) for _ in range(3000)])
    npy(folder / "k.npy", "q", (40000,), [rng.randrange(1 << 40) for _ in range(40000)])
    head = "{'descr': [('n', '<i8'), ('s', '|S3')], 'fortran_order': False, 'shape': (900,), }"
    (folder / "r.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.ljust(117).encode() + b"\n" +
                                   b"".join(struct.pack("<q3s", rng.randrange(99), b"abc"[:k % 4]) for k in range(900)))
    npy(folder / "p.npy", "d", (500, 3), [rng.random() for _ in range(1500)])
    npy(folder / "y.npy", "q", (50,), [rng.randrange(-9, 9) for _ in range(50)])
    (folder / "x.txt").write_text("".join(f"{rng.randrange(1000)}\n" for _ in range(900)))
    for name in "uv":
        (folder / f"{name}.txt").write_text("".join(f"{k * k + len(name)}\n" for k in range(500)))
    size, entries = 40, []
    for i in range(1, size + 1):
        entries += [f"{i} {j} {rng.random():.3f}" for j in rng.sample(range(1, i), min(3, i - 1))]
        entries.append(f"{i} {i} {1 + rng.random():.3f}")
    (folder / "l.mtx").write_text("%%MatrixMarket matrix coordinate real general\n"
                                  f"{size} {size} {len(entries)}\n" + "\n".join(entries) + "\n")


def write_gene(folder, rng):
    letters = lambda n: "".join(rng.choice("ACGT") for _ in range(n))
    exons = [letters(n) for n in (90, 120, 60)]
    bases, places = letters(200), []
    for exon in exons:
        places.append(f"{len(bases) + 1} {len(bases) + len(exon)}\n")
        bases += exon + "GTAAGT" + letters(80) + "TTTTCTTTTCCTTTTTTTGCAG"
    (folder / "g.fa").write_text(f">chr1\n{bases}\n")
    (folder / "e.tsv").write_text("".join(places) + "10 60\n300 350\n")
    (folder / "cdna.fa").write_text(f">cdna\n{''.join(exons)}\n")
    (folder / "protein.fa").write_text(">protein\nMKLVARNDQEGHIKFPSTWYV\n")
    (folder / "cases.txt").write_text("g.fa e.tsv cdna.fa\ng.fa e.tsv protein.fa protein\n")


def write_cohorts(folder, rng, run):
    """One cohort in the forms that the program writes, others in those that it only reads."""
    cohort = ("simulate", "--samples", SAMPLES, "--sites", 400, "--populations", 2, "--missing", 0.02,
              "--quiet", "-o")
    run(*cohort, folder / "c")
    for form in ("vcf", "vcf.gz", "pgen"):
        run(*cohort, folder / "c", "--format", form)
    run("filter", folder / "c.bed", "--quiet", "-o", folder / "c.npy")
    bgen.write(folder / "c.bgen", SAMPLES,
               [bgen.variant(bgen.unphased(rng.choices((0, 1, 2, None), k=SAMPLES)))
                for _ in range(300)], names=[f"s{i}" for i in range(SAMPLES)])
    zarr_stores.write_store(folder / "c.zarr", packing="zlib", calls=[
        [rng.choice(((0, 0), (0, 1), (1, 1), (-1, -1))) for _ in range(SAMPLES)] for _ in range(40)])
    vcf_lines.write_vcf(folder / "d.vcf", [[rng.choice(("0/0:0.2", "0/1:1.1", "1/1", "./.:0.5"))
                                            for _ in range(SAMPLES)] for _ in range(90)])
    calls = [[rng.choice(("A A", "A G", "G G", "0 0")) for _ in range(SAMPLES)] for _ in range(60)]
    people = [f"f{i} i{i} 0 0 1 -9" for i in range(SAMPLES)]
    (folder / "p.ped").write_text("".join(
        f"{who} {' '.join(site[i] for site in calls)}\n" for i, who in enumerate(people)))
    (folder / "p.map").write_text("".join(f"1 v{k} 0 {k + 1}\n" for k in range(len(calls))))
    (folder / "p.tped").write_text("".join(
        f"1 v{k} 0 {k + 1} {' '.join(site)}\n" for k, site in enumerate(calls)))
    (folder / "p.tfam").write_text("".join(f"{who}\n" for who in people))


def make_inputs(folder, run):
    """Writes every file that jobs.JOBS read; `run` runs the program."""
    rng = random.Random(1)
    folder.mkdir()
    write_tables(folder, rng)
    write_gene(folder, rng)
    write_cohorts(folder, rng, run)
    run("fermat", folder / "c.bed", "--quiet", "-o", folder / "f")
    run("pca", folder / "c.bed", "--components", 3, "--loadings", "--quiet", "-o", folder / "pca")
    run("sort", folder / "x.npy", "--quiet", "-o", folder / "s.npy")
    run("tree", "fit", folder / "t.csv", "--label", "class", "--quiet", "-o", folder / "tree")
    run("forest", "fit", folder / "t.csv", "--label", "class", "--trees", 3, "--quiet", "-o",
        folder / "forest")
    run("som", "fit", folder / "t.csv", "--label", "class", *MAP, "--quiet", "-o", folder / "map")
