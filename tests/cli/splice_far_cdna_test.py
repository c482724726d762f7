"""yupana splice: cDNAs of far relatives find the places that no word of an index shows."""
import random

from genes import fasta, table
from program import run

COMPLEMENT = str.maketrans("ACGT", "TGCA")


def noise(length):
    return "".join(random.choice("ACGT") for _ in range(length))


def gene(exons=4):
    """(bases with introns, cDNA, exons from 1)"""
    bases, cdna, places = "", "ATG", []
    for number in range(exons):
        exon = "".join(random.choice(["GCT", "GAC", "AAG", "CTG", "TCC", "GGA", "ATC"]) for _ in range(70))
        exon = "ATG" + exon if number == 0 else exon + "TAA" if number + 1 == exons else exon
        bases += "GTAAGT" + noise(400) + "TTTTCTTTCTTTTTCAG" if number else ""
        places.append((len(bases) + 1, len(bases) + len(exon)))
        bases, cdna = bases + exon, cdna + exon if number else exon
    return bases, cdna, places


def relative(cdna, share):
    other = (random.choice([o for o in "ACGT" if o != x]) if random.random() < share else x for x in cdna[3:-3])
    return cdna[:3] + "".join(other) + cdna[-3:]


def test_with_three_letters_in_ten_changed_are_found_and_not_those_of_chance():
    random.seed(41)
    chromosome, truth, targets = noise(300_000), {}, {}
    for number in range(6):
        bases, cdna, places = gene()
        if number % 2:
            bases = bases[::-1].translate(COMPLEMENT)
            places = [(len(bases) + 1 - b, len(bases) + 1 - a) for a, b in reversed(places)]
        truth[f"g{number}"] = [(a + len(chromosome), b + len(chromosome)) for a, b in places]
        targets[f"g{number}"] = relative(cdna, 0.3)
        chromosome += bases + noise(150_000)
    fasta("g.fa", chr=chromosome)
    fasta("t.fa", **targets, chance=noise(850))
    for threads in "1", "3":
        run("splice", "--genome", "g.fa", "--target", "t.fa", "--threads", threads, "-o", f"far{threads}")
    rows = {row["target"]: row["chain"] for row in table("far1")}
    assert table("far1") == table("far3")
    assert rows.pop("chance") == "."
    found = {name: [tuple(map(int, exon.split("-"))) for exon in chain.split(",")] if chain != "." else []
             for name, chain in rows.items()}
    assert found == truth, (found, truth)
