"""The files of yupana splice against what other programs, and plain arithmetic, make of them: CDS and
phases, GTF, proteins, the page; loci of proteins."""
import json
import pathlib
import random
import re
import shutil

from genes import body, complement, fasta, gene, intron, noise, refuse, table, translated
from program import peer, run


def rows_of(path, feature):
    lines = [line.split("\t") for line in pathlib.Path(path).read_text().splitlines()
             if not line.startswith("#")]
    return [line for line in lines if line[2] == feature]


def read(rows, letters):
    """The bases of rows of a GFF, in reading order."""
    text = ""
    ordered = sorted(rows, key=lambda row: int(row[3]), reverse=rows[0][6] == "-")
    for row in ordered:
        part = letters[int(row[3]) - 1:int(row[4])]
        text += part if row[6] == "+" else complement(part)
    return text


def records(path):
    found, name = {}, None
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith(">"):
            name = line[1:].split()[0]
            found[name] = ""
        else:
            found[name] += line
    return found


def a_cdna_with_a_frame_has_its_cds_and_phases():
    random.seed(1)
    # Untranslated ends have stop codons in every frame, but no ATG.
    utr = lambda n: re.sub("ATG", "ACG", "TAACTAACTAA" + noise(n))
    for before, after in (("", ""), (utr(50), utr(70))):
        exons, cdna, coding = gene(before, after)
        letters = noise(300) + exons[0] + intron() + exons[1] + intron() + exons[2] + noise(300)
        for genome in (letters, complement(letters)):
            for target in (cdna, complement(cdna)):
                fasta("g.fa", chr=genome)
                fasta("t.fa", cdna=target)
                done = run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--also",
                           "gtf,faa", "--json")
                cds = rows_of("a.gff3", "CDS")
                assert len(cds) == 3 and read(cds, genome) == coding, (cds, coding)
                spent = 0
                for row in sorted(cds, key=lambda r: int(r[3]), reverse=cds[0][6] == "-"):
                    assert int(row[7]) == -spent % 3, cds
                    spent += int(row[4]) - int(row[3]) + 1
                assert all("partial" not in row[8] for row in cds)
                # GTF has the stop codon apart, and the start codon too.
                assert read(rows_of("a.gtf", "CDS"), genome) == coding[:-3]
                assert read(rows_of("a.gtf", "start_codon"), genome) == "ATG"
                assert read(rows_of("a.gtf", "stop_codon"), genome) == "TAA"
                assert read(rows_of("a.gtf", "exon"), genome) == cdna
                assert records("a.faa") == {"mrna1": translated(coding[:-3])}
                chain = json.loads(done.stdout)["hits"][0]["chain"]
                places = sorted((int(r[3]), int(r[4]), int(r[7])) for r in cds)
                assert sorted((e["coding_first"], e["coding_last"], e["phase"]) for e in chain) \
                    == places, chain
                letters_of = [(e["target_first"], e["target_last"]) for e in chain]
                assert sum(b - a + 1 for a, b in letters_of) == len(cdna), letters_of
                assert [e.get("donor") for e in chain] == ["GT", "GT", None], chain
                assert [e.get("acceptor") for e in chain] == [None, "AG", "AG"], chain


def a_stop_codon_in_two_exons_has_two_lines_of_gtf():
    random.seed(2)
    coding = "ATG" + body(330) + "TAA"
    exons = [coding[:150], coding[150:-2], coding[-2:] + "CTAACTAACTAACC" + re.sub("ATG", "ACG", noise(60))]
    genome = noise(200) + exons[0] + intron() + exons[1] + intron() + exons[2] + noise(200)
    fasta("g.fa", chr=genome)
    fasta("t.fa", cdna="".join(exons))
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--also", "gtf")
    stops = rows_of("a.gtf", "stop_codon")
    assert [(int(r[4]) - int(r[3]) + 1, r[7]) for r in stops] == [(1, "0"), (2, "2")], stops
    assert read(stops, genome) == "TAA" and read(rows_of("a.gtf", "CDS"), genome) == coding[:-3]


