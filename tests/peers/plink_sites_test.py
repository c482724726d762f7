"""PLINK agrees on which samples and sites count: founders, chromosomes, species, sites of a VCF."""
import json
import pathlib
import random

import numpy as np
from program import DATA, need, peer, run

BED = bytes([0x6C, 0x1B, 0x01])


def cohort(chromosomes, samples=40, each=60, parents=0.0, seed=1):
    """Random genotypes, `each` sites of every chromosome; a share of the samples names a parent."""
    rng = random.Random(seed)
    data, bim = bytearray(BED), []
    for chromosome in chromosomes:
        for k in range(each):
            weights = rng.choice([(8, 1, 1, 0.3), (1, 4, 4, 1), (1, 1, 9, 0.2)])
            codes = rng.choices([3, 2, 0, 1], weights, k=samples)
            codes += [0] * (-samples % 4)
            data += bytes(sum(codes[i + j] << (2 * j) for j in range(4)) for i in range(0, len(codes), 4))
            bim.append(f"{chromosome}\ts{chromosome}_{k}\t0\t{k + 1}\tA\tC\n")
    pathlib.Path("c.bed").write_bytes(data)
    pathlib.Path("c.bim").write_text("".join(bim))
    pathlib.Path("c.fam").write_text("".join(
        f"F{i} I{i} {'I0' if i and rng.random() < parents else 0} "
        f"{'elsewhere' if rng.random() < parents / 3 else 0} 1 -9\n" for i in range(samples)))


def distances_agree(*options):
    """`--distance flat-missing` of both; returns yupana's number of sites."""
    words = ("--distance", "square", "bin", "flat-missing")
    peer("plink1.9", "--bfile", "c", *words, *options, "--out", "plink")
    done = run("dist", "--bfile", "c", *words, *options, "-o", "ours", "--json")
    theirs, ours = (np.fromfile(f"{p}.dist.bin") for p in ("plink", "ours"))
    np.testing.assert_allclose(ours, theirs, rtol=1e-14, err_msg=str(options))
    return json.loads(done.stdout)["sites"]


def king_agrees(ours_options, theirs_options, ours_input, theirs_input):
    peer("plink2", *theirs_input, *theirs_options, "--make-king", "square", "bin", "--out", "king",
         "--allow-extra-chr")
    done = run("dist", *ours_input, *ours_options, "--metric", "king", "-o", "ours", "--json")
    ours = np.load("ours.dist.npy")
    theirs = np.fromfile("king.king.bin").reshape(ours.shape)
    off = ~np.eye(len(ours), dtype=bool)
    np.testing.assert_allclose(ours[off], theirs[off], rtol=1e-12, atol=1e-12,
                               err_msg=str(ours_options))
    return json.loads(done.stdout)["sites"]


def default_chromosomes_agree():
    cohort((0, 1, 22, 23, 24, 25, 26))
    assert distances_agree() == 4 * 60
    assert distances_agree("--chr", "1-22,25") == 3 * 60
    bed = ("--bfile", "c")
    king_agrees((), (), bed, bed)


def species_agree():
    for option, chromosomes in (("--dog", (1, 23, 38, 39, 41)), ("--cow", (1, 29, 30)),
                                ("--mouse", (1, 19, 20)), ("--sheep", (1, 26, 27)),
                                ("--horse", (1, 31, 32))):
        cohort(chromosomes)
        distances_agree(option)
    cohort((1, 10, 23, 31, 32))
    assert distances_agree("--chr-set", 30) == 3 * 60
    cohort((1, 10, 30, 31))
    assert distances_agree("--autosome-num", 30) == 3 * 60


def founders_count_for_maf():
    for seed in (1, 2, 3):
        cohort((1, 2, 3), parents=0.4, seed=seed)
        for filters in (("--maf", 0.1), ("--maf", 0.3), ("--maf", 0.3, "--nonfounders"),
                        ("--maf", 0.2, "--geno", 0.1, "--mind", 0.12)):
            distances_agree(*filters)
        pathlib.Path("list").write_text("".join(f"F{i} I{i}\n" for i in range(0, 40, 3)) + "x y\n")
        distances_agree("--maf", 0.25, "--keep", "list")
        distances_agree("--maf", 0.25, "--remove", "list")
    cohort((1, 2), parents=3)  # no founder but the first, who is left out
    pathlib.Path("list").write_text("F0 I0\n")
    distances_agree("--maf", 0.3, "--remove", "list")


