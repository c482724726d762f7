"""Small runs of every command, for tests that make something fail: their inputs and their lines."""
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import bgen_files as bgen
import zarr_stores


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


def make_inputs(folder, run):
    """Writes every file that JOBS read; `run` runs the program."""
    rng = random.Random(1)
    folder.mkdir()
    write_tables(folder, rng)
    write_gene(folder, rng)
    cohort = ("simulate", "--samples", 14, "--sites", 400, "--populations", 2, "--missing", 0.02,
              "--quiet", "-o", folder / "c")
    run(*cohort)
    run(*cohort, "--format", "vcf.gz")
    bgen.write(folder / "c.bgen", 14, [bgen.variant(bgen.unphased(rng.choices((0, 1, 2, None), k=14)))
                                       for _ in range(300)], names=[f"s{i}" for i in range(14)])
    zarr_stores.write_store(folder / "c.zarr", packing="zlib", calls=[
        [rng.choice(((0, 0), (0, 1), (1, 1), (-1, -1))) for _ in range(14)] for _ in range(40)])
    run("fermat", folder / "c.bed", "--quiet", "-o", folder / "f")
    run("sort", folder / "x.npy", "--quiet", "-o", folder / "s.npy")
    run("tree", "fit", folder / "t.csv", "--label", "class", "--quiet", "-o", folder / "tree")
    run("forest", "fit", folder / "t.csv", "--label", "class", "--trees", 3, "--quiet", "-o",
        folder / "forest")
    run("som", "fit", folder / "t.csv", "--label", "class", *MAP, "--quiet", "-o", folder / "map")


MAP = ("--rows", 3, "--cols", 3, "--iterations", 4)

# Inputs are in ../in, outputs begin with out/o, where the folder out is missing at first.
JOBS = {
    "dist": "dist ../in/c.bed -o out/o --shared --format npy tsv phylip --pairs-below 1e9",
    "dist_vcf": "dist ../in/c.vcf.gz -o out/o --distance square gz 1-ibs",
    "dist_checkpoint": "dist ../in/c.bed -o out/o --checkpoint save --checkpoint-interval 0",
    "fermat": "fermat ../in/c.bed -o out/o --labels ../in/c.labels.tsv --alpha 1.5 2",
    "fermat_knn": "fermat --from-distances ../in/f.dist.npy -o out/o --knn 4 --matrix-only",
    "fermat_landmarks": "fermat --from-distances ../in/f.dist.npy -o out/o --landmarks 3",
    "path": "path ../in/f s1 s9",
    "splice": "splice --genome ../in/g.fa --exons ../in/e.tsv --target ../in/cdna.fa -o out/o",
    "splice_auto": "splice --genome ../in/g.fa --exons auto --target ../in/cdna.fa -o out/o",
    "filter": "filter ../in/c.bed --indep-pairwise 9 2 0.3 --king-cutoff 0.3 -o out/o.pgen",
    "filter_bgen": "filter ../in/c.bgen --hard-call-threshold 0.2 -o out/o.bed",
    "filter_zarr": "filter ../in/c.zarr -o out/o.bed",
    "filter_vcf": "filter ../in/c.bed --hwe 0.01 -o out/o.vcf.gz",
    "simulate": "simulate --samples 9 --sites 200 -o out/o",
    "simulate_vcf": "simulate --samples 9 --sites 200 --format vcf.gz -o out/o",
    "plan": "plan dist --samples 1000 --sites 1M",
    "info": "info",
    "scan": "scan ../in/x.npy -o out/o.npy",
    "scan_text": "scan ../in/x.txt -o out/o.txt",
    "scan_json": "scan ../in/x.npy -o out/o.npy --json",
    "reduce": "reduce ../in/x.npy --op max -o out/o.txt",
    "merge": "merge ../in/u.txt ../in/v.txt -o out/o.npy",
    "sort": "sort ../in/x.npy -o out/o.npy",
    "sort_runs": "sort ../in/k.npy -o out/o.npy --memory 100k --quiet",
    "sort_stdout": "sort ../in/x.txt -o /dev/stdout --quiet",
    "fft": "fft ../in/x.npy -o out/o.npy",
    "polymul": "polymul ../in/y.npy ../in/y.npy --exact -o out/o.npy",
    "polymul_digits": "polymul ../in/x.txt ../in/x.txt --real -o out/o.txt",
    "closest": "closest ../in/p.npy --json -o out/o.json",
    "trisolve": "trisolve ../in/l.mtx -o out/o.npy",
    "tree_fit": "tree fit ../in/t.csv --label class --cv 3 --binary --predictions --report -o out/o",
    "tree_predict": "tree predict ../in/tree.json ../in/t.csv --label class --proba --report -o out/o",
    "tree_show": "tree show ../in/tree.json --as svg -o out/o.svg",
    "tree_export": "tree export ../in/tree.json -o out/o",
    "forest_fit": "forest fit ../in/t.csv --label class --trees 4 --bootstrap --oob -o out/o",
    "forest_importances": "forest importances ../in/forest.json ../in/t.csv --label class",
    "som_fit": "som fit ../in/t.csv --label class --rows 3 --cols 3 --iterations 4 -o out/o",
    "som_apply": "som apply ../in/map.json ../in/t.csv -o out/o",
    "som_report": "som report ../in/map.json -o out/o",
    "bench": "bench scan --quick --no-peers --json",
    "man": "man",
}
