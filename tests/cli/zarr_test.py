"""VCF-Zarr stores give what a VCF of the same calls gives; damaged ones are refused with one line."""
import json
import pathlib
import random
import shutil

import zarr_stores as zarr
from program import run
from program import refuse as refused

HEAD = ("##fileformat=VCFv4.2\n##contig=<ID=1>\n##contig=<ID=2>\n##contig=<ID=X>\n"
        '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
        "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t")
CONTIGS = ("1", "2", "X")
PACKINGS = [None, "zlib", "gzip"] + ([] if shutil.which("zstd") is None else [
    "zstd", {"shuffle": 0}, {"shuffle": 1}, {"shuffle": 2}, {"shuffle": 1, "block": 24},
    {"inner": "zlib", "shuffle": 2, "block": 64}])


def random_calls(rng, variants, samples, ploidy=2, most_alts=1):
    calls, alleles = [], []
    for _ in range(variants):
        alts = rng.randint(1, most_alts)
        kind = [0, 0, 0, *range(1, alts + 1)]
        row = []
        for _ in range(samples):
            call = [rng.choice(kind) for _ in range(ploidy)]
            if rng.random() < 0.1:
                call[rng.randrange(ploidy)] = -1
            if ploidy == 2 and rng.random() < 0.05:
                call[1] = -2
            if rng.random() < 0.05:
                call = [-1] * ploidy
            row.append(tuple(call))
        calls.append(row)
        alleles.append(tuple("ACGT"[:alts + 1]) if rng.random() < 0.5 else
                       tuple("A" * (a + 1) for a in range(alts + 1)))
    return calls, alleles


def contig(k):
    return k // 40 % 3


def write_vcf(path, calls, alleles):
    def text(call):
        return "/".join("." if a == -1 else str(a) for a in call if a != -2)
    with open(path, "w") as file:
        file.write(HEAD + "\t".join(f"I{i}" for i in range(len(calls[0]))) + "\n")
        for k, (row, names) in enumerate(zip(calls, alleles)):
            file.write("\t".join([CONTIGS[contig(k)], str(k + 1), f"v{k}", names[0],
                                  ",".join(names[1:]) or ".", ".", ".", ".", "GT", *map(text, row)]) + "\n")


def filtered(source, *options):
    run("filter", source, *options, "-o", "o.vcf")
    return pathlib.Path("o.vcf").read_text().split("\n#CHROM")[1]


def same(store, vcf, *options):
    wanted = filtered(vcf, *options)
    for threads in (1, 3):
        assert filtered(store, *options, "--threads", threads) == wanted, (store, options, threads)


def every_packing_version_and_cut_gives_the_calls_of_the_vcf():
    rng = random.Random(1)
    for number, packing in enumerate(PACKINGS):
        for version, separator in ((2, "."), (2, "/"), (3, "/")):
            variants, samples = rng.choice(((30, 16), (33, 13)))
            calls, alleles = random_calls(rng, variants, samples, most_alts=3)
            store = f"c{number}{version}{'_' if separator == '/' else ''}.vcz"
            zarr.write_store(store, calls, alleles=alleles, packing=packing, version=version,
                             chunk=rng.choice(((7, 8), (30, 16), (64, 5), (1, 3))), contigs=CONTIGS,
                             contig=contig, call_size=rng.choice((1, 2, 4)),
                             **({"separator": separator} if version == 2 else {"fill": 0}))
            write_vcf("c.vcf", calls, alleles)
            same(store, "c.vcf", "--multiallelic", rng.choice(("skip", "split")))


