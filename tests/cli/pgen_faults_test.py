"""Bad PLINK 2 files are refused with one line that says what is wrong; nothing is left behind."""
import pathlib
import struct

import pgen_files as pgen
from pgen_files import HEAD, companions, genotypes, records
from program import refuse as refused


def refuse(*arguments, says):
    refused("dist", "c.pgen", *arguments, "-o", "new", says=says)


def put(data):
    pathlib.Path("c.pgen").write_bytes(data)


def bad_headers():
    companions("c", 5, 10)
    rows = genotypes(10, 5, 21)
    pgen.write_variable("c.pgen", 10, records(rows, 22))
    good = pathlib.Path("c.pgen").read_bytes()
    for data, says in ((b"", ["6c 1b"]), (good[:2], ["6c 1b"]), (good[:11], ["cut short"]),
                       (good[:19], ["cut short"]), (good[:30], ["cut short"]),
                       (good[:-1], ["cut short"]),
                       (b"\x6b" + good[1:], ["no .pgen file"]),
                       (b"\x1f\x8b" + good, ["gunzip"]), (b"\x28\xb5\x2f\xfd" + good, ["zstd"]),
                       (b"\x6c\x1b\x00" + good[3:], ["sample-major"]),
                       (b"\x6c\x1b\x05" + good[3:], ["storage mode 05"]),
                       (b"\x6c\x1b\x80" + good[3:], ["storage mode 80"]),
                       (b"\x6c\x1b\x30" + good[3:], ["index", ".pgi"]),
                       (b"\x6c\x1b\x20" + good[3:], ["c.pgen.pgi", "cannot be opened"]),
                       (b"\x6c\x1b\x01" + good[3:], ["expected 18 bytes"]),
                       (good[:3] + struct.pack("<I", 6) + good[7:], ["6 variants", "c.pvar", "5"]),
                       (good[:3] + b"\xff" * 4 + good[7:], ["4294967295 variants"]),
                       (good[:7] + struct.pack("<I", 9) + good[11:], ["9 samples", "c.psam", "10"]),
                       (good[:11] + b"\x08" + good[12:], ["layout"]),
                       (good[:12] + struct.pack("<Q", 3) + good[20:], ["begin at byte 3"]),
                       (good[:12] + b"\xff" * 8 + good[20:], ["cut short"]),
                       (good[:23] + b"\xff\xff" + good[25:], ["damaged or cut short"])):
        put(data)
        refuse(says=["c.pgen", *says])
    for mode in (2, 3, 4):
        pgen.write_fixed("c.pgen", mode, rows, tail=bytes({2: 0, 3: 20, 4: 40}[mode]))
        good = pathlib.Path("c.pgen").read_bytes()
        for data in (good[:-1], good + b"x", good[:11] + b"\x01" + good[12:]):
            put(data)
            refuse(says=["c.pgen"])
    pgen.write_variable("c.pgen", 10, records(rows, 22), mode=0x20)
    index = pathlib.Path("c.pgen.pgi")
    good = index.read_bytes()
    for data in (good[:20], b"\x6c\x1b\x31" + good[3:], b"\x6c\x1b\x10" + good[3:],
                 good[:7] + struct.pack("<I", 11) + good[11:]):
        index.write_bytes(data)
        refuse(says=["c.pgen.pgi"])


def bad_records():
    companions("c", 2, 100)
    row = genotypes(100, 1, 23)[0]
    plain = pgen.packed(row, 2)
    few = pgen.difflist(100, [3, 50], [1, 2])
    many = pgen.difflist(100, list(range(0, 100)), [1] * 100)
    for kind, data, says in ((0, plain[:-1], "ends inside"), (0, plain + b"x", "longer"),
                             (0, b"", "ends inside"), (5, b"\0", "longer"),
                             (1, b"", "ends inside"), (1, b"\x04" + bytes(14), "two most frequent"),
                             (1, b"\x0b" + bytes(14), "two most frequent"),
                             (1, b"\x11" + bytes(14), "two most frequent"),
                             (1, b"\x01" + bytes(12), "ends inside"),
                             (4, b"", "ends inside"), (4, few[:-1], "ends inside"),
                             (4, few + b"\0", "longer"), (4, b"\x65" + few[1:], "own sizes"),
                             (4, b"\xff\xff\xff\xff\xff", "too many bytes"),
                             (4, b"\x80\x80\x80\x80\x80\x01", "too many bytes"),
                             (6, b"\x01\x64\x01", "does not have"),
                             (7, b"\x02\x62\x05\x02", "does not have"),
                             (4, b"\x02\x03\x09\x00", "twice"),
                             (4, many[:1] + b"\0\x07" + many[3:], "twice"),
                             (4, many[:1] + b"\0\x40\x05" + many[4:], "own sizes"),
                             (8, plain + b"\xff", "several ALT"), (0x80, plain, "phased dosages")):
        pgen.write_variable("c.pgen", 100, [(0, plain), (kind, data)], wide_types=True)
        refuse(says=["c.pgen", "variant 2", says])
    pgen.write_variable("c.pgen", 100, [(2, few), (0, plain)])
    refuse(says=["variant 1", "differences"])


