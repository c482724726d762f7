"""PLINK 2 data sets: every storage mode and record type gives the bytes that the same .bed gives."""
import json
import os
import pathlib
import random
import subprocess

import pgen_files as pgen
from pgen_files import HEAD, companions, genotypes, records
from program import answer, refuse, run

def results(*arguments):
    """What dist writes: the matrix and the account of samples and sites."""
    for path in pathlib.Path(".").glob("out*"):
        path.unlink()
    done = run("dist", *arguments, "--shared", "-o", "out", "--json")
    account = json.loads(done.stdout)
    return ([(path.name, path.read_bytes()) for path in sorted(pathlib.Path(".").glob("out*"))],
            {key: account[key] for key in ("sites", "sites_kept", "samples_kept") if key in account})


def same(wanted, *arguments):
    got = results(*arguments)
    assert got[1] == wanted[1], (arguments, got[1], wanted[1])
    assert got[0] == wanted[0], (arguments, "other bytes")


def every_record_type_gives_the_bytes_of_the_bed():
    for samples, variants in ((1, 60), (3, 60), (64, 130), (65, 200), (255, 150), (300, 250), (1000, 60)):
        rows = genotypes(samples, variants, samples)
        companions("c", variants, samples)
        pgen.write_bed("c.bed", rows)
        made = records(rows, samples)
        if samples > 3:
            assert {kind for kind, _ in made} == set(range(8)), "a type is not tested"
        pgen.write_variable("c.pgen", samples, made)
        if samples == 1:  # one sample has no pair: the calls themselves
            continue
        wanted = results("c.bed")
        for threads in (1, 2, 7):
            same(wanted, "c.pgen", "--threads", threads)
        same(results("c.bed", "--chr", "2,5,21"), "c.pgen", "--chr", "2,5,21")
        same(results("c.bed", "--region", "3:20-90"), "--pfile", "c", "--region", "3:20-90")
        same(results("c.bed", "--geno", 0.3, "--maf", 0.02),
             "--pgen", "c.pgen", "--geno", 0.3, "--maf", 0.02)


def every_storage_mode_gives_the_bytes_of_the_bed():
    samples, variants = 77, 120
    rows = genotypes(samples, variants, 5)
    companions("c", variants, samples)
    pgen.write_bed("c.bed", rows)
    wanted = results("c.bed")
    made = records(rows, 6)
    for mode in (0x10, 0x11, 0x20, 0x21):
        for layout in ({}, {"wide_types": True, "length_bytes": 3}, {"alts": [1] * variants},
                       {"reference_flags": 3, "length_bytes": 4}):
            pgen.write_variable("c.pgen", samples, made, mode=mode, **layout)
            same(wanted, "c.pgen")
    pathlib.Path("c.pgen.pgi").unlink()
    pgen.write_fixed("c.pgen", 2, rows)
    same(wanted, "c.pgen")
    pgen.write_fixed("c.pgen", 3, rows, tail=bytes(2 * samples))
    same(wanted, "c.pgen")
    pgen.write_fixed("c.pgen", 4, rows, tail=bytes(4 * samples))
    same(wanted, "c.pgen")
    pathlib.Path("c.pgen").write_bytes(pathlib.Path("c.bed").read_bytes())
    same(wanted, "c.pgen")


def phases_and_dosages_are_passed_over():
    samples, variants = 90, 80
    rows = genotypes(samples, variants, 7)
    companions("c", variants, samples)
    pgen.write_bed("c.bed", rows)
    rng = random.Random(1)
    tails = (0, 0x10, 0x20, 0x40, 0x60, 0xA0, 0xE0, 0x30)
    made = []
    for kind, data in records(rows, 8):
        tail = rng.choice(tails)
        made.append((kind | tail, data + rng.randbytes(rng.choice((1, 50, 3000))) if tail else data))
    pgen.write_variable("c.pgen", samples, made, wide_types=True)
    same(results("c.bed"), "c.pgen")


