"""yupana splice of proteins: the frame over introns and on both strands, phases, bad input."""
import pathlib
import random
import re

from genes import body, complement, example, fasta, intron, noise, refuse, table, translated
from program import run


def protein_adds_up(prefix, forward, protein):
    """cg against the protein and the genome; CDS phases against the frame. `forward` as in FASTA."""
    fields = pathlib.Path(prefix + ".paf").read_text().split("\n")[0].split("\t")
    assert [int(x) for x in fields[1:4]] == [len(protein), 0, len(protein)], fields
    at, end = int(fields[7]), int(fields[8])
    letters = forward
    if fields[4] == "-":
        letters, at, end = complement(forward), len(forward) - end, len(forward) - at
    cigar = re.findall(r"(\d+)([MIDNUVFG])", {f[:2]: f[5:] for f in fields[12:]}["cg"])
    aa, equal, spliced = 0, 0, ""
    for n, op in cigar:
        n = int(n)
        if op == "I":
            aa += n
            continue
        if op in "UV":
            split = "UV".index(op) + 1
            codon = letters[at:at + split] + letters[at + n - 3 + split:at + n]
            equal += translated(codon) == protein[aa]
            spliced, aa, at = spliced + codon, aa + 1, at + n
            continue
        if op in "MD":
            for i in range(n if op == "M" else 0):
                equal += translated(letters[at + 3 * i:at + 3 * i + 3]) == protein[aa + i]
            aa += n if op == "M" else 0
            n *= 3
        aa += op == "G"
        if op != "N":
            spliced += letters[at:at + n]
        at += n
        equal += op == "G" and translated(spliced[-3:]) == protein[aa - 1]
    assert at == end and aa == len(protein), (at, end, aa, cigar)
    assert 3 * equal == int(fields[9]), (equal, fields)
    rows = [line.split("\t") for line in
            pathlib.Path(prefix + ".gff3").read_text().splitlines() if not line.startswith("#")]
    parts = [(int(r[3]), int(r[4]), int(r[7])) for r in rows if r[2] == "CDS"]
    assert [(int(r[3]), int(r[4])) for r in rows if r[2] == "exon"] == [p[:2] for p in parts]
    read = ""
    for first, last, phase in parts if fields[4] == "+" else reversed(parts):
        assert phase == -len(read) % 3, parts
        text = forward[first - 1:last]
        read += complement(text) if fields[4] == "-" else text
    assert read == spliced, (read, spliced)
    return cigar


def proteins_keep_their_frame_on_both_strands():
    random.seed(7)
    for round in range(12):
        body = lambda n: "".join(random.choice("ACGT") for _ in range(n))
        exons = ["ATG" + body(60 + round % 3), body(1 if round % 4 == 3 else 40 + round // 3),
                 body(50)]
        protein = translated("".join(exons))
        if round == 5:
            protein = protein[:1]
        if round > 5:
            protein = protein[:12] + protein[14:30] + "WW" + protein[30:]
        genome, places = body(30), []
        for part in exons:
            places.append((len(genome) + 1, len(genome) + len(part)))
            genome += part + "GT" + body(40) + "AG"
        fasta("p.fa", prot=protein.lower() if round == 0 else protein)
        lines = [places, [(len(genome) + 1 - b, len(genome) + 1 - a) for a, b in places]]
        scores = []
        for strand, spots in zip("+-", lines):
            letters = genome if strand == "+" else complement(genome)
            fasta("g.fa", chr=letters)
            pathlib.Path("e.bed").write_text("".join(
                f"chr\t{a - 1}\t{b}\tx\t0\t{strand}\n" for a, b in spots))
            arguments = ("--genome", "g.fa", "--exons", "e.bed", "--protein", "p.fa")
            out = {"+": "plus", "-": "minus"}[strand]
            run("splice", *arguments, "-o", out)
            run("splice", *arguments, "-o", "reference", "--device", "reference")
            for end in ("gff3", "paf", "txt"):
                assert pathlib.Path(f"{out}.{end}").read_bytes() == \
                    pathlib.Path(f"reference.{end}").read_bytes(), end
            row = table(out)[0]
            assert row["strand"] == strand
            if round < 5:
                assert row["chain"] == ",".join(f"{a}-{b}" for a, b in sorted(spots)), row
                assert row["identity"] == "1.000000", row
            protein_adds_up(out, letters, protein)
            scores.append(row["score"])
        assert scores[0] == scores[1]


def a_protein_finds_its_gene_from_signals():
    random.seed(5)
    # Introns behind one base of a codon, and behind two.
    exons = ["ATG" + body(90) + "CAGC", "CT" + body(120) + "CAGGA", "C" + body(60) + "TAA"]
    genome = noise(300) + exons[0] + intron() + exons[1] + intron() + exons[2] + noise(300)
    protein = translated("".join(exons))
    for name, letters in (("+", genome), ("-", complement(genome))):
        fasta("g.fa", chr=letters)
        for target in (protein, protein[:-1]):
            fasta("p.fa", prot=target)
            run("splice", "--genome", "g.fa", "--exons", "auto", "--protein", "p.fa",
                "--both-strands", "-o", "a")
            row = table("a")[0]
            assert row["strand"] == name and row["exons"] == "3" and row["unequal"] == "0", row
            # With the stop codon scored as one, exons have the same scores however it is asked.
            scores = [line.split("\t")[5] for line in pathlib.Path("a.gff3").read_text().splitlines()
                      if "\texon\t" in line]
            assert all(int(score) > 0 for score in scores), scores
            first_scores = first_scores if target != protein else scores
            assert scores == first_scores, (scores, first_scores)
            # A stop codon that the protein does not name stands alone.
            stops = [("1", "D")] if target != protein else []
            cigar = protein_adds_up("a", letters, target)
            assert [op for _, op in cigar if op in "UVD"] == ["U", "V"] + ["D"] * len(stops), cigar


def fragments_of_proteins_had_chance_exons_for_start_and_stop():
    random.seed(11)
    exons = ["ATG" + body(150), body(121) + "GC", "A" + body(150) + "TAA"]
    before, inner = noise(40_000), [intron(), intron()]
    genome = before + exons[0] + inner[0] + exons[1] + inner[1] + exons[2] + noise(40_000)
    protein = translated("".join(exons))
    first = len(before) + 1
    second = first + len(exons[0]) + len(inner[0])
    third = second + len(exons[1]) + len(inner[1])
    chain = [(first + 60, first + len(exons[0]) - 1), (second, second + len(exons[1]) - 1),
             (third, third + len(exons[2]) - 64)]
    for name, letters in (("+", genome), ("-", complement(genome))):
        size, places = len(genome) + 1, chain
        if name == "-":
            places = [(size - b, size - a) for a, b in reversed(chain)]
        fasta("g.fa", chr=letters)
        # The whole protein next to it: their candidates are not the same.
        fasta("p.fa", fragment=protein[20:-21], whole=protein[:-1])
        run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "part")
        row, whole = table("part")
        assert row["chain"] == ",".join(f"{a}-{b}" for a, b in places), (row, places)
        assert (row["unequal"], row["inserted"], row["deleted"]) == ("0", "0", "0"), row
        ends = first, third + len(exons[2]) - 1
        assert {int(whole["first"]), int(whole["last"])} == (
            {*ends} if name == "+" else {size - end for end in ends}), whole


