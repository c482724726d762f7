"""Random small jobs of every command: inputs with ties, NaN, duplicates and extremes, and options.

A job is a function of its number. It can be made smaller: options can be left out one by one, lines
and rows of its inputs too."""
import dataclasses
import math
import random
import struct

KINDS = {"d": "<f8", "f": "<f4", "q": "<i8", "Q": "<u8", "i": "<i4", "I": "<u4", "h": "<i2",
         "b": "|i1", "B": "|u1"}
LIMITS = {"q": (-2**63, 2**63 - 1), "Q": (0, 2**64 - 1), "i": (-2**31, 2**31 - 1),
          "I": (0, 2**32 - 1), "h": (-2**15, 2**15 - 1), "b": (-128, 127), "B": (0, 255)}


SIMD = ("reference", "avx2", "sse4")  # the ways whose Fourier transforms round otherwise


@dataclasses.dataclass
class Text:
    lines: list

    def data(self):
        return "".join(line + "\n" for line in self.lines).encode()

    def without(self, begin, end):
        return Text(self.lines[:begin] + self.lines[end:])

    def __len__(self):
        return len(self.lines)


@dataclasses.dataclass
class Npy:
    """A .npy file of rows; a row is a number where it has one dimension."""
    kind: str
    rows: list
    cols: int = 0
    complex: bool = False

    def data(self):
        shape = (len(self.rows), self.cols) if self.cols else (len(self.rows),)
        descr = {"d": "<c16", "f": "<c8"}[self.kind] if self.complex else KINDS[self.kind]
        flat = [x for row in self.rows for x in row] if self.cols or self.complex else self.rows
        if self.complex and self.cols:
            flat = [part for pair in flat for part in pair]
        head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
        head = head.ljust(117) + "\n"
        return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                struct.pack(f"<{len(flat)}{self.kind}", *flat))

    def without(self, begin, end):
        return dataclasses.replace(self, rows=self.rows[:begin] + self.rows[end:])

    def __len__(self):
        return len(self.rows)


@dataclasses.dataclass
class Job:
    command: list
    inputs: dict
    options: list      # each a list of words
    out: str           # what -o names
    bound: float = 0   # ways in `loose` differ by so much of the largest number; 0: by no bit
    loose: tuple = ("reference",)
    ranks: bool = False

    def words(self):
        return [*self.command, *(w for option in self.options for w in option), "-o", self.out]


def size(rng, most=400):
    """Small, often at a power of two or beside it."""
    if rng.random() < 0.4:
        return max(0, min(most, 2**rng.randrange(9) + rng.choice((-1, 0, 1))))
    return rng.randrange(1, max(2, int(most**rng.random()) + 1))


