"""yupana splice --species: introns of the species, where no option says otherwise."""
import functools
import pathlib
import random

import genes
from genes import fasta, table
from program import run

AUTO = ("--genome", "g.fa", "--target", "t.fa")
refuse = functools.partial(genes.refuse, status=2)


def noise(length):
    return "".join(random.choice("ACGT") for _ in range(length))


def body(codons):
    return "".join(random.choice(["GCT", "GAC", "AAG", "CTG", "TCC"]) for _ in range(codons))


def gene(bases, around):
    """A gene whose intron has so many bases; its two exons."""
    first, second = "ATG" + body(60) + "CAG", "GCC" + body(60) + "TAA"
    intron = "GTAAGT" + noise(bases - 22) + "TTTTTTTTTTTTGCAG"
    fasta("g.fa", chr=noise(around) + first + intron + second + noise(around))
    fasta("t.fa", cdna=first + second)
    begin = around + 1
    return [(begin, begin + len(first) - 1),
            (begin + len(first) + bases, begin + len(first) + bases + len(second) - 1)]


def written(*more, out="s"):
    run("splice", *AUTO, "-o", out, *more)
    return [pathlib.Path(f"{out}.{end}").read_bytes() for end in ("tsv", "gff3", "paf", "txt")]


def chain(*more):
    written(*more)
    return sorted(tuple(map(int, part.split("-"))) for part in table("s")[0]["chain"].split(","))


def short_introns_are_those_of_the_species():
    random.seed(3)
    exons = gene(30, 400)
    assert chain() == exons and chain("--species", "vertebrate") == exons
    for species in ("worm", "fly", "plant", "yeast", "fungi"):
        assert chain("--species", species) != exons, species
        assert chain("--species", species, "--min-intron", 30) == exons, species


def long_introns_are_looked_for_as_far_as_the_species_has_them():
    random.seed(4)
    exons = gene(30_000, 60_000)
    for species, whole in (("vertebrate", True), ("fly", True), ("plant", False), ("yeast", False)):
        assert (chain("--species", species) == exons) == whole, species
        assert chain("--species", species, "--max-intron", 40_000) == exons, species


def a_note_names_the_species_whose_introns_are_shorter():
    random.seed(5)
    exons = gene(4_000, 500)
    says = run("splice", *AUTO, "-o", "x", "--species", "yeast").stderr
    assert "--max-intron 2500 (--species yeast): 1 intron is longer" in says, says
    assert chain("--species", "yeast") == exons


def rare_introns_cost_more():
    random.seed(6)
    gene(200, 300)
    assert written("--species", "vertebrate") == written(out="x")
    yeast = written("--species", "yeast")
    # Six bits times the weight 0.6, besides the 13 of vertebrates.
    assert yeast == written("--species", "yeast", "--junction-cost", 16.6)
    assert yeast != written("--species", "yeast", "--junction-cost", 13)


def species_without_effect_are_refused():
    random.seed(7)
    gene(200, 300)
    pathlib.Path("e.tsv").write_text("1 9\n")
    refuse(*AUTO, "--exons", "e.tsv", "--species", "worm", says=["--species", "--exons auto"])
    refuse(*AUTO, "--species", "human", says=["--species", "vertebrate", "human"])
