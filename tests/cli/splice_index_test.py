"""yupana splice --save index and --index: the same files as without, from an index that is the genome's."""
import functools
import pathlib
import random
import struct
import sys

import genes
from genes import complement, fasta, noise
from program import helper, refuse as refuse_command, run

AUTO = ("--genome", "g.fa", "--exons", "auto", "--target", "t.fa")
ENDINGS = ("tsv", "gff3", "paf", "txt", "sam")
refuse = functools.partial(genes.refuse, status=3)


@helper
def gene():
    exons = [noise(150) for _ in range(3)]
    return (exons[0] + "GTAAGT" + noise(200) + "TTTTCTTTTCAG" + exons[1] + "GTAAGT" + noise(900)
            + "TTTTCTTTTCAG" + exons[2]), "".join(exons)


def genome(around):
    first, second = gene(), gene()
    fasta("g.fa", chr1=noise(around) + first[0] + noise(around), chr2=noise(around) + complement(second[0]))
    fasta("t.fa", a=first[1], b=second[1], c=complement(first[1]), d=noise(400))


def files(prefix):
    return [pathlib.Path(f"{prefix}.{ending}").read_bytes() for ending in ENDINGS]


def outputs_are_those_without_an_index():
    random.seed(1)
    for around in (300, 200_000):  # whole sequences, and loci
        genome(around)
        run("splice", "--genome", "g.fa", "--save", "index", "-o", "g.idx")
        run("splice", *AUTO, "-o", "made", "--also", "sam")
        run("splice", *AUTO, "-o", "mapped", "--also", "sam", "--index", "g.idx")
        assert files("made") == files("mapped"), around
        assert len(files("made")[0].splitlines()) == 5


def outputs_of_proteins_are_those_without_an_index():
    random.seed(6)
    # Table 4 reads TGA as W.
    coding = [random.choice(("GCA", "CGT", "AAC", "GAC", "CAA", "GGT", "CAC", "AAA", "TGA")) for _ in range(200)]
    acids = dict(GCA="A", CGT="R", AAC="N", GAC="D", CAA="Q", GGT="G", CAC="H", AAA="K", TGA="W")
    bases = "ATG" + "".join(coding) + "TAA"
    bases = bases[:301] + "GTAAGT" + noise(400) + "TTTTCTTTTCAG" + bases[301:]
    fasta("g.fa", chr1=noise(150_000), chr2=noise(120_000) + complement(bases) + noise(30_000))
    fasta("p.fa", p="M" + "".join(map(acids.get, coding)), q="MKVLAAGIVTHHEERCWYNQDS" * 4)
    protein = ("--genome", "g.fa", "--exons", "auto", "--protein", "p.fa", "--genetic-code", "4")
    run("splice", "--genome", "g.fa", "--save", "protein-index", "--genetic-code", "4", "-o", "g.idx")
    run("splice", *protein, "-o", "made", "--also", "gtf")
    run("splice", *protein, "-o", "mapped", "--also", "gtf", "--index", "g.idx")
    for ending in ("tsv", "gff3", "paf", "txt", "gtf"):
        made, mapped = (pathlib.Path(f"{prefix}.{ending}").read_bytes() for prefix in ("made", "mapped"))
        assert made == mapped, ending
    head, row = (line.split("\t") for line in pathlib.Path("mapped.tsv").read_text().splitlines()[:2])
    row = dict(zip(head, row))
    assert (row["sequence"], row["strand"], row["exons"], row["unequal"]) == ("chr2", "-", "2", "0"), row


def an_index_of_the_other_kind_is_refused():
    random.seed(7)
    genome(100_000)
    fasta("p.fa", p="MKVLAAGIVTMKVLAAGIVTHHEE")
    protein = ("--genome", "g.fa", "--exons", "auto", "--protein", "p.fa")
    run("splice", "--genome", "g.fa", "--save", "index", "-o", "d.idx")
    run("splice", "--genome", "g.fa", "--save", "protein-index", "-o", "p.idx")
    whole = pathlib.Path("p.idx").read_bytes()
    pathlib.Path("bit.idx").write_bytes(whole[:-5] + bytes([whole[-5] ^ 4]) + whole[-4:])
    refuse(*AUTO, "--index", "p.idx", says="expected an index for cDNAs, got an index for proteins of genetic code 1")
    refuse(*protein, "--index", "d.idx", says="expected an index for proteins of genetic code 1, got an index for cDNAs")
    refuse(*protein, "--index", "p.idx", "--genetic-code", "4", says="of genetic code 4, got")
    refuse(*protein, "--index", "bit.idx", says="bit.idx: damaged: the checksum of its words")


def the_index_is_the_same_for_every_number_of_threads():
    random.seed(2)
    genome(100_000)
    for kind in ("index", "protein-index"):
        for threads in "12":
            run("splice", "--genome", "g.fa", "--save", kind, "-o", "i" + threads, "--threads", threads)
        assert pathlib.Path("i1").read_bytes() == pathlib.Path("i2").read_bytes()


