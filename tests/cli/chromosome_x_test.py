"""X, Y and MT are filtered by sex: males have one allele of X, females none of Y, and all have one of MT."""
import math
import pathlib
import random

from program import refuse, run

CODES = {0: 3, 1: 2, 2: 0, None: 1}
COPIES = {1: (2, 2), 23: (1, 2), 24: (1, 0), 26: (1, 1)}  # in males, in others


def cohort(chromosomes, sexes, seed=1):
    """c.bed: 60 sites a chromosome; calls of every kind in both sexes, some missing."""
    rng = random.Random(seed)
    sites = []
    for chromosome in chromosomes:
        for _ in range(60):
            p = 0.6 * rng.random()
            sites.append((chromosome, [None if rng.random() < 0.05 else (rng.random() < p) + (rng.random() < p)
                                       for _ in sexes]))
    pathlib.Path("c.fam").write_text("".join(f"f s{i} 0 0 {sex} -9\n" for i, sex in enumerate(sexes)))
    pathlib.Path("c.bim").write_text("".join(f"{c} v{i} 0 {i + 1} A G\n" for i, (c, _) in enumerate(sites)))
    packed = bytearray(b"\x6c\x1b\x01")
    for _, calls in sites:
        for i in range(0, len(calls), 4):
            packed.append(sum(CODES[x] << 2 * k for k, x in enumerate(calls[i:i + 4])))
    pathlib.Path("c.bed").write_bytes(packed)
    return sites


def alleles(chromosome, calls, sexes):
    """The rarer allele and all, in copies; a heterozygous call of one copy is half of each."""
    males, others = COPIES[chromosome]
    a1 = total = 0
    for x, sex in zip(calls, sexes):
        if x is None:
            continue
        copies = males if sex == 1 else others
        a1 += copies * x / 2
        total += copies
    return min(a1, total - a1), total