def frames_that_are_cut_off_are_partial():
    random.seed(3)
    exons, cdna, coding = gene(codons=200)
    letters = noise(300) + exons[0] + intron() + exons[1] + intron() + exons[2] + noise(300)
    for genome, cut, words in (
            (letters, cdna[100:], ("start_range=.,", "end_range=")),
            (letters, cdna[:-100], ("end_range=", "start_range=")),
            (complement(letters), cdna[100:], ("end_range=", "start_range="))):
        fasta("g.fa", chr=genome)
        fasta("t.fa", cdna=cut)
        run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--also", "gtf")
        cds = rows_of("a.gff3", "CDS")
        assert all("partial=true" in row[8] and words[0] in row[8] and words[1] not in row[8]
                   for row in cds), cds
        phase = max(cds, key=lambda r: int(r[3]) if r[6] == "-" else -int(r[3]))[7]
        text = read(cds, genome)
        assert phase == "0" and len(text) > 400 and "*" not in translated(text[:-3]), (phase, text)
        codons = rows_of("a.gtf", "start_codon"), rows_of("a.gtf", "stop_codon")
        assert [len(c) for c in codons] == ([0, 1] if cut == cdna[100:] else [1, 0]), codons
    # Shorter frames than --min-orf are none.
    fasta("t.fa", cdna=cdna[:-100])
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--min-orf", "300")
    assert rows_of("a.gff3", "CDS") == [] and len(rows_of("a.gff3", "exon")) == 3


def other_programs_take_the_files():
    """gt gff3validator, gffread and samtools, those that are here."""
    random.seed(5)
    exons, cdna, coding = gene("TAACTAACTAA", "CTAACTAACTAA")
    letters = noise(300) + exons[0] + intron() + exons[1] + intron() + exons[2] + noise(300)
    for genome in (letters, complement(letters)):
        fasta("g.fa", chr=genome)
        fasta("t.fa", **{"cdna;1": cdna, "back": complement(cdna)})
        run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--also",
            "gtf", "--also", "sam,faa,html")
        if shutil.which("gt"):
            assert "valid GFF3" in peer("gt", "gff3validator", "a.gff3")
        if shutil.which("gffread"):
            for name in ("a.gff3", "a.gtf"):
                peer("gffread", name, "-g", "g.fa", "-y", "read.faa", "-x", "read.fa", "-w", "exons.fa")
                assert [text.rstrip(".") for text in records("read.faa").values()] == \
                    2 * [translated(coding[:-3])], name
                assert list(records("exons.fa").values()) == 2 * [cdna], name
            assert set(records("read.fa").values()) <= {coding, coding[:-3]}
        if shutil.which("samtools"):
            pathlib.Path("a.bam").write_bytes(b"")
            peer("samtools", "view", "-b", "-o", "a.bam", "a.sam")
            peer("samtools", "quickcheck", "a.bam")
            peer("samtools", "calmd", "a.bam", "g.fa")
            assert "2 + 0 mapped" in peer("samtools", "flagstat", "a.bam")
        assert list(records("a.faa").values()) == 2 * [translated(coding[:-3])]


def the_page_shows_every_exon_and_loads_nothing():
    random.seed(6)
    exons, cdna, _ = gene("TAACTAACTAA", "CTAACTAACTAA")
    odd = "ATATCCTTTTTTTC" + noise(60) + "TTTTTTCCTTAACTTTTTTTTTTTTTTCAC"
    letters = noise(300) + exons[0] + odd + exons[1] + intron() + exons[2] + noise(300)
    for genome in (letters, complement(letters)):
        fasta("g.fa", chr=genome)
        fasta("t.fa", **{"<b>&": cdna, "none": noise(200)})
        run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--also", "html")
        page = pathlib.Path("a.html").read_text()
        assert '<button type="button" id="scheme"' in page, "no button for dark colours"
        assert "splice --genome g.fa --target t.fa -o a --also html" in page, "the page named no command"
        row = table("a")[0]
        for k, exon in enumerate(row["chain"].split(",") if genome == letters
                                 else reversed(row["chain"].split(","))):
            first, last = map(int, exon.split("-"))
            assert f"exon {k + 1}: {first} to {last}, {last - first + 1} bases" in page, exon
        assert "1 of 2 targets aligned, with 3 exons." in page
        assert "1 of 2 introns are not GT..AG." in page and ">AT..AC</text>" in page
        assert "&lt;b&gt;&amp;" in page and "<b>&" not in page
        assert "http" not in page.replace("http-equiv", "") and " src=" not in page
        # Pictures lie within their frame.
        for x, width in re.findall(r'x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', page):
            assert 0 <= float(x) and float(x) + float(width) <= 1000, (x, width)


