"""Genes of three exons in random bases, each kind with one thing that is rare in genes."""
import random

from genome import CODONS

USUAL = dict(donor="GTAAGT", acceptor="TTTTCTTTTCCTTTTTTTGCAG", intron=200, exons=(150, 120, 90))
KINDS = {
    "usual introns": {},
    "GC-AG introns": dict(donor="GCAAGT"),
    "AT-AC introns of U12": dict(donor="ATATCCTTT", acceptor="TTCCTTAACTTTCATACCAC"),
    "GT-AG introns of U12": dict(donor="GTATCCTTT", acceptor="TTCCTTAACTTTCATACCAG"),
    "acceptors behind purines": dict(acceptor="GAAGGAGAAGGGAAGAGAAAAG"),
    "introns of 25 bases": dict(acceptor="TTTTCTTTTTGCAG", intron=25),
    "an exon of 3,600 bases": dict(exons=(150, 3600, 90)),
    "an exon of 9,000 bases": dict(exons=(150, 9000, 90)),
    "an exon of 9 bases": dict(exons=(150, 9, 90)),
}


def noise(rng, length):
    return "".join(rng.choices("ACGT", k=length))


def gene(rng, changed, donor, acceptor, intron, exons):
    """(genomic bases, a cDNA of which a share of the letters is another one, exons)"""
    bases, cdna, places = noise(rng, 1000), "", set()
    for number, length in enumerate(exons):
        exon = "".join(rng.choice(CODONS) for _ in range(length // 3))
        exon = "ATG" + exon[3:] if number == 0 else exon
        exon += "TAA" if number + 1 == len(exons) else ""
        if number > 0:
            bases += donor + noise(rng, intron - len(donor) - len(acceptor)) + acceptor
        places.add((len(bases) + 1, len(bases) + len(exon)))
        bases, cdna = bases + exon, cdna + exon
    others = (rng.choice([o for o in "ACGT" if o != x]) if rng.random() < changed else x for x in cdna[3:-3])
    return bases + noise(rng, 1000), cdna[:3] + "".join(others) + cdna[-3:], places


def genes(kind, changed, count=6):
    rng = random.Random(7)
    return [gene(rng, changed, **USUAL | KINDS[kind]) for _ in range(count)]
