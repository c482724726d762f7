"""BGEN files: hard calls as PLINK 2 makes them, the same bytes as the .bed of the same calls."""
import gzip
import json
import pathlib
import random
import shutil

import bgen_files as bgen
import pgen_files as pgen
from program import answer, refuse, run

MISSING = 3


def dosage_of(part, whole):
    """PLINK 2's rounding of the second allele's dosage."""
    dosage, rest = divmod(16384 * part, whole)
    return dosage + (rest > (whole + 1) // 2)


def hard_call(part, whole, threshold=1638):
    """PLINK 2's rule: x of a dosage of part/whole alleles, in 1/16384, not further than this away."""
    dosage = dosage_of(part, whole)
    x = (dosage + 8192) >> 14
    return x if abs(dosage - 16384 * x) <= threshold else MISSING


def results(*arguments):
    """What dist writes: the matrices and the account of samples and sites."""
    for path in pathlib.Path(".").glob("out*"):
        path.unlink()
    done = run("dist", *arguments, "--shared", "-o", "out", "--json")
    account = json.loads(done.stdout)
    return ([(path.name, path.read_bytes()) for path in sorted(pathlib.Path(".").glob("out*"))],
            [account[key] for key in ("samples", "sites")])


def companions(rows):
    pgen.write_bed("c.bed", rows)
    pgen.companions("c", len(rows), len(rows[0]), contig=lambda k: 1)


def names(samples):
    return [f"I{i}" for i in range(samples)]


def random_values(rng, samples, bits, phased, ploidies):
    """Stored numbers near the places where calls change, and the part of each that is ALT."""
    top = (1 << bits) - 1
    values, parts = [], []
    for ploidy, _ in ploidies:
        near = [min(top, max(0, round(rng.choice((0, 1, 0.05, 0.1, 0.9, 0.95, rng.random())) * top) +
                             rng.randint(-1, 1))) for _ in range(ploidy)]
        if not phased and ploidy == 2:
            near[1] = min(near[1], top - near[0])
            parts.append(2 * (top - sum(near)) + near[1])
        else:
            parts.append((2 // max(ploidy, 1)) * (ploidy * top - sum(near)))
        values.append(near)
    return values, parts, top


def every_number_of_bits_phase_and_ploidy_is_called_by_the_rule():
    rng = random.Random(1)
    for samples, packing in ((1, 0), (3, 1), (4, 2), (65, 1), (255, 2), (1001, 0)):
        if packing == 2 and shutil.which("zstd") is None:
            packing = 1
        variants, rows = [], []
        for bits in (*range(1, 33), 8, 16):
            for phased in (0, 1):
                ploidies = [(rng.choice((2, 2, 2, 1, 0) if bits % 3 == 0 else (2,)), rng.random() < 0.05)
                            for _ in range(samples)]
                values, parts, top = random_values(rng, samples, bits, phased, ploidies)
                rows.append([MISSING if missing or ploidy == 0 else hard_call(part, top)
                             for (ploidy, missing), part in zip(ploidies, parts)])
                variants.append(bgen.variant(
                    bgen.probabilities(ploidies, values, bits, phased=phased), packing,
                    position=len(variants) + 1))
        bgen.write("c.bgen", samples, variants, packing, names=names(samples))
        companions(rows)
        if samples == 1:
            rewritten = run("filter", "c.bgen", "-o", "o.bed")
            assert "of 68 kept" in rewritten.stdout, rewritten.stdout
            assert pathlib.Path("o.bed").read_bytes() == pathlib.Path("c.bed").read_bytes()
            continue
        wanted = results("c.bed")
        for threads in (1, 2, 7):
            assert results("c.bgen", "--threads", threads) == wanted, (samples, threads)
        assert results("--bgen", "c.bgen", "--device", "reference") == wanted
        run("filter", "c.bgen", "-o", "o.bed")
        assert pathlib.Path("o.bed").read_bytes() == pathlib.Path("c.bed").read_bytes()


def all_pairs_of_eight_bits_and_thresholds():
    pairs = [[a, b] for a in range(256) for b in range(256 - a)]
    samples = len(pairs)
    data = bgen.probabilities([(2, 0)] * samples, pairs, 8)
    bgen.write("c.bgen", samples, [bgen.variant(data)], names=names(samples))
    for threshold in (0, 0.05, 0.1, 0.2, 0.3333, 0.49):
        for order in ("ref-first", "ref-last"):
            run("filter", "--bgen", "c.bgen", order, "--hard-call-threshold", threshold, "-o", "o.bed")
            parts = [2 * (255 - a - b) + b for a, b in pairs]  # of the second allele
            row = [hard_call(part, 255, int(threshold * 16384 + 1e-9)) for part in parts]
            if order == "ref-last":
                row = [MISSING if x == MISSING else 2 - x for x in row]
            pgen.write_bed("c.bed", [row])
            assert pathlib.Path("o.bed").read_bytes() == pathlib.Path("c.bed").read_bytes(), threshold
            assert pathlib.Path("o.bim").read_text().split()[4:] == (
                ["A", "G"] if order == "ref-first" else ["G", "A"])


def several(rng, samples, alleles, bits, phased):
    """Probabilities of any number of alleles; and of each sample its dosages in units of 1/top."""
    top = (1 << bits) - 1
    values, dosages = [], []
    for _ in range(samples):
        if phased:
            sure = [rng.randrange(alleles) for _ in range(2)]
            genotypes = [[top if a == s else 0 for a in range(alleles)] for s in sure]
            if rng.random() < 0.5:
                moved = rng.randrange(round(0.3 * top) + 1)
                genotypes[0][sure[0]] -= moved
                genotypes[0][rng.randrange(alleles)] += moved
            values.append(genotypes[0][:-1] + genotypes[1][:-1])
            dosages.append([a + b for a, b in zip(*genotypes)])
        else:
            pairs = [(j, k) for k in range(alleles) for j in range(k + 1)]
            weights = [0] * len(pairs)
            moved = rng.choice((0, 0, rng.randrange(round(0.3 * top) + 1)))
            weights[rng.randrange(len(pairs))] += top - moved
            weights[rng.randrange(len(pairs))] += moved
            values.append(weights[:-1])
            dosage = [0] * alleles
            for (j, k), weight in zip(pairs, weights):
                dosage[j] += weight
                dosage[k] += weight
            dosages.append(dosage)
    return values, dosages, top


def several_alt_alleles_are_skipped_split_or_collapsed():
    rng = random.Random(2)
    samples = 50
    variants, sites = [], []
    for k in range(60):
        alleles, bits, phased = rng.choice((2, 3, 3, 4, 7)), rng.choice((8, 16, 11)), rng.choice((0, 1))
        values, dosages, top = several(rng, samples, alleles, bits, phased)
        calls = []
        for dosage in dosages:
            units = [(2 * 16384 * part + top) // (2 * top) for part in dosage]
            x = [(u + 8192) // 16384 for u in units]
            away = sum(abs(u - 16384 * n) for u, n in zip(units, x))
            calls.append(x if away <= 2 * 1638 else None)
        assert alleles == 2 or any(call is None for call in calls) or top < 256
        sites.append((alleles, calls))
        variants.append(bgen.variant(
            bgen.probabilities([(2, 0)] * samples, values, bits, alleles=alleles, phased=phased),
            position=k + 1, alleles=["A" * (a + 1) for a in range(alleles)]))
    bgen.write("c.bgen", samples, variants, names=names(samples))

    def counting(rows):
        companions(rows)
        return results("c.bed")

    def row(calls, count):
        return [MISSING if call is None else count(call) for call in calls]
    split = counting([row(calls, lambda x, a=a: x[a]) for alleles, calls in sites
                      for a in range(1, alleles)])
    for threads in (1, 3):
        assert results("c.bgen", "--multiallelic", "split", "--threads", threads) == split
    collapsed = counting([row(calls, lambda x: 2 - x[0]) for _, calls in sites])
    assert results("c.bgen", "--multiallelic", "collapse") == collapsed
    biallelic = counting([row(calls, lambda x: x[1]) for alleles, calls in sites if alleles == 2])
    assert results("c.bgen") == biallelic
    assert "--multiallelic split takes them, and so does --multiallelic collapse where" in run("dist", "c.bgen", "-o", "out").stderr
    last = counting([row(calls, lambda x, a=a: x[a]) for alleles, calls in sites
                     for a in range(alleles - 1)])
    assert results("--bgen", "c.bgen", "ref-last", "--multiallelic", "split") == last
    run("filter", "c.bgen", "--multiallelic", "split", "-o", "o.vcf")
    alts = [line.split("\t")[3:5] for line in pathlib.Path("o.vcf").read_text().splitlines()
            if not line.startswith("#")]
    assert alts == [["A", "A" * a] for alleles, _ in sites for a in range(2, alleles + 1)]


def hard_calls_of(rows):
    bgen.write("c.bgen", len(rows[0]), [
        bgen.variant(bgen.unphased([None if x == MISSING else x for x in row]), position=k + 1,
                     name=f"v{k}", contig=f"{1 + k // 40}") for k, row in enumerate(rows)],
        names=names(len(rows[0])))
    companions(rows)
    pgen.companions("c", len(rows), len(rows[0]), contig=lambda k: 1 + k // 40)


def filters_are_those_of_every_input():
    hard_calls_of(pgen.genotypes(300, 700, 3))
    pathlib.Path("list").write_text("v1\nv7\nv100\nv600\n")
    pathlib.Path("people").write_text("".join(f"I{i}\n" for i in range(0, 300, 7)))
    for options in (("--chr", "2,5,21"), ("--region", "3:20-90"), ("--geno", 0.3, "--maf", 0.02),
                    ("--chr", "4", "--from-bp", 150), ("--extract", "list"), ("--exclude", "list"),
                    ("--keep", "people"), ("--thin", 0.5, "--seed", 4), ("--hwe", 1e-3),
                    ("--indep-pairwise", 50, 5, 0.2), ("--mac", 5, "--mind", 0.9),
                    ("--snps-only", "just-acgt"), ("--memory", "200M")):
        assert results("c.bgen", *options) == results("c.bed", *options), options
    for ending in ("bed", "bim", "pgen", "vcf", "npy"):
        out = "bed" if ending == "bim" else ending
        for name in ("bed", "bgen"):
            run("filter", f"c.{name}", "--maf", 0.05, "--indep-pairwise", 50, 5, 0.5, "-o",
                f"{name}.{out}")
        assert (pathlib.Path(f"bed.{ending}").read_bytes() ==
                pathlib.Path(f"bgen.{ending}").read_bytes()), ending
    assert "memory" in run("dist", "c.bgen", "--plan", "-o", "out").stdout
    for idle in (("--pvar", "x"), ("--half-call", "error"), ("--var-filter",), ("--nonfounders",)):
        run("dist", "c.bgen", *idle, "-o", "out", status=2)
    run("dist", "c.bed", "--hard-call-threshold", 0.2, "-o", "out", status=2)
    run("dist", "c.bed", "--sample", "x", "-o", "out", status=2)
    run("dist", "c.bgen", "--hard-call-threshold", 0.5, "-o", "out", status=2)
    run("dist", "--bgen", "c.bgen", "ref-frist", "-o", "out", status=2)


def samples_of_the_sample_file():
    row = [0, 1, 2, 1]
    bgen.write("c.bgen", 4, [bgen.variant(bgen.unphased(row))], names=names(4))

    def read(text):
        pathlib.Path("c.sample").write_text(text)
        run("filter", "c.bgen", "-o", "o.bed")
        return [line.split()[:2] + line.split()[4:5]
                for line in pathlib.Path("o.fam").read_text().splitlines()]
    assert read("ID_1 ID_2 missing sex\n0 0 0 D\n0 a 0 1\n0 b 0 2\n0 c 0 NA\n0 d 0 F\n") == [
        ["a", "a", "1"], ["b", "b", "2"], ["c", "c", "0"], ["d", "d", "2"]]
    assert read("ID_1 ID_2 missing\n0 0 0\nf a 0\nf b 0\n\ng a 0\ng c 0\n") == [
        ["f", "a", "0"], ["f", "b", "0"], ["g", "a", "0"], ["g", "c", "0"]]
    assert read("ID missing height Sex\n0 0 P D\na 0 1.5 m\nb 0 NA f\nc 0 1 0\nd 0 2 0\n") == [
        ["a", "a", "1"], ["b", "b", "2"], ["c", "c", "0"], ["d", "d", "0"]]
    pathlib.Path("c.sample").rename("other")
    run("dist", "c.bgen", "-o", "out")
    assert pathlib.Path("out.ids").read_text().split() == names(4)
    run("dist", "c.bgen", "--sample", "other", "-o", "out")
    assert pathlib.Path("out.ids").read_text().split() == ["a", "b", "c", "d"]
    with gzip.open("c.sample.gz", "wt") as file:
        file.write(pathlib.Path("other").read_text())
    bgen.write("c.bgen", 4, [bgen.variant(bgen.unphased(row))])
    run("dist", "c.bgen", "-o", "out")
    assert pathlib.Path("out.ids").read_text().split() == ["a", "b", "c", "d"]


def males_have_one_allele_of_x():
    people = [(x, 1 + i % 2) for i, x in enumerate(random.Random(5).choices((0, 1, None), k=40))]
    bgen.write("c.bgen", 40, [bgen.variant(bgen.unphased(people), contig="X"),
                              bgen.variant(bgen.unphased([(0, 2)] * 40), contig="1")], names=names(40))
    run("filter", "c.bgen", "--all-chr", "-o", "o.bed")
    rows = [[MISSING if x is None else x * (2 if ploidy == 1 else 1) for x, ploidy in people], [0] * 40]
    pgen.write_bed("c.bed", rows)
    assert pathlib.Path("o.bed").read_bytes() == pathlib.Path("c.bed").read_bytes()
    assert answer("dist", "c.bgen", "-o", "out")["sites"] == 1


def header_has_free_data_and_no_variants():
    bgen.write("c.bgen", 3, [bgen.variant(bgen.unphased([0, 1, 2]))], names=names(3), free=b"anything")
    assert results("c.bgen")[1] == [3, 1]
    bgen.write("c.bgen", 3, [], names=names(3))
    refuse("dist", "c.bgen", "-o", "new", says="c.bgen: expected at least one site")
