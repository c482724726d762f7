"""Filters of variants and families, of every kind of input, against plain references in Python."""
import gzip
import json
import pathlib
import random

import pgen_files as pgen
from program import answer, refuse, run

SAMPLES, VARIANTS = 41, 120
GT = ("0/0", "0/1", "1/1", "./.")


class Cohort:
    """The same genotypes as .bed, .pgen and .vcf; some samples name a parent."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.rows = [rng.choices(range(4), rng.choice([(9, 1, 0, 0.2), (1, 1, 1, 0.3), (1, 9, 9, 1),
                                                       (40, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)]),
                                 k=SAMPLES) for _ in range(VARIANTS)]
        self.families = [f"F{i % 7}" for i in range(SAMPLES)]
        self.parents = ["S1" if i % 5 == 4 else "0" for i in range(SAMPLES)]
        self.sites = [(str(rng.randint(1, 3)), rng.randint(1, 60), f"v{k % 100}")
                      for k in range(VARIANTS)]
        self.write("c", range(VARIANTS), range(SAMPLES))

    def write(self, prefix, variants, samples):
        rows = [[self.rows[k][i] for i in samples] for k in variants]
        sites = [self.sites[k] for k in variants]
        people = [(self.families[i], f"S{i}", self.parents[i]) for i in samples]
        pgen.write_bed(f"{prefix}.bed", rows)
        pgen.write_fixed(f"{prefix}.pgen", 2, rows)
        put = lambda name, lines: pathlib.Path(name).write_text("".join(line + "\n" for line in lines))
        put(f"{prefix}.bim", (f"{c}\t{name}\t0\t{at}\tA\tG" for c, at, name in sites))
        put(f"{prefix}.pvar", ["#CHROM\tPOS\tID\tREF\tALT"] +
            [f"{c}\t{at}\t{name}\tG\tA" for c, at, name in sites])
        put(f"{prefix}.fam", (f"{f}\t{name}\t{father}\t0\t0\t-9" for f, name, father in people))
        put(f"{prefix}.psam", ["#FID\tIID\tPAT\tMAT"] +
            [f"{f}\t{name}\t{father}\t0" for f, name, father in people])
        put(f"{prefix}.vcf", ["##fileformat=VCFv4.2", "##contig=<ID=1>", "##contig=<ID=2>",
                              "##contig=<ID=3>",
                              '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
                              "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" +
                              "\t".join(name for _, name, _ in people)] +
            ["\t".join([c, str(at), name, "G", "A", ".", ".", ".", "GT"] + [GT[x] for x in row])
             for (c, at, name), row in zip(sites, rows)])


def counts(*arguments):
    """The bytes of the counts, and how many sites there were."""
    done = run("dist", *arguments, "--shared", "-o", "out", "--json")
    return ([pathlib.Path(f"out.{name}").read_bytes() for name in ("dist.npy", "shared.npy", "ids")],
            json.loads(done.stdout)["sites"])


def agree(cohort, keeps, options, inputs=("c.bed", "c.pgen", "c.vcf"), samples=None):
    """Every input with the options gives what a .bed of the kept variants and samples alone gives."""
    variants = [k for k in range(VARIANTS) if keeps(k)]
    assert 0 < len(variants) and (len(variants) < VARIANTS or samples), options
    cohort.write("kept", variants, samples or range(SAMPLES))
    wanted = counts("kept.bed")
    assert wanted[1] == len(variants)
    for name in inputs:
        got = counts(name, *options)
        assert got[1] == wanted[1], (name, options, got[1], wanted[1])
        assert got[0] == wanted[0], (name, options)


def lists_of_names():
    cohort = Cohort(1)
    pathlib.Path("names").write_text("v3 v5 v7\nv19\tv20\n\nv99\nnobody\n")
    names = {"v3", "v5", "v7", "v19", "v20", "v99"}
    agree(cohort, lambda k: cohort.sites[k][2] in names, ["--extract", "names"])
    agree(cohort, lambda k: cohort.sites[k][2] not in names, ["--exclude", "names"])
    pathlib.Path("more").write_text("v5 v7 v1")
    agree(cohort, lambda k: cohort.sites[k][2] in names - {"v5", "v7"},
          ["--extract", "names", "--exclude", "more"])
    agree(cohort, lambda k: cohort.sites[k][2] in names and cohort.sites[k][0] != "2",
          ["--extract", "names", "--chr", "1,3"])


def lists_of_intervals():
    cohort = Cohort(2)
    pathlib.Path("places").write_text("# UCSC\nchr1 9 20 name\n1 15 30\n\n3\t39\t40\n9 1 100\n")

    def inside(k, first):
        contig, at, _ = cohort.sites[k]
        places = [("1", 9, 20), ("1", 15, 30), ("3", 39, 40)]
        return any(contig == c and start + first <= at <= end for c, start, end in places)
    for word, first in (("bed0", 1), ("bed1", 0), ("range", 0)):
        agree(cohort, lambda k: inside(k, first), ["--extract", word, "places"])
        agree(cohort, lambda k: not inside(k, first), ["--exclude", word, "places"])


def frequencies():
    cohort = Cohort(3)

    def minor(k, founders):
        called = [x for i, x in enumerate(cohort.rows[k])
                  if x < 3 and (cohort.parents[i] == "0" or not founders)]
        copies = sum(called)
        return min(copies, 2 * len(called) - copies), 2 * len(called)
    for founders, more, inputs in ((True, [], ("c.bed", "c.pgen")),
                                   (False, ["--nonfounders"], ("c.bed", "c.pgen")),
                                   (False, [], ("c.vcf",))):
        for least in (1, 2, 7):
            agree(cohort, lambda k: minor(k, founders)[0] >= least, ["--mac", least, *more], inputs)
        for most in (0, 0.1, 0.25):
            agree(cohort, lambda k: minor(k, founders)[1] > 0 and
                  minor(k, founders)[0] <= most * minor(k, founders)[1] * (1 + 2**-44),
                  ["--max-maf", most, *more], inputs)
        agree(cohort, lambda k: minor(k, founders)[0] >= 2 and
              0.1 * minor(k, founders)[1] * (1 - 2**-44) <= minor(k, founders)[0]
              <= 0.4 * minor(k, founders)[1],
              ["--mac", 2, "--maf", 0.1, "--max-maf", 0.4, *more], inputs)


def families():
    cohort = Cohort(4)
    pathlib.Path("families").write_text("F1 more\n\nF3\nF99\n")
    chosen = {"F1", "F3"}
    for option, kept in (("--keep-fam", [i for i in range(SAMPLES) if cohort.families[i] in chosen]),
                         ("--remove-fam", [i for i in range(SAMPLES) if cohort.families[i] not in chosen])):
        agree(cohort, lambda k: True, [option, "families"], ("c.bed", "c.pgen"), kept)
    pathlib.Path("some").write_text("F1 S1\nF3 S3\nF2 S2\n")
    agree(cohort, lambda k: True, ["--keep-fam", "families", "--keep", "some"],
          ("c.bed", "c.pgen"), [1, 3])
    account = answer("dist", "c.bed", "--keep-fam", "families", "-o", "out")
    assert "family not in --keep-fam" in json.dumps(account), account


def snps_only():
    cohort = Cohort(5)
    for name, column in (("c.bim", 4), ("c.pvar", 4), ("c.vcf", 4)):
        lines = pathlib.Path(name).read_text().splitlines()
        first = len(lines) - VARIANTS
        for k in range(0, VARIANTS, 3):
            fields = lines[first + k].split("\t")
            fields[column] = "AT"
            lines[first + k] = "\t".join(fields)
        pathlib.Path(name).write_text("\n".join(lines) + "\n")
    agree(cohort, lambda k: k % 3 != 0, ["--snps-only"])
    agree(cohort, lambda k: k % 3 != 0, ["--snps-only", "just-acgt"])


def bad_lists_are_refused():
    Cohort(6)
    pathlib.Path("x").write_text("nobody\n")
    refuse("dist", "c.bed", "--extract", "missing", "-o", "new", says=["missing", "cannot be opened"])
    refuse("dist", "c.bed", "--extract", "x", "-o", "new", says=["120", "not in --extract"])
    refuse("dist", "c.bed", "--extract", "bed0", "x", "-o", "new", says=["x:1", "contig, start and end"])
    refuse("dist", "c.bed", "--extract", "bed2", "x", "-o", "new", says=["--extract", "bed0", "bed2"], status=2)
    refuse("dist", "c.bed", "--keep-fam", "x", "-o", "new", says=["x", "--keep-fam"])
    refuse("dist", "c.vcf", "--keep-fam", "x", "-o", "new", says=["--keep-fam"], status=2)
    refuse("dist", "simulate:9x9", "--extract", "x", "-o", "new", says=["--extract"], status=2)
    refuse("dist", "c.bed", "--mac", -1, "-o", "new", says=["--mac"], status=2)
    refuse("dist", "c.bed", "--max-maf", 0.6, "-o", "new", says=["--max-maf"], status=2)
    pathlib.Path("c.psam").write_text("#IID\n" + "".join(f"S{i}\n" for i in range(SAMPLES)))
    refuse("dist", "c.pgen", "--keep-fam", "x", "-o", "new", says=["--keep-fam", "no families"], status=2)
    pathlib.Path("x").write_text("\n")
    refuse("dist", "c.bed", "--exclude", "x", "-o", "new", says=["x: names no variant"])


def options_that_may_take_words_swallowed_the_input():
    Cohort(7)
    for name in ("c.vcf", "c.bed", "c"):
        for option in (["--snps-only"], ["--var-filter"], ["--var-filter", "q10"],
                       ["--format", "tsv"], ["--distance", "square"], ["--king-cutoff", 0.4]):
            if name != "c.vcf" and option[0] == "--var-filter":
                continue
            run("dist", name, *option, "-o", "a")
            before = {p.name[1:]: p.read_bytes() for p in pathlib.Path(".").glob("a.*")}
            run("dist", *option, name, "-o", "b")
            assert before == {p.name[1:]: p.read_bytes() for p in pathlib.Path(".").glob("b.*")}
            for path in pathlib.Path(".").glob("[ab].*"):
                path.unlink()
    pathlib.Path("x").write_text("".join(line.split()[1] + "\n" for line in open("c.bim")))
    run("dist", "--extract", "x", "c.bed", "-o", "a")
    refuse("dist", "--bfile", "c", "--snps-only", "c.bed", "-o", "new", status=2,
           says=["--snps-only: expected just-acgt or nothing, got 'c.bed'"])
    refuse("dist", "--var-filter", "-o", "new", status=2, says=["expected an input file"])


def a_vcf_with_a_byte_order_mark_was_refused():
    Cohort(8)
    run("dist", "c.vcf", "-o", "a")
    text = pathlib.Path("c.vcf").read_bytes()
    pathlib.Path("m.vcf").write_bytes(b"\xef\xbb\xbf" + text)
    pathlib.Path("m.vcf.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + text))
    for name in ("m.vcf", "m.vcf.gz"):
        told = run("dist", name, "--mind", 1, "-o", "b").stderr  # reads twice
        assert "fileformat" not in told, told
        assert pathlib.Path("a.dist.npy").read_bytes() == pathlib.Path("b.dist.npy").read_bytes()
    pathlib.Path("n.vcf").write_bytes(b"\xef\xbb\xbfhello\n")
    refuse("dist", "n.vcf", "-o", "new", says=["not VCF or BCF"])


def a_quality_beyond_a_float_was_none_in_text():
    head = "##fileformat=VCFv4.2\n##contig=<ID=1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
    qualities = ("1e39", "1e400", "1e-50", "1e-400", "30", ".", "29.9")
    pathlib.Path("q.vcf").write_text(head + "".join(
        f"1\t{k + 1}\tv{k}\tA\tG\t{qual}\t.\t.\tGT\t0/0\t0/1\n" for k, qual in enumerate(qualities)))
    run("filter", "q.vcf", "--var-min-qual", 30, "-o", "o.bed")
    assert [line.split("\t")[1] for line in pathlib.Path("o.bim").read_text().splitlines()] == ["v0", "v1", "v4"]
