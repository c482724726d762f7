"""yupana splice --isoforms: exons that are skipped or exclude each other, in every output."""
import itertools
import json
import pathlib
import random
import re

from genes import complement, fasta, noise, refuse, table, translated
from program import files, helper, run

CODONS = ("GCT", "AAG", "GAC", "CTG", "TGG", "CCA", "GAA", "ATC")
FILES = ("--also", "gtf,sam,bam,faa,html")


def coding(codons):
    return "".join(random.choice(CODONS) for _ in range(codons))


@helper
def intron():
    return "GTAAGT" + noise(150) + "TTTTCTTTTCCTTTTTTTGCAG"


def gene(parts, minus=False):
    """g.fa, e.tsv, t.fa, p.fa; (bases, whether the target has them) of each exon. Their places."""
    text, places, cdna = noise(120), [], ""
    for number, (part, in_target) in enumerate(parts):
        text += intron() if number else ""
        places.append((len(text) + 1, len(text) + len(part)))
        text += part
        cdna += part if in_target else ""
    text += noise(100)
    if minus:
        text = complement(text)
        places = [(len(text) + 1 - b, len(text) + 1 - a) for a, b in places][::-1]
    fasta("g.fa", chr=text)
    fasta("t.fa", cdna=cdna)
    fasta("p.fa", prot=translated(cdna))
    pathlib.Path("e.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in places))
    return places


def chains(prefix):
    return [row["chain"] for row in table(prefix)]


def chain(places):
    return ",".join(f"{a}-{b}" for a, b in places)


def changed(exon):
    """Six letters of it, each to one that it has not."""
    letters = list(exon)
    for at in range(10, len(exon), len(exon) // 6):
        letters[at] = "ACGT"[("ACGT".index(letters[at]) + 1) % 4]
    return "".join(letters)


def a_cassette_exon_is_skipped():
    random.seed(1)
    cassette = coding(8)
    places = gene([("ATG" + coding(50), True), (coding(40), True), (cassette, True),
                   (coding(45), True), (coding(40) + "TAA", True)])
    skipped = places[:2] + places[3:]
    given = ("--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa")
    answer = json.loads(run("splice", *given, "-o", "a", *FILES, "--isoforms", "2", "--isoform-score", "0.8", "--json").stdout)
    assert chains("a") == [chain(places), chain(skipped)], chains("a")
    letters = len(pathlib.Path("t.fa").read_text().split("\n")[1])
    rows = table("a")
    assert [int(row["score"]) for row in rows] == [letters, letters - 3 * len(cassette)], rows
    assert [(row["rank"], row["isoform"]) for row in rows] == [("1", "1"), ("1", "2")]
    assert [hit.get("isoform") for hit in answer["hits"]] == [None, 2], answer["hits"]
    assert len(answer["hits"][1]["chain"]) == 4
    gff3 = [line.split("\t") for line in pathlib.Path("a.gff3").read_text().splitlines() if line[0] != "#"]
    assert [row[2] for row in gff3].count("gene") == 1
    names = [re.match(r"ID=([^;]*);Parent=([^;]*)", row[8]).groups() for row in gff3 if row[2] == "mRNA"]
    assert names == [("mrna1", "gene1"), ("mrna1.2", "gene1")], names
    assert sum("Parent=mrna1.2;" in row[8] for row in gff3 if row[2] == "exon") == 4
    gtf = pathlib.Path("a.gtf").read_text()
    assert len(re.findall(r'\texon\t.*gene_id "gene1"; transcript_id "mrna1.2";', gtf)) == 4
    sam = [line.split("\t") for line in pathlib.Path("a.sam").read_text().splitlines() if line[0] != "@"]
    assert [line[1] for line in sam] == ["0", "256"], sam
    paf = pathlib.Path("a.paf").read_text().splitlines()
    assert ["tp:A:S" in line for line in paf] == [False, True]
    assert re.findall(">(\\S+)", pathlib.Path("a.faa").read_text()) == ["mrna1", "mrna1.2"]
    assert ", isoform 2: score" in pathlib.Path("a.txt").read_text()
    # Exons of all chains were called those of one target.
    assert "1 of 1 target aligned, in 2 alignments with " in pathlib.Path("a.html").read_text()


def nothing_changes_without_the_option():
    random.seed(2)
    gene([("ATG" + coding(50), True), (coding(8), True), (coding(45) + "TAA", True)])
    for exons, share in itertools.product(("e.tsv", "auto"), ("0.1", "1")):
        run("splice", "--genome", "g.fa", "--exons", exons, "--target", "t.fa", "-o", "one", *FILES)
        run("splice", "--genome", "g.fa", "--exons", exons, "--target", "t.fa", "-o", "two", *FILES,
            "--isoforms", "2", "--isoform-score", share)
        first, others = table("one"), [row for row in table("two") if row["isoform"] == "1"]
        for row in others + first:
            row.pop("isoform", None)
            row.pop("executed_cells")  # of more candidates
        assert "isoform" not in pathlib.Path("one.tsv").read_text()
        assert first == others, (first, others)
        best = pathlib.Path("two.paf").read_text().splitlines()[0]
        assert pathlib.Path("one.paf").read_text() == best + "\n"
        if share == "0.1":
            assert len(table("two")) == 2


def exons_that_exclude_each_other_are_found_from_signals():
    for seed, minus in ((3, False), (4, True)):
        random.seed(seed)
        second = coding(40)
        parts = [("ATG" + coding(50), True), (second, True), (changed(second), False),
                 (coding(45) + "TAA", True)]
        places = gene(parts, minus)
        best, other = (places[:2] + places[3:], places[:1] + places[2:])
        if minus:
            best, other = other, best
        for target in ("--target", "t.fa"), ("--protein", "p.fa"):
            run("splice", "--genome", "g.fa", *target, "-o", "a", "--isoforms", "2")
            assert chains("a") == [chain(best), chain(other)], (seed, target, chains("a"))
            assert [row["mapq"] for row in table("a")] == ["60", "0"]


def a_stretch_that_fits_by_chance_took_the_place_of_a_skipped_exon():
    chance = 0
    for target in ("--target", "t.fa"), ("--protein", "p.fa"):
        for seed in range(4):
            random.seed(20 + seed)
            cassette = coding(12)
            places = gene([("ATG" + coding(50), True), (coding(40), True), (cassette, True),
                           (coding(45), True), (coding(40) + "TAA", True)])
            skipped = chain(places[:2] + places[3:])
            given = ("--genome", "g.fa", *target, "--isoforms", "2", "--isoform-score", "0.7", "-o", "a")
            run("splice", *given, "--isoform-evalue", "1e12")
            chance += chains("a")[1] != skipped
            run("splice", *given)
            assert chains("a") == [chain(places), skipped], (seed, chains("a"))
    assert chance > 2, chance


def isoforms_are_the_same_for_all_threads_and_memory():
    random.seed(5)
    second = coding(30)
    gene([("ATG" + coding(50), True), (second, True), (changed(second), False), (coding(9), True),
          (coding(45) + "TAA", True)], True)
    for exons, target in itertools.product(("e.tsv", "auto"), (("--target", "t.fa"), ("--protein", "p.fa"))):
        made, is_given = [], exons == "e.tsv"
        for name, options in ("a", ["--threads", "1"]), ("b", ["--threads", "2"]), ("c", ["--memory", "200M"]), \
                             ("d", ["--device", "reference" if is_given else "cpu"]):
            run("splice", "--genome", "g.fa", "--exons", exons, *target, "--both-strands", "-o", name,
                "--also", "gtf,faa", "--isoforms", "5", "--isoform-score", "0.5", *options)
            made.append([pathlib.Path(name + end).read_bytes()
                         for end in (".tsv", ".gff3", ".paf", ".txt", ".gtf", ".faa")])
        assert len(table("a")) > 2, chains("a")
        if is_given:  # the table tells how many cells were computed
            made[3][0] = made[0][0]
        assert all(one == made[0] for one in made), (exons, target)


def each_place_has_its_isoforms():
    random.seed(6)
    second = coding(40)
    exons = ["ATG" + coding(50), second, changed(second), coding(45) + "TAA"]
    join = lambda: "".join(e + (intron() if e != exons[3] else "") for e in exons)
    fasta("g.fa", a=noise(200) + join() + noise(200), b=noise(500) + complement(join()) + noise(90))
    fasta("t.fa", cdna=exons[0] + exons[1] + exons[3])
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--isoforms", "2", "--max-loci", "3")
    rows = table("a")
    assert [(row["rank"], row["isoform"]) for row in rows] == [(r, i) for r in "12" for i in "12"], rows
    assert [row["sequence"] for row in rows] in (list("aabb"), list("bbaa"))
    gff3 = pathlib.Path("a.gff3").read_text()
    assert len(re.findall("\tgene\t", gff3)) == 2 and "ID=mrna2.2;Parent=gene2" in gff3


def every_place_was_taken_for_a_target_on_the_page():
    random.seed(6)
    exon = "ATG" + coding(90) + "TAA"
    fasta("g.fa", a=noise(200) + exon + noise(500) + exon + noise(90))
    fasta("t.fa", cdna=exon)
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--max-loci", "3", "--also", "html")
    assert len(table("a")) == 2
    assert "1 of 1 target aligned, in 2 alignments with 2 exons in all." in pathlib.Path("a.html").read_text()


def a_target_of_chance_has_none():
    random.seed(7)
    fasta("g.fa", a=noise(3000))
    fasta("t.fa", t=noise(300))
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--isoforms", "3")
    assert [(row["chain"], row["isoform"]) for row in table("a")] == [(".", "1")]


def what_has_no_isoforms_is_refused():
    fasta("g.fa", a="ACGT" * 30)
    fasta("t.fa", t="ACGT" * 9)
    fasta("p.fa", t="MKV" * 9)
    dna = ("--genome", "g.fa", "--target", "t.fa")
    refuse(*dna, "--isoforms", "0", status=2, says=("--isoforms", "1"))
    refuse(*dna, "--isoforms", "2", "--isoform-score", "nan", status=2, says="--isoform-score")
    refuse(*dna, "--isoforms", "2", "--isoform-score", "1.5", status=2, says="--isoform-score")
    refuse(*dna, "--isoforms", "2", "--isoform-evalue", "-1", status=2, says="--isoform-evalue")
    refuse(*dna, "--isoform-evalue", "0.5", status=2, says=("--isoform-evalue", "--isoforms"))
    pathlib.Path("e.tsv").write_text("1\t9\n")
    refuse(*dna, "--exons", "e.tsv", "--isoforms", "2", "--isoform-evalue", "1", status=2,
           says=("--isoform-evalue", "--exons auto"))
    pathlib.Path("e.tsv").unlink()
    refuse(*dna, "--isoform-score", "0.5", status=2, says=("--isoform-score", "--isoforms"))
    refuse(*dna, "--isoforms", "2", "--ends", "local", status=2, says=("--isoforms 2", "--ends global"))
    refuse("--genome", "g.fa", "--protein", "p.fa", "--isoforms", "2", "-F", "20", status=2,
           says=("--isoforms 2", "--frameshift"))
    assert files() == ["g.fa", "p.fa", "t.fa"], files()
