"""What speaks for an alignment of yupana splice: no hit by chance, either direction of a cDNA, and
qualities that tell one place from two."""
import json
import pathlib
import random

from genes import body, complement, fasta, intron, noise, table
from program import helper, refuse, run


@helper
def gene():
    """A gene of three exons with clear signals, and its cDNA."""
    exons = ["ATG" + body(90) + "CAG", body(120) + "CAG", body(60) + "TAA"]
    return exons[0] + intron() + exons[1] + intron() + exons[2], "".join(exons)


def paf(prefix):
    return [line.split("\t") for line in pathlib.Path(prefix + ".paf").read_text().splitlines()]


def random_targets_had_genes_of_fifteen_exons():
    random.seed(1)
    fasta("g.fa", chr=noise(210_000))
    fasta("t.fa", **{f"r{i}": noise(600) for i in range(3)})
    letters = "ACDEFGHIKLMNPQRSTVWY"
    fasta("p.fa", **{f"p{i}": "".join(random.choice(letters) for _ in range(150)) for i in range(3)})
    for target in (("--target", "t.fa"), ("--protein", "p.fa")):
        done = run("splice", "--genome", "g.fa", *target, "-o", "r", "--json")
        hits = json.loads(done.stdout)["hits"]
        assert [hit["aligned"] for hit in hits] == 3 * [False], hits
        assert all(hit["e_value"] > 0.01 for hit in hits), hits
        rows = table("r")
        assert [row["chain"] for row in rows] == 3 * ["."], rows
        assert {row["sequence"] for row in rows} == {"."} and {row["mapq"] for row in rows} == {"0"}
        assert [line[4:6] for line in paf("r")] == 3 * [["*", "*"]], paf("r")
        assert pathlib.Path("r.gff3").read_text() == "##gff-version 3\n"
        assert pathlib.Path("r.txt").read_text().count("unaligned, E-value") == 3
    # Who asks for everything gets it.
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "r", "--max-evalue", "1e8")
    assert all(row["chain"] != "." for row in table("r")), table("r")


def matches_that_score_nothing_were_tried_for_ever():
    """The exons tried double a distance that begins at eight matches: at nothing, or below it."""
    random.seed(1)
    letters = noise(27_000)
    fasta("g.fa", chr=letters)
    fasta("t.fa", t=letters[1000:1008])
    for match in ("0", "-1"):
        refuse("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "z", "--match", match, status=2,
               says="score above 0")


def introns_of_other_ends_were_missed_by_tens_of_bases():
    """The first of two introns ends in neither AG nor AC and begins with no donor: where the cDNA's
    words break off an exon may end, whatever the bases are."""
    near = 0
    for seed in range(10):
        random.seed(seed)
        exons = [noise(90), noise(120), noise(80)]
        other = random.choice(("CA", "TT", "AG", "GG")) + noise(150) + random.choice(("TT", "GG", "CT"))
        usual = intron()
        around = noise(400), noise(300)
        fasta("g.fa", g=around[0] + exons[0] + other + exons[1] + usual + exons[2] + around[1])
        fasta("t.fa", t="".join(exons))
        run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "i")
        wanted, at = [], 401
        for exon, after in zip(exons, (other, usual, "")):
            wanted += [at, at + len(exon) - 1]
            at += len(exon) + len(after)
        found = [int(place) for line in pathlib.Path("i.gff3").read_text().splitlines()
                 if "\texon\t" in line for place in line.split("\t")[3:5]]
        near += len(found) == 6 and all(abs(a - b) <= 4 for a, b in zip(found, wanted))
    assert near >= 6, near


