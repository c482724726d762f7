"""GenomeTools' gff3validator accepts every GFF3 that yupana splice writes."""
import pathlib
import random

from program import need, peer, run


def complement(text):
    return text[::-1].translate(str.maketrans("ACGT", "TGCA"))


def gene(draw, exons):
    """A sequence with introns GT..AG around exons; the exons' places; the cDNA."""
    letters = lambda n: "".join(draw.choices("ACGT", k=n))
    text, places, cdna = letters(80), [], ""
    for i in range(exons):
        part = letters(draw.randint(1 if i % 3 == 2 else 30, 90))
        places.append((len(text) + 1, len(text) + len(part)))
        text += part
        cdna += part
        text += ("GT" + letters(draw.randint(30, 200)) + "AG") if i + 1 < exons else letters(60)
    return text, places, cdna


def valid(prefix):
    found = peer("gt", "gff3validator", f"{prefix}.gff3")
    assert "input is valid GFF3" in found and "warning" not in found, found
    lines = pathlib.Path(f"{prefix}.gff3").read_text().splitlines()
    return sum("\texon\t" in line for line in lines)


def the_validator_accepts():
    for seed in range(6):
        draw = random.Random(seed)
        text, places, cdna = gene(draw, 1 + seed)
        backwards = seed % 2 == 1
        if backwards:
            text = complement(text)
            places = [(len(text) + 1 - b, len(text) + 1 - a) for a, b in places][::-1]
        name = "chr1;=%" if seed == 3 else "chr1"
        pathlib.Path("g.fa").write_text(f">{name} words\n{text}\n")
        pathlib.Path("t.fa").write_text(f">cdna|{seed};x=%y,z\n{cdna}\n")
        pathlib.Path("e.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in places))
        run("splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa", "--both-strands",
            "-o", "run")
        assert valid("run") == len(places), f"seed {seed}"


def it_accepts_isoforms_of_a_gene():
    draw = random.Random(10)
    text, places, cdna = gene(draw, 5)
    pathlib.Path("g.fa").write_text(f">chr1\n{text}\n")
    pathlib.Path("t.fa").write_text(f">cdna\n{cdna}\n")
    pathlib.Path("e.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in places))
    run("splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa", "-o", "run",
        "--isoforms", "3", "--isoform-score", "0.2")
    assert valid("run") == 5 + 4 + 4
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "auto", "--isoforms", "3",
        "--isoform-score", "0.2", "--max-loci", "2")
    assert valid("auto") > 5


def it_accepts_exons_found_and_an_empty_chain():
    draw = random.Random(9)
    text, _, cdna = gene(draw, 4)
    pathlib.Path("g.fa").write_text(f">chr1\n{text}\n")
    pathlib.Path("t.fa").write_text(f">cdna\n{cdna}\n")
    run("splice", "--genome", "g.fa", "--exons", "auto", "--target", "t.fa", "-o", "auto")
    valid("auto")
    # Of a target that has nothing to do with the genome there is no exon.
    pathlib.Path("c.fa").write_text(f">cdna\n{'C' * 300}\n")
    run("splice", "--genome", "g.fa", "--exons", "auto", "--target", "c.fa", "-o", "none")
    assert valid("none") == 0


def it_accepts_proteins_with_cds_and_phases():
    amino = dict(zip((a + b + c for a in "TCAG" for b in "TCAG" for c in "TCAG"),
                     "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"))
    for seed in range(6):
        draw = random.Random(seed)
        text, places, cdna = gene(draw, 2 + seed)
        protein = "".join(amino[cdna[i:i + 3]] for i in range(0, len(cdna) - 2, 3))
        if seed % 2 == 1:
            text = complement(text)
            places = [(len(text) + 1 - b, len(text) + 1 - a) for a, b in places][::-1]
        pathlib.Path("g.fa").write_text(f">chr1\n{text}\n")
        pathlib.Path("p.fa").write_text(f">prot\n{protein}\n")
        pathlib.Path("e.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in places))
        run("splice", "--genome", "g.fa", "--exons", "e.tsv", "--protein", "p.fa",
            "--both-strands", "-o", "run")
        assert valid("run") == len(places), f"seed {seed}"
        cds = [line for line in pathlib.Path("run.gff3").read_text().splitlines()
               if "\tCDS\t" in line]
        assert len(cds) == len(places) and all(line.split("\t")[7] in "012" for line in cds)
        run("splice", "--genome", "g.fa", "--exons", "auto", "--protein", "p.fa", "-o", "auto")
        valid("auto")


def frames_that_shift_had_attributes_of_reserved_names():
    draw = random.Random(11)
    codons = ["GCT", "AAG", "GAC", "CTG", "TGG", "CCA", "GAA", "ATC"]
    amino = dict(zip(codons, "AKDLWPEI"))
    words = draw.choices(codons, k=120)
    whole = "ATG" + "".join(words) + "TAA"
    letters = lambda n: "".join(draw.choices("ACGT", k=n))
    pathlib.Path("p.fa").write_text(">prot\nM" + "".join(amino[word] for word in words) + "\n")
    for broken, word in ((whole[:150] + whole[151:], "frameshift"), (whole[:150] + "A" + whole[150:], "frameshift"),
                         (whole[:150] + "TGA" + whole[153:], "stop_codon")):
        for text in (letters(200) + broken + letters(100), complement(letters(90) + broken + letters(200))):
            pathlib.Path("g.fa").write_text(f">chr1\n{text}\n")
            run("splice", "--genome", "g.fa", "--protein", "p.fa", "-F", "23", "-o", "run")
            assert f";{word}=1" in pathlib.Path("run.gff3").read_text()
            assert valid("run") == (2 if word == "frameshift" else 1)


need("gt")
