#!/usr/bin/env python3
"""What yupana splice did without a word: exons that were lost, candidates and places that were not tried."""
import functools
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import genes
from genes import complement, example, fasta, table
from program import main, run

EXAMPLE = ("--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa")
AUTO = ("--genome", "g.fa", "--target", "t.fa")
refuse = functools.partial(genes.refuse, status=3)


def first_exons_were_dropped_as_headers():
    example()
    for first in ("1,2", "1-2", "1..2"):
        pathlib.Path("e.tsv").write_text(f"{first}\n3\t4\n")
        refuse(*EXAMPLE, says=["e.tsv:1", "[sequence] first last [strand]", f"'{first}'"])
    for header in ("first last\n", "sequence\tfirst\tlast\n", ""):
        name = "chr1\t" if "sequence" in header else ""
        pathlib.Path("e.tsv").write_text(header + "".join(f"{name}{a}\t{b}\n" for a, b in genes.EXONS))
        run("splice", *EXAMPLE, "-o", "header")
        assert table("header")[0]["chain"] == "1-2,3-4,8-9", (header, table("header"))


def bed_without_its_name_had_no_exons():
    example()
    line = "chr1\t0\t9\tname\t0\t+\t0\t9\t0\t3\t2,2,2,\t0,2,7,\n"
    pathlib.Path("e.tsv").write_text(line)
    refuse(*EXAMPLE, says=["e.tsv:1", "'9'", ".bed"])
    pathlib.Path("e.bed").write_text(line)
    run("splice", *EXAMPLE[:2], "--exons", "e.bed", *EXAMPLE[4:], "-o", "bed")
    assert table("bed")[0]["chain"] == "1-2,3-4,8-9", table("bed")


sys.exit(main([first_exons_were_dropped_as_headers, bed_without_its_name_had_no_exons]))