def more_than_one_block_of_variants():
    samples, variants = 9, pgen.BLOCK + 700
    rows = genotypes(samples, 900, 9)
    rows = [rows[k % 900] for k in range(variants)]
    companions("c", variants, samples)
    pgen.write_bed("c.bed", rows)
    pgen.write_variable("c.pgen", samples, records(rows, 10), length_bytes=1)
    same(results("c.bed"), "c.pgen")
    same(results("c.bed", "--region", "15:65000-66100"), "c.pgen", "--region", "15:65000-66100")


def names_of_companions_and_compression():
    samples, variants = 20, 40
    rows = genotypes(samples, variants, 11)
    companions("c", variants, samples)
    pgen.write_bed("c.bed", rows)
    pgen.write_variable("c.pgen", samples, records(rows, 12))
    wanted = results("c.bed")
    os.rename("c.pvar", "other")
    same(wanted, "c.pgen")  # with the .bim
    same(wanted, "c.pgen", "--pvar", "other")
    os.rename("c.psam", "samples")
    same(wanted, "c.pgen")  # with the .fam
    os.rename("c.fam", "family")
    same(wanted, "c.pgen", "--psam", "samples")
    os.rename("samples", "c.psam")
    os.rename("c.bim", "c.sites")
    subprocess.run(["gzip", "-kc", "other"], stdout=open("c.pvar.gz", "wb"), check=True)
    os.rename("c.bed", "was.bed")
    same(wanted, "c")  # a prefix
    text = pathlib.Path("other").read_text()
    pathlib.Path("c.pvar").write_text(
        "#CHROM ID ALT REF POS\n" + "".join(
            "{0} {2} {4} {3} {1}\n".format(*line.split("\t")[:5])
            for line in text.splitlines() if not line.startswith("#")))
    same(wanted, "c")
    pathlib.Path("c.pvar").write_text("".join(
        "{0} {2} {1} {4} {3}\n".format(*line.split("\t")[:5])
        for line in text.splitlines() if not line.startswith("#")))
    same(wanted, "c")  # five columns, no header
    os.remove("family")


def zstandard():
    try:
        subprocess.run(["zstd", "--version"], capture_output=True, check=True)
    except FileNotFoundError:
        return
    companions("c", 40, 20)
    rows = genotypes(20, 40, 13)
    pgen.write_bed("c.bed", rows)
    pgen.write_variable("c.pgen", 20, records(rows, 14))
    wanted = results("c.bed")
    subprocess.run(["zstd", "-q", "--rm", "c.pvar", "c.psam"], check=True)
    os.remove("c.bim")
    same(wanted, "c.pgen")
    whole = pathlib.Path("c.pvar.zst").read_bytes()
    for bytes_of_it in (whole[:-20], whole + b"more"):
        pathlib.Path("c.pvar.zst").write_bytes(bytes_of_it)
        refuse("dist", "c.pgen", "-o", "new", says=["c.pvar.zst", "Zstandard", "copy it again"])


def several_alleles(samples, variants, seed):
    rng = random.Random(seed)
    sites = []
    for _ in range(variants):
        alts = rng.choice((1, 1, 2, 2, 3, 4, 5, 6, 16, 17, 18, 40))
        weights = [rng.choice((0.2, 1, 5)) for _ in range(alts + 1)]
        calls = [None if rng.random() < 0.05 else tuple(sorted(rng.choices(range(alts + 1), weights, k=2)))
                 for _ in range(samples)]
        sites.append((alts, calls))
    return sites


