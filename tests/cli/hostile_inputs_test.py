"""Small files that were made to cost much: each ends in one line and a documented status, within a bounded memory."""
import gzip
import json
import pathlib
import resource
import struct
import subprocess
import zlib

import bgen_files as bgen
import zarr_stores
from program import helper, put, refuse, run

DEEP = "[" * 200000 + "]" * 200000
OBJECTS = "[" + "{}," * 200000 + "1]"
MEMBERS = "{" + ",".join(f'"{k}":0' for k in range(200000)) + "}"
COLUMNS = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
SITE = "1\t{}\t.\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\n"


def bgzf(data):
    """Bytes in one block of BGZF and an empty one."""
    blocks = b""
    for part in (data, b""):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(part) + packer.flush()
        blocks += (b"\x1f\x8b\x08\x04" + bytes(5) + b"\xff\x06\0BC\x02\0" + struct.pack("<H", len(packed) + 25) + packed +
                   struct.pack("<II", zlib.crc32(part), len(part)))
    return blocks


@helper
def fit():
    put("t.csv", "x,y,class\n" + "".join(f"{k % 7},{k % 5},{'ab'[k % 2]}\n" for k in range(40)))
    run("tree", "fit", "t.csv", "--label", "class", "-o", "tree")
    run("som", "fit", "t.csv", "--label", "class", "--rows", 2, "--cols", 2, "-o", "map")


def with_value(path, keys, text):
    """The JSON of a file where a member is another text."""
    document = json.loads(pathlib.Path(path).read_text())
    at = document
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = "@"
    return json.dumps(document).replace('"@"', text)


def brackets_nested_deeply_crashed_readers_of_models_runs_and_stores():
    fit()
    run("fermat", "simulate:6x30", "-o", "f")
    zarr_stores.write_store("c.zarr", [[(0, 1), (1, 1), (0, 0)]] * 5)
    array = "c.zarr/call_genotype/.zarray"
    for path, keys, command in (("tree.json", ["format"], "tree show tree.json"), ("tree.json", ["new"], "tree predict tree.json t.csv -o o"),
                                ("tree.json", ["trees", 0, "feature"], "tree show tree.json"), ("map.json", ["new"], "som apply map.json t.csv -o o"),
                                ("map.json", ["version"], "som report map.json -o o"), ("f.json", ["runs", 0, "new"], "path f s1 s2"),
                                (array, ["shape"], "dist c.zarr -o o"), (array, ["filters"], "dist c.zarr -o o")):
        whole = pathlib.Path(path).read_text()
        put(path, with_value(path, keys, DEEP))
        refuse(*command.split(), says="brackets nested at most 32 deep")
        put(path, whole)
    body = b"YUPTREE2" + struct.pack("<Q", len(DEEP)) + DEEP.encode()
    put("b.model", body + struct.pack("<I", zlib.crc32(body)))
    refuse("tree", "show", "b.model", says="brackets nested")


def lists_of_many_objects_and_objects_of_many_members_took_quadratic_time():
    fit()
    put("o.json", with_value("tree.json", ["format"], OBJECTS))
    refuse("tree", "show", "o.json", says="o.json: is no model of trees")
    put("o.json", with_value("tree.json", ["encodings"], OBJECTS))
    refuse("tree", "show", "o.json", says="encodings")
    for model, command in (("tree.json", "tree show o.json"), ("map.json", "som report o.json -o o")):
        put("o.json", with_value(model, ["new"], MEMBERS))
        refuse(*command.split(), says="at most 1000 members")


def a_small_binary_model_took_memory_for_classes_times_nodes():
    head = json.dumps({"format": "yupana trees", "version": 1, "label": "class", "classes": [""] * 20000, "features": ["a"],
                       "voting": "soft"}).encode()
    body = b"YUPTREE2" + struct.pack("<Q", len(head)) + head + struct.pack("<QQ", 1, 30000) + b"\x1d" * 30000
    put("b.model", body + struct.pack("<I", zlib.crc32(body)))
    refuse("tree", "show", "b.model", "--memory", "64G", says="damaged or cut short")