def lists_and_frequencies_agree():
    cohort((1, 2, 3), parents=0.3, seed=7)
    pathlib.Path("names").write_text("s1_3 s1_5\ns2_10\ns3_59\nnobody\n" + "\n".join(
        f"s{c}_{k}" for c in (1, 3) for k in range(0, 60, 4)))
    pathlib.Path("places").write_text("1 5 20 a\n2 60 60 b\n1 15 30 c\n")
    pathlib.Path("families").write_text("".join(f"F{i} x\n" for i in range(0, 50, 3)))
    sites = set()
    for filters in (("--extract", "names"), ("--exclude", "names"), ("--mac", 1), ("--mac", 9),
                    ("--max-maf", 0.2), ("--maf", 0.1, "--max-maf", 0.4), ("--max-maf", 0.3, "--nonfounders"),
                    ("--mac", 20, "--nonfounders"), ("--keep-fam", "families"),
                    ("--remove-fam", "families"), ("--keep-fam", "families", "--mac", 3)):
        sites.add(distances_agree(*filters))
    assert len(sites) > 6, sites
    # PLINK 1.9 has one word for intervals from 1 with both ends.
    for option in ("--extract", "--exclude"):
        distances_agree(option, "range", "places")


def random_vcf(name, seed, samples=30, records=400):
    rng = random.Random(seed)
    kinds = ["A\tC", "AT\tA", "G\tGCC", "AC\tGT", "T\t<DEL>", "A\t*", "A\tC,G", "C\t.", "G\t<NON_REF>",
             "n\tA", "a\tg", "T\tA,TC,<DEL>"]
    text = ["##fileformat=VCFv4.2", "##contig=<ID=1>", "##contig=<ID=chr2>",
            '##FILTER=<ID=q10,Description="x">', '##FILTER=<ID=s50,Description="x">',
            '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
            "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" +
            "\t".join(f"s{i}" for i in range(samples))]
    for k in range(records):
        kind = rng.choice(kinds)
        alleles = 1 if kind.endswith(".") else 2 + kind.count(",")
        frequency = rng.random()

        def allele():
            return str(rng.randrange(1, alleles)) if alleles > 1 and rng.random() < frequency else "0"
        calls = ["./." if rng.random() < 0.03 else allele() + rng.choice("/|") + allele()
                 for _ in range(samples)]
        qual = rng.choice([".", "0.3", "9.99", "10", "10.5", "1e3"])
        mark = rng.choice(["PASS", ".", "q10", "s50", "q10;s50"])
        text.append(f"{'1' if k < records // 2 else 'chr2'}\t{k + 1}\tv{k}\t{kind}\t{qual}\t{mark}\t.\tGT\t"
                    + "\t".join(calls))
    pathlib.Path(name).write_text("\n".join(text) + "\n")


def vcf_sites_agree():
    for seed in (1, 2):
        random_vcf("c.vcf", seed)
        vcf = ("--vcf", "c.vcf")
        counts = set()
        for filters in ((), ("--snps-only",), ("--snps-only", "just-acgt"), ("--var-filter",),
                        ("--var-filter", "q10"), ("--var-min-qual", 10), ("--var-min-qual", 0.3),
                        ("--var-min-qual", 9.99, "--var-filter", "s50", "--snps-only")):
            counts.add(king_agrees(filters, ("--max-alleles", 2, *filters), vcf, vcf))
        assert len(counts) == 8, counts
        # PLINK 2 takes every ALT allele alike in --make-king.
        assert king_agrees(("--multiallelic", "collapse"), (), vcf, vcf) == 400
    name = DATA / "tricky_vcf" / "hail_sample2.vcf.gz"
    if name.exists():
        vcf = ("--vcf", name)
        king_agrees((), ("--max-alleles", 2), vcf, vcf)
        king_agrees(("--multiallelic", "collapse"), (), vcf, vcf)


def splitting_is_what_bcftools_norm_does():
    random_vcf("c.vcf", 5)
    text = pathlib.Path("c.vcf").read_text()
    lines = [line for line in text.split("\n") if line.startswith("#") or "<" not in line]
    pathlib.Path("c.vcf").write_text("\n".join(lines))
    pathlib.Path("split.vcf").write_text(peer("bcftools", "norm", "-m", "-any", "c.vcf"))
    run("dist", "c.vcf", "--multiallelic", "split", "-o", "ours")
    run("dist", "split.vcf", "-o", "theirs")
    assert pathlib.Path("ours.dist.npy").read_bytes() == pathlib.Path("theirs.dist.npy").read_bytes()


def a_bed_of_the_same_records_agrees():
    random_vcf("c.vcf", 7)
    peer("plink2", "--vcf", "c.vcf", "--max-alleles", 2, "--make-bed", "--out", "b")
    for options in ((), ("--snps-only",), ("--snps-only", "just-acgt"), ("--region", "2:250-320"),
                    ("--region", "chr1:1-99")):
        run("dist", "c.vcf", *options, "-o", "vcf")
        run("dist", "b.bed", *options, "-o", "bed")
        assert (pathlib.Path("vcf.dist.npy").read_bytes() ==
                pathlib.Path("bed.dist.npy").read_bytes()), options


need("plink1.9", "plink2", "bcftools")
