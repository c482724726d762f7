"""SAM and BAM of yupana splice against plain arithmetic and other programs: places, clips, flags, the index."""
import gzip
import pathlib
import random
import re
import shutil
import struct

from genes import complement, fasta, gene, intron, noise, refuse, table
from program import peer, run


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


def rna_lost_its_letters_in_bam():
    """U is T for readers of SAM and cs, and N in BAM; introns of RNA are GT..AG."""
    random.seed(8)
    exons, cdna, _ = gene()
    letters = noise(300) + exons[0] + intron() + exons[1] + intron() + exons[2] + noise(300)
    read = cdna[:50] + "TGCA"[("ACGT".index(cdna[50]))] + cdna[51:] + "T"
    rna = lambda text: text.replace("T", "U")
    for genome in letters, rna(letters), complement(letters):
        for target in rna(read), rna(complement(read)), rna(read).lower():
            fasta("g.fa", chr=genome)
            fasta("t.fa", rna=target, none=rna(noise(80)))
            run("splice", "--genome", "g.fa", "--target", "t.fa", "-o", "a", "--also", "sam,bam,html")
            lines = [line.split("\t") for line in pathlib.Path("a.sam").read_text().splitlines() if line[0] != "@"]
            assert lines[0][9].upper() in (read, complement(read)) and set(lines[1][9]) == set("ACGT"), lines
            assert "u" not in pathlib.Path("a.paf").read_text().split("cs:Z:")[1].split("\n")[0]
            assert sorted(line.split("\t")[9] for line in bam_records("a.bam")[1]) == sorted(line[9].upper() for line in lines)
            assert "0 of 2 introns are not GT..AG." in pathlib.Path("a.html").read_text()


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
           says="splice: SAM and BAM have names of 254 letters at most")


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
