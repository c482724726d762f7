"""A plain encoder of .pgen files, every record type, from the format's specification: the reference
that readers are compared with. Genotypes are categories: 0 REF REF, 1 REF ALT, 2 ALT ALT, 3 missing."""
import pathlib
import random
import struct

BLOCK = 1 << 16
INVERTED = (2, 1, 0, 3)
HEAD = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def packed(values, bits):
    """An array of 1-, 2-, 4- or 8-bit values, low bits first."""
    each = 8 // bits
    values = list(values) + [0] * (-len(values) % each)
    return bytes(sum(values[i + j] << (bits * j) for j in range(each))
                 for i in range(0, len(values), each))


def id_bytes(samples):
    return 1 if samples <= 1 << 8 else 2 if samples <= 1 << 16 else 3 if samples <= 1 << 24 else 4


def difflist(samples, ids, categories=None):
    if not ids:
        return b"\0"
    groups = [ids[i:i + 64] for i in range(0, len(ids), 64)]
    deltas = [b"".join(varint(b - a) for a, b in zip(group, group[1:])) for group in groups]
    out = varint(len(ids))
    out += b"".join(group[0].to_bytes(id_bytes(samples), "little") for group in groups)
    out += bytes(len(part) - 63 for part in deltas[:-1])
    if categories is not None:
        out += packed(categories, 2)
    return out + b"".join(deltas)


def different(row, base):
    ids = [i for i, category in enumerate(row) if category != base[i]]
    return difflist(len(row), ids, [row[i] for i in ids])


def main_track(kind, row, base=None):
    """The main track of a row as record type `kind` (0 to 7); None where the type cannot hold it."""
    if kind == 0:
        return packed(row, 2)
    if kind == 1:
        common = sorted(sorted(range(4), key=lambda c: (-row.count(c), c))[:2])
        rare = [i for i, category in enumerate(row) if category not in common]
        return (bytes([common[1] - common[0] + 4 * common[0]]) +
                packed([int(c == common[1]) for c in row], 1) +
                difflist(len(row), rare, [row[i] for i in rare]))
    if kind == 2:
        return different(row, base)
    if kind == 3:  # categories are stored inverted too: the list comes first, the inversion after
        return different([INVERTED[c] for c in row], base)
    if kind == 5:
        return b"" if set(row) <= {0} else None
    return different(row, [kind & 3] * len(row))


def width(count, steps):
    return next(bits for most, bits in steps if count <= most)


def patch_set(form, samples, of, patched, values):
    """One patch set: form 0 a bit for each sample of the category, 1 a difflist, 15 empty."""
    if form == 15:
        return b""
    ids = [i for i in of if i in patched]
    start = packed([int(i in patched) for i in of], 1) if form == 0 else difflist(samples, ids)
    return start + values([patched[i] for i in ids])


def multiallelic_track(row, alleles, alts, forms=(0, 0)):
    """Track 1. `alleles`: per sample the two allele numbers, the smaller first."""
    ones = [i for i, c in enumerate(row) if c == 1]
    twos = [i for i, c in enumerate(row) if c == 2]
    patched1 = {i: alleles[i][1] - 2 for i in ones if alleles[i][1] > 1}
    patched2 = {i: (alleles[i][0] - 1, alleles[i][1] - 1) for i in twos if alleles[i] != (1, 1)}
    forms = tuple(form if patched else 15 for form, patched in zip(forms, (patched1, patched2)))

    def singles(values):
        bits = width(alts, [(2, 0), (3, 1), (5, 2), (17, 4), (257, 8)])
        return packed(values, bits) if bits else b""

    def pairs(values):
        if alts == 2:
            return packed([int(pair == (1, 1)) for pair in values], 1)
        bits = width(alts, [(4, 2), (16, 4), (256, 8)])
        return packed([part for pair in values for part in pair], bits)
    return (bytes([forms[0] | forms[1] << 4]) + patch_set(forms[0], len(row), ones, patched1, singles)
            + patch_set(forms[1], len(row), twos, patched2, pairs))


def header(mode, variants, samples, control):
    return b"\x6c\x1b" + bytes([mode]) + struct.pack("<II", variants, samples) + bytes([control])