def filters_and_rules_are_those_of_a_vcf():
    rng = random.Random(2)
    calls, alleles = random_calls(rng, 120, 30, most_alts=2)
    zarr.write_store("c.zarr", calls, alleles=alleles, contigs=CONTIGS, contig=contig, packing="zlib")
    write_vcf("c.vcf", calls, alleles)
    pathlib.Path("list").write_text("v1\nv7\nv70\n")
    for options in ((), ("--all-chr",), ("--multiallelic", "split"), ("--chr", "2"), ("--snps-only", "--multiallelic", "split"),
                    ("--region", "1:5-30"), ("--extract", "list"), ("--exclude", "list"), ("--geno", 0.15),
                    ("--maf", 0.2), ("--half-call", "haploid"), ("--half-call", "reference"),
                    ("--indep-pairwise", 20, 1, 0.2), ("--chr", "1", "--from-bp", 20), ("--mind", 0.3)):
        same("c.zarr", "c.vcf", *options)
    refused("filter", "c.zarr", "--half-call", "error", "-o", "new.bed", says="--half-call")
    for path in ("c.zarr", "c.zarr/", "c.vcf"):
        run("dist", path, "--multiallelic", "collapse", "--shared", "-o", "out")
        result = [pathlib.Path(f"out.{name}").read_bytes() for name in ("dist.npy", "shared.npy", "ids")]
        wanted = result if path == "c.zarr" else wanted  # noqa: F821
        assert result == wanted, path
    for idle in (("--pvar", "x"), ("--var-filter",), ("--sample", "x"), ("--keep-fam", "x")):
        run("dist", "c.zarr", *idle, "-o", "out", status=2)
    assert "memory" in run("dist", "c.zarr", "--plan", "-o", "out").stdout


def haploid_stores_and_chunks_without_a_file():
    calls, alleles = random_calls(random.Random(3), 20, 9, ploidy=1)
    zarr.write_store("h.zarr", calls, alleles=alleles, contigs=CONTIGS, contig=contig, ploidy=1)
    write_vcf("h.vcf", calls, alleles)
    same("h.zarr", "h.vcf")
    calls = [[(0, 0)] * 9 for _ in range(20)]
    zarr.write_store("e.zarr", calls, version=3, fill=0, leave_out={(1, 0, 0), (0, 1, 0)})
    write_vcf("e.vcf", calls, [("G", "A")] * 20)
    same("e.zarr", "e.vcf")
    note = "chunks without a file count as calls of 0"  # a store copied in part lost calls without a word
    assert note in run("dist", "e.zarr", "-o", "out").stderr
    assert note not in run("dist", "h.zarr", "-o", "out").stderr


def a_store_given_as_a_vcf_was_called_a_directory():
    zarr.write_store("s.vcz", random_calls(random.Random(3), 20, 5)[0])
    run("filter", "--vcf", "s.vcz", "-o", "a.npy")
    run("filter", "s.vcz", "-o", "b.npy")
    assert pathlib.Path("a.npy").read_bytes() == pathlib.Path("b.npy").read_bytes()
    pathlib.Path("folder").mkdir()
    refused("filter", "--vcf", "folder", "-o", "c.npy", says="folder: is a folder without a VCF-Zarr store")


