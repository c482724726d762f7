#!/usr/bin/env python3
"""The files of yupana splice against what other programs, and plain arithmetic, make of them: CDS and
phases, GTF, SAM, proteins, the page; ends that are cut, and several places of a target."""
import gzip
import json
import pathlib
import random
import re
import shutil
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from genes import complement, fasta, noise, refuse, table, translated
from program import main, peer, run


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


def sam_adds_up(prefix, genomes, targets):
    """Every line of the SAM, walked base by base."""
    lengths = {}
    for line in pathlib.Path(prefix + ".sam").read_text().splitlines():
        if line.startswith("@SQ"):
            tags = dict(field.split(":", 1) for field in line.split("\t")[1:])
            lengths[tags["SN"]] = int(tags["LN"])
        if line.startswith("@"):
            continue
        name, flag, sequence, place, _, cigar, _, _, _, letters, _, *tags = line.split("\t")
        flag, at, letter, different, cs = int(flag), int(place) - 1, 0, 0, ""
        given = targets[name]
        if flag & 4:
            assert letters == given and cigar == "*"
            continue
        assert letters == (complement(given) if flag & 16 else given)
        genome = genomes[sequence]
        assert "".join(n + op for n, op in re.findall(r"(\d+)([=XIDNS])", cigar)) == cigar
        for n, op in re.findall(r"(\d+)([=XIDNS])", cigar):
            n = int(n)
            pairs = list(zip(genome[at:at + n], letters[letter:letter + n]))
            if op == "=":
                assert all(a == b for a, b in pairs) and len(pairs) == n
                cs += f":{n}"
            if op == "X":
                assert all(a != b for a, b in pairs) and len(pairs) == n
                cs += "".join(f"*{a}{b}".lower() for a, b in pairs)
            if op == "D":
                cs += "-" + genome[at:at + n].lower()
            if op == "I":
                cs += "+" + letters[letter:letter + n].lower()
            if op == "N":
                cs += f"~{genome[at:at + 2]}{n}{genome[at + n - 2:at + n]}".lower()
            different += n if op in "XID" else 0
            at += n if op in "=XDN" else 0
            letter += n if op in "=XIS" else 0
        assert letter == len(letters), cigar
        own = {tag[:2]: tag[5:] for tag in tags}
        assert int(own["NM"]) == different and own["cs"] == cs, (own, different, cs)
    assert lengths == {name: len(letters) for name, letters in genomes.items()}


def sam_is_what_the_alignment_is():
    random.seed(4)
    exons, cdna, _ = gene()
    letters = noise(300) + exons[0] + intron() + exons[1] + intron() + exons[2] + noise(300)
    other = "".join(c if random.random() > 0.06 else random.choice(["", "ACGT"[random.randrange(4)], c + "A"])
                    for c in cdna)
    targets = {"same": cdna, "back": complement(cdna), "other": other, "back_other": complement(other),
               "none": noise(300)}
    for strand in "+-":
        genomes = {"chr1": letters if strand == "+" else complement(letters), "chr2": noise(500)}
        fasta("g.fa", **genomes)
        fasta("t.fa", **targets)
        for ends in ("global", "local"):
            run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--also", "sam",
                "--ends", ends)
            sam_adds_up("a", genomes, targets)
            lines = [line.split("\t") for line in pathlib.Path("a.sam").read_text().splitlines()
                     if not line.startswith("@")]
            assert [line[1] for line in lines] == \
                [{"+": f, "-": {"0": "16", "16": "0"}.get(f, f)}[strand]
                 for f in ("0", "16", "0", "16", "4")], lines
            assert all(f"XS:A:{strand}" in line for line in lines[:4]), lines
            assert [tag for line in lines for tag in line if tag.startswith("ts")] == \
                ["ts:A:+", "ts:A:-", "ts:A:+", "ts:A:-"]
            assert all(re.fullmatch(r"\d+", line[11 + 1].removeprefix("AS:i:")) for line in lines[:4])