def antisense_cdnas_failed_silently():
    random.seed(2)
    bases, cdna = gene()
    around = noise(400), noise(300)
    read = complement(cdna)
    fasta("t.fa", sense=cdna, antisense=read)
    places = None
    for strand, letters in (("+", around[0] + bases + around[1]),
                            ("-", complement(around[0] + bases + around[1]))):
        fasta("g.fa", chr=letters)
        run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a")
        rows = table("a")
        assert [row["strand"] for row in rows] == [strand, strand], rows
        assert [row["target_strand"] for row in rows] == ["+", "-"], rows
        assert rows[0]["chain"] == rows[1]["chain"] and rows[0]["identity"] == "1.000000", rows
        # PAF has the target's own strand, and ts that of the cDNA against it.
        other = {"+": "-", "-": "+"}[strand]
        assert [line[4] for line in paf("a")] == [strand, other]
        assert [tag for line in paf("a") for tag in line if tag.startswith("ts")] == \
            ["ts:A:+", "ts:A:-"]
        # The parts of the target in GFF3 are places of the target as given.
        for line in pathlib.Path("a.gff3").read_text().splitlines():
            columns = line.split("\t")
            if len(columns) < 9 or columns[2] != "exon" or "mrna2" not in columns[8]:
                continue
            _, first, last, sign = columns[8].split("Target=")[1].split(" ")
            part = letters[int(columns[3]) - 1:int(columns[4])]
            given = read[int(first) - 1:int(last)]
            assert sign == "-" and given == (complement(part) if strand == "+" else part), line
        assert "antisense (reverse complement) on chr" in pathlib.Path("a.txt").read_text()
        places = places or rows[0]["exons"]
        assert rows[0]["exons"] == places == "3"
    # One strand of each alone: the - strand's gene is not seen, and that is said.
    done = run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "one", "--one-strand")
    assert [row["chain"] for row in table("one")][0] == ".", table("one")
    assert "sense: unaligned" in done.stdout, done.stdout


def qualities_tell_one_place_from_two():
    random.seed(3)
    bases, cdna = gene()
    fasta("t.fa", cdna=cdna)
    fasta("g.fa", a=noise(500) + bases + noise(500), b=noise(1500))
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "one")
    assert table("one")[0]["mapq"] == "60" and paf("one")[0][11] == "60", table("one")
    fasta("g.fa", a=noise(500) + bases + noise(500), b=noise(300) + complement(bases) + noise(300))
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "two")
    assert table("two")[0]["mapq"] == "3" and paf("two")[0][11] == "3", table("two")
    assert float(table("two")[0]["e_value"]) < 1e-20


def copies_side_by_side_had_the_best_quality():
    random.seed(4)
    bases, cdna = gene()
    changed = list(bases)
    for at in range(7, len(changed), 12):
        changed[at] = "ACGT"["ACGT".index(changed[at]) - 1]
    for between in (5_000, 150_000):
        for copy, quality in ((bases, "3"), ("".join(changed), "60")):
            fasta("g.fa", chr=noise(1000) + copy + noise(between) + bases + noise(1000))
            fasta("t.fa", cdna=cdna)
            run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "q")
            row = table("q")[0]
            assert row["mapq"] == quality and row["identity"] == "1.000000", (between, row)


def copies_in_an_intron_had_the_best_quality():
    """Spans overlap, as introns count: strands and exons do not."""
    random.seed(14)
    bases, cdna = gene()
    split = bases.rindex("GTAAGT") + 40
    for copy in (complement(bases), bases, complement(cdna)):
        insert = noise(300) + copy + noise(300)
        quality = []
        for letters in (bases[:split] + insert + bases[split:], bases + insert):
            fasta("g.fa", chr=noise(400) + letters + noise(400))
            fasta("t.fa", cdna=cdna)
            run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "copy")
            quality.append(int(table("copy")[0]["mapq"]))
        # The copy without introns has ten matches less, those of the splice sites.
        assert quality == (2 * [3] if len(copy) == len(bases) else 2 * [47]), (len(copy), quality)


def copies_that_share_a_tail_of_poly_a_had_the_best_quality():
    random.seed(15)
    bases, cdna = gene()
    bases, tail = bases + noise(50), noise(50) + 60 * "A" + noise(50)
    for copy in (bases, complement(bases)):
        fasta("g.fa", chr=complement(tail) + noise(3000) + bases + noise(3000) + copy + noise(3000) + tail)
        fasta("t.fa", cdna=cdna + 60 * "A")
        run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "tail")
        row = table("tail")[0]
        assert int(row["exons"]) >= 4 and row["mapq"] == "3", (copy == bases, row)


