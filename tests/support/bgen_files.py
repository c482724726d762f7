"""BGEN 1.2 files, written variant by variant, for tests."""
import pathlib
import struct
import subprocess
import zlib


def text(value, size="<H"):
    data = value.encode()
    return struct.pack(size, len(data)) + data


def pack_bits(values, bits):
    whole = 0
    for k, value in enumerate(values):
        whole |= value << (k * bits)
    return whole.to_bytes(-(-len(values) * bits // 8), "little")


def probabilities(ploidies, values, bits, *, alleles=2, phased=0):
    """The probability block of a variant. ploidies: one a sample, None where its data are missing;
    values: the stored numbers of each sample."""
    known = [ploidy for ploidy, _ in ploidies]
    return (struct.pack("<IHBB", len(known), alleles, min(known, default=2), max(known, default=2)) +
            bytes(ploidy | (128 if missing else 0) for ploidy, missing in ploidies) +
            bytes([phased, bits]) + pack_bits([v for sample in values for v in sample], bits))


def packed(data, compression):
    if compression == 0:
        return struct.pack("<I", len(data)) + data
    if compression == 1:
        body = zlib.compress(data, 1)
    else:
        body = subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout
    return struct.pack("<II", len(body) + 4, len(data)) + body


def variant(data, compression=1, *, contig="1", position=1, name="v", alleles=("G", "A"), other=""):
    return (text(other) + text(name) + text(contig) + struct.pack("<IH", position, len(alleles)) +
            b"".join(text(allele, "<I") for allele in alleles) + packed(data, compression))


def header(variants, samples, compression=1, *, layout=2, names=None, free=b""):
    block = b""
    if names is not None:
        body = b"".join(map(text, names))
        block = struct.pack("<II", 8 + len(body), len(names)) + body
    flags = compression | layout << 2 | (0 if names is None else 1 << 31)
    head = (struct.pack("<III", 20 + len(free), variants, samples) + b"bgen" + free +
            struct.pack("<I", flags))
    return struct.pack("<I", len(head) + len(block)) + head + block


def write(path, samples, variants, compression=1, **options):
    """variants: bytes of variant()."""
    pathlib.Path(path).write_bytes(header(len(variants), samples, compression, **options) +
                                   b"".join(variants))


def unphased(calls, bits=8):
    """The values of hard calls: x = number of the second allele, None: missing; haploid where a
    pair (x, 1)."""
    top = (1 << bits) - 1
    ploidies, values = [], []
    for call in calls:
        x, ploidy = call if isinstance(call, tuple) else (call, 2)
        ploidies.append((ploidy, x is None))
        values.append([0] * ploidy if x is None else [top if x == k else 0 for k in range(ploidy)])
    return probabilities(ploidies, values, bits)