def write_variable(path, samples, records, *, mode=0x10, length_bytes=2, wide_types=False,
                   alts=None, reference_flags=0):
    """Mode 0x10, or with an index of its own (PATH.pgi) 0x20; 0x11 and 0x21 have extensions, none of
    which is present. `records`: (type, bytes); alts: ALT alleles of each where they are stored."""
    count_bytes = 0 if alts is None else 1
    control = (length_bytes - 1) | (4 if wide_types else 0) | count_bytes << 4 | reference_flags << 6
    body = b""
    for start in range(0, len(records), BLOCK):
        part = records[start:start + BLOCK]
        body += packed([kind for kind, _ in part], 8 if wide_types else 4)
        body += b"".join(len(data).to_bytes(length_bytes, "little") for _, data in part)
        if alts is not None:
            body += bytes(count + 1 for count in alts[start:start + BLOCK])
        if reference_flags == 3:
            body += packed([0] * len(part), 1)
    if mode & 1:
        body += b"\0\0"  # neither header nor footer extensions
    blocks = -(-len(records) // BLOCK)
    separate = mode >= 0x20
    at = 12 - 9 if separate else 12 + 8 * blocks + len(body)
    offsets = []
    for k, (_, data) in enumerate(records):
        if k % BLOCK == 0:
            offsets.append(at)
        at += len(data)
    index = (header(mode + 0x10 if separate else mode, len(records), samples, control) +
             struct.pack(f"<{blocks}Q", *offsets) + body)
    data = b"".join(data for _, data in records)
    if separate:
        pathlib.Path(f"{path}.pgi").write_bytes(index)
        pathlib.Path(path).write_bytes(b"\x6c\x1b" + bytes([mode]) + data)
    else:
        pathlib.Path(path).write_bytes(index + data)


def write_fixed(path, mode, rows, tail=b""):
    """Modes 0x02 to 0x04; `tail` stands for the dosages of each record."""
    samples = len(rows[0])
    pathlib.Path(path).write_bytes(header(mode, len(rows), samples, 0x40) +
                                   b"".join(packed(row, 2) + tail for row in rows))


def write_bed(path, rows):
    """The same genotypes as PLINK 1 has them: x counts ALT, which is A1."""
    code = (3, 2, 0, 1)
    pathlib.Path(path).write_bytes(b"\x6c\x1b\x01" + b"".join(
        packed([code[c] for c in row], 2) for row in rows))


def genotypes(samples, variants, seed):
    """Rows of every kind of frequency, many of them alike or inverted."""
    rng = random.Random(seed)
    rows = []
    for _ in range(variants):
        if rows and rng.random() < 0.5:
            row = list(rng.choice(rows[-3:]))
            if rng.random() < 0.5:
                row = [INVERTED[c] for c in row]
            for _ in range(rng.randrange(samples // 15 + 1)):
                row[rng.randrange(samples)] = rng.randrange(4)
        else:
            weights = rng.choice([(8, 1, 1, 0.1), (1, 4, 4, 1), (0.2, 1, 9, 0.1), (0, 0, 1, 20),
                                  (1, 0, 0, 0), (1, 1, 0.05, 0.05), (50, 1, 0, 0)])
            row = rng.choices(range(4), weights, k=samples)
        rows.append(row)
    return rows


def records(rows, seed):
    """Each row in a random form that can hold it; the second result says which were used."""
    rng = random.Random(seed)
    base, result = None, []
    for k, row in enumerate(rows):
        if k % BLOCK == 0:
            base = None
        for kind in rng.sample(range(8), 8):
            if kind in (2, 3) and base is None:
                continue
            data = main_track(kind, row, base)
            if data is not None:
                break
        if kind not in (2, 3):
            base = row
        result.append((kind, data))
    return result


def companions(prefix, variants, samples, contig=lambda k: 1 + k % 22):
    pathlib.Path(f"{prefix}.bim").write_text(
        "".join(f"{contig(k)}\tv{k}\t0\t{k + 1}\tA\tG\n" for k in range(variants)))
    pathlib.Path(f"{prefix}.pvar").write_text(
        "##contig=<ID=1>\n" + HEAD +
        "".join(f"{contig(k)}\t{k + 1}\tv{k}\tG\tA\t.\tPASS\tPR\n" for k in range(variants)))
    pathlib.Path(f"{prefix}.fam").write_text(
        "".join(f"F{i}\tI{i}\t0\t0\t1\t-9\n" for i in range(samples)))
    pathlib.Path(f"{prefix}.psam").write_text(
        "#FID\tIID\tPAT\tMAT\tSEX\n" + "".join(f"F{i}\tI{i}\t0\t0\t1\n" for i in range(samples)))


def phase_track(row, rng):
    """Phases of the heterozygous calls of a row: of all, or of some of them."""
    heterozygous = row.count(1)
    if rng.random() < 0.5:
        return packed([0] + rng.choices((0, 1), k=heterozygous), 1)
    phased = rng.choices((0, 1), k=heterozygous)
    return packed([1] + phased, 1) + packed(rng.choices((0, 1), k=sum(phased)), 1)


def dosage_track(form, samples, dosages):
    """Dosages in 1/16384 of the samples that have one, {sample: dosage}, as bits 5 and 6 of a type name
    the form: 1 a list, 2 a number for every sample, 3 a bit for every sample."""
    ids = sorted(dosages)
    numbers = [dosages[i] for i in ids]
    if form == 2:
        numbers = [dosages.get(i, 65535) for i in range(samples)]
    start = (difflist(samples, ids) if form == 1 else
             b"" if form == 2 else packed([int(i in dosages) for i in range(samples)], 1))
    return start + struct.pack(f"<{len(numbers)}H", *numbers)


def with_dosages(records, rows, seed):
    """Records with dosages, some with phases before them, and the dosages of each: None where missing."""
    rng = random.Random(seed)
    result, all_dosages = [], []
    for (kind, data), row in zip(records, rows):
        samples, form = len(row), rng.randrange(4)
        phase = rng.random() < 0.5
        own = {i: rng.randrange(32769) for i in range(samples) if rng.random() < 0.3} if form else {}
        data += phase_track(row, rng) if phase else b""
        data += dosage_track(form, samples, own) if form else b""
        result.append((kind | (0x10 if phase else 0) | form << 5, data))
        all_dosages.append([own.get(i, None if c == 3 else 16384 * c) for i, c in enumerate(row)])
    return result, all_dosages
