"""Filters on X of a real cohort against PLINK 1.9 and 2."""
import pathlib

from program import DATA, need, peer, run, skip

need("plink2", "plink1.9")
COHORT = DATA / "hapmap279" / "hapmap279"
if not COHORT.with_suffix(".bed").exists():
    skip(f"{COHORT}.bed is not here")


def sites(name):
    return [line.split()[1] for line in pathlib.Path(name).read_text().splitlines()]


def ours(*options):
    run("filter", f"{COHORT}.bed", *options, "-o", "a.bed", "--quiet")
    return sites("a.bim"), sites("a.fam")


def theirs(program, *options):
    peer(program, "--bfile", COHORT, *options, "--make-bed", "--out", "b")
    return sites("b.bim"), sites("b.fam")


def filters_on_x_were_not_those_of_plink():
    for options in (("--maf", 0.05), ("--mac", 5), ("--max-maf", 0.3), ("--maf", 0.2, "--nonfounders")):
        options = ("--chr", "X", *options)
        assert ours(*options) == theirs("plink2", *options), options
    # PLINK 2 tests the males, too; PLINK 1.9 females alone.
    for options in (("--chr", "X", "--hwe", 1e-3), ("--chr", "2,X", "--hwe", 0.05)):
        assert ours(*options) == theirs("plink1.9", *options), options


def x_counted_in_kinships_unlike_in_plink():
    for options in (("--chr", "2,X"), ("--chr", "2")):
        options = (*options, "--king-cutoff", 0.05)
        assert ours(*options) == theirs("plink2", *options), options