def files_named_by_a_file_were_opened_outside_its_folder():
    run("fermat", "simulate:6x30", "-o", "f")
    put("f.json", with_value("f.json", ["runs", 0, "fermat"], '"/../f.fermat.npy"'))
    refuse("path", "f", "s1", "s2", says="'fermat' is no ending of a file of the run")
    zarr_stores.write_store("c.zarr", [[(0, 1), (1, 1), (0, 0)]] * 5, version=3)
    array = "c.zarr/call_genotype/zarr.json"
    put(array, with_value(array, ["chunk_key_encoding", "configuration", "separator"], '"/../"'))
    refuse("dist", "c.zarr", "-o", "o", says="separator: expected / or .")


def a_line_that_unpacks_to_all_memory_was_held():
    """300 kB of gzip hold a line of 300 MB."""
    put("x.txt", gzip.compress(b"a" * (300 << 20), 1))
    put("g.fa", pathlib.Path("x.txt").read_bytes())
    for command in ("scan x.txt -o o.txt", "closest x.txt -o o.tsv", "splice --genome g.fa --save index -o o.idx",
                    "dist simulate:5x5 --keep x.txt -o o"):
        refuse(*command.split(), says="bytes in a line")


def a_long_line_of_the_header_of_a_vcf_took_quadratic_time():
    head = "##fileformat=VCFv4.2\n##contig=<ID=1>\n"
    put("c.vcf", head + "##" + "x" * (40 << 20) + "\n" + COLUMNS + SITE.format(1) + SITE.format(2))
    run("dist", "c.vcf", "-o", "o")
    put("h.vcf.gz", gzip.compress((head + "##" + "x" * (300 << 20)).encode(), 1))
    refuse("dist", "h.vcf.gz", "-o", "p", says="got a header of more than")
    put("r.vcf.gz", gzip.compress((head + COLUMNS + "1\t1\t.\tA\tC\t.\t.\t" + "x" * (300 << 20)).encode(), 1))
    refuse("dist", "r.vcf.gz", "-o", "p", says="bytes in a record")


def a_chunk_of_positions_that_unpacks_to_all_memory_was_held():
    zarr_stores.write_store("c.zarr", [[(0, 1), (1, 1), (0, 0)]] * 5, packing="zlib")
    array = "c.zarr/variant_position/.zarray"
    put(array, with_value(array, ["chunks"], f"[{50 << 20}]"))
    put("c.zarr/variant_position/0", zlib.compress(bytes(200 << 20), 1))
    refuse("dist", "c.zarr", "-o", "o", says="is a chunk of 209715200 bytes in a file of")


def a_variant_of_many_alleles_unpacked_beyond_the_memory():
    alleles = ("A",) * 65535
    variant = bgen.text("") + bgen.text("v") + bgen.text("1") + struct.pack("<IH", 1, len(alleles)) + b"".join(
        bgen.text(a, "<I") for a in alleles)
    packed = zlib.compress(bytes(200 << 20), 1)
    put("c.bgen", bgen.header(1, 3, 1, names=["a", "b", "c"]) + variant + struct.pack("<II", len(packed) + 4, 200 << 20) + packed)
    refuse("dist", "c.bgen", "--multiallelic", "collapse", "--memory", "100M", "-o", "o", status=4, says="to unpack")


def messages_quoted_words_of_any_length():
    put("g.fa", ">g\nACGTACGTACGT\n")
    put("t.fa", ">t\nACGT\n")
    put("e.tsv", "1 4\n")
    put("s.txt", "A" * 1000000 + "\n")
    done = refuse("splice", "--genome", "g.fa", "--exons", "e.tsv", "--target", "t.fa", "--matrix", "s.txt", "-o", "o",
                  says="expected a line of single letters")
    assert len(done.stderr) < 6000, len(done.stderr)