def number(rng, kind, style):
    if kind in LIMITS:
        low, high = LIMITS[kind]
        if style == "ties":
            return max(low, rng.randrange(4))
        if style == "extremes" and rng.random() < 0.2:
            return rng.choice((low, high, 0, high // 2))
        return rng.randrange(max(low, -1000), min(high, 1000) + 1)
    if style == "ties":
        return float(rng.randrange(-2, 3))
    if style == "extremes" and rng.random() < 0.2:
        top = 1e300 if kind == "d" else 1e38
        return rng.choice((math.nan, math.inf, -math.inf, 0.0, -0.0, top, -top, 5e-324, 1e-40))
    if style == "finite":
        return rng.choice((0.0, -0.0, 1.0, rng.uniform(-1e6, 1e6), rng.gauss(0, 1)))
    return rng.gauss(0, 1) * 10.0**rng.randrange(-3, 4)


def column(rng, kinds="dfqQiIhbB", most=3000, styles=("ties", "extremes", "plain")):
    kind, style = rng.choice(kinds), rng.choice(styles)
    values = [number(rng, kind, style) for _ in range(size(rng, most))]
    order = rng.random()
    if order < 0.15 and not any(isinstance(v, float) and math.isnan(v) for v in values):
        values.sort(reverse=order < 0.05)
    return Npy(kind, values)


def text_column(rng):
    whole = rng.random() < 0.5
    values = [rng.randrange(-50, 50) if whole else rng.choice((rng.gauss(0, 5), 0.5, 1e300, 1e-300))
              for _ in range(size(rng, 1000))]
    return Text([repr(v) for v in values]), ["--type", "i8"] if whole and rng.random() < 0.7 else []


def some(rng, *choices, share=0.35):
    """Each choice with a share: a list of words, or of alternatives to choose from."""
    chosen = []
    for choice in choices:
        if rng.random() < share:
            chosen.append([str(rng.choice(w) if isinstance(w, (list, tuple, range)) else w)
                           for w in choice])
    return chosen


def columns(rng):
    command = rng.choice(("scan", "scan", "reduce", "sort", "sort"))
    options = []
    if rng.random() < 0.25:
        data, kind = text_column(rng)
        name, options = "x.txt", [kind] if kind else []
    else:
        data, name = column(rng), "x.npy"
    floats = name == "x.txt" or data.kind in "df"
    if command == "sort":
        options += some(rng, ["--descending"], ["--unique"], ["--positions"], ["--top", range(1, 2000)])
    else:
        options += some(rng, ["--op", ("sum", "min", "max")], ["--wrap"])
    if command == "scan":
        options += some(rng, ["--exclusive"])
    single = name == "x.npy" and data.kind == "f"
    bound = (1e-4 if single else 1e-11) if command == "scan" and floats else 0
    return Job([command, name], {name: data}, options, rng.choice(("o.npy", "o.txt")), bound)


def merge(rng):
    kind = rng.choice("dfqQiI")
    names = [f"x{k}.npy" for k in range(rng.randrange(1, 5))]
    inputs = {n: Npy(kind, sorted(number(rng, kind, rng.choice(("ties", "plain")))
                                  for _ in range(size(rng, 600)))) for n in names}
    return Job(["merge", *names], inputs, [], rng.choice(("o.npy", "o.txt")))


def fft(rng):
    kind, two, complexes = rng.choice("df"), rng.random() < 0.3, rng.random() < 0.5
    cols = max(1, size(rng, 60)) if two else 0
    count = max(1, size(rng, 40 if two else 3000))
    value = lambda: number(rng, kind, "plain")
    cell = (lambda: (value(), value())) if complexes else value
    rows = [[cell() for _ in range(cols)] if two else cell() for _ in range(count)]
    options = some(rng, ["--inverse"])
    if not complexes and rng.random() < 0.4 and not options:
        options.append(["--real"])
    elif complexes and options and rng.random() < 0.4:
        options.append(["--real"])
        options += some(rng, ["--odd"])
    if two:
        options += some(rng, rng.choice((["--2d"], ["--axis", (0, 1)])))
    return Job(["fft", "x.npy"], {"x.npy": Npy(kind, rows, cols, complexes)}, options, "o.npy",
               1e-12 if kind == "d" else 1e-4, SIMD)


def polymul(rng):
    if rng.random() < 0.3:
        base = rng.choice(("decimal", "hex", "binary"))
        letters = {"decimal": "0123456789", "hex": "0123456789abcdef", "binary": "01"}[base]
        value = lambda: Text([rng.choice(("", "-")) + "".join(
            rng.choice(letters) for _ in range(1 + size(rng, 3000)))])
        return Job(["polymul", "a.txt", "b.txt"], {"a.txt": value(), "b.txt": value()},
                   [["--digits", base]], "o.txt")
    exact = rng.random() < 0.6
    kind = rng.choice("qQiIhb" if exact else "df")
    style = rng.choice(("ties", "plain", "extremes") if exact else ("ties", "plain"))
    value = lambda: Npy(kind, [number(rng, kind, style) for _ in range(max(1, size(rng, 800)))])
    options = some(rng, [("--exact", "--real")])
    real = not exact or ["--real"] in options
    return Job(["polymul", "a.npy", "b.npy"], {"a.npy": value(), "b.npy": value()}, options, "o.npy",
               1e-11 if real else 0, SIMD)


def closest(rng):
    dimensions, style = rng.randrange(1, 9), rng.choice(("ties", "finite", "plain"))
    kind = rng.choice("df")
    rows = [[number(rng, kind, style) for _ in range(dimensions)] for _ in range(2 + size(rng, 900))]
    if rng.random() < 0.3:
        rows = [[x * 1e-3 if k else x for k, x in enumerate(row)] for row in rows]
    if rng.random() < 0.5:
        inputs = {"p.npy": Npy(kind, rows, dimensions)}
    else:
        inputs = {"p.csv": Text([",".join(repr(x) for x in row) for row in rows])}
    return Job(["closest", *inputs], inputs, some(rng, ["--method", ("grid", "divide")]), "o.tsv")


def trisolve(rng):
    n, upper = max(1, size(rng, 200)), rng.random() < 0.4
    entries = set()
    for i in range(1, n + 1):
        others = range(i + 1, n + 1) if upper else range(1, i)
        count = min(len(others), rng.choice((0, 1, 1, 2, 3, 8, 20)))
        entries |= {(i, j) for j in rng.sample(list(others), count)} | {(i, i)}
    if rng.random() < 0.2:
        entries |= {(rng.randrange(1, n + 1), rng.randrange(1, n + 1)) for _ in range(3)}
    value = lambda i, j: rng.choice((1.0, 2.0, -3.0)) if i == j else rng.gauss(0, 1)
    entries = sorted(entries, key=lambda _: rng.random())
    lines = ["%%MatrixMarket matrix coordinate real general", f"{n} {n} {len(entries)}",
             *(f"{i} {j} {value(i, j)!r}" for i, j in entries)]
    options = [["--upper"]] if upper else []
    options += some(rng, ["--method", ("serial", "level-set", "sync-free")], ["--unit-diagonal"],
                    ["--ignore-other"], ["--add-duplicates"], ["--rhs", range(1, 5)],
                    ["--seed", range(9)])
    return Job(["trisolve", "m.mtx"], {"m.mtx": Text(lines)}, options, "o.npy")


def table_lines(rng, rows, features, classes, missing=0.0):
    style = rng.choice(("ties", "plain", "finite"))
    lines = [",".join([*(f"f{k}" for k in range(features)), "label"])]
    for _ in range(rows):
        cells = [number(rng, "d", style) for _ in range(features)]
        label = rng.randrange(classes) if rng.random() < 0.3 else int(abs(cells[0])) % classes
        texts = ["" if rng.random() < missing else f"{x:.6g}" for x in cells]
        lines.append(",".join([*texts, f"c{label}" if classes > 1 else f"{cells[-1] + label:.6g}"]))
    return Text(lines)


def trees(rng):
    family, regression = rng.choice(("tree", "forest")), rng.random() < 0.3
    data = table_lines(rng, 4 + size(rng, 250), 1 + size(rng, 8), 1 if regression else
                       rng.randrange(2, 5), rng.choice((0, 0, 0.1)))
    options = [["--label", "label"]] + ([["--regression"]] if regression else [])
    options += some(rng, ["--max-depth", range(1, 9)], ["--min-samples-leaf", range(1, 9)],
                    ["--min-samples-split", range(2, 12)], ["--float32"], ["--binary"], ["--report"],
                    ["--min-impurity-decrease", (0.001, 0.02)], ["--min-gain", (0.01, 0.1)],
                    ["--ccp-alpha", (0, 0.01, 0.1)], share=0.25)
    if not regression:
        options += some(rng, ["--criterion", "entropy"], ["--balanced"], share=0.25)
    if family == "forest":
        options += [["--trees", str(rng.randrange(1, 9))]]
        options += some(rng, [("--bootstrap", "--partition", "--all-rows")], ["--oob"],
                        ["--max-features", range(0, 4)], ["--seed", range(99)])
    else:
        options += some(rng, ["--cv", range(2, 5)], share=0.2)
    return Job([family, "fit", "t.csv"], {"t.csv": data}, options, "o", ranks=family == "forest")


def som(rng):
    data = table_lines(rng, 3 + size(rng, 200), 1 + size(rng, 9), 3)
    options = [["--label", "label"], ["--rows", str(rng.randrange(1, 7))],
               ["--cols", str(rng.randrange(1, 7))], ["--iterations", str(rng.randrange(2, 7))]]
    options += some(rng, ["--sigma0", (0.5, 2, 4)], ["--sigmaf", (0.1, 0.7)], ["--tau", (2, 10)],
                    ["--smooth", (0, 1)], ["--neighborhood", ("truncated", "bubble")],
                    ["--lattice", "hexagonal"], ["--toroidal"], ["--init", ("uniform", "pca")],
                    ["--seed", range(99)], ["--online"], ["--standardize"], ["--p-matrix"],
                    share=0.25)
    return Job(["som", "fit", "t.csv"], {"t.csv": data}, options, "o", ranks=True)


def cohort(rng):
    """A genotype matrix as .npy or VCF, or a simulated one."""
    samples, sites = 2 + size(rng, 40), 1 + size(rng, 600)
    if rng.random() < 0.4:
        missing = rng.choice(("", ",missing=0.05", ",missing=0.3"))
        populations = rng.randrange(1, 4)
        return f"simulate:{samples}x{sites},populations={min(samples, populations)},seed=" \
               f"{rng.randrange(999)}{missing}", {}
    share = rng.choice((0, 0, 0.1, 0.6))
    code = lambda: -1 if rng.random() < share else rng.choice((0, 0, 1, 2))
    if rng.random() < 0.5:
        return "g.npy", {"g.npy": Npy("b", [[code() for _ in range(sites)] for _ in range(samples)],
                                      sites)}
    sites = min(sites, 150)
    text = {-1: "./.", 0: "0/0", 1: "0/1", 2: "1/1"}
    names = "\t".join(f"s{k}" for k in range(samples))
    lines = ["##fileformat=VCFv4.2", "##contig=<ID=1>",
             f"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t{names}"]
    for k in range(sites):
        calls = "\t".join(text[code()] for _ in range(samples))
        alleles = rng.choice(("A\tC", "A\tC", "G\tT", "AT\tA", "A\tC,G"))
        lines.append(f"1\t{k + 1}\t.\t{alleles}\t{rng.randrange(99)}\tPASS\t.\tGT\t{calls}")
    return "g.vcf", {"g.vcf": Text(lines)}


FILTERS = (["--maf", (0.05, 0.2)], ["--geno", (0.05, 0.5)], ["--mind", (0.1, 0.9)],
           ["--missing", ("mode", "error")], ["--thin", (0.3, 0.8)], ["--hwe", (0.001, 0.2)],
           ["--indep-pairwise", "20", "3", (0.1, 0.5)])
METRICS = ("euclidean", "manhattan", "ibs", "1-ibs", "hamming", "king", "normalized")


def dist(rng):
    name, inputs = cohort(rng)
    options = some(rng, *FILTERS, share=0.15)
    if rng.random() < 0.3:
        options += [["--distance", rng.choice(("square", "square0", "triangle")),
                     *rng.sample(("bin", "bin4", "gz"), rng.randrange(2)),
                     *rng.sample(("ibs", "1-ibs", "allele-ct", "flat-missing"), rng.randrange(3))]]
    else:
        options += some(rng, ["--metric", METRICS], ["--format", "npy", ("tsv", "phylip")],
                        ["--dtype", ("float32", "int64")], ["--pairs-below", (0.1, 50)],
                        ["--pairs-above", (0.2, 90)])
        if any(option[0].startswith("--pairs") for option in options):
            options += some(rng, ["--pairs-format", "parquet"], share=0.3)
    options += some(rng, ["--shared"], ["--multiallelic", ("split", "collapse")], share=0.2)
    return Job(["dist", name], inputs, options, "o", ranks=True)


def fermat(rng):
    options = some(rng, ["--alpha", (1, 1.5, 2, 3.7)], ["--root"],
                   ["--precision", ("int", "float32", "float64")],
                   [("--matrix-only", "--no-prune")], share=0.3)
    options += some(rng, [("--knn", "--landmarks"), range(1, 9)], share=0.3)
    if ["--matrix-only"] not in options:
        options += some(rng, ["--linkage", ("single", "complete")], ["--dimensions", range(1, 6)])
    if rng.random() < 0.6:
        name, inputs = cohort(rng)
        options += some(rng, *FILTERS, share=0.1)
        return Job(["fermat", name], inputs, options, "o", 1e-4, ranks=True)
    n, style = 2 + size(rng, 40), rng.choice(("ties", "finite", "plain"))
    d = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            x = abs(number(rng, "d", style))
            d[i][j] = d[j][i] = math.inf if rng.random() < 0.02 else x
    return Job(["fermat"], {"d.npy": Npy("d", d, n)}, [["--from-distances", "d.npy"], *options], "o",
               1e-4, ranks=True)


def splice(rng):
    letters = lambda n, alphabet="ACGT": "".join(rng.choice(alphabet) for _ in range(n))
    alphabet = rng.choice(("ACGT", "ACGT", "AC", "ACGTN"))
    exons = [letters(rng.randrange(1, 60), alphabet) for _ in range(rng.randrange(1, 5))]
    bases, places = letters(rng.randrange(30), alphabet), []
    for exon in exons:
        places.append((len(bases) + 1, len(bases) + len(exon)))
        bases += exon + "GT" + letters(rng.randrange(90), alphabet) + "AG"
    for _ in range(rng.randrange(12)):
        first = rng.randrange(1, len(bases) + 1)
        places.append((first, rng.randrange(first, min(len(bases), first + 80) + 1)))
    target = [x for x in "".join(exons)]
    for _ in range(rng.randrange(6)):
        target[rng.randrange(len(target))] = rng.choice(("", letters(1), letters(3)))
    inputs = {"g.fa": Text([">g", bases]), "t.fa": Text([">t", "".join(target) or "A"])}
    options = [["--genome", "g.fa"]]
    if rng.random() < 0.75:
        inputs["e.tsv"] = Text([f"{a} {b}" for a, b in places])
        options.append(["--exons", "e.tsv"])
        options += some(rng, ["--both-strands"], share=0.3)
    if rng.random() < 0.3:
        inputs["t.fa"] = Text([">t", letters(rng.randrange(1, 40), "ARNDCQEGHILKMFPSTWYVX")])
        options.append(["--protein", "t.fa"])
        options += some(rng, ["--genetic-code", (1, 2, 4)], ["--partial-codon", (-3, 0)], share=0.2)
    else:
        options.append(["--target", "t.fa"])
        options += some(rng, ["--match", range(1, 5)], ["--mismatch", range(-4, 1)])
    options += some(rng, ["--gap-open", (-9, -3, 0)], ["--gap-extend", (-4, -1, 0)],
                    ["--min-intron", (0, 5, 60)], share=0.3)
    return Job(["splice"], inputs, options, "o", ranks=True)


FAMILIES = {f.__name__: f for f in (columns, merge, fft, polymul, closest, trisolve, trees, som, dist,
                                    fermat, splice)}


def job(seed, number_of_job, families):
    rng = random.Random(f"{seed}.{number_of_job}")
    return FAMILIES[rng.choice(sorted(families))](rng)
