"""PLINK agrees on the sites that --indep-pairwise, --hwe and others leave, and on the samples of --king-cutoff."""
import pathlib
import random

import pgen_files as pgen
from program import DATA, need, peer, run

need("plink1.9", "plink2")


def cohort(seed, samples, variants, missing, gap=1000, parents=0.0):
    """Genotypes of neighboring sites that are alike, on three chromosomes."""
    rng = random.Random(seed)
    rows, bim = [], []
    for k in range(variants):
        if k % (variants // 3) == 0:
            first, place = len(rows), 0
        place += rng.randint(0 if gap < 50 else 1, 2 * gap)
        if k > first and rng.random() < 0.7:
            share, p = rng.choice((0, 0.02, 0.1, 0.3)), rng.random()
            row = [x if rng.random() >= share else sum(rng.choices((0, 1), (1 - p, p), k=2))
                   for x in rows[-rng.randint(1, min(k - first, 5))]]
            row = [2 - x if x < 3 else 3 for x in row] if rng.random() < 0.3 else row
        else:
            p = rng.random() * rng.choice((1, 0.1))
            row = [sum(rng.choices((0, 1), (1 - p, p), k=2)) for _ in range(samples)]
        rows.append([3 if rng.random() < missing else x for x in row])
        bim.append(f"{1 + 3 * k // variants}\tv{k}\t0\t{place}\tA\tG\n")
    pgen.write_bed("c.bed", rows)
    pathlib.Path("c.bim").write_text("".join(bim))
    pathlib.Path("c.fam").write_text("".join(
        f"f{i}\ts{i}\t{'s0' if rng.random() < parents else 0}\t0\t0\t-9\n" for i in range(samples)))


def files(prefix, *endings):
    return [pathlib.Path(f"{prefix}.{ending}").read_bytes() for ending in endings]


def pruned_as(words, *options, old=True):
    """Both of PLINK's programs and ours, with several threads, list the same sites."""
    arguments = ("--bfile", "c", "--indep-pairwise", *words, *options)
    peer("plink2", *arguments, "--bad-ld", "--out", "p")
    wanted = files("p", "prune.in", "prune.out")
    if old:
        peer("plink1.9", *arguments, "--out", "o")
        assert files("o", "prune.in", "prune.out") == wanted
    for threads in (1, 3):
        run("filter", *arguments, "--threads", threads, "-o", "y.bed")
        got = files("y", "prune.in", "prune.out")
        assert got == wanted, (words, options, [set(a.split()) ^ set(b.split()) for a, b in zip(got, wanted)])
    return wanted[1].split()


def sites_in_linkage_disequilibrium():
    dropped = 0
    for seed in range(12):
        cohort(seed, (20, 61, 100, 257)[seed % 4], 300, (0, 0.05, 0.3)[seed % 3], (1000, 5)[seed % 2])
        for words in ((50, 5, 0.2), (10, 1, 0.5), (7, 3, 0.1), (5, 5, 0.05)):
            dropped += len(pruned_as(words))
        for words in (("20kb", 1, 0.2), ("5kb", 0.1), ("0.1kb", 1, 0.3)):
            dropped += len(pruned_as(words, old=False))
    assert dropped > 1000


def founders_alone_are_correlated():
    cohort(20, 120, 300, 0.1, parents=0.3)
    assert pruned_as((50, 5, 0.2)) != pruned_as((50, 5, 0.2), "--nonfounders", old=False)
    pruned_as((50, 5, 0.2), "--maf", 0.1, "--geno", 0.15)


def sites_out_of_equilibrium():
    cohort(30, 150, 900, 0.1, parents=0.2)
    sites = set()
    for words in ((1e-6,), (0.01,), (0.01, "midp"), (0.2,), (0.2, "midp"), (1e-6, "midp")):
        for more in ((), ("--nonfounders",), ("--maf", 0.05, "--geno", 0.1)):
            peer("plink2", "--bfile", "c", "--hwe", *words, *more, "--make-bed", "--out", "p")
            run("filter", "c", "--hwe", *words, *more, "-o", "y.bed")
            assert files("y", "bed", "bim", "fam") == files("p", "bed", "bim", "fam"), (words, more)
            sites.add(len(files("y", "bim")[0].split(b"\n")))
    assert len(sites) > 6, sites


def family(seed, samples, founders, missing):
    """Parents, children and their children, in random order."""
    rng = random.Random(seed)
    sites = 600
    p = [rng.uniform(0.1, 0.9) for _ in range(sites)]
    drawn = lambda: [(int(rng.random() < q), int(rng.random() < q)) for q in p]
    people = [drawn() for _ in range(founders)]
    while len(people) < samples:
        a, b = rng.sample(range(len(people)), 2)
        child = [(rng.choice(x), rng.choice(y)) for x, y in zip(people[a], people[b])]
        people.append(drawn() if rng.random() < 0.2 else child)
    rng.shuffle(people)
    pgen.write_bed("c.bed", [[3 if rng.random() < missing else sum(person[k]) for person in people]
                             for k in range(sites)])
    pathlib.Path("c.bim").write_text("".join(f"1\tv{k}\t0\t{k + 1}\tA\tG\n" for k in range(sites)))
    pathlib.Path("c.fam").write_text("".join(f"f{i}\ts{i}\t0\t0\t0\t-9\n" for i in range(samples)))


def related_samples():
    dropped = 0
    for seed in range(9):
        samples = (12, 40, 90)[seed % 3]
        family(seed, samples, (4, 10, 12)[seed % 3], (0, 0.1)[seed % 2])
        for cutoff in (0.0442, 0.0884, 0.177):
            peer("plink2", "--bfile", "c", "--king-cutoff", cutoff, "--make-bed", "--out", "p")
            run("filter", "c", "--king-cutoff", cutoff, "-o", "y.bed")
            assert files("y", "bed", "bim", "fam") == files("p", "bed", "bim", "fam"), (seed, cutoff)
            left = len(files("y", "fam")[0].splitlines())
            dropped += samples - left
            run("filter", "c", "--king-cutoff", cutoff, "largest", "-o", "z.bed")
            assert len(files("z", "fam")[0].splitlines()) >= left
    assert dropped > 100


def filters_together():
    """In PLINK's order: sites first, then relatives, then linkage disequilibrium."""
    family(30, 60, 12, 0.05)
    options = ("--maf", 0.1, "--geno", 0.08, "--king-cutoff", 0.0884, "--indep-pairwise", 20, 2, 0.1)
    peer("plink2", "--bfile", "c", *options, "--bad-ld", "--make-bed", "--out", "p")
    run("filter", "c", *options, "-o", "y.bed")
    assert files("y", "fam", "prune.in", "prune.out") == files("p", "fam", "prune.in", "prune.out")
    peer("plink2", "--bfile", "p", "--extract", "p.prune.in", "--make-bed", "--out", "q")
    assert files("y", "bed", "bim", "fam") == files("q", "bed", "bim", "fam")


def real_cohorts():
    for name in ("bigsnpr_example/example", "hapmap279/hapmap279"):
        prefix = str(DATA / name)
        if not pathlib.Path(prefix + ".bim").exists():
            print(f"        skipped: {name} is not here")
            continue
        names = [line.split()[1] for line in open(prefix + ".bim")]
        if len(set(names)) < len(names):  # which PLINK refuses
            pathlib.Path("unique.bim").write_text("".join(
                "\t".join([f[0], f"v{k}", *f[2:]]) + "\n"
                for k, f in enumerate(map(str.split, open(prefix + ".bim")))))
            for ending in ("bed", "fam"):
                pathlib.Path(f"unique.{ending}").write_bytes(pathlib.Path(f"{prefix}.{ending}").read_bytes())
            prefix = "unique"
        peer("plink2", "--bfile", prefix, "--maf", 0.01, "--indep-pairwise", 50, 5, 0.2, "--chr", "1-22",
             "--bad-ld", "--out", "p")
        run("filter", prefix, "--maf", 0.01, "--indep-pairwise", 50, 5, 0.2, "--chr", "1-22", "-o", "y.bed")
        assert files("y", "prune.in", "prune.out") == files("p", "prune.in", "prune.out"), name
