"""What the tests of splice share: FASTA files, the specification's worked example, the genetic code."""
import gzip
import pathlib
import random

from program import refuse as refuse_command

EXAMPLE = "ACCGTATGT"
EXONS = [(1, 2), (3, 4), (4, 5), (6, 8), (8, 9)]


def fasta(path, **records):
    text = "".join(f">{name} words\n{letters}\n" for name, letters in records.items())
    if str(path).endswith(".gz"):
        with gzip.open(path, "wt") as file:
            file.write(text)
    else:
        pathlib.Path(path).write_text(text)


def example():
    fasta("g.fa", chr1=EXAMPLE)
    fasta("t.fa", cdna="CCGGT")
    pathlib.Path("e.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in EXONS))


def noise(length):
    return "".join(random.choice("ACGT") for _ in range(length))


def body(length):
    return "".join(random.choice(["GCT", "GAC", "AAG", "CTG", "TCC"]) for _ in range(length // 3))


def intron():
    return "GTAAGT" + noise(80) + "TTTTCTTTTCCTTTTTTTGCAG"


def gene(before="", after="", codons=110):
    """Exons, with the splits of codons, of a cDNA with a frame of about three times `codons` bases."""
    coding = "ATG" + body(3 * codons) + "TAA"
    cdna = before + coding + after
    cuts = [len(before) + len(coding) // 3 + 1, len(before) + 2 * len(coding) // 3 - 1]
    exons = [cdna[:cuts[0]], cdna[cuts[0]:cuts[1]], cdna[cuts[1]:]]
    return exons, cdna, coding


def complement(text):
    return text[::-1].translate(str.maketrans("ACGTacgt", "TGCAtgca"))


AMINO = dict(zip((a + b + c for a in "TCAG" for b in "TCAG" for c in "TCAG"),
                 "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"))


def translated(bases):
    return "".join(AMINO.get(bases[i:i + 3], "X") for i in range(0, len(bases) - 2, 3))


def table(prefix):
    lines = pathlib.Path(prefix + ".tsv").read_text().splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


def refuse(*arguments, out=True, **options):
    refuse_command("splice", *arguments, *(("-o", "out") if out else ()), **options)