def a_relative_of_the_whole_read_hid_its_own_gene_cut_short():
    random.seed(9)
    read = noise(600)
    relative = "".join(random.choice("ACGT") if random.random() < 0.28 else base for base in read)
    for size in 300, 120_000:  # whole sequences, and loci
        before = noise(size) + relative + noise(300)
        for genome in (before + read[:430], complement(before + read[:430])):
            fasta("g.fa", chr=genome)
            fasta("t.fa", read=read)
            run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "l", "--ends", "local")
            row = table("l")[0]
            first = len(before) + 1 if genome.startswith(before) else 1
            assert row["identity"] == "1.000000" and int(row["target_last"]) > 420, (size, row)
            assert abs(int(row["first"]) - first) < 10 and abs(int(row["last"]) - first - 429) < 10, (size, row)


def letters_outside_the_frame_made_exons():
    """Letters that the genome lacks, before and after the frame: with --ends cds they are left out."""
    random.seed(11)
    exons, cdna, coding = gene()
    before, after = noise(90) + "TAACTAGCTGA", "GCTAACTAGCTGA" + noise(70)
    genome = noise(20_000) + exons[0] + intron() + exons[1] + intron() + exons[2] + noise(20_000)
    reads = {"a": before + cdna + after, "b": complement(before + cdna + after), "c": noise(40)}
    fasta("g.fa", chr=genome)
    fasta("t.fa", **reads)
    done = run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "c", "--ends", "cds", "--also", "sam")
    assert "all letters are aligned of 1 target without a reading frame of 100 codons" in done.stderr, done.stderr
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "g")
    whole = [table(prefix) for prefix in "cg"]
    for row, name in zip(whole[0], "ab"):
        skipped = len(before) if name == "a" else len(after)
        assert (row["target_first"], row["target_last"]) == (str(skipped + 1), str(skipped + len(coding))), row
        assert (row["exons"], row["identity"], row["first"]) == ("3", "1.000000", "20001"), row
        assert read(rows_of("c.gff3", "CDS")[:3], genome) == coding
        clips = re.findall(r"(\d+)S", [line for line in pathlib.Path("c.sam").read_text().splitlines()
                                       if line.startswith(name + "\t")][0].split("\t")[5])
        assert sorted(map(int, clips)) == sorted((len(before), len(after))), clips
    assert whole[0][2]["sequence"] == "." and float(whole[1][0]["identity"]) < 1, whole
    # Exons from a file, and one direction.
    pathlib.Path("e.tsv").write_text("".join(f"{row[3]}\t{row[4]}\n" for row in rows_of("c.gff3", "exon")[:3]))
    run("splice", "--genome", "g.fa", "--target", "t.fa", "--exons", "e.tsv", "-o", "ef", "--ends", "cds")
    assert table("ef")[0]["identity"] == "1.000000" and table("ef")[0]["chain"] == whole[0][0]["chain"], table("ef")[0]
    refuse("--genome", "g.fa", "--target", "t.fa", "--ends", "cds", "--isoforms", "2", status=2, says="--isoforms")


def planted_genes(share, letters):
    """Writes a genome of six genes, and proteins of which a share of the letters is drawn anew; returns their chains."""
    proteins, genome, truth = {}, noise(30_000), {}
    for g in range(6):
        exons, cdna, coding = gene(codons=150)
        text = exons[0] + intron() + exons[1] + intron() + exons[2]
        places, at = [], 0
        for exon in exons:
            at = text.index(exon, at)
            places.append((at, at + len(exon)))
            at += len(exon)
        if g % 2:
            places = [(len(text) - b, len(text) - a) for a, b in reversed(places)]
            text = complement(text)
        truth[f"p{g}"] = ",".join(f"{len(genome) + a + 1}-{len(genome) + b}" for a, b in places)
        genome += text + noise(14_000)
        protein = translated(coding[:-3])
        proteins[f"p{g}"] = "M" + "".join(c if random.random() > share else random.choice(letters)
                                          for c in protein[1:])
    fasta("g.fa", chr=genome)
    fasta("p.fa", **proteins)
    return truth