def bam_records(path):
    """(reference names, lines of SAM) of a BAM, decoded by hand."""
    data = gzip.decompress(pathlib.Path(path).read_bytes())
    at = 0

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    assert take("4s") == b"BAM\x01"
    take(f"{take('i')}s")
    names, lines = [], []
    for _ in range(take("i")):
        names.append(take(f"{take('i')}s")[:-1].decode())
        take("i")
    while at < len(data):
        end = take("i") + at
        tid, pos, l_name, mapq, _, n_cigar, flag, l_seq, _, _, _ = take("iiBBHHHiiii")
        name = take(f"{l_name}s")[:-1].decode()
        cigar = "".join(f"{word >> 4}{'MIDNSHP=X'[word & 15]}"
                        for word in struct.unpack(f"<{n_cigar}I", take(f"{4 * n_cigar}s") if n_cigar else b""))
        packed = data[at:at + (l_seq + 1) // 2]
        at += (l_seq + 1) // 2 + l_seq  # no qualities
        letters = "".join("=ACMGRSVTWYHKDBN"[byte >> 4] + "=ACMGRSVTWYHKDBN"[byte & 15] for byte in packed)
        tags = []
        while at < end:
            tag, kind = take("2s").decode(), take("c").decode()
            if kind == "Z":
                stop = data.index(b"\0", at)
                value, at = data[at:stop].decode(), stop + 1
            else:
                value = take("c").decode() if kind == "A" else take(dict(zip("cCsSiI", "bBhHiI"))[kind])
            tags.append(f"{tag}:{kind if kind in 'AZ' else 'i'}:{value}")
        lines.append("\t".join([name, str(flag), names[tid] if tid >= 0 else "*", str(pos + 1), str(mapq),
                                cigar or "*", "*", "0", "0", letters[:l_seq], "*"] + tags))
    return names, lines


def bam_has_the_records_of_the_sam_in_order():
    random.seed(12)
    first, second = gene(), gene("TAACTAACTAA", "CTAACTAACTAA")
    join = lambda exons: exons[0] + intron() + exons[1] + intron() + exons[2]
    fasta("g.fa", chrA=noise(200) + join(second[0]) + noise(100),
          chrB=noise(900) + complement(join(first[0])) + noise(300) + join(second[0]) + noise(50))
    fasta("t.fa", late=first[1], none=noise(300), early=complement(second[1]), odd=first[1][:-1] + "N")
    for threads in "12":
        run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a" + threads, "--also", "sam,bam",
            "--max-loci", "3", "--threads", threads)
    assert pathlib.Path("a1.bam").read_bytes() == pathlib.Path("a2.bam").read_bytes()
    assert pathlib.Path("a1.bam.bai").read_bytes()[:4] == b"BAI\x01"
    lines = [line for line in pathlib.Path("a1.sam").read_text().splitlines() if line[0] != "@"]
    names, found = bam_records("a1.bam")
    assert names == ["chrA", "chrB"] and sorted(found) == sorted(lines) and len(lines) == 5, (found, lines)
    fields = [line.split("\t") for line in found]
    order = [(names.index(f[2]) if f[2] in names else 9, int(f[3])) for f in fields]
    assert order == sorted(order) and fields[-1][0] == "none", order
    if shutil.which("samtools"):
        peer("samtools", "quickcheck", "a1.bam")
        assert peer("samtools", "view", "a1.bam").splitlines() == found
        begin = int(fields[0][3])
        assert peer("samtools", "view", "a1.bam", f"chrA:{begin}-{begin}").splitlines() == found[:1]
        assert "@HD\tVN:1.6\tSO:coordinate\n" in peer("samtools", "view", "-H", "a1.bam")
    fasta("t.fa", **{"n" * 255: first[1]})
    refuse("--genome", "g.fa", "--target", "t.fa", "--also", "bam",
           says="splice: BAM has names of 254 letters at most")


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


def letters_that_reads_have_wrong_made_exons():
    """Both ends of a read are unknown: with --ends local they are left out, not put somewhere."""
    random.seed(7)
    exons, cdna, _ = gene()
    before, after = noise(20_000), noise(20_000)
    genome = before + exons[0] + intron() + exons[1] + intron() + exons[2] + after
    fasta("g.fa", chr=genome)
    read = 25 * "N" + cdna[60:-60] + 25 * "N"
    reads = {"a": read, "b": complement(read)}
    fasta("t.fa", **reads)
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "l", "--ends", "local", "--also", "sam")
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "g")
    first = len(before) + 61
    last = len(before) + len(genome) - len(before) - len(after) - 60
    for row, name in zip(table("l"), "ab"):
        assert row["exons"] == "3", row
        assert (row["first"], row["last"]) == (str(first), str(last)), (row, first, last)
        assert (row["target_first"], row["target_last"]) == ("26", str(len(read) - 25)), row
        assert row["identity"] == "1.000000", row
        clips = re.findall(r"(\d+)S", [line for line in pathlib.Path("l.sam").read_text().splitlines()
                                       if line.startswith(name + "\t")][0].split("\t")[5])
        assert clips == ["25", "25"], clips
        paf = [line.split("\t") for line in pathlib.Path("l.paf").read_text().splitlines()]
        assert [line[2:4] for line in paf] == 2 * [["25", str(len(read) - 25)]], paf
    assert all(float(row["identity"]) < 0.9 for row in table("g")), table("g")
    for row in table("g"):
        assert (row["target_first"], row["target_last"]) == ("1", row["target_length"]), row


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


def places_of_copies_were_not_told():
    random.seed(8)
    exons, cdna, _ = gene()
    copy = exons[0] + intron() + exons[1] + intron() + exons[2]
    weak = list(copy)
    for at in range(5, len(weak), 30):
        weak[at] = "ACGT"["ACGT".index(weak[at]) - 1]
    genome = noise(80_000) + copy + noise(60_000) + complement(copy) + noise(60_000) + "".join(weak) + \
        noise(500)
    fasta("g.fa", chr=genome)
    other = noise(400)
    fasta("t.fa", cdna=cdna, none=other)
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "one", "--also", "sam")
    run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "all", "--also", "sam", "--max-loci", "9")
    rows = table("all")
    assert [row["rank"] for row in rows] == ["1", "2", "3", "1"], rows
    assert [row["target"] for row in rows] == ["cdna", "cdna", "cdna", "none"]
    assert rows[0] == table("one")[0] and len(table("one")) == 2
    assert [row["strand"] for row in rows[:3]] == ["+", "-", "+"]
    assert [row["mapq"] for row in rows[1:3]] == ["0", "0"]
    assert float(rows[2]["identity"]) < float(rows[1]["identity"]) == 1
    flags = [line.split("\t")[1] for line in pathlib.Path("all.sam").read_text().splitlines()
             if not line.startswith("@")]
    assert flags == ["0", "272", "256", "4"], flags
    paf = [line.split("\t") for line in pathlib.Path("all.paf").read_text().splitlines()]
    assert ["tp:A:S" in line for line in paf] == [False, True, True, False]
    sam_adds_up("all", {"chr": genome}, {"cdna": cdna, "none": other})


def proteins_find_their_loci_in_large_sequences():
    random.seed(9)
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
        # A relative: one amino acid in eight differs.
        proteins[f"p{g}"] = "M" + "".join(c if random.random() > 0.125 else random.choice("ADKLS")
                                          for c in protein[1:])
    fasta("g.fa", chr=genome)
    fasta("p.fa", **proteins)
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


if __name__ == "__main__":
    sys.exit(main(helpers=[intron]))
