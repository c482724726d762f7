"""Small VCF-Zarr stores of version 2 or 3 in a folder, written without Zarr's own packages."""
import gzip
import json
import pathlib
import struct
import subprocess
import zlib

TYPES = {1: "|i1", 2: "<i2", 4: "<i4", 8: "<i8"}


def blosc(data, size, *, inner="zstd", shuffle=1, block=None):
    """A container of Blosc 1 with one stream a block; `size`: bytes of an element."""
    flags = {"zlib": 3, "zstd": 4}[inner] << 5 | 16 | {0: 0, 1: 1, 2: 4}[shuffle]
    block = block or max(len(data), 1)
    bodies = []
    for begin in range(0, len(data), block):
        part = data[begin:begin + block]
        count = len(part) // size
        if shuffle == 1 and size > 1:
            part = bytes(part[i * size + k] for k in range(size) for i in range(count)) + part[count * size:]
        if shuffle == 2 and count % 8 == 0:
            rows = bytearray(count * size)
            for k in range(8 * size):
                for i in range(count):
                    rows[k * (count // 8) + i // 8] |= (part[i * size + k // 8] >> k % 8 & 1) << i % 8
            part = bytes(rows) + part[count * size:]
        body = packed(part, inner)
        bodies.append(part if len(body) >= len(part) else body)
    at, starts, rest = 16 + 4 * len(bodies), b"", b""
    for body in bodies:
        starts += struct.pack("<I", at + len(rest))
        rest += struct.pack("<I", len(body)) + body
    head = struct.pack("<BBBBIII", 2, 1, flags, size, len(data), block, at + len(rest))
    return head + starts + rest


def packed(data, how, size=1):
    if how is None:
        return data
    if how == "zlib":
        return zlib.compress(data)
    if how == "gzip":
        return gzip.compress(data)
    if how == "zstd":
        return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout
    return blosc(data, size, **how)


def elements(values, size):
    """Bytes of integers, or of texts (size 0) with their lengths."""
    if size:
        return b"".join(value.to_bytes(size, "little", signed=True) for value in values)
    texts = [value.encode() for value in values]
    return struct.pack("<I", len(texts)) + b"".join(struct.pack("<I", len(t)) + t for t in texts)


def write_array(folder, shape, chunk, at, *, size=1, packing=None, version=2, separator=".", fill=None,
                leave_out=()):
    """at(*place): the element there; size 0: texts. `leave_out`: chunks without a file."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    name = "blosc" if isinstance(packing, dict) else packing
    if version == 2:
        (folder / ".zarray").write_text(json.dumps({
            "zarr_format": 2, "shape": shape, "chunks": chunk, "order": "C", "fill_value": fill,
            "dtype": TYPES[size] if size else "|O", "dimension_separator": separator,
            "filters": None if size else [{"id": "vlen-utf8"}],
            "compressor": None if name is None else {"id": name}}))
    else:
        first = {"name": "bytes", "configuration": {"endian": "little"}} if size else {"name": "vlen-utf8"}
        (folder / "zarr.json").write_text(json.dumps({
            "zarr_format": 3, "node_type": "array", "shape": shape, "fill_value": fill,
            "data_type": f"int{8 * size}" if size else "string",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "codecs": [first] + ([] if name is None else [{"name": name}])}))
        separator = "/"

    def places(sizes):
        return [[]] if not sizes else [[k] + rest for k in range(sizes[0]) for rest in places(sizes[1:])]
    for place in places([-(-s // c) for s, c in zip(shape, chunk)]):
        if tuple(place) in leave_out:
            continue
        values = []
        for within in places(chunk):
            index = [p * c + w for p, c, w in zip(place, chunk, within)]
            inside = all(i < s for i, s in zip(index, shape))
            values.append(at(*index) if inside else (0 if size else ""))
        file = folder / separator.join(["c"] * (version == 3) + list(map(str, place)))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(packed(elements(values, size), packing, size or 1))


def write_store(path, calls, *, alleles=None, chunk=(7, 8), contigs=("1",), contig=lambda k: 0, names=None,
                ploidy=2, call_size=1, position=lambda k: k + 1, **options):
    """calls: a row a variant of tuples of alleles, -1 missing, -2 none; alleles: texts of each variant."""
    variants, samples = len(calls), len(calls[0])
    alleles = alleles or [("G", "A")] * variants
    names = names or [f"I{i}" for i in range(samples)]
    most = max(map(len, alleles))
    rows = min(chunk[0] + 2, max(variants, 1))  # other arrays are cut elsewhere
    path = pathlib.Path(path)
    write_array(path / "call_genotype", [variants, samples, ploidy], [*chunk, ploidy],
                lambda v, s, p: calls[v][s][p], size=call_size, **options)
    write_array(path / "variant_position", [variants], [rows], position, size=4, **options)
    write_array(path / "variant_contig", [variants], [rows], contig, size=1, **options)
    write_array(path / "variant_id", [variants], [rows], lambda v: f"v{v}", size=0, **options)
    write_array(path / "variant_allele", [variants, most], [rows, most],
                lambda v, a: alleles[v][a] if a < len(alleles[v]) else "", size=0, **options)
    write_array(path / "contig_id", [len(contigs)], [len(contigs)], lambda k: contigs[k], size=0, **options)
    write_array(path / "sample_id", [samples], [max(samples - 1, 1)], lambda k: names[k], size=0, **options)
