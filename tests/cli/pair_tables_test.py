"""dist --pairs-below, --pairs-above: the same pairs for any memory, as TSV and Parquet, without a matrix."""
import pathlib
import re
import shutil
import struct
import subprocess
import sys

from program import PROGRAM, helper, refuse, run

# Run in an interpreter of its own: a child's peak begins with what its parent has.
PEAK = """import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6)"""
SANITIZED = any(name in pathlib.Path(PROGRAM).read_bytes() for name in (b"__asan_init", b"__tsan_init", b"new_memory_is_filled"))


def peak_of(*arguments):
    """Exit status and largest resident memory of a run, in MB."""
    done = subprocess.run([sys.executable, "-S", "-c", PEAK, PROGRAM, *map(str, arguments)],
                          capture_output=True, text=True, check=True)
    status, megabytes = done.stdout.split()
    return int(status), float(megabytes)

SAMPLES = 700


@helper
def cohort():
    run("simulate", "--samples", SAMPLES, "--sites", 3000, "--missing", 0.01, "-o", "c", "--quiet")


def lines(path):
    return [line.split("\t") for line in pathlib.Path(path).read_text().splitlines()]


class Compact:
    """Structs of Thrift's compact protocol as dicts by field number."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def value(self, kind):
        if kind in (5, 6):
            number = self.varint()
            return number >> 1 ^ -(number & 1)
        if kind == 8:
            size = self.varint()
            self.at += size
            return bytes(self.data[self.at - size:self.at])
        if kind == 9:
            head = self.byte()
            size = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(size)]
        assert kind == 12, f"type {kind}"
        fields, field = {}, 0
        while head := self.byte():
            assert head >> 4, "a field without a step"
            field += head >> 4
            fields[field] = self.value(head & 15)
        return fields


def values_of(page, kind):
    if kind != 6:
        return list(struct.unpack(f"<{len(page) // 8}{'q' if kind == 2 else 'd'}", page))
    texts, at = [], 0
    while at < len(page):
        size, = struct.unpack_from("<I", page, at)
        texts.append(page[at + 4:at + 4 + size].decode())
        at += 4 + size
    return texts


def read_parquet(path):
    """Columns of a table as the format's specification lays them out: every byte belongs to a part."""
    data = pathlib.Path(path).read_bytes()
    size, = struct.unpack("<I", data[-8:-4])
    assert data[:4] == data[-4:] == b"PAR1"
    reader = Compact(data, len(data) - 8 - size)
    footer = reader.value(12)
    assert reader.at == len(data) - 8
    names = [element[4].decode() for element in footer[2][1:]]
    columns, at = [[] for _ in names], 4
    for group in footer[4]:
        for k, chunk in enumerate(group[1]):
            facts = chunk[3]
            assert facts[9] == at and facts[5] == group[3] and facts[3] == [names[k].encode()]
            page = Compact(data, at)
            header = page.value(12)
            assert header[5][1] == group[3]
            packed = data[page.at:page.at + header[3]]
            plain = subprocess.run(["zstd", "-dc"], input=packed, capture_output=True, check=True).stdout
            assert len(plain) == header[2]
            at = page.at + header[3]
            assert facts[7] == at - facts[9] and facts[6] - facts[7] == len(plain) - len(packed)
            columns[k] += values_of(plain, facts[1])
        assert group[2] == sum(chunk[3][6] for chunk in group[1])
    assert at == len(data) - 8 - size
    assert footer[3] == sum(group[3] for group in footer[4])
    return names, list(zip(*columns, strict=True)), len(footer[4])


def pairs_are_those_of_the_matrix():
    import numpy as np
    cohort()
    run("dist", "c.bed", "--metric", "1-ibs", "--pairs-below", 0.3, "--pairs-above", 0.2, "-o", "d")
    d, ids = np.load("d.dist.npy"), pathlib.Path("d.ids").read_text().split()
    expected = [[ids[j], ids[i], d[i, j]] for i in range(SAMPLES) for j in range(i) if 0.2 < d[i, j] < 0.3]
    table = lines("d.pairs.tsv")
    assert table[0] == ["sample1", "sample2", "value"] and 0 < len(expected) < SAMPLES * (SAMPLES - 1) // 2
    assert [[one, other, float(value)] for one, other, value in table[1:]] == expected


def no_matrix_writes_the_list_alone_for_any_memory():
    cohort()
    options = ("c.bed", "--metric", "king", "--pairs-above", 0, "--no-matrix")
    done = run("dist", *options, "-o", "k")
    assert sorted(path.name for path in pathlib.Path(".").glob("k.*")) == ["k.ids", "k.pairs.tsv"]
    run("dist", *options, "-o", "small", "--memory", "21M")
    assert "2 passes" in run("dist", *options, "--plan", "--memory", "21M").stdout
    assert pathlib.Path("small.pairs.tsv").read_bytes() == pathlib.Path("k.pairs.tsv").read_bytes()
    assert f"pairs    {len(lines('k.pairs.tsv')) - 1} listed" in done.stdout, done.stdout