def exons_behind_introns_of_more_than_ten_kilobases_were_lost():
    random.seed(3)
    exons = ["ATG" + body(150), body(121) + "GC", "A" + body(99) + "TAA"]
    genome, places = noise(60_000), []
    for number, exon in enumerate(exons):
        if number > 0:
            genome += "GTAAGT" + noise((35_000, 80_000)[number - 1]) + "TTTTCTTTTCCTTTTTTTGCAG"
        places.append((len(genome) + 1, len(genome) + len(exon)))
        genome += exon
    genome += noise(60_000)
    fasta("g.fa", chr=genome)
    fasta("p.fa", p=translated("".join(exons)).removesuffix("*"))
    run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "far")
    assert table("far")[0]["chain"] == ",".join(f"{a}-{b}" for a, b in places), (table("far")[0], places)


def batches_may_hold_proteins_and_cdnas():
    example()
    fasta("p.fa", one="M")
    fasta("h.fa", chr2="CCATGCC")
    pathlib.Path("h.tsv").write_text("3 5\n")
    pathlib.Path("cases.tsv").write_text(
        "g.fa e.tsv t.fa\nh.fa h.tsv p.fa protein\ng.fa e.tsv t.fa cdna\n")
    run("splice", "--batch", "cases.tsv", "-o", "b")
    assert [r["score"] for r in table("b")] == ["3", "5", "3"]
    assert "\tCDS\t3\t5\t.\t+\t0\t" in pathlib.Path("b.gff3").read_text()
    pathlib.Path("m.txt").write_text("  A M\nA 1 -1\nM -1 1\n")
    refuse("--batch", "cases.tsv", "--matrix", "m.txt", status=2, says=["cDNAs and proteins"])
    refuse("--genome", "h.fa", "--exons", "h.tsv", "--protein", "p.fa", "--matrix", "m.txt",
           says=["one without 'C'"])


def bad_proteins_are_one_line():
    example()
    usual = ("--genome", "g.fa", "--exons", "e.tsv", "--protein", "p.fa")
    fasta("p.fa", prot="MK-V")
    refuse(*usual, says=["p.fa:2", "'-' at place 3 of 'prot'"])
    fasta("p.fa", prot="MKV")
    refuse(*usual, "--genetic-code", "7", status=2,
           says=["--genetic-code", "'7'", "6 ciliate nuclear; 9 echinoderm", "13 ascidian"])
    refuse(*usual, "--target", "t.fa", status=2, says=["either --target or --protein"])
    pathlib.Path("e.tsv").write_text("")
    refuse(*usual, says=["e.tsv", "expected exons", "got none", "--exons auto"])
