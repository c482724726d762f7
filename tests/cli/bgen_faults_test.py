"""Bad BGEN files are refused with one line that says what is wrong; nothing is left behind."""
import pathlib
import shutil
import struct
import zlib

import bgen_files as bgen
from program import run
from program import refuse as refused

NAMES = ["a", "b", "c"]
TWO = [(2, 0)] * 3


def refuse(*arguments, says, status=3):
    refused("dist", "c.bgen", *arguments, "-o", "new", says=says, status=status)


def put(data):
    pathlib.Path("c.bgen").write_bytes(data)


def changed(data, at, bytes_):
    return data[:at] + bytes_ + data[at + len(bytes_):]


def bad_headers():
    bgen.write("c.bgen", 3, [bgen.variant(bgen.unphased([0, 1, 2]))], names=NAMES)
    run("dist", "c.bgen", "-o", "out")
    good = pathlib.Path("c.bgen").read_bytes()
    names_at = 24
    for data, says in ((b"", "no BGEN file"), (good[:12], "no BGEN file"), (good[:23], "no BGEN file"),
                       (changed(good, 16, b"vcf!"), "bytes 'bgen'"),
                       (changed(good, 0, b"\xff\xff\xff\xff"), "damaged or cut short"),
                       (changed(good, 0, b"\x03\0\0\0"), "damaged or cut short"),
                       (changed(good, 4, b"\x13\0\0\0"), "damaged or cut short"),
                       (changed(good, 4, b"\xff\xff\0\0"), "damaged or cut short"),
                       (changed(good, 20, b"\x05"), "layout 1"),
                       (changed(good, 20, b"\x01"), "layout 0"),
                       (changed(good, 20, b"\x0d"), "layout 3"),
                       (changed(good, 20, b"\x0b"), "compression 3"),
                       (changed(good, 12, b"\0\0\0\0"), "holds no samples"),
                       (changed(good, 12, b"\4\0\0\0"), "4 samples, its block of names 3"),
                       (changed(good, 23, b"\0"), "no names of samples"),
                       (changed(good, 8, b"\2\0\0\0"), "variant 2"),
                       (changed(good, 8, b"\xff\xff\xff\xff"), "variant 2"),
                       (changed(good, 8, b"\0\0\0\0"), "after its 0 variants"),
                       (good + b"x", "1 byte after its 1 variant"),
                       (changed(good, names_at, b"\x05"), "another size"),
                       (changed(good, names_at, b"\xff"), "another size"),
                       (changed(good, names_at, b"\x0a"), "cut short"),
                       (changed(good, names_at + 8, b"\xff\xff"), "cut short"),
                       (changed(good, names_at + 14, b"\0\0"), "longer than the names"),
                       (changed(good, names_at + 13, b"a"), "'a' appears twice")):
        put(data)
        refuse(says=["c.bgen", says])


def bad_variants():
    def broken(says, *, data=None, compression=1, **named):
        bgen.write("c.bgen", 3, [bgen.variant(data or bgen.unphased([0, 1, 2]), compression, **named)],
                   compression, names=NAMES)
        refuse("--all-chr", says=["c.bgen", "variant 1 (", says])
    broken("names no chromosome", contig="")
    broken("blank or control", contig="1 2")
    broken("blank or control", name="a\tb")
    broken("1 allele,", alleles=("A",))
    broken("0 alleles,", alleles=())
    broken("blank or control", alleles=("A", "\n"))
    bgen.write("c.bgen", 3, [bgen.variant(bgen.unphased([0, 1, 2]))], names=NAMES)
    good = pathlib.Path("c.bgen").read_bytes()
    head = len(bgen.header(1, 3, names=NAMES))
    for cut in range(head, len(good)):
        put(good[:cut])
        refuse(says="cut short")
    sizes = good.rindex(struct.pack("<I", len(bgen.unphased([0, 1, 2])))) - 4
    put(changed(good, sizes, b"\3\0\0\0"))
    refuse(says="less data than its sizes")
    put(changed(good, sizes, b"\xff\xff\xff\xff"))
    refuse(says="cut short")
    alleles = good.index(b"\1\0\0\0G") - 2
    put(changed(good, alleles, b"\xff\xff"))
    refuse(says="cut short")
    put(changed(good, alleles + 2, b"\xff\xff\xff\xff"))
    refuse(says="cut short")