def genes_far_apart_are_found_by_their_words():
    random.seed(5)
    genes = [gene() for _ in range(4)]
    sequence = noise(40_000)
    for k, (bases, _) in enumerate(genes):
        sequence += (bases if k % 2 == 0 else complement(bases)) + noise(40_000)
    fasta("g.fa", other=noise(1000), chr=sequence)
    # Every fifteenth letter another: few words are left, and enough.
    other = lambda text: "".join(c if i % 15 else "ACGT"["ACGT".index(c) - 1]
                                 for i, c in enumerate(text))
    fasta("t.fa", **{f"t{k}": other(cdna) if k < 3 else complement(other(cdna))
                     for k, (_, cdna) in enumerate(genes)}, random=noise(500))
    usual = ("splice", "--genome", "g.fa", "--target", "t.fa", "--json")
    tried = [json.loads(run(*usual, "-o", prefix, *more).stdout).get("targets_by_loci")
             for prefix, more in (("loci", ()), ("exact", ("--exact-window",)))]
    assert tried[0] >= 4 and tried[1] is None, tried
    loci, exact = table("loci"), table("exact")
    columns = ("sequence", "strand", "score", "chain", "mapq", "target_strand")
    assert [[row[c] for c in columns] for row in loci] == \
        [[row[c] for c in columns] for row in exact], (loci, exact)
    assert [row["strand"] for row in loci] == ["+", "-", "+", "-", "."], loci
    assert [row["target_strand"] for row in loci] == ["+", "+", "+", "-", "."], loci
    assert all(row["exons"] == "3" for row in loci[:4]), loci


def repeats_and_tails_of_poly_a_were_evidence():
    random.seed(6)
    amino = lambda length: "".join(random.choice("ACDEFGHIKLMNPQRSTVWY") for _ in range(length))
    # Targets of chance that share a repeat with the genome, and nothing else.
    for in_target, in_genome in ((30 * "A", 40 * "A"), (20 * "A", 20 * "A"), (30 * "T", 40 * "A"),
                                 (30 * "CA", 40 * "CA"), (15 * "GATA", 20 * "GATA")):
        fasta("g.fa", chr=noise(10_000) + in_genome + noise(10_000))
        fasta("t.fa", **{f"end{i}": noise(470) + in_target for i in range(2)},
              **{f"within{i}": noise(250) + in_target + noise(250) for i in range(2)})
        run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "r")
        assert all(row["chain"] == "." and row["mapq"] == "0" and float(row["e_value"]) > 0.01
                   for row in table("r")), (in_target, table("r"))
    for in_target, in_genome in ((25 * "Q", 30 * "CAG"), (12 * "GP", 20 * "GGTCCT")):
        fasta("g.fa", chr=noise(10_000) + in_genome + noise(10_000))
        fasta("p.fa", **{f"p{i}": amino(150) + in_target + amino(100) for i in range(2)})
        run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "r")
        assert all(row["chain"] == "." for row in table("r")), (in_target, table("r"))
    # A repeat alone is nothing, whatever the composition.
    fasta("g.fa", chr=noise(300) + 3000 * "A")
    fasta("t.fa", tail=200 * "A")
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "r")
    assert table("r")[0]["chain"] == ".", table("r")


def genes_with_tails_of_poly_a_stay_aligned():
    random.seed(7)
    bases, cdna = gene()
    fasta("g.fa", chr=noise(3000) + bases + noise(3000) + 40 * "A" + noise(3000))
    fasta("t.fa", plain=cdna, tail=cdna + 12 * "A", antisense=complement(cdna + 12 * "A"))
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "r")
    rows = table("r")
    assert all(float(row["e_value"]) < 1e-60 for row in rows), rows
    assert [row["target_strand"] for row in rows] == ["+", "+", "-"], rows
    # The tail is one more exon: the whole target is aligned.
    assert [row["exons"] for row in rows] == ["3", "4", "4"], rows
    assert all(row["mapq"] == "60" and row["chain"].startswith("3001-3096,3205-3327,3436-") for row in rows), rows


def exons_given_are_aligned_whatever_the_evidence():
    fasta("g.fa", chr="ACCGTATGT")
    fasta("t.fa", cdna="CCGGT")
    pathlib.Path("e.tsv").write_text("1 2\n3 4\n8 9\n")
    run("splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa", "-o", "g")
    row = table("g")[0]
    assert row["chain"] == "1-2,3-4,8-9" and row["e_value"] == row["mapq"] == ".", row
    assert paf("g")[0][11] == "255"
