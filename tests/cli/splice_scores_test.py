"""yupana splice --splice-scores: sites of another program decide where letters alone do not."""
import functools
import gzip
import pathlib
import random

import genes
from genes import complement, fasta, noise, table
from program import helper, run

AUTO = ("--genome", "g.fa", "--target", "t.fa")
refuse = functools.partial(genes.refuse, status=3)


def body(codons):
    return "".join(random.choice(["GCT", "GAC", "AAG", "CTG", "TCC"]) for _ in range(codons))


@helper
def gene():
    """A gene of two exons whose intron may lie six bases further on, its first base, and its cDNA."""
    first, second = "ATG" + body(40) + "CAG", "GTAAAG" + body(40) + "TAA"
    intron = "GTAAAGGTAAGT" + noise(150) + "TTTTCTTTTCCTTTTTTTGCAG"
    return first + intron + second, len(first), len(intron), first + second


def chain(*more):
    run("splice", *AUTO, "-o", "s", *more)
    return table("s")[0]["chain"]


def scores_of_sites_decide_between_equal_introns():
    random.seed(1)
    bases, begin, length, cdna = gene()
    for around in (500, 70_000):  # whole sequences, and loci
        before, after = noise(around), noise(around)
        letters = before + bases + after
        fasta("t.fa", cdna=cdna)
        for strand in "+-":
            fasta("g.fa", chr=letters if strand == "+" else complement(letters))
            chains = []
            for shift in (0, 6):
                donor = around + begin + shift
                sites = [(donor, "D", 13), (donor + length, "A", 13)]
                if strand == "-":
                    sites = [(len(letters) - at, kind, score) for at, kind, score in sites]
                lines = "".join(f"chr\t{at}\t{strand}\t{kind}\t{score}\n" for at, kind, score in sites)
                with gzip.open("s.tsv.gz", "wt") as file:
                    file.write("# sites\nother\t5\t+\tA\t-2\n" + lines)
                chains.append(chain("--splice-scores", "s.tsv.gz"))
                first = sorted(int(x) for part in chains[-1].split(",") for x in part.split("-"))[1:3]
                expected = [donor, donor + length + 1]
                if strand == "-":
                    expected = [len(letters) + 1 - x for x in reversed(expected)]
                assert first == expected, (around, strand, shift, chains, expected)
            assert chain() in chains and len(set(chains)) == 2, chains


def files_that_are_no_scores_are_refused():
    random.seed(2)
    bases, _, _, cdna = gene()
    fasta("g.fa", chr=bases)
    fasta("t.fa", cdna=cdna)
    scores = pathlib.Path("s.tsv")
    for line, says in (("chr\t5\t+\tD", "4 columns"), ("chr\t-1\t+\tD\t3", "offset"),
                       ("chr\t5\t.\tD\t3", "+ or -"), ("chr\t5\t+\tX\t3", "D or A"),
                       ("chr\t5\t+\tD\tgood", "score"), ("chr\t5\t+\tD\t1e9", "score")):
        scores.write_text("chr\t3\t+\tA\t1\n" + line + "\n")
        refuse(*AUTO, "--splice-scores", "s.tsv", says=["s.tsv:2", says])
    for text, says in (("chr\t5\t+\tD\t1\nchr\t5\t+\tD\t2\n", "once"), ("", "none"),
                       ("another\t5\t+\tD\t1\n", "none"),
                       (f"chr\t{len(bases) + 1}\t+\tD\t1\n", f"{len(bases)} bases")):
        scores.write_text(text)
        refuse(*AUTO, "--splice-scores", "s.tsv", says=["s.tsv", says])
    pathlib.Path("e.tsv").write_text("1 9\n")
    genes.refuse(*AUTO, "--exons", "e.tsv", "--splice-scores", "s.tsv", status=2, says=["--exons auto"])


def saved_scores_give_the_alignments_of_their_models():
    random.seed(8)
    for around in (500, 70_000):  # whole sequences, and loci
        bases, _, _, cdna = gene()
        letters = noise(around) + bases + noise(around)
        for genome in (letters, complement(letters).lower()):
            fasta("g.fa", chr=genome, other=noise(900))
            fasta("t.fa", cdna=cdna, part=cdna[90:])
            for species in ("vertebrate", "plant", "yeast"):
                run("splice", *AUTO, "-o", "models", "--species", species)
                run("splice", "--genome", "g.fa", "--save", "sites", "--species", species, "-o", "own.tsv")
                run("splice", *AUTO, "-o", "saved", "--species", species, "--splice-scores", "own.tsv")
                for end in ("tsv", "gff3", "paf", "txt"):
                    files = [pathlib.Path(f"{name}.{end}").read_bytes() for name in ("models", "saved")]
                    assert files[0] == files[1], (around, species, end)
            # Every GT and AG once, by strand; models do matter.
            sites = [line.split("\t") for line in pathlib.Path("own.tsv").read_text().splitlines()]
            forward = genome.upper()
            for strand, text in (("+", forward), ("-", complement(forward))):
                own = [(int(at), kind) for name, at, sign, kind, _ in sites if (name, sign) == ("chr", strand)]
                if strand == "-":
                    own = [(len(text) - at, kind) for at, kind in own]
                expected = {(at, "D") for at in range(1, len(text)) if text[at:at + 2] == "GT"}
                expected |= {(at + 2, "A") for at in range(len(text)) if text[at:at + 2] == "AG"}
                assert len(own) == len(set(own)) and set(own) == expected
        run("splice", "--genome", "g.fa", "--save", "sites", "-o", "human")
        assert pathlib.Path("human").read_bytes() != pathlib.Path("own.tsv").read_bytes()