def bad_probabilities():
    def broken(says, data, compression=1, **named):
        bgen.write("c.bgen", 3, [bgen.variant(data, compression, **named)], compression, names=NAMES)
        refuse(says=["c.bgen", "variant 1 (its data are at byte ", says])
    good = bgen.probabilities(TWO, [[255, 0], [0, 255], [0, 0]], 8)
    for packing in (0, 1, 2):
        if packing == 2 and shutil.which("zstd") is None:
            continue
        broken("ends inside its ploidies", good[:12], packing)
        broken("ends inside its probabilities", good[:-1], packing)
        broken("longer than its probabilities", good + b"\0", packing)
        broken("another number of samples", changed(good, 0, b"\4"), packing)
        broken("another number of alleles", changed(good, 4, b"\3"), packing)
        broken("more than two alleles", changed(good, 7, b"\3"), packing)
        broken("ploidy outside", changed(good, 8, b"\1"), packing)
        broken("ploidy outside", changed(good, 8, b"\x3f"), packing)
        broken("neither phased nor", changed(good, 11, b"\2"), packing)
        broken("1 or over 32 bits", changed(good, 12, b"\0"), packing)
        broken("1 or over 32 bits", changed(good, 12, b"\x21"), packing)
        broken("above 1", changed(good, 13, b"\xff\x01"), packing)
    bgen.write("c.bgen", 3, [bgen.variant(
        bgen.probabilities(TWO, [[200, 100, 0, 0, 0]] * 3, 8, alleles=3), alleles=("A", "C", "G"))],
        names=NAMES)
    refuse("--multiallelic", "split", says="above 1")


def bad_compression():
    data = bgen.unphased([0, 1, 2])
    whole = bgen.variant(data)
    body = zlib.compress(data, 1)
    prefix = whole[:-len(body) - 8]

    def broken(says, packed, size=len(data), packing=1):
        variant = prefix + struct.pack("<II", len(packed) + 4, size) + packed
        bgen.write("c.bgen", 3, [variant], packing, names=NAMES)
        refuse(says=["c.bgen", "variant 1 (its data are at byte ", says])
    for cut in range(len(body)):
        broken("no zlib stream", body[:cut])
    broken("after its data", body + b"x")
    broken("more bytes than it says", body, len(data) - 1)
    broken("less bytes than it says", body, len(data) + 1)
    broken("more bytes than probabilities take", body, 2**32 - 1)
    broken("no zlib stream", changed(body, len(body) - 1, b"\0"))
    broken("no zlib stream", b"PK" + body[2:])
    if shutil.which("zstd") is None:
        return
    frame = bgen.packed(data, 2)[8:]
    for cut in range(len(frame)):
        broken("no Zstandard frame", frame[:cut], packing=2)
    broken("after its data", frame + b"x", packing=2)
    broken("more bytes than it says", frame, len(data) - 1, packing=2)
    broken("less bytes than it says", frame, len(data) + 1, packing=2)


def bad_sample_files():
    bgen.write("c.bgen", 3, [bgen.variant(bgen.unphased([0, 1, 2]))], names=NAMES)
    for text, says in (("", "c.sample:1: expected the header"), ("a b c\n", "c.sample:1: expected the header"),
                       ("ID_1 ID_2 missing\n", "c.sample:2: expected the types"),
                       ("ID_1 ID_2 missing\n0 0\n", "c.sample:2: expected the types of 3"),
                       ("ID_1 ID_2 missing\nD 0 0\n", "c.sample:2: expected the types of 3"),
                       ("ID_1 ID_2 missing\n0 0 0\n", "no samples"),
                       ("ID_1 ID_2 missing\n0 0 0\n0 a 0\n0 b\n", "c.sample:4: expected 3 columns"),
                       ("ID_1 ID_2 missing\n0 0 0\n0 a 0\n0 b 0\n", "3 samples, c.sample has 2"),
                       ("ID_1 ID_2 missing\n0 0 0\n0 a 0\n0 b 0\n0 a 0\n", "'a' appears in line 3"),
                       ("ID_1 ID_2 missing\n0 0 0\n0 a\0 0\n", "NUL")):
        pathlib.Path("c.sample").write_text(text)
        refuse(says=["c", says])
    pathlib.Path("c.sample").unlink()
    refuse("--sample", "none", says=["none", "cannot be opened"])
