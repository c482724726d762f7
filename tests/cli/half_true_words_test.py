#!/usr/bin/env python3
"""Sentences that were true of most inputs, and options that left no trace of some in silence."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from program import main, run


def notes(*arguments):
    return [line for line in run(*arguments).stderr.splitlines() if line.startswith("note: ")]


def a_family_larger_than_any_population_was_ignored():
    for arguments in (("simulate", "--samples", 10, "--sites", 10, "--populations", 6, "--family-size", 5, "-o", "s"),
                      ("dist", "simulate:10x10,populations=6,family-size=5", "-o", "d")):
        told = notes(*arguments)
        assert "note: --family-size 5: the largest population has 2 samples, so none are related" in told, told
    assert pathlib.Path("s.fam").read_text().splitlines()[1].split()[:4] == ["s2", "s2", "0", "0"]
    for samples in (10, 11):  # families of 5 fit into one of two populations, or both
        told = notes("simulate", "--samples", samples, "--sites", 10, "--populations", 2, "--family-size", 5, "-o", "s")
        assert not told, told
        assert pathlib.Path("s.fam").read_text().splitlines()[2].split()[2:4] == ["s1", "s2"]


def a_table_of_no_pair_was_said_to_hold_a_distance():
    pathlib.Path("one").write_text("s1\n")
    run("simulate", "--samples", 5, "--sites", 10, "-o", "c")
    for options, said in (((), "its distance to itself is all there is"),
                          (("--tree", "nj", "--no-matrix"), "its distance to itself is all there is"),
                          (("--make-king-table",), "there is no pair"),
                          (("--pairs-below", 9, "--no-matrix"), "there is no pair")):
        told = notes("dist", "c.bed", "--keep", "one", *options, "-o", "r")
        assert f"note: one sample: {said}" in told, (options, told)


def quotes_that_phylip_keeps_were_said_to_be_replaced():
    run("simulate", "--samples", 3, "--sites", 10, "-o", "c")
    for names, changed in ((("a\"b", "c'd", "e"), "1 sample name"), (("a;b", "c'd", "\"e\""), "2 sample names")):
        pathlib.Path("c.fam").write_text("".join(f"f {name} 0 0 0 -9\n" for name in names))
        told = notes("dist", "c.bed", "--format", "phylip", "-o", "r")
        assert [line for line in told if f"r.dist.phy: {changed} changed" in line and
                "semicolons, commas or apostrophes" in line], told
        kept = [line.split()[0] for line in pathlib.Path("r.dist.phy").read_text().splitlines()[1:]]
        assert kept == [name.replace("'", "_").replace(";", "_") for name in names], kept


sys.exit(main())