def bad_alleles():
    companions("c", 1, 100)
    pathlib.Path("c.pvar").write_text(HEAD + "1\t1\ta\tG\tA,C,T\t.\t.\t.\n")
    row = [1] * 50 + [2] * 50
    main_track = pgen.packed(row, 2)
    ones = pgen.packed([1] * 50, 1)
    for track, says in ((b"", "ends inside"), (b"\xf2", "not defined"), (b"\x5f", "not defined"),
                        (b"\xf0" + ones[:-1], "ends inside"), (b"\xf0" + ones, "ends inside"),
                        (b"\xf1" + pgen.difflist(100, [60]) + b"\0", "whose call has none"),
                        (b"\xf1" + pgen.difflist(100, [6, 7]) + b"", "ends inside"),
                        (b"\x1f" + pgen.difflist(100, [60]) + b"\x0f", "does not have"),
                        (b"\x1f" + pgen.difflist(100, [60]) + b"\x01", "does not have"),
                        (b"\xff\0", "longer")):
        pgen.write_variable("c.pgen", 100, [(8, main_track + track)])
        refuse("--multiallelic", "split", says=["c.pgen", "variant 1", says])


def bad_companions():
    companions("c", 3, 5)
    rows = genotypes(5, 3, 24)
    pgen.write_variable("c.pgen", 5, records(rows, 25))
    good = pathlib.Path("c.pvar").read_text()
    for text, says in (("", ["0"]), (good + "1\t9\tx\tG\tA\t.\t.\t.\n", ["3 variants", "c.pvar has 4"]),
                       (good.replace("\tREF", "\tX"), ["REF"]), (good.replace("\tPOS", ""), ["POS"]),
                       (good.replace("\tID\t", "\tPOS\t"), ["twice"]),
                       (good.replace("v0\tG\tA\t.\tPASS\tPR", "v0"), ["c.pvar:3"]),
                       (good.replace("1\t1\tv0", "1\tone\tv0"), ["c.pvar:3", "one"]),
                       (good + "#CHROM\n", ["header comes first"]),
                       (good.replace("v1", "v\0"), ["NUL"])):
        pathlib.Path("c.pvar").write_text(text)
        refuse(says=says)
    pathlib.Path("c.pvar").write_text(good.replace("A\t.\tPASS", "A\tx\tPASS"))
    refuse("--var-min-qual", 1, says=["c.pvar:3", "QUAL"])
    pathlib.Path("c.pvar").write_text(good)
    refuse("--region", "99", says=["--region", "99"])
    good = pathlib.Path("c.psam").read_text()
    for text, says in (("", ["no samples"]), (good + "F9 I9 0 0 1\n", ["5 samples", "c.psam has 6"]),
                       (good + "F0 I0 0 0 1\n", ["appears in line"]),
                       (good.replace("#FID\tIID", "#FID\tSEX2"), ["#FID IID"]),
                       (good.replace("PAT\tMAT", "PAT\tPAT"), ["twice"]),
                       (good.replace("PAT\tMAT", "PAT\tx"), ["PAT and MAT"]),
                       ("#IID\n" + good, ["one header"]), ("a\nb\nc\nd\ne\n", ["expected a header"]),
                       (good.replace("F1\tI1\t0\t0\t1", "F1\tI1"), ["c.psam:3"])):
        pathlib.Path("c.psam").write_text(text)
        refuse(says=says)