def a_damaged_index_crashed_the_library_that_read_it():
    """Numbers of contigs, bins, chunks and windows that the file does not hold, a bin that is there twice, a bomb."""
    put("c.vcf.gz", bgzf(("##fileformat=VCFv4.2\n##contig=<ID=1>\n" + COLUMNS + SITE.format(5) + SITE.format(9)).encode()))
    tabix = b"TBI\1" + struct.pack("<9i", 1, 2, 1, 2, 0, 35, 0, 2, 0x31)[:-2]
    csi = b"CSI\1" + struct.pack("<3i", 14, 5, 30) + tabix[8:]
    many = 2**31 - 1
    empty_bin = struct.pack("<Ii", 4681, 0)
    for ending, index in ((".tbi", tabix[:4] + struct.pack("<i", many) + tabix[8:]), (".tbi", tabix + struct.pack("<i", many)),
                          (".tbi", tabix + struct.pack("<iIi", 1, 4681, many)), (".tbi", tabix + struct.pack("<iIi", 1, 4681, -1)),
                          (".tbi", tabix + struct.pack("<i", 2) + empty_bin * 2 + struct.pack("<i", many)),
                          (".tbi", tabix[:32] + struct.pack("<i", many) + b"1\0"), (".csi", csi + struct.pack("<i", many)),
                          (".csi", csi[:12] + struct.pack("<i", many)), (".csi", b"CSI\1" + struct.pack("<3i", 0, 30, 30) + csi[16:]),
                          (".tbi", b"PK")):
        for name in ("c.vcf.gz.tbi", "c.vcf.gz.csi"):
            pathlib.Path(name).unlink(missing_ok=True)
        put("c.vcf.gz" + ending, gzip.compress(index))
        refuse("dist", "c.vcf.gz", "--region", "1", "-o", "o", says=["c.vcf.gz" + ending, "make it again"])
    put("c.vcf.gz.tbi", gzip.compress(tabix + struct.pack("<iIi", 1, 4681, many) + bytes(300 << 20), 1))
    refuse("dist", "c.vcf.gz", "--region", "1", "-o", "o", says="unpacks to too many bytes")
    pathlib.Path("c.vcf.gz.tbi").unlink()
    run("dist", "c.vcf.gz", "--region", "1", "-o", "o")


def an_index_of_sixteen_million_in_a_few_bytes_took_gigabytes():
    put("t.libsvm", "1 16777216:1\n2 1:1\n")
    for command in ("tree fit t.libsvm --label label -o o", "som fit t.libsvm -o o"):
        refuse(*command.split(), says="has an index of 16777216")
    run("tree", "fit", "t.libsvm", "--label", "label", "--columns", 1, 16777216, "-o", "o")
    run("tree", "predict", "o.json", "t.libsvm", "-o", "p")


def a_device_without_an_end_was_read_until_memory_or_the_disk_was_full():
    fit()
    for command in ("dist simulate:5x5 --keep @ -o o", "dist simulate:5x5 --remove @ -o o", "splice --batch @ -o o", "scan @ -o o.txt",
                    "fermat simulate:9x50 --labels @ -o o", "tree predict tree.json @ -o o", "tree show @"):
        for device in ("/dev/zero", "/dev/urandom"):
            refuse(*command.replace("@", device).split(), says=f"{device}: is a device without an end")


def a_pipe_without_a_line_end_was_held_up_to_gigabytes():
    for command in ("dist simulate:5x5 --keep /dev/stdin -o o", "splice --batch /dev/stdin -o o"):
        for letters, says in (("a", "bytes in a line"), ("\\0", "got a NUL byte")):
            with open("/dev/zero", "rb") as zeros:
                endless = subprocess.Popen(["tr", "\\0", letters], stdin=zeros, stdout=subprocess.PIPE)
            refuse(*command.split(), stdin=endless.stdout, says=says,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20)))
            endless.stdout.close()
            endless.wait()


def a_model_of_many_columns_was_looked_up_in_quadratic_time():
    """200,000 columns took a minute to apply and a quarter of a second to fit."""
    columns = 200000
    rows = ["".join(f"{(7 * k + r) % 10}," for k in range(columns)) + "ab"[r % 2] for r in range(3)]
    put("w.csv", "".join(f"f{k}," for k in range(columns)) + "c\n" + "\n".join(rows) + "\n")
    run("tree", "fit", "w.csv", "--label", "c", "-o", "w")
    run("tree", "predict", "w.json", "w.csv", "-o", "p")


def a_matrix_of_forty_million_rows_and_one_entry_took_the_memory_of_its_rows():
    put("m.mtx", "%%MatrixMarket matrix coordinate real general\n40000000 40000000 1\n1 1 1\n")
    refuse("trisolve", "m.mtx", "-o", "o.txt", says="announces 1 entry for 40000000 rows")


def a_note_listed_every_alpha_of_a_record():
    run("fermat", "simulate:6x30", "-o", "f")
    record = json.loads(pathlib.Path("f.json").read_text())
    put("f.json", json.dumps(record | {"runs": record["runs"] * 10000}))
    done = run("path", "f", "s1", "s2")
    assert len(done.stderr) < 500, len(done.stderr)