def proteins_find_their_loci_in_large_sequences():
    random.seed(9)
    truth = planted_genes(0.125, "ADKLS")
    done = run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "loci", "--json")
    assert {row["target"]: row["chain"] for row in table("loci")} == truth, (table("loci"), truth)
    said = json.loads(done.stdout)
    assert said["targets_by_loci"] == 6 and said["loci"] >= 6 and said["locus_bases"] < 200_000, said
    # Whole sequences have the same answer, at many times the work.
    whole = json.loads(run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "whole",
                           "--exact-window", "--json").stdout)
    assert [row["chain"] for row in table("whole")] == [row["chain"] for row in table("loci")]
    assert whole["executed_cells"] > 10 * said["executed_cells"], (whole, said)
    for threads in "1", "3":
        run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "t", "--threads", threads)
        for end in ("tsv", "gff3", "paf", "txt"):
            assert pathlib.Path(f"t.{end}").read_bytes() == pathlib.Path(f"loci.{end}").read_bytes()


def far_proteins_were_tried_along_whole_sequences():
    random.seed(10)
    truth = planted_genes(0.45, "ACDEFGHIKLMNPQRSTVWY")
    said = json.loads(run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "loci", "--json").stdout)
    assert said["targets_by_loci"] == 6 and said["locus_bases"] < 200_000, said
    assert {row["target"]: row["chain"] for row in table("loci")} == truth, (table("loci"), truth)
    # Along whole sequences the best score is as high or higher, by exons of chance where it is.
    run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "whole", "--exact-window")
    for near, whole in zip(table("loci"), table("whole")):
        assert float(near["score"]) <= float(whole["score"]), (near, whole)
        assert near["chain"] == whole["chain"] or near["score"] != whole["score"], (near, whole)
    run("splice", "--genome", "g.fa", "--save", "protein-index", "-o", "p.idx")
    for options in ("--threads", "1"), ("--threads", "3"), ("--index", "p.idx"):
        run("splice", "--genome", "g.fa", "--protein", "p.fa", "-o", "t", *options)
        for end in ("tsv", "gff3", "paf", "txt"):
            assert pathlib.Path(f"t.{end}").read_bytes() == pathlib.Path(f"loci.{end}").read_bytes(), options


def words_without_effect_are_refused():
    fasta("g.fa", chr="ACGT" * 30)
    fasta("t.fa", cdna="ACGTACGT")
    fasta("p.fa", prot="MKVLH")
    dna = ("--genome", "g.fa", "--target", "t.fa")
    protein = ("--genome", "g.fa", "--protein", "p.fa")
    refuse(*dna, "--also", "bed", status=2, says=("--also", "gtf, sam, bam, faa or html", "bed"))
    refuse(*protein, "--also", "sam", status=2, says="--also sam")
    refuse(*protein, "--min-orf", "9", status=2, says="--min-orf")
    refuse(*protein, "--ends", "local", status=2, says="--ends")
    refuse(*dna, "--ends", "glocal", status=2, says=("--ends", "glocal"))
    refuse(*dna, "--exact-window", "--max-intron", "9", status=2, says="--max-intron")
    pathlib.Path("e.tsv").write_text("1\t8\n")
    refuse(*dna, "--exons", "e.tsv", "--max-loci", "2", status=2, says="--max-loci")
    refuse(*dna, "--estimate", "--also", "gtf", out=False, status=2, says="--also")
    # Two genomes of a batch with one name: SAM could not tell them apart.
    fasta("h.fa", chr="ACGT" * 31)
    pathlib.Path("list.tsv").write_text("g.fa\tauto\tt.fa\nh.fa\tauto\tt.fa\n")
    refuse("--batch", "list.tsv", "--also", "sam", says=("chr", "120 bases", "124"))
    run("splice", "--batch", "list.tsv", "-o", "b", "--also", "gtf")