def an_index_of_another_genome_or_a_damaged_one_is_refused():
    random.seed(3)
    genome(2000)
    run("splice", "--genome", "g.fa", "--save", "index", "-o", "g.idx")
    whole = pathlib.Path("g.idx").read_bytes()
    pathlib.Path("cut.idx").write_bytes(whole[:-16])
    pathlib.Path("bit.idx").write_bytes(whole[:-5] + bytes([whole[-5] ^ 4]) + whole[-4:])
    pathlib.Path("old.idx").write_bytes(b"YUPSEED1" + whole[8:])
    for name, words in (("cut.idx", "cut.idx: damaged: cut short"),
                        ("bit.idx", "bit.idx: damaged: the checksum of its words"),
                        ("old.idx", "old.idx: expected an index of version 2"),
                        ("t.fa", "t.fa: expected an index"), ("none", "none")):
        refuse(*AUTO, "--index", name, says=words)
    genome(2000)
    refuse(*AUTO, "--index", "g.idx", says="g.idx: expected the index of this genome")


def checksum(data):
    """That of yupana/genotype/checksum.hpp."""
    def step(lane, word):
        x = (lane ^ word) * 0x9E3779B97F4A7C15 % 2**64
        return (x << 29 | x >> 35) % 2**64
    lanes = list(range(1, 9))
    for at in range(0, len(data), 64):
        words = struct.unpack("<8Q", data[at:at + 64].ljust(64, b"\0"))
        lanes = [step(lane, word) for lane, word in zip(lanes, words)]
    total = functools.reduce(step, lanes, step(0x9E3779B97F4A7C15, len(data)))
    return total ^ total >> 32


def counts_of_a_header_whose_checksum_holds_are_not_believed():
    random.seed(8)
    genome(2000)
    run("splice", "--genome", "g.fa", "--save", "index", "-o", "g.idx")
    whole = pathlib.Path("g.idx").read_bytes()
    assert checksum(whole[:72]) == struct.unpack("<Q", whole[72:80])[0]
    for word in range(1, 9):
        for value in (2**64 - 1, 2**63 - 1, 2**61, 2**40, 7):
            head = whole[:8 * word] + struct.pack("<Q", value) + whole[8 * word + 8:72]
            pathlib.Path("odd.idx").write_bytes(head + struct.pack("<Q", checksum(head)) + whole[80:])
            refuse(*AUTO, "--index", "odd.idx", says="odd.idx: ")


def options_that_have_no_effect_are_refused():
    random.seed(4)
    genome(100)
    run("splice", "--genome", "g.fa", "--save", "index", "-o", "g.idx")
    fasta("p.fa", p="MKVLAAGIVTMKVLAAGIVTHHEE")
    pathlib.Path("e.tsv").write_text("10\t60\n")
    protein = ("--genome", "g.fa", "--exons", "auto", "--protein", "p.fa")
    given = ("--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa")
    for arguments in ((*protein, "--exact-window"), given):
        genes.refuse(*arguments, "--index", "g.idx", says="--index has no effect", status=2)
    refuse_command("splice", "--genome", "g.fa", "--save", "index", "-o", "h.idx", "--genetic-code", "4",
                   says="--genetic-code has no effect but with --save protein-index", status=2)
    refuse_command("splice", "--genome", "g.fa", "--save", "index", "-o", "h.idx", "--target", "t.fa",
                   says="--target has no effect with --save", status=2)
    refuse_command("splice", "--genome", "g.fa", "--save", "index", says="-o", status=2)
    refuse_command("splice", "--save", "index", "-o", "h.idx", says="--genome", status=2)
    assert not pathlib.Path("h.idx").exists()


def an_index_that_nothing_was_looked_up_in_was_taken_whatever_it_was():
    random.seed(7)
    genome(300)
    fasta("p.fa", p="MKVLAAGIVTHHEERCWYNQDS" * 4)
    protein = ("--genome", "g.fa", "--exons", "auto", "--protein", "p.fa")
    for name, options in (("c.idx", ["index"]), ("p.idx", ["protein-index"]), ("p2.idx", ["protein-index", "--genetic-code", 2])):
        run("splice", "--genome", "g.fa", "--save", *options, "-o", name)
    refuse(*protein, "--index", "c.idx", says="expected an index for proteins of genetic code 1, got an index for cDNAs")
    refuse(*protein, "--index", "p2.idx", says="got an index for proteins of genetic code 2")
    said = run("splice", *protein, "--index", "p.idx", "-o", "o").stderr
    assert said.count("--index p.idx: not used") == 1, said
    genome(400)
    refuse(*protein, "--index", "p.idx", says=["expected the index of this genome", "--save protein-index"])