def bad_stores():
    calls, alleles = random_calls(random.Random(4), 20, 9)

    def broken(says, array, change=None, *, file=None, version=2, **fields):
        shutil.rmtree("c.zarr", ignore_errors=True)
        zarr.write_store("c.zarr", calls, alleles=alleles, packing="zlib", version=version,
                         **({"fill": 0} if version == 3 else {}))
        folder = pathlib.Path("c.zarr") / array
        if file is not None:
            (folder / file).write_bytes(change((folder / file).read_bytes()))
        elif fields:
            description = folder / (".zarray" if version == 2 else "zarr.json")
            description.write_text(json.dumps({**json.loads(description.read_text()), **fields}))
        else:
            shutil.rmtree(folder)
        refused("dist", "c.zarr", "-o", "new", says=["c.zarr", says])
    for array in ("variant_position", "variant_contig", "variant_allele", "sample_id", "contig_id"):
        broken(f"no array '{array}'", array)
    G = "call_genotype"
    broken("no JSON", G, lambda text: text[:-3], file=".zarray")
    broken("nested at most 32 deep", G, lambda text: b"[" * 1000, file=".zarray")
    broken("too long", G, lambda text: text + b" " * (1 << 20), file=".zarray")
    broken("shape", G, shape="x")
    broken("shape", G, shape=[20, 9, -2])
    broken("shape", G, shape=[20, 9, 2, 2])
    broken("chunks", G, chunks=[7, 8, 1 << 40])
    broken("none of 0", G, chunks=[0, 8, 2])
    broken("as many sizes", G, chunks=[7, 8])
    broken("both alleles", G, chunks=[7, 8, 1])
    broken("a chunk takes", G, chunks=[8, 8, 2])
    broken("more bytes", G, chunks=[6, 8, 2])
    broken("dtype", G, dtype="|u1")
    broken("dtype", G, dtype=">i2")
    broken("dtype", G, dtype="")
    broken("dtype", G, dtype="<f4")
    broken("dtype", G, dtype="|i3")
    broken("dtype", G, dtype="<i0")
    broken("order C", G, order="F")
    broken("filter", G, filters=[{"id": "delta"}])
    broken("compressor", G, compressor={"id": "lzma"})
    broken("'id'", G, compressor={})
    broken("one or two alleles", G, shape=[20, 9, 3])
    broken("rows, and the store's calls", G, shape=[21, 9, 2])
    broken("rows, and the store's calls", G, shape=[20, 8, 2])
    broken("no zlib stream", G, lambda data: data[:-1], file="0.0.0")
    broken("no zlib stream", G, lambda data: b"", file="1.1.0")
    broken("after its data", G, lambda data: data + b"x", file="0.0.0")
    broken("does not have", G, lambda data: zarr.packed(b"\7" * 112, "zlib"), file="0.0.0")
    broken("does not have", G, lambda data: zarr.packed(b"\x80" * 112, "zlib"), file="0.0.0")
    broken("cut short", "sample_id", lambda data: zarr.packed(zarr.elements(["a"] * 8, 0)[:-1], "zlib"),
           file="0")
    broken("number of texts", "sample_id", lambda data: zarr.packed(zarr.elements(["a"], 0), "zlib"), file="0")
    broken("appears twice", "sample_id", lambda data: zarr.packed(zarr.elements(["a"] * 8, 0), "zlib"), file="0")
    broken("no name", "sample_id", lambda data: zarr.packed(zarr.elements([""] * 8, 0), "zlib"), file="0")
    broken("expected texts", "sample_id", dtype="|i1", filters=None)
    broken("expected integers", "variant_position", dtype="|O", filters=[{"id": "vlen-utf8"}])
    broken("contig_id names 1", "variant_contig", lambda data: zarr.packed(b"\5" * 9, "zlib"), file="0")
    broken("contig_id names 1", "variant_contig", lambda data: zarr.packed(b"\xff" * 9, "zlib"), file="0")
    broken("no REF", "variant_allele", lambda data: zarr.packed(zarr.elements([""] * 18, 0), "zlib"), file="0.0")
    broken("another kind", G, filters=[3])
    broken("another kind", G, version=3, chunk_key_encoding={"name": "default", "configuration": 3})
    broken("dtype", G, dtype="|S99999999999999999999")
    broken("codecs", G, version=3, codecs=[])
    broken("codecs", G, version=3, codecs=[{"name": "sharding_indexed"}])
    broken("data_type", G, version=3, data_type="float32")
    broken(r"got 'x\x0a" + 38 * "y" + "...'", G, version=3, data_type="x\n" + 99 * "y")
    broken("compressor", G, version=3, codecs=[{"name": "bytes"}, {"name": "crc32c"}])
    broken("configuration", G, version=3, chunk_grid=3)


def bad_containers_of_blosc():
    if shutil.which("zstd") is None:
        return
    calls = [[(0, 1)] * 64 for _ in range(8)]
    zarr.write_store("c.zarr", calls, chunk=(8, 64), packing={"shuffle": 2})
    run("dist", "c.zarr", "-o", "out")
    file = pathlib.Path("c.zarr/call_genotype/0.0.0")
    good = file.read_bytes()

    def broken(data, says="no whole container"):
        file.write_bytes(data)
        assert "damaged_" not in refused("dist", "c.zarr", "-o", "new", says=["0.0.0", says]).stderr
    for cut in range(len(good)):
        broken(good[:cut])
    for at, byte in ((0, 3), (3, 0), (4, 1), (5, 1), (9, 0), (9, 1), (12, 255), (16, 255), (20, 255), (24, 0)):
        broken(good[:at] + bytes([byte]) + good[at + 1:], "")
    broken(good[:2] + b"\0" + good[3:], "BloscLZ")
    broken(good[:2] + b"\x50" + good[3:], "BloscLZ")
    broken(good[:4] + b"\xff\xff\xff\xff" + good[8:], "more bytes")