def several_alt_alleles_are_skipped_split_or_collapsed():
    samples, variants = 70, 90
    sites = several_alleles(samples, variants, 15)
    rng = random.Random(16)
    companions("c", variants, samples)
    pathlib.Path("c.pvar").write_text(HEAD + "".join(
        f"1\t{k + 1}\tv{k}\tG\t{','.join('A' * (a + 1) for a in range(alts))}\t.\t.\t.\n"
        for k, (alts, _) in enumerate(sites)))
    made, base = [], None
    for alts, calls in sites:
        row = [3 if call is None else (call[0] > 0) + (call[1] > 0) for call in calls]
        kind = rng.choice((0, 1, 4, 7) if base is None else (0, 1, 2, 3, 4, 6))
        data = pgen.main_track(kind, row, base)
        base = base if kind in (2, 3) else row
        if alts > 1:
            data += pgen.multiallelic_track(row, calls, alts, (rng.choice((0, 1)), rng.choice((0, 1))))
            kind |= 8
        made.append((kind, data))
    pgen.write_variable("c.pgen", samples, made, alts=[alts for alts, _ in sites])

    def counting(wanted):
        """A .bed of the rows wanted(alts, calls) yields, with a .bim of as many sites."""
        rows = [row for alts, calls in sites for row in wanted(alts, calls)]
        pgen.write_bed("b.bed", rows)
        companions("b", len(rows), samples)
        return results("b.bed")[0]

    def row_of(calls, is_counted):
        return [3 if call is None else sum(map(is_counted, call)) for call in calls]
    splits = counting(lambda alts, calls: [row_of(calls, lambda a, k=k: a == k)
                                           for k in range(1, alts + 1)])
    assert results("c.pgen", "--multiallelic", "split")[0] == splits
    assert results("c.pgen", "--multiallelic", "split", "--threads", 1)[0] == splits
    assert results("c.pgen", "--multiallelic", "collapse")[0] == counting(
        lambda alts, calls: [row_of(calls, lambda a: a > 0)])
    assert results("c.pgen")[0] == counting(
        lambda alts, calls: [row_of(calls, lambda a: a > 0)] if alts == 1 else [])
    assert "--multiallelic split takes them, and so does --multiallelic collapse where" in run("dist", "c.pgen", "-o", "out").stderr


def filters_of_the_pvar():
    companions("c", 4, 6)
    rows = genotypes(6, 4, 17)
    pgen.write_variable("c.pgen", 6, records(rows, 18))
    pathlib.Path("c.pvar").write_text(HEAD + "1\t1\ta\tG\tA\t9\tPASS\t.\n1\t2\tb\tGT\tA\t50\tlow\t.\n"
                                      "1\t3\tc\tG\tA\t.\t.\t.\nX\t4\td\tG\t.\t50\tPASS\t.\n")

    def sites(*options):
        return answer("dist", "c.pgen", *options, "-o", "out")["sites"]
    assert sites() == 3
    assert sites("--all-chr") == 4
    assert sites("--snps-only") == 2
    assert sites("--var-filter") == 2
    assert sites("--var-filter", "low") == 3
    assert sites("--var-min-qual", 10) == 1
    run("dist", "c.pgen", "--bim", "c.bim", "-o", "out", status=2)
    run("dist", "c.pgen", "--half-call", "haploid", "-o", "out", status=2)


def samples_of_the_psam():
    companions("c", 8, 4)
    rows = genotypes(4, 8, 19)
    pgen.write_variable("c.pgen", 4, records(rows, 20))

    def ids(text):
        pathlib.Path("c.psam").write_text(text)
        run("dist", "c.pgen", "-o", "out")
        return pathlib.Path("out.ids").read_text().split()
    assert ids("#IID SEX\na 1\nb 2\nc NA\nd NA\n") == ["a", "b", "c", "d"]
    assert ids("## more\n#IID\n\na\nb\nc\nd\n") == ["a", "b", "c", "d"]
    assert ids("#FID IID PAT\tMAT\nf a 0 0\nf b 0 0\ng a 0 0\ng c 0 0\n") == ["f_a", "f_b", "g_a", "g_c"]
    assert ids("#IID SID\na 1\na 2\nb 1\nb 2\n") == ["a_1", "a_2", "b_1", "b_2"]
    assert ids("f a 0 0 1\nf b 0 0 1\nf c 0 0 1\nf d 0 0 1\n") == ["a", "b", "c", "d"]


def simulated_data_sets_are_read_back():
    run("simulate", "--samples", 301, "--sites", 3000, "--missing", 0.02, "-o", "s")
    run("simulate", "--samples", 301, "--sites", 3000, "--missing", 0.02, "--format", "pgen", "-o", "p")
    same(results("s.bed"), "p.pgen")
    run("simulate", "--samples", 301, "--sites", 3000, "--missing", 0.02, "--format", "pgen", "-o", "q",
        "--threads", 1)
    assert pathlib.Path("p.pgen").read_bytes() == pathlib.Path("q.pgen").read_bytes()