def parquet_has_the_rows_of_the_text():
    if shutil.which("zstd") is None:
        print("zstd is not installed: not decompressed")
        return
    cohort()
    options = ("c.bed", "--metric", "euclidean", "--pairs-above", -1, "--no-matrix")
    run("dist", *options, "-o", "d")
    run("dist", *options, "-o", "d", "--pairs-format", "parquet", "--threads", 1)
    names, rows, groups = read_parquet("d.pairs.parquet")
    text = lines("d.pairs.tsv")
    assert names == text[0] and groups > 1
    assert rows == [(one, other, float(value)) for one, other, value in text[1:]]
    run("dist", *options, "-o", "two", "--pairs-format", "parquet", "--threads", 2, "--memory", "30M")
    assert pathlib.Path("two.pairs.parquet").read_bytes() == pathlib.Path("d.pairs.parquet").read_bytes()


def row_groups_of_parquet_were_not_counted_in_memory():
    run("simulate", "--samples", 2000, "--sites", 300, "-o", "c", "--quiet")
    needs = {}
    for form in ("tsv", "parquet"):
        options = ("dist", "c.bed", "--metric", "euclidean", "--pairs-above", -1, "--no-matrix", "--threads", 2,
                   "--pairs-format", form, "-o", "d", "--quiet")
        told = run(*options, "--memory", "1M", status=4).stderr
        needs[form] = float(re.search(r"need ([\d.]+) MB, --memory allows", told)[1])
        for allowed in (needs[form], 2 * needs[form]):
            status, took = peak_of(*options, "--memory", f"{allowed}M")
            assert status == 0 and (SANITIZED or took <= 1.05 * allowed), (form, allowed, took)
    assert needs["parquet"] > needs["tsv"] + 5, needs


def kinships_in_parquet_are_those_of_the_text():
    if shutil.which("zstd") is None:
        print("zstd is not installed: not decompressed")
        return
    run("simulate", "--samples", 90, "--sites", 2000, "--family-size", 4, "--missing", 0.01, "-o", "kin", "--quiet")
    for options in ((), ("--king-table-ibd",), ("--king-table-filter", 0.1)):
        given = ("dist", "kin.bed", "--make-king-table", *options)
        told = run(*given, "-o", "k").stdout
        written = run(*given, "-o", "k", "--pairs-format", "parquet", "--threads", 1).stdout
        assert told.replace("k.kin0", "k.kin0.parquet") == written, (told, written)
        names, rows, groups = read_parquet("k.kin0.parquet")
        text = lines("k.kin0")
        assert ["#" + names[0], *names[1:]] == text[0] and groups == 1
        assert [type(cell) for cell in rows[0][4:9]] == [int, float, float, float, str]
        of_text = [[*row[:4], int(row[4]), *map(float, row[5:8]), row[8], *map(float, row[9:])] for row in text[1:]]
        assert rows == [tuple(row) for row in of_text] and 0 < len(rows) <= 90 * 89 // 2
        run(*given, "-o", "two", "--pairs-format", "parquet", "--threads", 2, "--memory", "60M")
        assert pathlib.Path("two.kin0.parquet").read_bytes() == pathlib.Path("k.kin0.parquet").read_bytes()


def no_pair_is_a_table_without_rows():
    cohort()
    run("dist", "c.bed", "--pairs-below", -1, "--pairs-format", "parquet", "-o", "d")
    names, rows, groups = read_parquet("d.pairs.parquet")
    assert names == ["sample1", "sample2", "value"] and rows == [] and groups == 0


def options_without_effect_are_refused():
    cohort()
    for options, says in ((("--no-matrix",), "--pairs-below"),
                          (("--pairs-format", "parquet"), "--pairs-format"),
                          (("--no-matrix", "--pairs-below", 1, "--format", "tsv"), "--format"),
                          (("--no-matrix", "--distance"), "--no-matrix"),
                          (("--no-matrix", "--make-king-table"), "--no-matrix")):
        refuse("dist", "c.bed", *options, "-o", "d", status=2, says=says)


def a_name_that_is_no_text_is_refused_by_parquet_alone():
    header = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb".encode()
    site = b"\n1\t5\t.\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\n"
    pathlib.Path("c.vcf").write_bytes(header + b"\xff" + site)
    run("dist", "c.vcf", "--pairs-above", 0, "-o", "d")
    refuse("dist", "c.vcf", "--pairs-above", 0, "--pairs-format", "parquet", "-o", "e", says="UTF-8")


def simulated_families_are_first_degree_relatives():
    run("simulate", "--samples", 42, "--sites", 4000, "--populations", 2, "--family-size", 4, "--missing", 0.01,
        "-o", "kin", "--quiet")
    pedigree = [line.split() for line in pathlib.Path("kin.fam").read_text().splitlines()]
    parents = {row[1]: set(row[2:4]) for row in pedigree if row[2] != "0"}
    assert len(parents) == 20 and all(len(pair) == 2 for pair in parents.values()), parents
    assert sum(row[4] == "1" for row in pedigree) == sum(row[4] == "2" for row in pedigree) == 10
    wanted = {frozenset((child, parent)) for child, pair in parents.items() for parent in pair}
    wanted |= {frozenset((a, b)) for a in parents for b in parents if a < b and parents[a] == parents[b]}
    run("dist", "kin.bed", "--metric", "king", "--pairs-above", 0.177, "--no-matrix", "-o", "p", "--quiet")
    table = lines("p.pairs.tsv")
    assert {frozenset(row[:2]) for row in table[1:]} == wanted