def hardy_weinberg(calls):
    """P of all numbers of heterozygotes that are no more probable, by the formula."""
    n, het, a = len(calls), calls.count(1), sum(calls)
    f = math.factorial

    def probability(h):
        return 2**h * f(n) * f(a) * f(2 * n - a) / (f((a - h) // 2) * f(h) * f((2 * n - a - h) // 2) * f(2 * n))
    ways = [probability(h) for h in range(a % 2, min(a, 2 * n - a) + 1, 2)]
    return sum(p for p in ways if p <= probability(het) * (1 + 1e-9)) / sum(ways)


def left(*options):
    run("filter", "c.bed", "--all-chr", *options, "-o", "x.bed", "--quiet")
    return [line.split()[1] for line in pathlib.Path("x.bim").read_text().splitlines()]


SEXES = [1] * 20 + [2] * 25 + [0] * 15


def males_counted_twice_in_frequencies_of_x():
    sites = cohort([1, 23, 24, 26], SEXES)
    counts = [alleles(c, calls, SEXES) for c, calls in sites]
    for option, value, stays in (("--maf", 0.2, lambda minor, total: minor >= 0.2 * total),
                                 ("--max-maf", 0.3, lambda minor, total: minor <= 0.3 * total),
                                 ("--mac", 12, lambda minor, total: minor >= 12)):
        wanted = [f"v{i}" for i, (minor, total) in enumerate(counts) if stays(minor, total)]
        assert left(option, value) == wanted, option
        assert {int(name[1:]) // 60 for name in wanted} >= {0, 1}, "each kind must be among them"


def males_failed_hardy_weinberg_on_x():
    sites = cohort([1, 23, 24, 26], SEXES)
    wanted = []
    for i, (c, calls) in enumerate(sites):
        tested = [x for x, sex in zip(calls, SEXES) if x is not None and (sex == 2 or c != 23)]
        if c in (24, 26) or hardy_weinberg(tested) >= 0.3:
            wanted.append(f"v{i}")
    assert left("--hwe", 0.3) == wanted
    assert sum(60 <= int(name[1:]) < 120 for name in wanted) < 60, "some site of X must fail"


def sexes_of_a_psam_were_not_read():
    cohort([23], SEXES)
    by_fam = left("--mac", 12)
    run("filter", "c.bed", "--all-chr", "-o", "d.pgen", "--quiet")
    assert "SEX" in pathlib.Path("d.psam").read_text().splitlines()[0]
    run("filter", "d", "--all-chr", "--mac", 12, "-o", "y.bed", "--quiet")
    assert [line.split()[1] for line in pathlib.Path("y.bim").read_text().splitlines()] == by_fam
    text = pathlib.Path("d.psam").read_text().replace("\t1", "\t0")
    pathlib.Path("d.psam").write_text(text)
    run("filter", "d", "--all-chr", "--mac", 12, "-o", "y.bed", "--quiet")
    assert [line.split()[1] for line in pathlib.Path("y.bim").read_text().splitlines()] != by_fam


def x_counted_in_kinships_once_it_was_read():
    cohort([1, 23], SEXES)
    run("filter", "c.bed", "--king-cutoff", 0.02, "-o", "a.bed", "--quiet")
    run("filter", "c.bed", "--all-chr", "--king-cutoff", 0.02, "-o", "b.bed", "--quiet")
    kept = pathlib.Path("a.fam").read_text()
    assert pathlib.Path("b.fam").read_text() == kept and 1 < kept.count("\n") < 60
    assert pathlib.Path("b.bim").read_text().count("\n") == 120, "X is left out of kinships alone"
    refuse("filter", "c.bed", "--chr", "X", "--king-cutoff", 0.02, "-o", "n.bed", says="--king-cutoff counts")


def everybody_counted_in_missing_rates_on_y():
    sites = cohort([1, 23, 24, 26], SEXES)

    def counted(chromosome):
        return [i for i, sex in enumerate(SEXES) if chromosome != 24 or sex == 1]

    def rate(calls, among):
        return sum(calls[i] is None for i in among) / len(among)
    wanted = [f"v{j}" for j, (c, calls) in enumerate(sites) if rate(calls, counted(c)) <= 0.05]
    assert left("--geno", 0.05) == wanted
    assert {int(name[1:]) // 60 for name in wanted} == {0, 1, 2, 3} and len(wanted) < len(sites)
    kept = []
    for i in range(len(SEXES)):
        mine = [calls[i] for c, calls in sites if i in counted(c)]
        if mine.count(None) <= 0.045 * len(mine):
            kept.append(f"s{i}")
    left("--mind", 0.045)
    lines = pathlib.Path("x.fam").read_text().splitlines()
    assert [line.split()[1] for line in lines] == kept and 5 < len(kept) < 55


def copies_of_x_were_counted_without_a_word():
    cohort([1, 23], SEXES)
    commands = (("dist",), ("dist", "--metric", "king"), ("dist", "--make-king-table"), ("fermat",), ("grm",), ("pca",),
                ("pca", "--approx"))
    for command, *options in commands:
        for chromosomes in (("--all-chr",), ("--chr", "X"), ("--region", "23:1-1000"), ("--all-chr", "--maf", 0.1),
                            ("--all-chr", "--king-cutoff", 0.4)):
            if "--king-cutoff" in chromosomes and options:
                continue
            said = run(command, "c.bed", *options, *chromosomes, "-o", "o").stderr
            assert said.count("one allele of a male on X as two") == 1, (command, options, chromosomes, said)
        assert "male" not in run(command, "c.bed", *options, "--thin", 0.999, "-o", "o").stderr
    assert "male" not in run("filter", "c.bed", "--all-chr", "-o", "f.bed").stderr
    cohort([1], SEXES)
    assert "male" not in run("dist", "c.bed", "--all-chr", "-o", "o").stderr


def males_had_two_alleles_of_x_in_vcf():
    sites = cohort([1, 23, 24, 25, 26], SEXES)
    text = {"two": {0: "0/0", 1: "0/1", 2: "1/1", None: "./."}, "one": {0: "0", 1: "0/1", 2: "1", None: "."}}

    def wanted(chromosome, sex):
        return "one" if chromosome in (24, 26) or (chromosome == 23 and sex == 1) else "two"
    done = run("filter", "c.bed", "--all-chr", "-o", "x.vcf")
    lines = [line.split("\t") for line in pathlib.Path("x.vcf").read_text().splitlines() if line[0] != "#"]
    assert len(lines) == len(sites) and "note" not in done.stderr
    for line, (chromosome, calls) in zip(lines, sites):
        assert line[9:] == [text[wanted(chromosome, sex)][x] for x, sex in zip(calls, SEXES)], line
    # Read again, they are the same calls; of another species' numbers, other chromosomes.
    said = run("filter", "x.vcf", "--all-chr", "-o", "y.bed").stderr
    assert pathlib.Path("y.bed").read_bytes() == pathlib.Path("c.bed").read_bytes()
    run("filter", "c.bed", "--all-chr", "--cow", "-o", "cow.vcf")
    calls = {call for line in pathlib.Path("cow.vcf").read_text().splitlines() if line[0] != "#" for call in line.split("\t")[9:]}
    assert calls == {"0/0", "0/1", "1/1", "./."}, calls
    said = run("filter", "x.vcf", "--all-chr", "-o", "z.vcf").stderr
    assert "haploid ones as 0/0 and 1/1, but those of Y and MT;" in said, said
    run("filter", "c.bed", "--all-chr", "-o", "d.pgen")
    assert "but those of Y, MT and males on X;" in run("filter", "d.pgen", "--all-chr", "-o", "z.vcf").stderr
    assert [line.split("\t")[9:] for line in pathlib.Path("z.vcf").read_text().splitlines() if line[0] != "#"] == \
        [line[9:] for line in lines]
    males = pathlib.Path("males.txt")
    males.write_text("".join(f"s{i}\n" for i, sex in enumerate(SEXES) if sex == 1 and i % 2))
    run("filter", "c.bed", "--chr", "X", "--keep", males, "-o", "k.vcf")
    assert "0/0" not in pathlib.Path("k.vcf").read_text()
