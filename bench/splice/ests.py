#!/usr/bin/env python3
"""ESTs against a genome whose introns are known: introns that any of them shows, right and others, of
yupana --ends local and, where they are installed, of minimap2, exonerate and spaln. One thread each.

  python3 bench/splice/ests.py build/release/yupana genome.fa ests.fa introns.gff3

Files may be packed by gzip; introns are those between the exons of a Parent; of records with one name the first is taken.
"""
import argparse
import gzip
import pathlib
import re
import shutil
import tempfile

from genome import chains_of_minimap2, chains_of_yupana, run
from reads import introns


def text_of(path):
    return (gzip.open(path, "rt") if path.suffix == ".gz" else path.open()).read()


def known_introns(path):
    exons = {}
    for line in text_of(path).splitlines():
        row = line.split("\t")
        if len(row) == 9 and row[2] == "exon":
            exons.setdefault(re.search("Parent=([^;]+)", row[8])[1], set()).add((int(row[3]), int(row[4])))
    return set().union(*map(introns, exons.values()))


def chains_of_gff(path):
    """Exons that follow each line of a gene, which is one of many of a query."""
    found = []
    for line in path.read_text(errors="replace").splitlines():
        row = line.split("\t")
        if len(row) > 7 and row[2] == "gene":
            found.append(set())
        elif len(row) > 7 and row[2] in ("exon", "cds") and found:
            found[-1].add((int(row[3]), int(row[4])))
    return dict(enumerate(found))


def programs(yupana):
    splice = [yupana, "splice", "--genome", "g.fa", "--target", "e.fa", "--ends", "local", "--threads", 1, "-o", "y"]
    yield "yupana", splice, None
    yield "yupana --species plant", [*splice, "--species", "plant"], None
    for preset in "splice", "splice:hq":
        yield f"minimap2 -x {preset}", ["minimap2", "-t1", "-cx", preset, "g.fa", "e.fa"], chains_of_minimap2
    yield "exonerate est2genome", ["exonerate", "--model", "est2genome", "--bestn", 1, "--showalignment", "no",
                                   "--showvulgar", "no", "--showtargetgff", "yes", "e.fa", "g.fa"], chains_of_gff
    for more in (), ("-Tarabtha",):
        yield " ".join(("spaln -Q3", *more)), ["spaln", "-Q3", "-O0", "-t1", *more, "g.fa", "e.fa"], chains_of_gff


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in "program", "genome", "ests", "introns":
        parser.add_argument(name, type=pathlib.Path)
    options = parser.parse_args()
    truth = known_introns(options.introns)
    records = {record.split(None, 1)[0]: record for record in reversed(text_of(options.ests).split(">")[1:])}
    print("| | introns right | others | processor time |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "g.fa").write_text(text_of(options.genome))
        (folder / "e.fa").write_text("".join(f">{record}" for record in reversed(records.values())))
        for title, words, read in programs(options.program.resolve()):
            if read and shutil.which(words[0]) is None:
                print(f"{words[0]}: not installed, left out")
                continue
            seconds, _ = run(words, folder, folder / "out")
            chains = read(folder / "out") if read else chains_of_yupana(folder / "y.tsv")
            found = set().union(*map(introns, chains.values()))
            print(f"| {title} | {len(found & truth)} of {len(truth)} | {len(found - truth)} | {seconds:.2f} s |",
                  flush=True)


if __name__ == "__main__":
    main()
